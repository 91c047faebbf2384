/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules on the order of work, on events written by hand: each rule's positive and negative
 * case, and what happens when evidence is missing. Here: HG215, 402, 403, 404, 701 and 703.
 */
#include "order_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_call.h"

/* ---- HG701 ---- */

static void a_copy_does_not_wait_for_another_streams_kernel(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void races_are_not_claimed_where_events_are_missing(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	failure(HG_API_hipMalloc, 900, 0, 64);
	assert_non_null(strstr(found(), "HG701"));
	findings_drop(&findings, BASIS_ORDER);
	assert_string_equal(found(), "HG706"); /* for which nothing else matters */
	assert_int_equal(findings.limits->len, 1);
}

static void races_without_the_end(uint64_t missing, enum confidence expected)
{
	two_streams(0);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "HG701");
	findings_cut_short(&findings, missing);
	assert_int_equal(findings.list->len, 1);
	assert_int_equal(confidence(), expected);
	assert_non_null(strstr(finding(0)->doubts, "interrupted"));
}

static void races_are_doubted_where_the_end_is_missing(void **state)
{
	(void)state;
	races_without_the_end(0, CONFIDENCE_LIKELY);
}

static void races_are_possible_where_events_of_the_end_are_missing(void **state)
{
	(void)state;
	races_without_the_end(7, CONFIDENCE_POSSIBLE);
}

static void an_event_orders_the_copy(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	order_by_event(A, B);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void an_event_recorded_too_early_orders_nothing(void **state)
{
	(void)state;
	two_streams(0);
	order_by_event(A, B);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "HG701");
}

