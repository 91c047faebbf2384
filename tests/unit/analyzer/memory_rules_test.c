/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules about calls that allocate, release, advise and prefetch, and about host memory that is read
 * at every launch. rules_world.h has the trace and the kernel.
 */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_runtime.h"

/* ---- advice and prefetches ---- */

static void advice_and_prefetch_without_effect(void **state)
{
	struct hg_ev_advise fields = {
		.api = HG_API_hipMemAdvise, .size = 64, .advice = 100, .stack_id = 3
	};
	struct hg_event advise = { .type = HG_EVENT_advise, .advise = &fields };
	struct hg_ev_prefetch prefetch_prefetch = { .api = HG_API_hipMemPrefetchAsync,
						    .size = 64,
						    .stack_id = 4 };
	struct hg_event prefetch = { .type = HG_EVENT_prefetch, .prefetch = &prefetch_prefetch };
	struct hg_event failed = { .type = HG_EVENT_error,
				   .error =
				       &(struct hg_ev_error){ .api = HG_API_hipMemPrefetchAsync,
							      .code = 1,
							      .ptr = 0x40000,
							      .stack_id = 8 } };

	(void)state;
	device(0);
	alloc(HG_API_hipMallocManaged, 0x10000, 0x1000, 1, 5);
	alloc(HG_API_hipMalloc, 0x20000, 0x1000, 0, 6);
	alloc(HG_API_malloc, 0x40000, 0x2000, 0, 7);
	fields.ptr = prefetch_prefetch.ptr = 0x10000;
	apply(advise);
	apply(prefetch);
	assert_string_equal(found(), "");
	fields.ptr = prefetch_prefetch.ptr = 0x20000;
	apply(advise);
	fields.stack_id = 33; /* another call about the same memory */
	apply(advise);
	apply(prefetch);
	apply(failed);
	assert_string_equal(found(), "HG214 HG304 HG304");
	assert_int_equal(finding(0)->count, 2);
	assert_non_null(strstr(finding(2)->message, "hipErrorInvalidValue"));
}

/* HIP 5.7.1 refuses to prefetch the operating system's memory with XNACK on, too. */
static void prefetch_that_this_release_refuses(void **state)
{
	struct hg_ev_runtime fields = { .path = "/lib/libamdhip64.so.5",
					.version = 50221153,
					.device_count = 1 };
	struct hg_event runtime = { .type = HG_EVENT_runtime, .runtime = &fields };
	const struct hg_event failed = { .type = HG_EVENT_error,
					 .error = &(struct hg_ev_error){
					     .api = HG_API_hipMemPrefetchAsync,
					     .code = 1,
					     .ptr = 0x40000,
					     .stack_id = 8 } };

	(void)state;
	device(1);
	alloc(HG_API_malloc, 0x40000, 0x2000, 0, 7);
	apply(runtime);
	apply(failed);
	assert_string_equal(found(), "");
	fields.version = 50731921;
	apply(runtime);
	apply(failed);
	assert_string_equal(found(), "HG304");
	assert_non_null(strstr(finding(0)->fix, "prefetches memory of hipMallocManaged only"));
	assert_null(strstr(finding(0)->fix, "operating system"));
}

/* ---- allocation, registration, release ---- */

static void release(uint16_t api, uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){
		.api = (uint16_t)api, .ptr = ptr, .size = size, .stack_id = 21 } });
}

/* ROCr with a thunk from 6.2.4 on registers by attributes of the pages, where the driver has them.
 */
