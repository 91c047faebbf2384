/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same for fences, events, devices, releases, streams and errors: HG401, 405, 406, 602, 702 and
 * 704 to 707.
 */
#include "order_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

/* ---- HG401 ---- */

static void fence(uint32_t flags, uint16_t wait)
{
	two_streams(0);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	event(HG_API_hipEventCreateWithFlags, E, 0, flags);
	event(HG_API_hipEventRecord, E, A, 0);
	sync_by(wait, wait == HG_API_hipEventSynchronize ? E : A);
	release(HG_API_hipHostFree, HOST, 0);
}

static void an_event_without_fence_does_not_show_results(void **state)
{
	(void)state;
	fence(0x20000000, HG_API_hipEventSynchronize);
	assert_string_equal(found(), "HG401");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void other_waits_show_results(void **state)
{
	(void)state;
	fence(0, HG_API_hipEventSynchronize);
	fence(0x20000000, HG_API_hipStreamSynchronize);
	assert_string_equal(found(), "");
}

/* ---- HG405 ---- */

static void a_wait_for_an_event_that_is_never_recorded(void **state)
{
	(void)state;
	event(HG_API_hipEventCreate, E, 0, 0);
	sync_by(HG_API_hipEventSynchronize, E);
	event(HG_API_hipEventDestroy, E, 0, 0);
	assert_string_equal(found(), "HG405");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void a_wait_before_the_record_and_none_after(void **state)
{
	(void)state;
	two_streams(0);
	event(HG_API_hipEventCreate, E, 0, 0);
	event(HG_API_hipStreamWaitEvent, E, B, 0);
	event(HG_API_hipEventRecord, E, A, 0);
	assert_string_equal(found(), "HG405");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void the_first_round_of_a_loop_waits_for_nothing(void **state)
{
	(void)state;
	two_streams(0);
	event(HG_API_hipEventCreate, E, 0, 0);
	for (int i = 0; i < 2; i++) {
		sync_by(HG_API_hipEventSynchronize, E);
		event(HG_API_hipEventRecord, E, A, 0);
	}
	assert_string_equal(found(), "");
}

static void events_that_others_can_record_are_not_judged(void **state)
{
	(void)state;
	two_streams(0);
	sync_by(HG_API_hipEventSynchronize, 0x777);         /* from before the recording */
	event(HG_API_hipEventCreateWithFlags, 0x778, 0, 4); /* another process' */
	sync_by(HG_API_hipEventSynchronize, 0x778);
	event(HG_API_hipEventCreate, E, 0, 0);
	launch_by(HG_API_hipExtLaunchKernel, WRITER, A, (struct bytes){ P, 0, 0 });
	sync_by(HG_API_hipEventSynchronize, E);
	assert_string_equal(found(), "");
}

/* ---- HG406 ---- */

static void second_device(void)
{
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = &(struct hg_ev_device){
				     .ordinal = 1, .name = "", .arch = "gfx90a", .managed = 1 } });
}

static void atomics_of_two_devices_meet(void **state)
{
	(void)state;
	second_device();
	two_streams(0);
	launch(COUNTER, A, P);
	device_now = 1;
	stream(0x300, 0);
	launch(COUNTER, 0x300, P);
	assert_string_equal(found(), "HG406");
}

static void atomics_of_two_devices_one_after_the_other(void **state)
{
	(void)state;
	second_device();
	two_streams(0);
	launch(COUNTER, A, P);
	device_now = 1;
	stream(0x300, 0);
	order_by_event(A, 0x300);
	launch(COUNTER, 0x300, P);
	assert_string_equal(found(), "");
}

/* ---- HG602 ---- */

static void a_stream_frees_what_another_still_uses(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_hipFreeAsync, HOST, A);
	assert_string_equal(found(), "HG602");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void a_stream_frees_what_it_waited_for(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	order_by_event(B, A);
	release(HG_API_hipFreeAsync, HOST, A);
	launch(READER, B, P);
	release(HG_API_hipFree, P, 0); /* waits */
	launch(READER, B, Q);
	release(HG_API_hipFreeAsync, Q, A); /* not a pool's: waits too */
	assert_string_equal(found(), "");
}

static void memory_of_the_system_is_freed_at_once(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_malloc, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_free, HOST, 0);
	assert_string_equal(found(), "HG209 HG602");
}

