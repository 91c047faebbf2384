/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the rules on order and on errors share: a trace written by hand, event by
 * event, and kernels whose machine-code facts are a table. isa_analyze() is replaced by it.
 * Included once by each test program.
 */
#ifndef HIPGRAIN_ORDER_WORLD_H
#define HIPGRAIN_ORDER_WORLD_H

#include "world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_runtime.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

/* ---- the machine code: (pointer, pointer, int) ---- */

static struct isa_arg arguments[] = { { 0, 8, true, NULL, NULL },
				      { 8, 8, true, NULL, NULL },
				      { 16, 4, false, NULL, NULL } };

#define USE(offset, what, sure)                                                \
	{                                                                      \
		.kernarg = offset, .access = what, .certain = sure, .width = 4 \
	}
static struct isa_use writes_first[] = { USE(0, ISA_WRITE, true) };
static struct isa_use reads_first[] = { USE(0, ISA_READ, true) };
static struct isa_use updates_first[] = { USE(0, ISA_READ | ISA_WRITE, true) };
static struct isa_use counts_first[] = { USE(0, ISA_READ | ISA_ATOMIC, true) };
static struct isa_use maybe_writes[] = { USE(0, ISA_WRITE, false) };
/* Words of 32 bits: as many as the number says, and as work-items. */
#define REACH(bound)                                                            \
	{                                                                       \
		.known = true, .grid = true, .stride = 4, .size = 4, .limit = { \
			.known = bound,                                         \
			.grid = true,                                           \
			.is_signed = true,                                      \
			.kernarg = 16                                           \
		}                                                               \
	}
static struct isa_use writes_below[] = {
	{ .kernarg = 0,
	  .access = ISA_WRITE,
	  .certain = true,
	  .width = 4,
	  .reach = { [1] = REACH(true) } },
};
static struct isa_use reads_below[] = {
	{ .kernarg = 0,
	  .access = ISA_READ,
	  .certain = true,
	  .width = 4,
	  .reach = { [0] = REACH(true) } },
};
static struct isa_use writes_all[] = {
	{ .kernarg = 0,
	  .access = ISA_WRITE,
	  .certain = true,
	  .width = 4,
	  .reach = { [1] = REACH(false) } },
};
static struct isa_use copies[] = { USE(0, ISA_WRITE, true), USE(8, ISA_READ, true) };

#define KERNEL(text, list)                                                                       \
	{                                                                                        \
		.symbol = (char *)text, .name = (char *)text, .args = arguments, .arg_count = 3, \
		.uses = list, .use_count = sizeof(list) / sizeof(*list), .uses_complete = true   \
	}
enum {
	WRITER = 1,
	READER,
	UPDATER,
	COUNTER,
	MAYBE,
	COPIER,
	WRITER_BELOW,
	READER_BELOW,
	WRITER_ALL,
	KERNELS
};
static struct isa_kernel kernels[] = {
	KERNEL("writer", writes_first),       KERNEL("reader", reads_first),
	KERNEL("updater", updates_first),     KERNEL("counter", counts_first),
	KERNEL("maybe", maybe_writes),        KERNEL("copier", copies),
	KERNEL("writer_below", writes_below), KERNEL("reader_below", reads_below),
	KERNEL("writer_all", writes_all),
};
/* ---- the trace ---- */

static uint32_t next_args;
static int32_t device_now;
static uint32_t groups_now; /* of 64 work-items, of launches */

static void runtime(int version, const char *variables)
{
	apply((struct hg_event){
	    .type = HG_EVENT_process,
	    .process = &(struct hg_ev_process){
		.page_size = 4096, .version = "", .exe = "", .cmdline = "", .env = variables } });
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = &(struct hg_ev_runtime){
				     .path = "", .version = version, .device_count = 1 } });
	for (uint32_t i = 0; i < G_N_ELEMENTS(kernels); i++)
		kernel_event(i + 1, kernels[i].symbol);
	code_object_event();
	apply(
	    (struct hg_event){ .type = HG_EVENT_device,
			       .device = &(struct hg_ev_device){
				   .name = "", .arch = "gfx90a", .managed = 1, .fine_grain = 1 } });
}

static int setup(void **state)
{
	(void)state;
	next_args = 1;
	device_now = 0;
	groups_now = 2;
	world_begin(kernels, G_N_ELEMENTS(kernels));
	for (unsigned i = 0; i < G_N_ELEMENTS(kernels); i++)
		kernels[i].uses_complete = true;
	runtime(50221153, "");
	return 0;
}

