/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of pointers that lie in memory share: four allocations, a kernel that updates what
 * a pointer in the first of them leads to, and what changes such a pointer. Included once by each
 * test program.
 */
#ifndef HIPGRAIN_CONTENTS_WORLD_H
#define HIPGRAIN_CONTENTS_WORLD_H

#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/hip_modules.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_pointers.h"
#include "tracer/events/ev_sync.h"

#define TABLE  0x10000 /* what the argument leads to */
#define FINE   0x20000
#define COARSE 0x30000
#define OTHER  0x40000
#define SIZE   64

/* s->energy, at offset 8 of what the first argument leads to. */
static struct isa_path path = { .step_count = 2,
				.step = { { .offset = 8, .exact = true, .repeats = false },
					  { .offset = 0, .exact = true, .repeats = false } } };
static struct isa_path_use path_use;
static struct isa_store stores[2];

static int deep_setup(void **state)
{
	int status = setup(state);

	path = (struct isa_path){ .step_count = 2,
				  .step = { { .offset = 8, .exact = true, .repeats = false },
					    { .offset = 0, .exact = true, .repeats = false } } };
	atomic.origin.kind = ISA_ORIGIN_INDIRECT;
	atomic.origin.paths = (struct isa_paths){ &path, 1, NULL };
	path_use = (struct isa_path_use){ path, ISA_ATOMIC, true, { 0 } };
	use.access = ISA_READ;
	stores[0] = (struct isa_store){ .path = path, .size = 4 };
	kernel.uses_complete = false;
	kernel.incomplete = (char *)"global_atomic_add_f32 at address 0x40 goes through a pointer";
	kernel.path_uses = &path_use;
	kernel.path_use_count = 1;
	kernel.paths_complete = true;
	kernel.stores = stores;
	kernel.store_count = 1;
	kernel.stores_complete = true;
	return status;
}

#undef CLAIM_SETUP
#define CLAIM_SETUP deep_setup

/* ---- the trace ---- */

static void memory(uint16_t table)
{
	device(0);
	alloc(table, TABLE, SIZE, 0, 1);
	alloc(HG_API_hipMallocManaged, FINE, SIZE, 1, 2);
	alloc(HG_API_hipMalloc, COARSE, SIZE, 0, 3);
	alloc(HG_API_hipMalloc, OTHER, SIZE, 0, 4);
}

/* SIZE bytes at `base` were examined, and had one address. */
static void pointer(enum hg_pointers_source source, uint64_t base, uint64_t offset, uint64_t value)
{
	uint64_t words[] = { base, SIZE, 1, offset, value };

	apply((struct hg_event){ .type = HG_EVENT_pointers,
				 .pointers = &(struct hg_ev_pointers){ .source = (uint8_t)source,
								       .words = words,
								       .count = value ? 5 : 3 } });
}

static void copy(uint16_t api, uint64_t dst, uint64_t src, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = (uint16_t)api,
							       .dst = dst,
							       .src = src,
							       .size = size,
							       .rows = 1,
							       .depth = 1,
							       .kind = 4 } });
}

static void copy_rows(uint64_t dst, uint64_t src, uint64_t width, uint64_t rows, uint64_t to_pitch,
		      uint64_t from_pitch)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpy2D,
							       .dst = dst,
							       .src = src,
							       .size = width,
							       .rows = rows,
							       .depth = 1,
							       .dst_pitch = to_pitch,
							       .src_pitch = from_pitch,
							       .kind = 3 } });
}

static void fill(uint64_t dst, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_fill,
	    .fill = &(struct hg_ev_fill){
		.api = HG_API_hipMemset, .dst = dst, .size = size, .rows = 1, .depth = 1 } });
}

static void event(uint16_t api, uint64_t handle, uint64_t stream)
{
	apply((struct hg_event){
	    .type = HG_EVENT_event,
	    .event = &(struct hg_ev_event){ .api = api, .event = handle, .stream = stream } });
}

static void wait_for(uint64_t handle)
{
	apply((struct hg_event){
	    .type = HG_EVENT_sync,
	    .sync = &(struct hg_ev_sync){ .api = HG_API_hipEventSynchronize, .event = handle } });
}

static void wait(void)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync =
				     &(struct hg_ev_sync){ .api = HG_API_hipDeviceSynchronize } });
}

static void limited(bool yes)
{
	assert_int_equal(findings.limits->len, yes);
	if (yes)
		assert_non_null(strstr(findings.limits->pdata[0], "loaded from memory"));
}

static void two_pointers(uint64_t first, uint64_t second)
{
	uint64_t words[] = { TABLE, SIZE, 2, 8, first, 16, second };

	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){ .type = HG_EVENT_pointers,
				 .pointers = &(struct hg_ev_pointers){
				     .source = HG_POINTERS_COPIED, .words = words, .count = 7 } });
}

/* A launch that only stores: no atomic of its own. */
static void launch_storing(uint32_t args_id, uint64_t second)
{
	atomic.origin.kind = ISA_ORIGIN_LDS;
	kernel.uses_complete = true;
	kernel.path_use_count = 0;
	launch(args_id, TABLE, second);
	atomic.origin.kind = ISA_ORIGIN_INDIRECT;
	kernel.uses_complete = false;
	kernel.path_use_count = 1;
}

/* What ends that knowledge; the update could then be of any memory. */
static void ends_with(void (*by)(void), const char *expected)
{
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	by();
	launch(1, TABLE, 0);
	assert_string_equal(found(), expected);
	limited(true);
}

static void ends(void (*by)(void))
{
	ends_with(by, "HG108");
}

#endif
