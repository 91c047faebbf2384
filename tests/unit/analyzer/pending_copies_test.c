/* SPDX-License-Identifier: Apache-2.0 */
/* Tests HG407: copies to the host whose end the host does not wait for. */
#include "order_world.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/host.h"

static void memory(void)
{
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, 0);
}

/* A kernel computes the result, which is copied to the host. */
static void round_of(uint64_t to)
{
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, to, P, 8, A);
}

static void overwritten_by_the_next_result(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++)
		round_of(HOST);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "HG407");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->count, 3);
	assert_non_null(strstr(finding(0)->message, "hipMemcpyAsync overwrites them before"));
}

static void each_result_is_waited_for(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++) {
		round_of(HOST);
		sync_by(HG_API_hipStreamSynchronize, A);
	}
	assert_string_equal(found(), "");
}

/* A wait for a later event of the stream, or of another one that waits for it, is one, too. */
static void waited_for_by_an_event(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++) {
		round_of(HOST);
		order_by_event(A, B);
		event(HG_API_hipEventRecord, E + 1, B, 0);
		sync_by(HG_API_hipEventSynchronize, E + 1);
	}
	assert_string_equal(found(), "");
}

static void each_result_has_its_place(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++)
		round_of(HOST + 8 * i);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

/* A benchmark copies like this: nothing has changed since. */
static void the_same_bytes_again(void **state)
{
	(void)state;
	memory();
	launch(WRITER, A, P);
	for (unsigned i = 0; i < 4; i++)
		copy(HG_API_hipMemcpyAsync, HOST, P, 8, A);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void only_a_part_is_overwritten(void **state)
{
	(void)state;
	memory();
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, HOST, P, 16, A);
	round_of(HOST + 8);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

/* The copy is not meant for the host. */
static void another_copy_takes_it_from_there(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++) {
		round_of(HOST);
		copy(HG_API_hipMemcpyAsync, Q, HOST, 8, A);
	}
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void a_kernel_takes_it_from_there(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++) {
		round_of(HOST);
		launch(READER, A, HOST);
	}
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void a_kernel_may_take_it_from_there(void **state)
{
	(void)state;
	memory();
	kernels[WRITER - 1].uses_complete = false;
	for (unsigned i = 0; i < 4; i++)
		round_of(HOST);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

/* The runtime waits for such a copy. */
static void to_pageable_memory(void **state)
{
	(void)state;
	memory();
	alloc(HG_API_malloc, OTHER_HOST, 0);
	for (unsigned i = 0; i < 4; i++)
		round_of(OTHER_HOST);
	assert_string_equal(found(), "");
}

static void by_a_call_that_waits(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++) {
		launch(WRITER, NULLS, P);
		copy(HG_API_hipMemcpy, HOST, P, 8, NULLS);
	}
	assert_string_equal(found(), "");
}

static void every_launch_and_copy_waits(void **state)
{
	(void)state;
	runtime(50221153, "AMD_SERIALIZE_COPY=3");
	memory();
	for (unsigned i = 0; i < 4; i++)
		round_of(HOST);
	assert_null(strstr(found(), "HG407"));
}

static void released_before_it_is_there(void **state)
{
	(void)state;
	memory();
	round_of(HOST);
	release(HG_API_hipHostFree, HOST, 0);
	assert_string_equal(found(), "HG407");
	assert_non_null(strstr(finding(0)->message, "hipHostFree releases that memory before"));
	assert_non_null(strstr(finding(0)->message, "the result is lost"));
}

static void released_after_a_wait(void **state)
{
	(void)state;
	memory();
	round_of(HOST);
	sync_by(HG_API_hipStreamSynchronize, A);
	release(HG_API_hipHostFree, HOST, 0);
	assert_string_equal(found(), "");
}

static void never_waited_for(void **state)
{
	(void)state;
	memory();
	round_of(HOST);
	assert_string_equal(found(), "HG407");
	assert_non_null(strstr(finding(0)->message, "the recording ends before"));
	assert_true(finding(0)->absence);
}

static void a_wait_may_be_among_what_is_lost(void **state)
{
	never_waited_for(state);
	findings_lost(&findings, 1);
	IF_WHOLE(assert_int_equal(claim_confidence("HG407"), -1));
}

static void the_order_is_not_known(void **state)
{
	(void)state;
	memory();
	call(HG_API_hipStreamWaitValue32, A);
	for (unsigned i = 0; i < 4; i++)
		round_of(HOST);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG407, overwritten_by_the_next_result),
		FINDS(HG407, released_before_it_is_there),
		FINDS(HG407, never_waited_for),
		SILENT(HG407, each_result_is_waited_for),
		SILENT(HG407, waited_for_by_an_event),
		SILENT(HG407, each_result_has_its_place),
		SILENT(HG407, the_same_bytes_again),
		SILENT(HG407, only_a_part_is_overwritten),
		SILENT(HG407, another_copy_takes_it_from_there),
		SILENT(HG407, a_kernel_takes_it_from_there),
		SILENT(HG407, to_pageable_memory),
		SILENT(HG407, by_a_call_that_waits),
		SILENT(HG407, every_launch_and_copy_waits),
		SILENT(HG407, released_after_a_wait),
		DOUBTS(HG407, a_kernel_may_take_it_from_there),
		DOUBTS(HG407, a_wait_may_be_among_what_is_lost),
		DOUBTS(HG407, the_order_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
