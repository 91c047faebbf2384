/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of rules share: a trace written by hand, event by event, and one kernel whose
 * machine-code facts the test sets. isa_analyze() is replaced by one that returns that kernel.
 * Included once by each test program.
 */
#ifndef HIPGRAIN_RULES_WORLD_H
#define HIPGRAIN_RULES_WORLD_H

#include "world.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_launch.h"

/* ---- the machine code ---- */

static struct isa_arg arguments[] = { { 0, 8, true, NULL, NULL }, { 8, 8, true, NULL, NULL } };
static uint32_t kernarg_offsets[] = { 0, 8 };
static struct isa_atomic atomic;
static struct isa_use use;
static struct isa_kernel kernel;

/* ---- the trace ---- */

static void device(int8_t xnack)
{
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = &(struct hg_ev_device){ .name = "test",
								   .arch = "gfx90a",
								   .xnack = xnack,
								   .managed = 1,
								   .fine_grain = 1 } });
}

static void alloc(uint16_t api, uint64_t ptr, uint64_t size, uint64_t flags, uint32_t stack_id)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_alloc,
			       .alloc = &(struct hg_ev_alloc){ .api = (uint16_t)api,
							       .ptr = ptr,
							       .size = size,
							       .flags = flags,
							       .device = api < HG_HIP_APIS ? -1 : 0,
							       .symbol = "",
							       .stack_id = stack_id } });
}

/* Of launches. */
static uint64_t stream_now;
static uint16_t launch_api = HG_API_hipLaunchKernel;

static uint32_t grid_now = 2; /* work-groups of a launch */

static void launch(uint32_t args_id, uint64_t first, uint64_t second)
{
	uint64_t words[] = { first, second };

	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = args_id,
							       .kernel_id = 1,
							       .bytes = (const uint8_t *)words,
							       .length = sizeof(words) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = launch_api,
								   .kernel_id = 1,
								   .args_id = args_id,
								   .grid_x = grid_now,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1,
								   .stream = stream_now } });
}

static int setup(void **state)
{
	(void)state;
	grid_now = 2;
	memset(&atomic, 0, sizeof(atomic));
	atomic.mnemonic = (char *)"global_atomic_add_f32";
	atomic.op = ISA_OP_ADD;
	atomic.type = ISA_TYPE_F32;
	atomic.fp = atomic.native = atomic.executes = true;
	atomic.certain = ISA_ALWAYS;
	atomic.origin.kind = ISA_ORIGIN_DIRECT;
	atomic.origin.kernarg = kernarg_offsets;
	atomic.origin.kernarg_count = 1;
	use = (struct isa_use){ .kernarg = 0, .access = ISA_READ | ISA_ATOMIC, .certain = true };
	kernel = (struct isa_kernel){ .symbol = (char *)"_Z3addPf",
				      .name = (char *)"add(float*)",
				      .kernarg_size = 16,
				      .args = arguments,
				      .arg_count = 2,
				      .atomics = &atomic,
				      .atomic_count = 1,
				      .uses = &use,
				      .use_count = 1,
				      .uses_complete = true };
	world_begin(&kernel, 1);
	code_object_event();
	kernel_event(1, "_Z3addPf");
	return 0;
}

#endif
