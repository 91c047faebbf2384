/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For rules whose other tests go from what is right to what is not: what is right, alone; and
 * what is left of them without a part of the evidence.
 */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_runtime.h"

#define BLOCK 0x10000
#define OTHER 0x40000
#define SIZE  0x2000
#define V6_4  60443484

static void runtime(int32_t version)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = &(struct hg_ev_runtime){
				     .path = "", .version = version, .device_count = 1 } });
}

static void machine(struct hg_ev_device event)
{
	event.name = "test";
	event.arch = event.arch ? event.arch : "gfx90a";
	apply((struct hg_event){ .type = HG_EVENT_device, .device = &event });
}

static void release(uint16_t api, uint64_t ptr)
{
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = (uint16_t)api, .ptr = ptr, .stack_id = 9 } });
}

static void failure(uint16_t api, int32_t code, uint64_t ptr)
{
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){
		.api = (uint16_t)api, .code = code, .ptr = ptr, .stack_id = 9 } });
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
							       .kind = 4,
							       .stream = 7,
							       .stack_id = 8 } });
}

static void advise(uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = ptr,
								   .size = size,
								   .advice = 100,
								   .stack_id = 3 } });
}

static void prefetch(uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_prefetch,
	    .prefetch = &(struct hg_ev_prefetch){
		.api = HG_API_hipMemPrefetchAsync, .ptr = ptr, .size = size, .stack_id = 4 } });
}

/* ---- atomics ---- */

static void all_pages_are_advised(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMallocManaged, BLOCK, SIZE, 1, 5);
	advise(BLOCK, SIZE);
	launch(1, BLOCK, 0);
	assert_string_equal(found(), "");
}

/* The address may be that of the second argument. */
static void pages_of_one_of_two_arguments(void **state)
{
	(void)state;
	atomic.origin.kind = ISA_ORIGIN_SET;
	atomic.origin.kernarg_count = 2;
	device(0);
	alloc(HG_API_hipMallocManaged, BLOCK, SIZE, 1, 5);
	alloc(HG_API_hipMalloc, OTHER, SIZE, 0, 6);
	advise(BLOCK, 0x1000);
	launch(1, BLOCK + 0xf00, OTHER); /* 128 floats reach the next page */
	assert_string_equal(found(), "HG102");
}

static void integer_addition(void)
{
	atomic.fp = false;
	atomic.type = ISA_TYPE_I32;
}

static void a_slot_with_atomics(void **state)
{
	(void)state;
	integer_addition();
	machine((struct hg_ev_device){ .host_native_atomic = 1, .host_link = 2, .managed = 1 });
	alloc(HG_API_hipHostMalloc, BLOCK, SIZE, 0, 5);
	launch(1, BLOCK, 0);
	assert_string_equal(found(), "");
}

static void a_slot_that_nobody_knows(void **state)
{
	(void)state;
	integer_addition();
	machine((struct hg_ev_device){ .host_native_atomic = -1, .host_link = -1, .managed = 1 });
	alloc(HG_API_hipHostMalloc, BLOCK, SIZE, 0, 5);
	launch(1, BLOCK, 0);
	assert_string_equal(found(), "");
}

static void a_loop_of_integers(void **state)
{
	(void)state;
	integer_addition();
	atomic.native = false;
	atomic.cas_loop = true;
	atomic.op = ISA_OP_CMPSWAP;
	atomic.loop_op = ISA_OP_ADD;
	device(0);
	alloc(HG_API_hipMalloc, BLOCK, SIZE, 0, 5);
	launch(1, BLOCK, 0);
	assert_string_equal(found(), "");
}

/* One code object, launched from twice. */
static void one_kernel_with_one_flag(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, BLOCK, SIZE, 0, 5);
	launch(1, BLOCK, 0);
	launch(2, BLOCK, 0);
	assert_string_equal(found(), "");
}