static void the_host_orders_whatever_thread_it_is(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	tid_now = 2;
	sync_by(HG_API_hipStreamSynchronize, A);
	tid_now = 1;
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void two_copies_meet_or_do_not(void **state)
{
	(void)state;
	two_streams(0);
	copy(HG_API_hipMemcpyAsync, P, Q, 0x800, A);
	copy(HG_API_hipMemcpyAsync, P + 0x800, Q + 0x800, 0x800, B);
	assert_string_equal(found(), "");
	copy(HG_API_hipMemcpyAsync, P + 0x7ff, Q + 0x800, 0x10, B);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

/* The sentence counts the bytes that are filled, not the block. */
static void a_fill_of_a_part_of_a_block(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	fill(HG_API_hipMemsetAsync, P + 0x800, 0x100, B);
	assert_string_equal(found(), "HG701");
	IF_WHOLE(assert_int_equal(finding(0)->figures[1].most, 0x100));
}

static void readers_do_not_disturb_each_other(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, P);
	launch(READER, B, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

/* Each stream works on its part of one array: chosen by the pointer, or by a number. */
static void parts_of_an_array_are_no_race(void **state)
{
	(void)state;
	two_streams(0);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t lane = i % 2 ? A : B;

		copy(HG_API_hipMemcpyAsync, P + 0x400 * i, Q + 0x400 * i, 0x400, lane);
		launch(UPDATER, lane, P + 0x400 * i);
		launch_by(HG_API_hipLaunchKernel, UPDATER, lane,
			  (struct bytes){ P, 0, 0x400 * (int)i });
		copy(HG_API_hipMemcpyAsync, Q + 0x400 * i, P + 0x400 * i, 0x400, lane);
	}
	assert_string_equal(found(), "");
}

static void the_same_kernel_on_the_same_memory_in_two_streams(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
}

static void two_kernels_from_the_same_pointer_are_possibly_a_race(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	launch(READER, B, P);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

/* Only a single kernel gets a number, as a value to fill with: the other one reads the elements. */
static void two_kernels_from_one_pointer(uint32_t groups, int32_t first, int32_t second)
{
	two_streams(0);
	groups_now = groups;
	launch_by(HG_API_hipLaunchKernel, WRITER, A, (struct bytes){ P, 0, first });
	launch_by(HG_API_hipLaunchKernel, READER, B, (struct bytes){ P, 0, second });
}

static void work_items_that_need_all_of_the_memory_meet(void **state)
{
	(void)state;
	two_kernels_from_one_pointer(0x1000 / 4 / 64, 1, 2);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
	assert_non_null(strstr(finding(0)->doubts, "smaller than one element"));
}

/* Findings about order that are not proven are listed behind those that are. */
static void a_possible_race_is_below_what_is_proven(void **state)
{
	(void)state;
	work_items_that_need_all_of_the_memory_meet(state);
	copy(HG_API_hipMemcpyAsync, Q, Q + 0x100, 0x10, A);
	copy(HG_API_hipMemcpyAsync, Q + 0x100, Q, 0x10, B);
	assert_int_equal(finding_severity(finding(1)), SEVERITY_ERROR);
	findings_sort(&findings);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void half_as_many_may_work_on_a_half_each(void **state)
{
	(void)state;
	two_kernels_from_one_pointer(0x1000 / 4 / 64 / 2, 0, 0x800);
	assert_string_equal(found(), "");
}

static void more_work_items_than_elements_share_some(void **state)
{
	(void)state;
	two_kernels_from_one_pointer(0x1000, 0, 0x800);
	assert_string_equal(found(), "");
}

static void how_much_a_work_item_reads_is_not_known(void **state)
{
	(void)state;
	reads_first->width = 0;
	two_kernels_from_one_pointer(0x1000 / 4 / 64, 1, 2);
	assert_string_equal(found(), "");
	reads_first->width = 4;
}

static void an_access_that_is_not_certain_is_none(void **state)
{
	(void)state;
	two_streams(0);
	launch(MAYBE, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void atomics_of_two_streams_meet_on_purpose(void **state)
{
	(void)state;
	two_streams(0);
	launch(COUNTER, A, P);
	launch(COUNTER, B, P);
	assert_string_equal(found(), "");
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B); /* perhaps to see how far it is */
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

static void a_launch_that_failed_races_with_nothing(void **state)
{
	(void)state;
	two_streams(0);
	copy(HG_API_hipMemcpyAsync, P, Q, 0x1000, B);
	launch(WRITER, A, P);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "HG707"); /* see there */
}

static void host_functions_and_waits_for_values_hide_the_order(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	call(HG_API_hipLaunchHostFunc, A);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_int_equal(findings.limits->len, 0);
	call(HG_API_hipStreamWaitValue32, A);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

static void launches_that_wait_are_in_order(void **state)
{
	(void)state;
	runtime(50221153, "HIP_LAUNCH_BLOCKING=1");
	two_streams(0);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void memory_that_is_allocated_anew_has_no_past(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	release(HG_API_hipFree, P, 0);
	alloc(HG_API_hipMalloc, P, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

/* ---- HG703, HG404 ---- */

static void a_non_blocking_stream_does_not_wait_for_the_null_stream(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, NULLS, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "HG703");
}

static void a_blocking_stream_waits_for_the_null_stream(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, NULLS, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	launch(UPDATER, NULLS, P);
	assert_string_equal(found(), "");
}

static void a_synchronous_copy_does_not_wait_for_a_non_blocking_stream(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpy, Q, P, 0x1000, NULLS);
	assert_string_equal(found(), "HG703");
}

static void a_synchronous_copy_to_the_device_is_complete(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, 0x30000, 0);
	copy(HG_API_hipMemcpy, P, 0x30000, 0x1000, NULLS);
	launch(READER, A, P);
	/* Memory that HIP does not know is staged, and that is waited for. */
	alloc(HG_API_malloc, 0x40000, 0);
	copy(HG_API_hipMemcpyAsync, Q, 0x40000, 0x1000, A);
	copy(HG_API_hipMemcpyAsync, P, Q, 0x1000, B);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void hipMemset_waits_until_hip_5_6(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	fill(HG_API_hipMemset, P, 0x1000, NULLS);
	launch(UPDATER, A, P);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void hipMemset_does_not_wait_later(void **state)
{
	(void)state;
	runtime(60200000, "");
	two_streams(NON_BLOCKING);
	fill(HG_API_hipMemset, P, 0x1000, NULLS);
	launch(UPDATER, A, P);
	assert_string_equal(found(), "HG404");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void a_copy_within_the_device_does_not_wait_later(void **state)
{
	(void)state;
	runtime(60200000, "");
	two_streams(NON_BLOCKING);
	copy(HG_API_hipMemcpy, P, Q, 0x1000, NULLS);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	/* Both directions are one race each: Q was read, P was written. */
	assert_string_equal(found(), "HG404");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void set_attribute(uint64_t ptr, uint64_t attribute, bool set)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_hipPointerSetAttribute,
							       .ptr = ptr,
							       .flags = attribute,
							       .value = set,
							       .text = "" } });
}

/* Both buffers have HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS. */
static void a_copy_of_synchronous_memory_waits(void **state)
{
	(void)state;
	runtime(60200000, "");
	two_streams(NON_BLOCKING);
	set_attribute(P, HG_POINTER_SYNC_MEMOPS, true);
	set_attribute(Q, HG_POINTER_SYNC_MEMOPS, true);
	copy(HG_API_hipMemcpy, P, Q, 0x1000, NULLS);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "");
	set_attribute(Q, HG_POINTER_SYNC_MEMOPS, false);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	copy(HG_API_hipMemcpy, P, Q, 0x1000, NULLS);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "HG404");
}

static void copy_with_attributes(uint64_t of_destination, uint64_t of_source)
{
	runtime(60200000, "");
	two_streams(NON_BLOCKING);
	set_attribute(P, of_destination, true);
	set_attribute(Q, of_source, true);
	copy(HG_API_hipMemcpy, P, Q, 0x1000, NULLS);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "HG404");
}

static void another_attribute_of_the_source(void **state)
{
	(void)state;
	copy_with_attributes(HG_POINTER_SYNC_MEMOPS, HG_POINTER_SYNC_MEMOPS + 1);
}

static void another_attribute_of_the_destination(void **state)
{
	(void)state;
	copy_with_attributes(HG_POINTER_SYNC_MEMOPS + 1, HG_POINTER_SYNC_MEMOPS);
}

static void hipMemset_of_the_middle_waits(void **state)
{
	(void)state;
	runtime(60200000, "");
	two_streams(NON_BLOCKING);
	fill(HG_API_hipMemset, P + 64, 0x100, NULLS);
	launch(UPDATER, A, P);
	assert_string_equal(found(), "");
}

/* The kernel in another stream would race with a copy that the host did not wait for. */
static void copy_and_launch(int version, uint16_t api, int32_t gpu)
{
	runtime(version, "");
	stream(A, NON_BLOCKING);
	alloc(HG_API_hipMalloc, P, 0);
	device_now = gpu;
	alloc(HG_API_hipMalloc, Q, 0);
	device_now = 0;
	copy(api, P, Q, 0x1000, NULLS);
	launch(UPDATER, A, P);
}

static void copies_of_rows_do_not_wait_later(void **state)
{
	(void)state;
	copy_and_launch(50731921, HG_API_hipMemcpy2D, 0);
	assert_string_equal(found(), "HG404");
}

static void copies_of_rows_wait_until_hip_5_6(void **state)
{
	(void)state;
	copy_and_launch(50221153, HG_API_hipMemcpy2D, 0);
	assert_string_equal(found(), "");
}

static void a_copy_to_another_gpu_waits(void **state)
{
	(void)state;
	copy_and_launch(50731921, HG_API_hipMemcpy, 1);
	assert_string_equal(found(), "");
}

static void hipMemcpyPeer_does_not_wait_later(void **state)
{
	(void)state;
	copy_and_launch(50731921, HG_API_hipMemcpyPeer, 1);
	assert_string_equal(found(), "HG404");
}

/* ---- HG402, HG403, HG215 ---- */

static void the_host_copies_what_the_gpu_still_writes(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "HG403");
}

static void the_host_copies_after_it_has_waited(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	sync_by(HG_API_hipStreamSynchronize, A);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "");
}

static void another_streams_wait_is_not_the_hosts(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	order_by_event(A, B);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "HG402");
}