static void alloc(uint16_t api, uint64_t ptr, uint64_t flags)
{
	apply((struct hg_event){
	    .type = HG_EVENT_alloc,
	    .alloc = &(struct hg_ev_alloc){ .api = (uint16_t)api,
					    .ptr = ptr,
					    .size = 0x1000,
					    .flags = flags,
					    .device = api < HG_HIP_APIS ? -1 : device_now,
					    .symbol = "",
					    .stack_id = 1 } });
}

static void release(uint16_t api, uint64_t ptr, uint64_t stream)
{
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){
		.api = (uint16_t)api, .ptr = ptr, .stream = stream, .stack_id = 2 } });
}

struct bytes {
	uint64_t first, second;
	int32_t scalar;
} __attribute__((packed));

static void launch_by(uint16_t api, uint32_t kernel, uint64_t stream, struct bytes bytes)
{
	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = next_args,
							       .kernel_id = kernel,
							       .bytes = (const uint8_t *)&bytes,
							       .length = sizeof(bytes) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = (uint16_t)api,
								   .kernel_id = kernel,
								   .args_id = next_args++,
								   .grid_x = groups_now,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1,
								   .device = device_now,
								   .stream = stream,
								   .stack_id = 10 + kernel } });
}

static void launch(uint32_t kernel, uint64_t stream, uint64_t first)
{
	launch_by(HG_API_hipLaunchKernel, kernel, stream, (struct bytes){ first, 0, 0 });
}

static void copy(uint16_t api, uint64_t dst, uint64_t src, uint64_t size, uint64_t stream)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = (uint16_t)api,
							       .dst = dst,
							       .src = src,
							       .size = size,
							       .rows = 1,
							       .depth = 1,
							       .kind = 4,
							       .device = device_now,
							       .stream = stream,
							       .stack_id = 3 } });
}

static void fill(uint16_t api, uint64_t dst, uint64_t size, uint64_t stream)
{
	apply((struct hg_event){ .type = HG_EVENT_fill,
				 .fill = &(struct hg_ev_fill){ .api = (uint16_t)api,
							       .dst = dst,
							       .size = size,
							       .rows = 1,
							       .depth = 1,
							       .device = device_now,
							       .stream = stream,
							       .stack_id = 4 } });
}

static void stream(uint64_t handle, uint32_t flags)
{
	apply((struct hg_event){ .type = HG_EVENT_stream,
				 .stream =
				     &(struct hg_ev_stream){ .api = HG_API_hipStreamCreateWithFlags,
							     .stream = handle,
							     .flags = flags,
							     .device = device_now } });
}

static void event(uint16_t api, uint64_t handle, uint64_t stream_handle, uint32_t flags)
{
	apply((struct hg_event){
	    .type = HG_EVENT_event,
	    .event = &(struct hg_ev_event){
		.api = (uint16_t)api, .event = handle, .stream = stream_handle, .flags = flags } });
}

static void sync_by(uint16_t api, uint64_t handle)
{
	bool is_event = api == HG_API_hipEventSynchronize || api == HG_API_hipEventQuery;

	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync = &(struct hg_ev_sync){ .api = (uint16_t)api,
							       .stream = is_event ? 0 : handle,
							       .event = is_event ? handle : 0,
							       .device = device_now,
							       .stack_id = 5 } });
}

static void failure(uint16_t api, int code, uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){
		.api = (uint16_t)api, .code = code, .ptr = ptr, .size = size, .stack_id = 6 } });
}

static void call(uint16_t api, uint64_t stream_handle)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){
				     .api = (uint16_t)api, .stream = stream_handle, .text = "" } });
}

static enum confidence confidence(void)
{
	return finding(0)->confidence;
}

#define A            0x100u /* streams */
#define B            0x200u
#define NULLS        0u
#define P            0x10000u /* memory */
#define Q            0x20000u
#define E            0x900u /* an event */

#define NON_BLOCKING 1u

static void two_streams(uint32_t flags)
{
	stream(A, flags);
	stream(B, flags);
	alloc(HG_API_hipMalloc, P, 0);
	alloc(HG_API_hipMalloc, Q, 0);
}

static void order_by_event(uint64_t from, uint64_t to)
{
	event(HG_API_hipEventCreate, E, 0, 0);
	event(HG_API_hipEventRecord, E, from, 0);
	event(HG_API_hipStreamWaitEvent, E, to, 0);
}

/* ---- host memory ---- */

#define HOST        0x50000u
#define OTHER_HOST  0x60000u
#define NONCOHERENT 0x80000000u

#endif
