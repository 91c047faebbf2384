/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what a finding about a launch is worth when a call changes its memory before the kernel is
 * known to have run. rules_world.h has the trace and the kernel.
 */
#include "rules_world.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

#define M                0x10000u
#define OTHER            0x40000u

#define SET_READ_MOSTLY  1
#define SET_COARSE_GRAIN 100

static void managed(void)
{
	device(0);
	alloc(HG_API_hipMallocManaged, M, 0x1000, 1, 5);
	alloc(HG_API_hipMallocManaged, OTHER, 0x1000, 1, 6);
}

static void advise(uint64_t ptr, int32_t advice)
{
	apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise = &(struct hg_ev_advise){
		.api = HG_API_hipMemAdvise, .ptr = ptr, .size = 64, .advice = advice } });
}

static void prefetch(uint64_t stream)
{
	apply((struct hg_event){
	    .type = HG_EVENT_prefetch,
	    .prefetch = &(struct hg_ev_prefetch){
		.api = HG_API_hipMemPrefetchAsync, .ptr = M, .size = 0x1000, .stream = stream } });
}

static void streams(void)
{
	for (uint64_t handle = 0x100; handle <= 0x200; handle += 0x100)
		apply((struct hg_event){
		    .type = HG_EVENT_stream,
		    .stream = &(struct hg_ev_stream){
			.api = HG_API_hipStreamCreateWithFlags, .stream = handle, .flags = 1 } });
}

static void wait_for_device(void)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync =
				     &(struct hg_ev_sync){ .api = HG_API_hipDeviceSynchronize } });
}

static void is_at_most(enum confidence confidence)
{
	(void)found();
	assert_int_equal(claim_confidence("HG101"), confidence);
}

static void advice_after_the_launch(void **state)
{
	(void)state;
	managed();
	launch(1, M, 0);
	advise(M, SET_COARSE_GRAIN);
	wait_for_device();
	assert_string_equal(found(), "HG101");
	is_at_most(CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->doubts, "hipMemAdvise changed this memory after"));
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
}

/* Advice is about whole pages. */
static void advice_on_the_same_page(void **state)
{
	(void)state;
	managed();
	launch(1, M, 0);
	advise(M + 0x800, SET_COARSE_GRAIN);
	is_at_most(CONFIDENCE_POSSIBLE);
}

static void advice_after_the_wait(void **state)
{
	(void)state;
	managed();
	launch(1, M, 0);
	wait_for_device();
	advise(M, SET_COARSE_GRAIN);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void advice_on_other_memory(void **state)
{
	(void)state;
	managed();
	launch(1, M, 0);
	advise(OTHER, SET_COARSE_GRAIN);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void advice_that_changes_no_granularity(void **state)
{
	(void)state;
	managed();
	launch(1, M, 0);
	advise(M, SET_READ_MOSTLY);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* The one that was waited for has lost its updates. */
static void advice_after_one_of_two_launches(void **state)
{
	(void)state;
	managed();
	launch(1, M, 0);
	wait_for_device();
	launch(1, M, 0);
	advise(M, SET_COARSE_GRAIN);
	is_at_most(CONFIDENCE_LIKELY);
}

static void a_prefetch_in_the_same_stream(void **state)
{
	(void)state;
	managed();
	streams();
	stream_now = 0x100;
	launch(1, M, 0);
	prefetch(0x100);
	stream_now = 0;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void a_prefetch_in_another_stream(void **state)
{
	(void)state;
	managed();
	streams();
	stream_now = 0x100;
	launch(1, M, 0);
	prefetch(0x200);
	stream_now = 0;
	is_at_most(CONFIDENCE_POSSIBLE);
}

/* HG209: the GPU may access it by the time that the kernel runs. */
static void registered_after_the_launch(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_malloc, 0x20000, 0x3000, 0, 7);
	launch(1, 0x20000, 0);
	alloc(HG_API_hipHostRegister, 0x20000, 0x3000, 0, 8);
	(void)found();
	assert_int_equal(claim_confidence("HG209"), CONFIDENCE_POSSIBLE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		DOUBTS(HG101, advice_after_the_launch),
		DOUBTS(HG101, advice_on_the_same_page),
		TEST(advice_after_the_wait),
		FINDS(HG101, advice_on_other_memory),
		FINDS(HG101, advice_that_changes_no_granularity),
		DOUBTS(HG101, advice_after_one_of_two_launches),
		FINDS(HG101, a_prefetch_in_the_same_stream),
		DOUBTS(HG101, a_prefetch_in_another_stream),
		DOUBTS(HG209, registered_after_the_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