static void fine_grained_memory_can_be_shared_on_purpose(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, 0);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, 0);
	launch(WRITER, A, HOST);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "");
	/* A copy into it cannot be. */
	copy(HG_API_hipMemcpyAsync, HOST, P, 0x1000, B);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_non_null(strstr(found(), "HG403"));
}

static void the_host_writes_what_a_kernel_still_reads(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(READER, A, HOST);
	copy(HG_API_hipMemcpy, HOST, OTHER_HOST, 0x1000, NULLS);
	assert_string_equal(found(), "HG215");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG701, a_copy_does_not_wait_for_another_streams_kernel),
		FINDS(HG701, a_fill_of_a_part_of_a_block),
		DOUBTS(HG701, races_are_not_claimed_where_events_are_missing),
		DOUBTS(HG701, races_are_doubted_where_the_end_is_missing),
		DOUBTS(HG701, races_are_possible_where_events_of_the_end_are_missing),
		SILENT(HG701, an_event_orders_the_copy),
		FINDS(HG701, an_event_recorded_too_early_orders_nothing),
		SILENT(HG701, the_host_orders_whatever_thread_it_is),
		FINDS(HG701, two_copies_meet_or_do_not),
		SILENT(HG701, readers_do_not_disturb_each_other),
		SILENT(HG701, parts_of_an_array_are_no_race),
		FINDS(HG701, work_items_that_need_all_of_the_memory_meet),
		FINDS(HG701, a_possible_race_is_below_what_is_proven),
		SILENT(HG701, half_as_many_may_work_on_a_half_each),
		SILENT(HG701, more_work_items_than_elements_share_some),
		DOUBTS(HG701, how_much_a_work_item_reads_is_not_known),
		DOUBTS(HG701, the_same_kernel_on_the_same_memory_in_two_streams),
		DOUBTS(HG701, two_kernels_from_the_same_pointer_are_possibly_a_race),
		DOUBTS(HG701, an_access_that_is_not_certain_is_none),
		FINDS(HG701, atomics_of_two_streams_meet_on_purpose),
		FINDS(HG707, a_launch_that_failed_races_with_nothing),
		DOUBTS(HG701, host_functions_and_waits_for_values_hide_the_order),
		SILENT(HG701, launches_that_wait_are_in_order),
		SILENT(HG701, memory_that_is_allocated_anew_has_no_past),
		FINDS(HG703, a_non_blocking_stream_does_not_wait_for_the_null_stream),
		SILENT(HG703, a_blocking_stream_waits_for_the_null_stream),
		FINDS(HG703, a_synchronous_copy_does_not_wait_for_a_non_blocking_stream),
		SILENT(HG404, a_synchronous_copy_to_the_device_is_complete),
		SILENT(HG404, hipMemset_waits_until_hip_5_6),
		FINDS(HG404, hipMemset_does_not_wait_later),
		FINDS(HG404, a_copy_within_the_device_does_not_wait_later),
		FINDS(HG404, a_copy_of_synchronous_memory_waits),
		FINDS(HG404, another_attribute_of_the_source),
		FINDS(HG404, another_attribute_of_the_destination),
		SILENT(HG404, hipMemset_of_the_middle_waits),
		FINDS(HG404, copies_of_rows_do_not_wait_later),
		SILENT(HG404, copies_of_rows_wait_until_hip_5_6),
		SILENT(HG404, a_copy_to_another_gpu_waits),
		FINDS(HG404, hipMemcpyPeer_does_not_wait_later),
		FINDS(HG403, the_host_copies_what_the_gpu_still_writes),
		SILENT(HG403, the_host_copies_after_it_has_waited),
		SILENT(HG402, the_host_copies_after_it_has_waited),
		SILENT(HG215, the_host_copies_after_it_has_waited),
		FINDS(HG402, another_streams_wait_is_not_the_hosts),
		FINDS(HG403, fine_grained_memory_can_be_shared_on_purpose),
		SILENT(HG215, fine_grained_memory_can_be_shared_on_purpose),
		FINDS(HG215, the_host_writes_what_a_kernel_still_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