static void attributes_of_registered_memory(void **state)
{
	struct hg_ev_advise fields = {
		.api = HG_API_hipMemAdvise, .size = 0x1000, .advice = 100, .stack_id = 3
	};
	struct hg_event advise = { .type = HG_EVENT_advise, .advise = &fields };
	struct hg_ev_prefetch prefetch_prefetch = { .api = HG_API_hipMemPrefetchAsync,
						    .size = 0x1000,
						    .stack_id = 4 };
	struct hg_event prefetch = { .type = HG_EVENT_prefetch, .prefetch = &prefetch_prefetch };
	struct hg_event other = { .type = HG_EVENT_alloc,
				  .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostRegister,
								  .ptr = 0x80000,
								  .device_ptr = 0x900000,
								  .size = 0x1000,
								  .symbol = "" } };

	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_mmap, 0x40000, 0x1000, 0, 7);
	alloc(HG_API_hipHostRegister, 0x40000, 0x1000, 0, 8);
	fields.ptr = prefetch_prefetch.ptr = 0x40000;
	apply(advise);
	apply(prefetch);
	assert_string_equal(found(), "");
	launch(1, 0x40000, 0);
	release(HG_API_hipHostUnregister, 0x40000, 0);
	launch(2, 0x40000, 0);
	assert_string_equal(found(), "HG622");
	/* The attributes end with the mapping. */
	release(HG_API_munmap, 0x40000, 0x1000);
	alloc(HG_API_mmap, 0x40000, 0x1000, 0, 7);
	launch(3, 0x40000, 0);
	assert_string_equal(found(), "HG209 HG622");
	/* Elsewhere the GPU has an address of its own, and advice is about other pages. */
	alloc(HG_API_mmap, 0x80000, 0x1000, 0, 7);
	apply(other);
	fields.ptr = prefetch_prefetch.ptr = 0x80000;
	apply(advise);
	apply(prefetch);
	assert_string_equal(found(), "HG209 HG622 HG214 HG304");
}

/* Reserved addresses of which only the first part is mapped, and that for some time only. */
static void reserved_and_not_mapped(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMemAddressReserve, 0x100000, 0x10000, 0, 5);
	alloc(HG_API_hipMemMap, 0x100000, 0x8000, 1, 6);
	launch(1, 0x100800, 0);
	assert_string_equal(found(), "");
	launch(2, 0x10a000, 0);
	assert_string_equal(found(), "HG607");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "of reserved addresses"));
	release(HG_API_hipMemUnmap, 0x100000, 0x8000);
	launch(3, 0x100800, 0);
	assert_string_equal(found(), "HG607 HG601");
}

static void reserved_and_mapped(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMemAddressReserve, 0x100000, 0x10000, 0, 5);
	alloc(HG_API_hipMemMap, 0x100000, 0x8000, 1, 6);
	alloc(HG_API_hipMemMap, 0x108000, 0x8000, 1, 6);
	launch(1, 0x100800, 0);
	launch(2, 0x10a000, 0);
	assert_string_equal(found(), "");
}

static void flags_that_contradict(void **state)
{
	struct hg_ev_error fields = { .api = HG_API_hipHostMalloc, .code = 1, .flags = 0x40000000 };
	struct hg_event refused = { .type = HG_EVENT_error, .error = &fields };

	(void)state;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 0x1000, 0x2, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 0x1000, 0x80000000, 6);
	alloc(HG_API_hipHostRegister, 0x30000, 0x1000, 0, 7);
	apply(refused);
	assert_string_equal(found(), "");
	fields.flags |= 0x80000000;
	apply(refused);
	alloc(HG_API_hipHostMalloc, 0x40000, 0x1000, 0x80000002, 8);
	alloc(HG_API_hipHostRegister, 0x50000, 0x1000, 0x8, 9);
	assert_string_equal(found(), "HG204 HG203 HG206");
}

static void host_alloc_by_release(void **state)
{
	struct hg_ev_runtime fields = { .path = "", .version = 60400000, .device_count = 1 };
	struct hg_event runtime = { .type = HG_EVENT_runtime, .runtime = &fields };

	(void)state;
	device(0);
	alloc(HG_API_hipHostAlloc, 0x10000, 0x1000, 0, 5); /* release not known: not claimed */
	apply(runtime);
	alloc(HG_API_hipHostAlloc, 0x20000, 0x1000, 0, 6);
	assert_string_equal(found(), "");
	fields.version = 50221153;
	apply(runtime);
	alloc(HG_API_hipHostAlloc, 0x30000, 0x1000, 0, 7);
	assert_string_equal(found(), "HG201");
}