static void hipFree_of_a_pools_memory_waits_until_hip_7(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_hipFree, HOST, 0);
	assert_string_equal(found(), "");
	runtime(70000000, "");
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_hipFree, HOST, 0);
	assert_string_equal(found(), "HG602");
}

/* ---- HG702, HG704, HG705 ---- */

static void alternate(unsigned rounds, uint32_t flags)
{
	two_streams(flags);
	for (unsigned i = 0; i < rounds; i++) {
		launch(READER, A, P);
		launch(READER, NULLS, P);
	}
}

static void the_null_stream_again_and_again(void **state)
{
	(void)state;
	alternate(16, 0);
	assert_string_equal(found(), "HG702");
}

static void the_null_stream_a_few_times_or_alone(void **state)
{
	(void)state;
	alternate(15, 0);
	alternate(100, NON_BLOCKING);
	assert_string_equal(found(), "");
}

static void wait_after_each(unsigned rounds, uint64_t memory)
{
	for (unsigned i = 0; i < rounds; i++) {
		launch(UPDATER, A, memory);
		sync_by(HG_API_hipDeviceSynchronize, 0);
	}
}

static void a_wait_after_each_launch(void **state)
{
	(void)state;
	two_streams(0);
	wait_after_each(65, P);
	assert_string_equal(found(), "HG704");
}

static void waits_that_may_be_needed(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocManaged, HOST, 1);
	wait_after_each(63, P);
	wait_after_each(100, HOST); /* the host can read it meanwhile */
	assert_string_equal(found(), "");
}

/* The time that a kernel took is known when it has ended. */
static void waits_for_the_time(void **state)
{
	(void)state;
	two_streams(0);
	for (unsigned i = 0; i < 100; i++) {
		event(HG_API_hipEventRecord, E, A, 0);
		launch(UPDATER, A, P);
		event(HG_API_hipEventRecord, Q, A, 0);
		sync_by(HG_API_hipEventSynchronize, Q);
		call(HG_API_hipEventElapsedTime, 0);
	}
	assert_string_equal(found(), "");
}

static void waits_for_nothing(void **state)
{
	(void)state;
	two_streams(0);
	launch(UPDATER, A, P);
	for (int i = 0; i < 65; i++)
		sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "HG704");
}

/* Each takes `duration` ns, and after it so much time goes by. */
static void waits_that_take(uint64_t duration, int64_t then)
{
	for (int i = 0; i < 200; i++) {
		apply((struct hg_event){
		    .type = HG_EVENT_sync,
		    .sync = &(struct hg_ev_sync){ .api = HG_API_hipDeviceSynchronize,
						  .duration = duration,
						  .stack_id = 30 } });
		clock_ns += then;
	}
}

static void waits_for_nothing_in_a_loop_of_little_else(void **state)
{
	(void)state;
	two_streams(0);
	launch(UPDATER, A, P);
	waits_that_take(2000, 100000);
	assert_string_equal(found(), "HG704");
}

static void waits_for_nothing_now_and_then(void **state)
{
	(void)state;
	two_streams(0);
	launch(UPDATER, A, P);
	waits_that_take(2000, 50000000);
	assert_string_equal(found(), "");
}

/* The runtime has copied pageable memory by then, but does not promise it. */
static void waits_for_copies_of_pageable_memory(void **state)
{
	(void)state;
	two_streams(0);
	for (int i = 0; i < 100; i++) {
		copy(HG_API_hipMemcpyAsync, P, HOST, 0x800, A);
		copy(HG_API_hipMemcpyAsync, Q, HOST, 0x800, B);
		sync_by(HG_API_hipStreamSynchronize, A);
		sync_by(HG_API_hipStreamSynchronize, B);
	}
	assert_string_equal(found(), "");
	for (int i = 0; i < 65; i++)
		sync_by(HG_API_hipStreamSynchronize, B);
	assert_string_equal(found(), "HG704");
}

/* Nor is a debugging variable a reason to leave a wait out. */
static void waits_for_what_the_environment_serialised(void **state)
{
	(void)state;
	runtime(50221153, "AMD_SERIALIZE_KERNEL=3");
	two_streams(0);
	for (int i = 0; i < 100; i++) {
		launch(UPDATER, A, P);
		copy(HG_API_hipMemcpyAsync, Q, Q + 0x800, 0x800, A);
		sync_by(HG_API_hipStreamSynchronize, A);
	}
	assert_string_equal(found(), "HG903");
}

