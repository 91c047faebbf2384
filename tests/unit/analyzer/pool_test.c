/* SPDX-License-Identifier: Apache-2.0 */
/* Tests HG708: memory of a pool in streams that do not wait for its allocation. */
#include "order_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_copies.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_state.h"

static void allocates_at(uint64_t ptr, uint64_t in, uint32_t stack_id)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipMallocAsync,
								 .ptr = ptr,
								 .size = 0x1000,
								 .device = device_now,
								 .stream = in,
								 .symbol = "",
								 .stack_id = stack_id } });
}

static void allocates(uint64_t ptr, uint64_t in)
{
	allocates_at(ptr, in, 7);
}

static void streams(void)
{
	stream(A, NON_BLOCKING);
	stream(B, NON_BLOCKING);
}

/* The block that is allocated has just been released in that stream, while a kernel uses it. */
static void made_of_one_in_use(uint32_t kernel)
{
	allocates(P, A);
	launch(kernel, A, P);
	release(HG_API_hipFreeAsync, P, A);
	allocates(P, A);
}

static void a_block_is_made_of_one_in_use(uint32_t kernel)
{
	streams();
	made_of_one_in_use(kernel);
}

static void its_last_owner_may_still_write_it(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG708");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_non_null(strstr(finding(0)->message, "4096 bytes that hipMallocAsync allocates"));
	assert_non_null(strstr(finding(0)->message, "writer in it may still use this memory"));
	assert_string_equal(finding(0)->kernel, "writer");
	assert_int_equal(finding(0)->launches, 1);
	assert_int_equal(finding(0)->work_items, 128);
}

/* Each allocation is one finding, however often it is used. */
static void used_again_and_again(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	launch(WRITER, B, P);
	launch(READER, B, P);
	fill(HG_API_hipMemsetAsync, P, 0x1000, B);
	assert_string_equal(found(), "HG708");
	assert_int_equal(finding(0)->count, 1);
}

/* Two allocations, of which one alone is of a block in use: the other one is no finding beside. */
static void one_wait_is_missing_for_two(void **state)
{
	(void)state;
	streams();
	allocates_at(Q, A, 8);
	made_of_one_in_use(WRITER);
	launch(READER, B, Q);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG708");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void the_surest_comes_first(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	allocates(Q, A);
	launch(WRITER, B, P);
	launch(READER, B, Q);
	assert_string_equal(found(), "HG708");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->count, 2);
}

/* ... but what the stream has waited for is another matter. */
static void two_waits_are_missing(void **state)
{
	(void)state;
	streams();
	allocates(Q, A);
	launch(READER, B, Q);
	order_by_event(A, B);
	release(HG_API_hipFreeAsync, Q, A);
	made_of_one_in_use(WRITER);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG708 HG602 HG708");
}

/* That the streams race says enough. */
static void a_race_for_the_same_reason(void **state)
{
	(void)state;
	streams();
	allocates(P, A);
	launch(WRITER, A, P);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG701");
}

static void both_only_read_it(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(READER);
	launch(READER, B, P);
	assert_string_equal(found(), "HG708");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void made_of_other_memory(void **state)
{
	(void)state;
	streams();
	alloc(HG_API_hipMalloc, Q, 0);
	launch(WRITER, A, Q);
	allocates(P, A);
	fill(HG_API_hipMemsetAsync, P, 0x1000, B);
	assert_string_equal(found(), "HG708");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_string_equal(finding(0)->api, "hipMemsetAsync");
}

static void made_in_an_idle_stream(void **state)
{
	(void)state;
	streams();
	allocates(P, A);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG708");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
}

static void a_copy_reads_it(void **state)
{
	(void)state;
	streams();
	alloc(HG_API_hipMalloc, Q, 0);
	launch(WRITER, A, Q);
	allocates(P, A);
	copy(HG_API_hipMemcpyAsync, Q + 0x100000, P, 0x10, B);
	assert_string_equal(found(), "HG708");
}

static void the_stream_waits_for_the_allocation(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	order_by_event(A, B);
	launch(WRITER, B, P);
	assert_string_equal(found(), "");
}

/* The event is recorded before the allocation. */
static void the_stream_waits_for_too_little(void **state)
{
	(void)state;
	streams();
	allocates(P, A);
	launch(WRITER, A, P);
	order_by_event(A, B);
	release(HG_API_hipFreeAsync, P, A);
	allocates(P, A);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG708");
	/* The work that used the block before is complete by then. */
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void the_host_waits_for_the_allocation(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	sync_by(HG_API_hipStreamSynchronize, A);
	launch(WRITER, B, P);
	assert_string_equal(found(), "");
}

static void used_in_its_own_stream(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	launch(WRITER, A, P);
	assert_string_equal(found(), "");
}

static void blocking_streams_and_the_null_stream_wait(void **state)
{
	(void)state;
	stream(A, 0);
	allocates(P, A);
	launch(WRITER, NULLS, P);
	allocates(Q, NULLS);
	launch(WRITER, A, Q);
	assert_string_equal(found(), "");
}

static void memory_of_no_pool(void **state)
{
	(void)state;
	streams();
	alloc(HG_API_hipMalloc, P, 0);
	launch(READER, A, P);
	launch(READER, B, P);
	assert_string_equal(found(), "");
}

static void the_order_is_not_known(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	call(HG_API_hipStreamWaitValue32, B);
	launch(WRITER, B, P);
	assert_string_equal(found(), "");
}

static void tells(uint8_t phase)
{
	apply((struct hg_event){ .type = HG_EVENT_state,
				 .state = &(struct hg_ev_state){ .phase = phase } });
}

/* The time of the allocation is not known: hipgrain attach. */
static void allocated_before_the_recording(void **state)
{
	(void)state;
	tells(HG_STATE_BEGIN);
	a_block_is_made_of_one_in_use(WRITER);
	tells(HG_STATE_END);
	launch(WRITER, B, P);
	IF_WHOLE(assert_int_equal(claim_confidence("HG708"), -1));
}

static void a_use_that_is_not_certain(void **state)
{
	(void)state;
	a_block_is_made_of_one_in_use(WRITER);
	launch(MAYBE, B, P);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG708, its_last_owner_may_still_write_it),
		FINDS(HG708, used_again_and_again),
		FINDS(HG708, one_wait_is_missing_for_two),
		FINDS(HG708, the_surest_comes_first),
		FINDS(HG708, two_waits_are_missing),
		SILENT(HG708, a_race_for_the_same_reason),
		FINDS(HG708, both_only_read_it),
		FINDS(HG708, made_of_other_memory),
		FINDS(HG708, made_in_an_idle_stream),
		FINDS(HG708, a_copy_reads_it),
		FINDS(HG708, the_stream_waits_for_too_little),
		SILENT(HG708, the_stream_waits_for_the_allocation),
		SILENT(HG708, the_host_waits_for_the_allocation),
		SILENT(HG708, used_in_its_own_stream),
		SILENT(HG708, blocking_streams_and_the_null_stream_wait),
		SILENT(HG708, memory_of_no_pool),
		DOUBTS(HG708, the_order_is_not_known),
		DOUBTS(HG708, a_use_that_is_not_certain),
		SILENT(HG708, allocated_before_the_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
