/* SPDX-License-Identifier: Apache-2.0 */
/* Tests HG626, HG713 and the fix of HG608: what HIP's pools do wrong, by release. */
#include "order_world.h"

#include "tracer/events/ev_alloc.h"

#define HIP_7_2  70253211
#define HIP_7_1  70151803
#define HIP_10_1 100140000
#define HIP_10_2 100200000
#define OFF      "DEBUG_HIP_MEM_POOL_VMHEAP=0"

static void with(int version, const char *variables)
{
	runtime(version, variables);
	stream(A, NON_BLOCKING);
	stream(B, NON_BLOCKING);
}

static void allocates(uint16_t api, uint64_t ptr, uint64_t in)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = api,
								 .ptr = ptr,
								 .size = 0x1000,
								 .stream = in,
								 .symbol = "",
								 .stack_id = 7 } });
}

/* ---- HG626 ---- */

static void an_allocation_fails(void **state)
{
	(void)state;
	with(HIP_7_2, "");
	failure(HG_API_hipMallocAsync, 2, 0, 0x4000);
	assert_string_equal(found(), "HG626 HG616");
	assert_int_equal(finding(0)->count, 1);
	assert_non_null(strstr(finding(0)->message, "HIP 7.2 keeps what it had mapped"));
	assert_non_null(strstr(finding(0)->fix, "or with hipMalloc"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void with_a_build_of_10_1(void **state)
{
	(void)state;
	with(HIP_10_1, "DEBUG_HIP_MEM_POOL_VMHEAP=1");
	failure(HG_API_hipMallocFromPoolAsync, 2, 0, 0x4000);
	assert_string_equal(found(), "HG626 HG616");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void with_a_release_of_which_nothing_is_known(void **state)
{
	(void)state;
	with(HIP_10_2, "");
	failure(HG_API_hipMallocAsync, 2, 0, 0x4000);
	assert_string_equal(found(), "HG626 HG616");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

static void before_7_2(void **state)
{
	(void)state;
	with(HIP_7_1, "");
	failure(HG_API_hipMallocAsync, 2, 0, 0x4000);
	assert_string_equal(found(), "HG616");
}

static void with_the_old_pools(void **state)
{
	(void)state;
	with(HIP_7_2, OFF);
	failure(HG_API_hipMallocAsync, 2, 0, 0x4000);
	assert_string_equal(found(), "HG616");
}

static void no_pool_or_another_error(void **state)
{
	(void)state;
	with(HIP_7_2, "");
	failure(HG_API_hipMalloc, 2, 0, 0x4000);
	failure(HG_API_hipMallocAsync, 1, 0, 0x4000);
	assert_string_equal(found(), "HG616");
}

/* ---- HG713 ---- */

static void freed_elsewhere(uint16_t get, uint16_t put, uint64_t from, uint64_t to)
{
	allocates(get, P, from);
	release(put, P, to);
}

static void freed_in_another_stream(void **state)
{
	(void)state;
	with(HIP_7_2, "");
	freed_elsewhere(HG_API_hipMallocAsync, HG_API_hipFreeAsync, A, B);
	assert_string_equal(found(), "HG713");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
	assert_non_null(
	    strstr(finding(0)->message, "4096 bytes in another stream than hipMallocAsync"));
}

static void freed_as_it_should_be(void **state)
{
	(void)state;
	with(HIP_7_2, "");
	freed_elsewhere(HG_API_hipMallocAsync, HG_API_hipFreeAsync, A, A);
	freed_elsewhere(HG_API_hipMallocAsync, HG_API_hipFreeAsync, 0, 1); /* hipStreamLegacy */
	freed_elsewhere(HG_API_hipMallocAsync, HG_API_hipFree, A, 0);
	freed_elsewhere(HG_API_hipMalloc, HG_API_hipFreeAsync, 0, B);
	assert_string_equal(found(), "");
}

static void freed_elsewhere_before_7_2(void **state)
{
	(void)state;
	with(HIP_7_1, "");
	freed_elsewhere(HG_API_hipMallocAsync, HG_API_hipFreeAsync, A, B);
	assert_string_equal(found(), "");
}

static void freed_elsewhere_with_the_old_pools(void **state)
{
	(void)state;
	with(HIP_7_2, OFF);
	freed_elsewhere(HG_API_hipMallocAsync, HG_API_hipFreeAsync, A, B);
	assert_string_equal(found(), "");
}

/* ---- the advice ---- */

static void rounds(int version, const char *variables)
{
	with(version, variables);
	for (unsigned i = 0; i < 16; i++) {
		allocates(HG_API_hipMalloc, P, 0);
		launch(WRITER, A, P);
		release(HG_API_hipFree, P, 0);
	}
	assert_string_equal(found(), "HG608");
}

static void pools_are_advised_where_they_work(void **state)
{
	(void)state;
	rounds(HIP_7_1, "");
	assert_non_null(strstr(finding(0)->fix, "use hipMallocAsync"));
}

static void pools_are_not_advised_where_they_lose_data(void **state)
{
	(void)state;
	rounds(HIP_7_2, "");
	assert_null(strstr(finding(0)->fix, "use hipMallocAsync"));
	assert_non_null(strstr(finding(0)->fix, "HG713"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG626, an_allocation_fails),
		FINDS(HG626, with_a_build_of_10_1),
		FINDS(HG626, with_a_release_of_which_nothing_is_known),
		SILENT(HG626, before_7_2),
		SILENT(HG626, with_the_old_pools),
		SILENT(HG626, no_pool_or_another_error),
		FINDS(HG713, freed_in_another_stream),
		SILENT(HG713, freed_as_it_should_be),
		SILENT(HG713, freed_elsewhere_before_7_2),
		SILENT(HG713, freed_elsewhere_with_the_old_pools),
		FINDS(HG608, pools_are_advised_where_they_work),
		FINDS(HG608, pools_are_not_advised_where_they_lose_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