/* One after the other is the way to wait for several. */
static void waits_for_one_stream_after_another(void **state)
{
	(void)state;
	two_streams(0);
	for (int i = 0; i < 100; i++) {
		copy(HG_API_hipMemcpyAsync, P, P + 0x800, 0x800, A);
		copy(HG_API_hipMemcpyAsync, Q, Q + 0x800, 0x800, B);
		sync_by(HG_API_hipStreamSynchronize, A);
		sync_by(HG_API_hipStreamSynchronize, B);
		tid_now = 1 + i % 2;
		sync_by(HG_API_hipDeviceSynchronize, 0); /* another thread's */
	}
	assert_string_equal(found(), "");
}

static void destroy(uint64_t handle)
{
	apply((struct hg_event){
	    .type = HG_EVENT_stream,
	    .stream = &(struct hg_ev_stream){ .api = HG_API_hipStreamDestroy, .stream = handle } });
}

static void a_destroyed_stream_is_used(void **state)
{
	(void)state;
	two_streams(0);
	destroy(A);
	launch(READER, A, P);
	assert_string_equal(found(), "HG705");
}

static void a_destroyed_stream_is_waited_for(void **state)
{
	(void)state;
	two_streams(0);
	destroy(A);
	failure(HG_API_hipStreamSynchronize, 709, A, 0);
	assert_string_equal(found(), "HG705");
}

/* From HIP 7 on such a call need not fail. */
static void a_wait_for_a_destroyed_stream_succeeds(void **state)
{
	(void)state;
	two_streams(0);
	destroy(A);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "HG705");
}

static void a_stream_has_the_handle_of_a_destroyed_one(void **state)
{
	(void)state;
	two_streams(0);
	destroy(A);
	stream(A, 0);
	sync_by(HG_API_hipStreamSynchronize, A);
	launch(READER, A, P);
	launch(READER, 0x999, P); /* never seen: from before the recording */
	assert_string_equal(found(), "");
}

/* ---- HG706, HG707 ---- */

static void a_call_breaks_a_capture(void **state)
{
	(void)state;
	failure(HG_API_hipMalloc, 900, 0, 64);
	assert_string_equal(found(), "HG706");
}

static void a_capture_ends_that_a_call_broke(void **state)
{
	(void)state;
	failure(HG_API_hipMalloc, 900, 0, 64);
	failure(HG_API_hipStreamEndCapture, 901, 0, 0);
	assert_string_equal(found(), "HG706");
}

static void only_the_end_of_a_broken_capture_is_recorded(void **state)
{
	(void)state;
	failure(HG_API_hipStreamEndCapture, 901, 0, 0);
	assert_string_equal(found(), "");
}

static void a_call_fails_without_a_capture(void **state)
{
	(void)state;
	failure(HG_API_hipMalloc, 1, 0, 64);
	failure(HG_API_hipStreamQuery, 600, 0, 0);
	assert_string_equal(found(), "");
}

static void the_result_of_a_failed_launch_is_copied(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "HG707");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

/* Another thread, or the runtime within the call, allocates before the error is recorded. */
static void something_is_allocated_before_a_launch_fails(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	alloc(HG_API_malloc, 0x5000000, 0);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "HG707");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void the_memory_is_freed_before_a_launch_fails(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	release(HG_API_hipFree, P, 0);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	alloc(HG_API_hipMalloc, P, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "");
}

static void a_failed_launch_is_tried_again(void **state)
{
	(void)state;
	two_streams(0);
	launch(UPDATER, A, P);
	failure(HG_API_hipLaunchKernel, 9, UPDATER, 0);
	launch(UPDATER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "");
}

static void the_destination_of_a_failed_copy_is_read(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	launch(READER, A, P);
	assert_string_equal(found(), "HG707");
}

static void the_destination_of_a_failed_copy_is_written_first(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	fill(HG_API_hipMemsetAsync, P, 0x1000, A);
	launch(READER, A, P);
	/* Memory may have been written in a way that cannot be followed. */
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	kernels[COUNTER - 1].uses_complete = false;
	launch(COUNTER, A, Q);
	launch(READER, A, P);
	assert_string_equal(found(), "");
}

