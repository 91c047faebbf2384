/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's own answer about memory goes before the table, and is compared with it. */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_memory.h"
#include "tracer/events/ev_runtime.h"

enum { FINE, COARSE, INDETERMINATE };

static void runtime(int32_t version)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime =
				     &(struct hg_ev_runtime){ .path = "", .version = version } });
}

static void answer(uint64_t ptr, int32_t type, int32_t managed, int32_t coherency,
		   uint64_t pool_flags)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_memory,
			       .memory = &(struct hg_ev_memory){ .ptr = ptr,
								 .size = 256,
								 .type = type,
								 .managed = managed,
								 .coherency = coherency,
								 .preferred = HG_MEMORY_UNKNOWN,
								 .last_prefetch = HG_MEMORY_UNKNOWN,
								 .hsa_type = HG_MEMORY_UNKNOWN,
								 .pool_flags = pool_flags } });
}

/* ROCr 5.2.3 answers this for memory that it does not know, without the pages' coherency. */
static void answer_of_unknown(uint64_t ptr, int32_t hsa_type)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_memory,
			       .memory = &(struct hg_ev_memory){ .ptr = ptr,
								 .size = 256,
								 .managed = 1,
								 .coherency = HG_MEMORY_UNKNOWN,
								 .preferred = HG_MEMORY_UNKNOWN,
								 .last_prefetch = HG_MEMORY_UNKNOWN,
								 .hsa_type = hsa_type,
								 .pool_flags = 2 } });
}

static void advise(uint64_t ptr, uint64_t size, int32_t advice)
{
	apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise = &(struct hg_ev_advise){
		.api = HG_API_hipMemAdvise, .ptr = ptr, .size = size, .advice = advice } });
}

static void an_answer_that_agrees_says_nothing(void **state)
{
	(void)state;
	runtime(50221153);
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	answer(0x10000, 0, 0, FINE, 2);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(findings.notes->len, 0);
	assert_null(strstr(finding(0)->why, "the runtime reports"));
}

static void an_answer_goes_before_the_table(void **state)
{
	(void)state;
	runtime(50221153);
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	answer(0x10000, 0, 0, COARSE, 4);
	launch(1, 0x10000, 0);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	answer(0x20000, 1, 0, FINE, 2);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, 0x20000);
	assert_non_null(
	    strstr(finding(0)->why, "the runtime reports that all of it is fine-grained"));
	assert_int_equal(findings.notes->len, 2);
	assert_non_null(strstr(findings.notes->pdata[0],
			       "hipHostMalloc (hipHostMallocDefault): documented as fine-grained"));
}

/* Memory of a pool that HIP 7.2 maps at addresses which hipMemRangeGetAttribute does not know. */
static void mapped_memory_is_not_what_the_range_answers(void **state)
{
	(void)state;
	runtime(70253211);
	device(0);
	alloc(HG_API_hipMallocAsync, 0x10000, 8192, 0, 5);
	answer(0x10000, 2, 0, FINE, 0);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 0);
}

/* Without a coherency mode the pool's flags answer; without both the table does. */
static void the_pool_answers_where_the_range_does_not(void **state)
{
	(void)state;
	runtime(50221153);
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 8192, 0, 5);
	answer(0x10000, 1, 0, HG_MEMORY_UNKNOWN, 2);
	launch(1, 0x10000, 0);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	answer(0x20000, 1, 0, HG_MEMORY_UNKNOWN, 0);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, 0x10000);
}

/* Flags of a pool that come with "I do not know this memory" describe nothing. */
static void flags_of_memory_that_hsa_does_not_know(void **state)
{
	(void)state;
	runtime(50221153);
	device(0);
	alloc(HG_API_hipMallocManaged, 0x10000, 0x2000, 1, 5);
	advise(0x10000, 0x2000, 100);
	answer_of_unknown(0x10000, HG_POINTER_UNKNOWN);
	launch(1, 0x10000, 0);
	answer_of_unknown(0x10000, HG_POINTER_RESERVED);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 0);
	answer_of_unknown(0x10000, 1);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
}