static void releases_of_the_wrong_pointer(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 0x1000, 0, 6);
	alloc(HG_API_malloc, 0x40000, 0x1000, 0, 7);
	release(HG_API_hipFree, 0x10000, 0);
	release(HG_API_hipHostFree, 0x20000, 0);
	release(HG_API_hipFree, 0x7770000, 0); /* not recorded: nothing is known about it */
	assert_string_equal(found(), "");
	release(HG_API_hipFree, 0x10000, 0);
	assert_string_equal(found(), "HG605");
	assert_non_null(strstr(finding(0)->message, "released before"));
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	release(HG_API_hipFree, 0x10800, 0);
	assert_string_equal(found(), "HG605 HG605");
	assert_non_null(strstr(finding(1)->message, "middle"));
}

static void memory_that_is_still_registered(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_malloc, 0x40000, 0x3000, 0, 7);
	alloc(HG_API_hipHostRegister, 0x41000, 0x1000, 0, 8);
	release(HG_API_hipHostUnregister, 0x41000, 0);
	release(HG_API_free, 0x40000, 0);
	assert_string_equal(found(), "");
	alloc(HG_API_malloc, 0x40000, 0x3000, 0, 7);
	alloc(HG_API_hipHostRegister, 0x41000, 0x1000, 0, 8);
	release(HG_API_free, 0x40000, 0);
	assert_string_equal(found(), "HG603");
	/* Other memory that comes there later, and is released elsewhere, is not what was
	 * registered. */
	alloc(HG_API_malloc, 0x40000, 0x3000, 0, 17);
	release(HG_API_free, 0x40000, 0);
	assert_string_equal(found(), "HG603");
	assert_int_equal(finding(0)->count, 1);
	alloc(HG_API_mmap, 0x100000, 0x4000, 0, 9);
	alloc(HG_API_hipHostRegister, 0x102000, 0x1000, 0, 8);
	release(HG_API_munmap, 0x100000, 0x2000);
	assert_string_equal(found(), "HG603");
	release(HG_API_munmap, 0x102000, 0x2000);
	assert_string_equal(found(), "HG603 HG603");
	alloc(HG_API_mmap, 0x102000, 0x2000, 0, 19);
	release(HG_API_munmap, 0x102000, 0x2000);
	assert_int_equal(finding(1)->count, 1);
}

static void a_segment_that_is_still_registered(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_shmat, 0x100000, 0x4000, 0, 9);
	alloc(HG_API_hipHostRegister, 0x102000, 0x1000, 0, 8);
	release(HG_API_shmdt, 0x200000, 0);
	assert_string_equal(found(), "");
	release(HG_API_shmdt, 0x100000, 0);
	assert_string_equal(found(), "HG603");
	assert_non_null(strstr(finding(0)->message, "shmdt releases"));
	alloc(HG_API_sbrk, 0x300000, 0x4000, 0, 9);
	alloc(HG_API_hipHostRegister, 0x300000, 0x1000, 0, 8);
	release(HG_API_brk, 0x301000, 0x3000);
	assert_string_equal(found(), "HG603");
	release(HG_API_brk, 0x300800, 0x800);
	assert_string_equal(found(), "HG603 HG603");
}

static void advice_that_spills_over(void **state)
{
	struct hg_ev_advise fields = { .api = HG_API_hipMemAdvise,
				       .ptr = 0x10000,
				       .size = 0x1800,
				       .advice = 100,
				       .stack_id = 3 };
	struct hg_event advise = { .type = HG_EVENT_advise, .advise = &fields };

	(void)state;
	device(1);
	alloc(HG_API_malloc, 0x10000, 0x1800, 0, 5);
	apply(advise); /* alone on its pages, as far as is known */
	alloc(HG_API_malloc, 0x12000, 0x1000, 0, 6);
	apply(advise); /* the next one begins on the next page */
	assert_string_equal(found(), "");
	alloc(HG_API_malloc, 0x11900, 0x100, 0, 7);
	fields.advice = 1; /* says nothing about granularity */
	apply(advise);
	assert_string_equal(found(), "");
	fields.advice = 100;
	apply(advise);
	assert_string_equal(found(), "HG213");
	assert_non_null(strstr(finding(0)->message, "256 bytes from malloc"));
}