static void the_destination_of_a_failed_copy_held_something(void **state)
{
	(void)state;
	two_streams(0);
	fill(HG_API_hipMemsetAsync, P, 0x1000, A);
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	launch(READER, A, P);
	assert_string_equal(found(), "HG707");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void launches_after_an_illegal_address(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipDeviceSynchronize, 700, 0, 0);
	assert_string_equal(found(), "");
	launch(READER, A, P);
	assert_string_equal(found(), "HG707");
}

/* ---- every rule ---- */

/* A later release of the recorder, or damage, makes ids that nothing is known about. */
static void functions_that_this_release_does_not_know(void **state)
{
	uint16_t unknown = 799;

	(void)state;
	assert_null(hg_api_name_if_known(unknown));
	two_streams(0);
	alloc(unknown, HOST, 0);
	launch_by(unknown, WRITER, A, (struct bytes){ P, 0, 0 });
	copy(unknown, HOST, P, 64, A);
	copy(unknown, P, HOST, 64, A);
	fill(unknown, HOST, 64, A);
	event(unknown, E, A, 0);
	sync_by(unknown, E);
	call(unknown, A);
	failure(unknown, 700, HOST, 64);
	release(unknown, HOST, A);
	assert_string_equal(found(), "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		FINDS(HG401, an_event_without_fence_does_not_show_results),
		SILENT(HG401, other_waits_show_results),
		FINDS(HG405, a_wait_for_an_event_that_is_never_recorded),
		DOUBTS(HG405, a_wait_before_the_record_and_none_after),
		SILENT(HG405, the_first_round_of_a_loop_waits_for_nothing),
		DOUBTS(HG405, events_that_others_can_record_are_not_judged),
		FINDS(HG406, atomics_of_two_devices_meet),
		SILENT(HG406, atomics_of_two_devices_one_after_the_other),
		FINDS(HG602, a_stream_frees_what_another_still_uses),
		SILENT(HG602, a_stream_frees_what_it_waited_for),
		FINDS(HG209, memory_of_the_system_is_freed_at_once),
		FINDS(HG602, memory_of_the_system_is_freed_at_once),
		TEST(hipFree_of_a_pools_memory_waits_until_hip_7),
		FINDS(HG702, the_null_stream_again_and_again),
		SILENT(HG702, the_null_stream_a_few_times_or_alone),
		FINDS(HG704, a_wait_after_each_launch),
		SILENT(HG704, waits_that_may_be_needed),
		SILENT(HG704, waits_for_the_time),
		FINDS(HG704, waits_for_nothing),
		FINDS(HG704, waits_for_nothing_in_a_loop_of_little_else),
		SILENT(HG704, waits_for_nothing_now_and_then),
		FINDS(HG704, waits_for_copies_of_pageable_memory),
		SILENT(HG704, waits_for_what_the_environment_serialised),
		SILENT(HG704, waits_for_one_stream_after_another),
		FINDS(HG705, a_destroyed_stream_is_used),
		FINDS(HG705, a_destroyed_stream_is_waited_for),
		FINDS(HG705, a_wait_for_a_destroyed_stream_succeeds),
		SILENT(HG705, a_stream_has_the_handle_of_a_destroyed_one),
		FINDS(HG706, a_call_breaks_a_capture),
		FINDS(HG706, a_capture_ends_that_a_call_broke),
		SILENT(HG706, only_the_end_of_a_broken_capture_is_recorded),
		SILENT(HG706, a_call_fails_without_a_capture),
		FINDS(HG707, the_result_of_a_failed_launch_is_copied),
		FINDS(HG707, something_is_allocated_before_a_launch_fails),
		SILENT(HG707, the_memory_is_freed_before_a_launch_fails),
		SILENT(HG707, a_failed_launch_is_tried_again),
		FINDS(HG707, the_destination_of_a_failed_copy_is_read),
		SILENT(HG707, the_destination_of_a_failed_copy_is_written_first),
		DOUBTS(HG707, the_destination_of_a_failed_copy_held_something),
		FINDS(HG707, launches_after_an_illegal_address),
		TEST(functions_that_this_release_does_not_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