static void code_that_cannot_be_read(void **state)
{
	(void)state;
	object.arch = NULL;
	device(0);
	alloc(HG_API_hipMalloc, BLOCK, SIZE, 0, 5);
	launch(1, BLOCK, 0);
	launch(2, BLOCK, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

/* ---- allocations ---- */

static void host_alloc_of_a_later_release(void **state)
{
	(void)state;
	runtime(V6_4);
	device(0);
	alloc(HG_API_hipHostAlloc, BLOCK, SIZE, 0, 5);
	assert_string_equal(found(), "");
}

static void host_alloc_of_an_unknown_release(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipHostAlloc, BLOCK, SIZE, 0, 5);
	assert_string_equal(found(), "");
}

static void flags_that_agree(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipHostMalloc, BLOCK, SIZE, 0x2, 5);
	alloc(HG_API_hipHostMalloc, OTHER, SIZE, 0x80000000, 6);
	alloc(HG_API_hipHostRegister, 0x80000, SIZE, 0, 7);
	failure(HG_API_hipHostMalloc, 1, 0); /* for another reason */
	assert_string_equal(found(), "");
}

static void a_pool_that_is_fine_grained(void **state)
{
	(void)state;
	runtime(V6_4);
	machine((struct hg_ev_device){ .managed = 1, .fine_grain = 1 });
	alloc(HG_API_hipExtMallocWithFlags, BLOCK, SIZE, 1, 5);
	alloc(HG_API_hipExtMallocWithFlags, OTHER, SIZE, 0, 5); /* not requested */
	assert_string_equal(found(), "");
}

static void a_pool_that_nobody_knows(void **state)
{
	(void)state;
	runtime(V6_4);
	machine((struct hg_ev_device){ .managed = 1, .fine_grain = -1 });
	alloc(HG_API_hipExtMallocWithFlags, BLOCK, SIZE, 1, 5);
	assert_string_equal(found(), "");
}

static void managed_memory_without_shared_memory(void **state)
{
	(void)state;
	machine((struct hg_ev_device){ .managed = 0 });
	alloc(HG_API_hipMallocManaged, BLOCK, SIZE, 1, 5);
	assert_string_equal(found(), "HG208");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void managed_memory_with_shared_memory(void **state)
{
	(void)state;
	machine((struct hg_ev_device){ .managed = 1 });
	alloc(HG_API_hipMallocManaged, BLOCK, SIZE, 1, 5);
	assert_string_equal(found(), "");
}

static void managed_memory_of_an_unknown_machine(void **state)
{
	(void)state;
	machine((struct hg_ev_device){ .managed = -1 });
	alloc(HG_API_hipMallocManaged, BLOCK, SIZE, 1, 5);
	assert_string_equal(found(), "");
}

static void less_than_half_is_pinned(void **state)
{
	(void)state;
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = &(struct hg_ev_runtime){
				     .path = "", .version = V6_4, .host_memory = 16ull << 30 } });
	alloc(HG_API_hipHostMalloc, 1ull << 40, 8ull << 30, 0, 5);
	assert_string_equal(found(), "");
}

/* ---- advice, prefetches, copies ---- */

static void advice_on_pages_of_its_own(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_malloc, BLOCK, 0x1800, 0, 5);
	alloc(HG_API_malloc, BLOCK + 0x2000, 0x1000, 0, 6);
	advise(BLOCK, 0x1800);
	prefetch(BLOCK, 0x1800);
	assert_string_equal(found(), "");
}

static void advice_on_memory_of_an_unknown_kind(void **state)
{
	(void)state;
	device(-1);
	alloc(HG_API_malloc, BLOCK, SIZE, 0, 5);
	advise(BLOCK, SIZE);
	prefetch(BLOCK, SIZE);
	advise(0x700000, SIZE); /* not recorded */
	assert_true(claim_confidence("HG214") < CONFIDENCE_PROVEN);
	assert_true(claim_confidence("HG304") < CONFIDENCE_PROVEN);
}

static void copies_that_are_not_pageable(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x1000000, 0x100000, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x2000000, 0x100000, 0, 6);
	alloc(HG_API_malloc, 0x3000000, 0x100000, 0, 7);
	copy(HG_API_hipMemcpyAsync, 0x1000000, 0x2000000, 0x100000);
	copy(HG_API_hipMemcpyAsync, 0x1000000, 0x3000000, 0x100); /* staged in no time */
	copy(HG_API_hipMemcpy, 0x1000000, 0x3000000, 0x100000);   /* says that it waits */
	assert_string_equal(found(), "");
}