static void host_memory_that_is_read_at_every_launch(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	use.access = ISA_READ;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x1000000, 0x200000, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x2000000, 0x1000, 0, 6);
	alloc(HG_API_hipMalloc, 0x4000000, 0x200000, 0, 7);
	for (int i = 0; i < 10; i++) {
		launch(2, 0x2000000, 0);
		launch(3, 0x4000000, 0);
	}
	for (int i = 0; i < 3; i++)
		launch(1, 0x1000000, 0);
	launch(1, 0x1000000, 0);
	assert_string_equal(found(), "HG210");
	assert_int_equal(finding(0)->launches, 4);
}

static void host_memory_that_is_read_a_few_times(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	use.access = ISA_READ;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x1000000, 0x200000, 0, 5);
	for (int i = 0; i < 3; i++)
		launch(1, 0x1000000, 0);
	assert_string_equal(found(), "");
}

/* A table of pointers by value: a kernel chooses among its words, and not all were filled in. */
static void unset_words_of_a_struct(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	use.certain = false;
	arguments[0].pointer = false;
	device(0);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	launch(1, 0x10800, 0);
	alloc(HG_API_hipMalloc, 0x20000, 0x2000, 0, 6);
	release(HG_API_hipFree, 0x20000, 0);
	launch(2, 0x20000, 0);
	arguments[0].pointer = true;
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

static void pointers_that_a_kernel_chooses_from(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	use.certain = false;
	device(0);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	launch(1, 0x10800, 0);
	assert_string_equal(found(), "HG209");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
}

/*
 * A number or a pointer at byte 8 of the arguments: a pointer where the lowest bit at byte 0 is not
 * set, and then the target of an atomic, too. Memory for it of the C library and of
 * hipMallocManaged.
 */
static void number_or_pointer(void)
{
	static uint32_t second = 8;

	kernel.condition[0] =
	    (struct isa_condition){ .test = ISA_TEST_EQUAL, .left = { .mask = 1 } };
	kernel.condition_count = 1;
	use = (struct isa_use){ .kernarg = 8,
				.access = ISA_READ | ISA_ATOMIC,
				.certain = true,
				.when = { 0xaaaaaaaaaaaaaaaa, 0, 0xaaaaaaaaaaaaaaaa } };
	atomic.when = atomic.certain = 0xaaaaaaaaaaaaaaaa;
	atomic.origin.kernarg = &second;
	arguments[1].pointer = false;
	device(0);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	alloc(HG_API_hipMallocManaged, 0x20000, 0x2000, 1, 6);
}

static void a_number_that_looks_like_a_pointer(void **state)
{
	(void)state;
	number_or_pointer();
	launch(1, 1, 0x10800);
	launch(2, 3, 0x20000);
	arguments[1].pointer = true;
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 0);
}

static void a_pointer_that_may_be_a_number(void **state)
{
	(void)state;
	number_or_pointer();
	launch(1, 0, 0x10800);
	launch(2, 2, 0x20000);
	arguments[1].pointer = true;
	assert_string_equal(found(), "HG101 HG209");
}

/* Only addresses were recorded: it is not known which of them it is. */
static void a_number_or_a_pointer_that_is_not_known(void **state)
{
	const uint64_t words[] = { 1, 0x10800 };
	const uint8_t kept = 3 << 2;
	struct hg_event args = { .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = 1,
							       .kernel_id = 1,
							       .bytes = (const uint8_t *)words,
							       .length = sizeof(words),
							       .kept = &kept,
							       .kept_length = 1 } };

	(void)state;
	number_or_pointer();
	kernel.atomic_count = 0;
	apply(args);
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .kernel_id = 1,
								   .args_id = 1,
								   .grid_x = 1,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1 } });
	arguments[1].pointer = true;
	assert_string_equal(found(), "");
	assert_true(findings.limits->len > 0);
}

/* The same line allocates and releases it in each round of a loop. */
static void rounds_with_new_host_memory(int rounds)
{
	kernel.atomic_count = 0;
	use.access = ISA_READ;
	device(0);
	for (int i = 0; i < rounds; i++) {
		alloc(HG_API_hipHostMalloc, 0x1000000, 0x200000, 0, 5);
		launch(1, 0x1000000, 0);
		release(HG_API_hipHostFree, 0x1000000, 0);
	}
}

static void host_memory_that_is_new_at_every_launch(void **state)
{
	(void)state;
	rounds_with_new_host_memory(6);
	assert_string_equal(found(), "");
}

