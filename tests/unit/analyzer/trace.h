/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace written by hand, for tests of the rules about sequences of calls: one process, one
 * kernel with two pointer arguments.  */
#ifndef HIPGRAIN_TEST_TRACE_H
#define HIPGRAIN_TEST_TRACE_H

#include "world.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_runtime.h"
#include "tracer/events/ev_sync.h"

/* What the kernel does through its two arguments; to be changed by tests. */
static struct isa_use uses[2];
static struct isa_kernel kernel;

static struct isa_arg arguments[] = { { 0, 8, true, NULL, NULL }, { 8, 8, true, NULL, NULL } };
static uint32_t last_args;

static void process(const char *exe, const char *env)
{
	apply((struct hg_event){
	    .type = HG_EVENT_process,
	    .process = &(struct hg_ev_process){
		.page_size = 4096, .version = "", .exe = exe, .cmdline = "", .env = env } });
}

static void runtime(int32_t version, int32_t devices)
{
	apply((struct hg_event){
	    .type = HG_EVENT_runtime,
	    .runtime = &(struct hg_ev_runtime){
		.path = "/lib/libamdhip64.so.5", .version = version, .device_count = devices } });
}

static void device_of(int32_t ordinal, const char *arch, int8_t xnack)
{
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = &(struct hg_ev_device){ .ordinal = ordinal,
								   .name = "test",
								   .arch = arch,
								   .xnack = xnack,
								   .managed = 1,
								   .fine_grain = 1 } });
}

static void alloc(uint16_t api, uint64_t ptr, uint64_t size, uint32_t stack_id)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_alloc,
			       .alloc = &(struct hg_ev_alloc){ .api = (uint16_t)api,
							       .ptr = ptr,
							       .size = size,
							       .device = api < HG_HIP_APIS ? -1 : 0,
							       .symbol = "",
							       .stack_id = stack_id } });
}

static void release(uint16_t api, uint64_t ptr)
{
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = (uint16_t)api, .ptr = ptr, .stack_id = 21 } });
}

static void launch_on(int32_t device, uint64_t stream, uint64_t first, uint64_t second)
{
	uint64_t words[] = { first, second };

	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = ++last_args,
							       .kernel_id = 1,
							       .bytes = (const uint8_t *)words,
							       .length = sizeof(words) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								   .kernel_id = 1,
								   .args_id = last_args,
								   .grid_x = 1024,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1,
								   .device = device,
								   .stream = stream,
								   .stack_id = 11 } });
}

static void launch(uint64_t first, uint64_t second)
{
	launch_on(0, 0, first, second);
}

static void copy_on(uint64_t stream, uint16_t api, int kind, uint64_t dst, uint64_t src,
		    uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = (uint16_t)api,
							       .dst = dst,
							       .src = src,
							       .size = size,
							       .rows = 1,
							       .depth = 1,
							       .kind = kind,
							       .stream = stream,
							       .stack_id = 9 } });
}

/* hipMemcpy with hipMemcpyDefault */
static void copy(uint64_t dst, uint64_t src, uint64_t size)
{
	copy_on(0, HG_API_hipMemcpy, 4, dst, src, size);
}

static void wait(void)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync =
				     &(struct hg_ev_sync){ .api = HG_API_hipDeviceSynchronize } });
}

static void call(uint16_t api)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_call,
			       .call = &(struct hg_ev_call){ .api = (uint16_t)api, .text = "" } });
}

static int setup(void **state)
{
	(void)state;
	uses[0] = (struct isa_use){ .kernarg = 0, .access = ISA_READ, .certain = true };
	uses[1] = (struct isa_use){ .kernarg = 8, .access = ISA_READ | ISA_WRITE, .certain = true };
	kernel = (struct isa_kernel){ .symbol = (char *)"_Z4workPfS_",
				      .name = (char *)"work(float*, float*)",
				      .kernarg_size = 16,
				      .args = arguments,
				      .arg_count = 2,
				      .uses = uses,
				      .use_count = 2,
				      .uses_complete = true };
	last_args = 0;
	world_begin(&kernel, 1);
	return 0;
}

/* Code and kernel of the process; after process(), which begins a new one. */
static void code(void)
{
	code_object_event();
	kernel_event(1, "_Z4workPfS_");
}

#endif