static void a_copy_that_fits(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, BLOCK, SIZE, 0, 5);
	alloc(HG_API_hipHostMalloc, OTHER, SIZE, 0, 6);
	copy(HG_API_hipMemcpyAsync, BLOCK, OTHER, SIZE);
	copy(HG_API_hipMemcpyAsync, BLOCK + 0x1000, OTHER, SIZE - 0x1000);
	assert_string_equal(found(), "");
}

/* Where the memory that is copied ends is not known. */
static void a_copy_of_memory_that_was_not_recorded(void **state)
{
	(void)state;
	device(0);
	copy(HG_API_hipMemcpyAsync, BLOCK, OTHER, 1 << 20);
	assert_string_equal(found(), "");
}

/* ---- releases ---- */

static void registered_and_released_in_order(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_malloc, BLOCK, SIZE, 0, 5);
	alloc(HG_API_hipHostRegister, BLOCK, SIZE, 0, 6);
	failure(HG_API_hipHostRegister, 1, OTHER); /* for another reason */
	release(HG_API_hipHostUnregister, BLOCK);
	release(HG_API_free, BLOCK);
	alloc(HG_API_hipMalloc, OTHER, SIZE, 0, 7);
	release(HG_API_hipFree, OTHER);
	release(HG_API_hipFree, 0);
	assert_string_equal(found(), "");
}

static void registered_twice(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_malloc, BLOCK, SIZE, 0, 5);
	alloc(HG_API_hipHostRegister, BLOCK, SIZE, 0, 6);
	failure(HG_API_hipHostRegister, 712, BLOCK);
	assert_string_equal(found(), "HG604");
}

static void released_but_never_seen(void **state)
{
	(void)state;
	device(0);
	release(HG_API_hipFree, BLOCK);
	release(HG_API_free, OTHER);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SILENT(HG101, all_pages_are_advised),
		SILENT(HG102, all_pages_are_advised),
		DOUBTS(HG102, pages_of_one_of_two_arguments),
		SILENT(HG105, a_slot_with_atomics),
		DOUBTS(HG105, a_slot_that_nobody_knows),
		DOUBTS(HG104, a_slot_that_nobody_knows),
		SILENT(HG106, a_loop_of_integers),
		SILENT(HG107, a_loop_of_integers),
		SILENT(HG110, one_kernel_with_one_flag),
		DOUBTS(HG110, code_that_cannot_be_read),
		SILENT(HG201, host_alloc_of_a_later_release),
		DOUBTS(HG201, host_alloc_of_an_unknown_release),
		SILENT(HG203, flags_that_agree),
		SILENT(HG204, flags_that_agree),
		SILENT(HG206, flags_that_agree),
		SILENT(HG205, a_pool_that_is_fine_grained),
		DOUBTS(HG205, a_pool_that_nobody_knows),
		FINDS(HG208, managed_memory_without_shared_memory),
		SILENT(HG208, managed_memory_with_shared_memory),
		DOUBTS(HG208, managed_memory_of_an_unknown_machine),
		SILENT(HG212, less_than_half_is_pinned),
		SILENT(HG213, advice_on_pages_of_its_own),
		SILENT(HG214, advice_on_pages_of_its_own),
		SILENT(HG304, advice_on_pages_of_its_own),
		DOUBTS(HG214, advice_on_memory_of_an_unknown_kind),
		DOUBTS(HG304, advice_on_memory_of_an_unknown_kind),
		SILENT(HG501, copies_that_are_not_pageable),
		SILENT(HG606, a_copy_that_fits),
		DOUBTS(HG606, a_copy_of_memory_that_was_not_recorded),
		DOUBTS(HG501, a_copy_of_memory_that_was_not_recorded),
		SILENT(HG603, registered_and_released_in_order),
		SILENT(HG604, registered_and_released_in_order),
		SILENT(HG605, registered_and_released_in_order),
		FINDS(HG604, registered_twice),
		DOUBTS(HG605, released_but_never_seen),
		DOUBTS(HG603, released_but_never_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