/* Advice after the answer: it is out of date until the runtime is queried again. */
static void advice_outdates_an_answer(void **state)
{
	(void)state;
	runtime(50221153);
	device(0);
	alloc(HG_API_hipMallocManaged, 0x10000, 0x2000, 1, 5);
	answer(0x10000, 0, 1, FINE, 0);
	advise(0x10000, 0x2000, 100);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
	answer(0x10000, 0, 1, FINE, 0);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(findings.notes->len, 1);
	assert_non_null(strstr(findings.notes->pdata[0], "it was advised to be coarse-grained"));
}

static void mixed_pages_by_answer(void **state)
{
	(void)state;
	runtime(50221153);
	device(0);
	alloc(HG_API_hipMallocManaged, 0x10000, 0x2000, 1, 5);
	answer(0x10000, 0, 1, INDETERMINATE, 0);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG102");
}

/* The number of a memory type depends on the release; device memory that the table calls host. */
static void where_it_is(void **state)
{
	(void)state;
	runtime(60200000);
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	answer(0x10000, 1, 0, FINE, 2);
	launch(1, 0x10000, 0);
	assert_int_equal(findings.notes->len, 0);
	answer(0x10000, 2, 0, FINE, 2);
	launch(1, 0x10000, 0);
	assert_int_equal(findings.notes->len, 1);
	assert_non_null(strstr(findings.notes->pdata[0], "placed it in device memory"));
}

/* The answer belongs to the allocation, not to the address. */
static void an_answer_ends_with_its_allocation(void **state)
{
	(void)state;
	runtime(50221153);
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	answer(0x10000, 0, 0, COARSE, 4);
	launch(1, 0x10000, 0);
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_hipHostFree, .ptr = 0x10000 } });
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->launches, 1);
}

/* ---- HG205 ---- */

static void fine_grained_memory_that_is_not(void **state)
{
	(void)state;
	runtime(60443484);
	device(0);
	alloc(HG_API_hipExtMallocWithFlags, 0x10000, 8192, 1, 5);
	answer(0x10000, 2, 0, FINE, 2);
	assert_string_equal(found(), "");
	alloc(HG_API_hipExtMallocWithFlags, 0x20000, 8192, 3, 6);
	answer(0x20000, 2, 0, COARSE, 4);
	/* This one was not requested fine-grained. */
	alloc(HG_API_hipExtMallocWithFlags, 0x30000, 8192, 0, 7);
	answer(0x30000, 2, 0, COARSE, 4);
	assert_string_equal(found(), "HG205");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->address, 0x20000);
}

/* By the device's attributes alone; where these are unknown, nothing is reported. */
static void no_fine_grained_pool(void **state)
{
	struct hg_ev_device device = { .name = "test", .arch = "gfx90a", .fine_grain = -1 };
	struct hg_event gpu = { .type = HG_EVENT_device, .device = &device };

	(void)state;
	runtime(60443484);
	apply(gpu);
	alloc(HG_API_hipExtMallocWithFlags, 0x10000, 8192, 1, 5);
	assert_string_equal(found(), "");
	g_ptr_array_set_size(replay_process(&replay, 1)->devices, 0);
	device.fine_grain = 0;
	apply(gpu);
	alloc(HG_API_hipExtMallocWithFlags, 0x20000, 8192, 1, 6);
	assert_string_equal(found(), "HG205");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(an_answer_that_agrees_says_nothing),
		TEST(an_answer_goes_before_the_table),
		SILENT(HG101, mapped_memory_is_not_what_the_range_answers),
		TEST(the_pool_answers_where_the_range_does_not),
		TEST(flags_of_memory_that_hsa_does_not_know),
		TEST(advice_outdates_an_answer),
		FINDS(HG102, mixed_pages_by_answer),
		TEST(where_it_is),
		TEST(an_answer_ends_with_its_allocation),
		FINDS(HG205, fine_grained_memory_that_is_not),
		FINDS(HG205, no_fine_grained_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