/* Two of them at once, in turn: after seven launches one was read four times. */
static void host_memory_from_one_place_in_turn(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	use.access = ISA_READ;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x1000000, 0x200000, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x2000000, 0x200000, 0, 5);
	for (int i = 0; i < 3; i++) {
		launch(1, 0x1000000, 0);
		launch(2, 0x2000000, 0);
	}
	assert_string_equal(found(), "");
}

static void host_memory_from_a_loop_that_is_read_again(void **state)
{
	(void)state;
	rounds_with_new_host_memory(2);
	alloc(HG_API_hipHostMalloc, 0x1000000, 0x400000, 0, 5);
	for (int i = 0; i < 4; i++)
		launch(1, 0x1000000, 0);
	assert_string_equal(found(), "HG210");
	assert_int_equal(finding(0)->launches, 6);
	assert_int_equal(finding(0)->allocation->size, 0x400000);
	assert_non_null(strstr(finding(0)->message, "up to 4194304 bytes"));
}

static void managed(int code, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){
		.api = HG_API_hipMallocManaged, .code = code, .size = size, .stack_id = 7 } });
}

static void managed_memory_of_no_size(void **state)
{
	(void)state;
	managed(1, 0);
	managed(1, 0);
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = &(struct hg_ev_error){
				     .api = HG_API_hipMallocManaged, .code = 1, .stack_id = 8 } });
	assert_string_equal(found(), "HG221 HG221");
	assert_int_equal(finding(0)->count, 2);
	assert_non_null(strstr(finding(0)->message, "failed with hipErrorInvalidValue (1)"));
}

/* A release that does not refuse it; an error that no release is known to return for it. */
static void managed_memory_of_no_size_and_another_error(void **state)
{
	(void)state;
	managed(999, 0);
	managed(801, 0);
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipMallocManaged,
								 .symbol = "",
								 .stack_id = 7 } });
	assert_null(strstr(found(), "HG221"));
}

/* No memory; in a capture; no device. */
static void managed_memory_that_fails_otherwise(void **state)
{
	(void)state;
	managed(1, 4096);
	managed(2, 4096);
	managed(900, 0);
	managed(100, 0);
	assert_null(strstr(found(), "HG221"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG221, managed_memory_of_no_size),
		SILENT(HG221, managed_memory_that_fails_otherwise),
		DOUBTS(HG221, managed_memory_of_no_size_and_another_error),
		FINDS(HG607, reserved_and_not_mapped),
		FINDS(HG601, reserved_and_not_mapped),
		SILENT(HG607, reserved_and_mapped),
		cmocka_unit_test_setup_teardown(attributes_of_registered_memory, setup, teardown),
		FINDS(HG214, advice_and_prefetch_without_effect),
		FINDS(HG304, advice_and_prefetch_without_effect),
		FINDS(HG304, prefetch_that_this_release_refuses),
		FINDS(HG204, flags_that_contradict),
		FINDS(HG203, flags_that_contradict),
		FINDS(HG206, flags_that_contradict),
		FINDS(HG201, host_alloc_by_release),
		FINDS(HG605, releases_of_the_wrong_pointer),
		FINDS(HG603, memory_that_is_still_registered),
		FINDS(HG603, a_segment_that_is_still_registered),
		FINDS(HG213, advice_that_spills_over),
		FINDS(HG210, host_memory_that_is_read_at_every_launch),
		SILENT(HG210, host_memory_that_is_read_a_few_times),
		SILENT(HG210, host_memory_that_is_new_at_every_launch),
		SILENT(HG209, unset_words_of_a_struct),
		SILENT(HG601, unset_words_of_a_struct),
		DOUBTS(HG209, pointers_that_a_kernel_chooses_from),
		SILENT(HG209, a_number_that_looks_like_a_pointer),
		SILENT(HG101, a_number_that_looks_like_a_pointer),
		FINDS(HG209, a_pointer_that_may_be_a_number),
		DOUBTS(HG209, a_number_or_a_pointer_that_is_not_known),
		SILENT(HG210, host_memory_from_one_place_in_turn),
		FINDS(HG210, host_memory_from_a_loop_that_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
