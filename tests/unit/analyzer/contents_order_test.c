/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that lie in memory, and the order of work: graphs, rows, events and streams; other rules
 * for the same memory.
 */
#include "contents_world.h"

#include "tracer/events/ev_error.h"
#include "tracer/events/ev_graph.h"
#include "tracer/events/ev_stream.h"

/* A copy of the same graph may come first. */
static void launched_by_a_graph(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	launch_api = HG_API_hipGraphLaunch;
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void graph(uint32_t work, uint32_t ordered)
{
	apply((struct hg_event){
	    .type = HG_EVENT_graph,
	    .graph = &(struct hg_ev_graph){ .handle = 1, .work = work, .ordered = ordered } });
	launch_api = HG_API_hipGraphLaunch;
}

/* One after the other: a copy, a kernel that uses the pointer, and one that stores another one. */
static void nodes_in_order(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, OTHER, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, OTHER, 8, FINE);
	kernel.store_count = 0;
	graph(3, 3);
	copy(HG_API_hipMemcpyDtoDAsync, TABLE, OTHER, SIZE);
	launch(1, TABLE, 0);
	stores[0].path =
	    (struct isa_path){ .step_count = 1,
			       .step = { { .offset = 8, .exact = true, .repeats = false } } };
	kernel.store_count = 1;
	launch_storing(9, 0);
	kernel.store_count = 0;
	launch_api = HG_API_hipLaunchKernel;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
	/* What the kernel stored there is not known, neither after the graph. */
	launch(1, TABLE, 0);
	limited(true);
}

static void nodes_beside_each_other(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	graph(3, 1);
	copy(HG_API_hipMemcpyDtoDAsync, OTHER, COARSE, SIZE);
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* What was read before the graph's launch holds for all of its kernels that none changes. */
static void read_before_the_graph(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	kernel.store_count = 0;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	graph(2, 2);
	launch(1, OTHER, 0);
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	/* Of what OTHER holds nothing is known. */
	assert_string_equal(found(), "HG101 HG108");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* Not for those of the next launch. */
static void read_before_another_graph(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	kernel.store_count = 0;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	graph(1, 1);
	launch(1, OTHER, 0);
	graph(1, 1);
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	/* Of what OTHER holds nothing is known. */
	assert_string_equal(found(), "HG101 HG108");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* Its copies were recorded ahead of the call. */
static void graph_that_fails(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	graph(2, 2);
	copy(HG_API_hipMemcpyHtoDAsync, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	launch(9, OTHER, 0);
	launch_api = HG_API_hipLaunchKernel;
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){ .api = HG_API_hipGraphLaunch, .code = 2, .ptr = 9 } });
	launch(1, TABLE, 0);
	assert_null(strstr(found(), "HG101"));
	limited(true);
}

static void moved_in_rows(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, OTHER, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, OTHER, 40, FINE);
	/* Its second row, of 8 bytes, goes to offset 8. */
	copy_rows(TABLE, OTHER + 8, 8, 2, 8, 32);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* What lies between the rows stays. */
static void rows_beside_it(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	copy_rows(TABLE, OTHER, 8, 2, 16, 8);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	limited(false);
}

static void by_rows(void)
{
	copy_rows(TABLE, OTHER, 16, 2, 32, 16);
}

static void rows_over_it(void **state)
{
	(void)state;
	ends(by_rows);
}

/* A kernel in stream 7 stores there; the host reads it after waiting for `event`, if it stands for
 * that. */
static void read_after_event(void (*orders)(void), bool known)
{
	memory(HG_API_hipMallocManaged);
	stores[0] = (struct isa_store){
		.path = { .step_count = 1,
			  .step = { { .offset = 8, .exact = true, .repeats = false } } },
		.size = 8
	};
	apply((struct hg_event){
	    .type = HG_EVENT_stream,
	    .stream = &(struct hg_ev_stream){ .api = HG_API_hipStreamCreate, .stream = 7 } });
	stream_now = 7;
	launch_storing(9, 0);
	stream_now = 0;
	orders();
	kernel.store_count = 0;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	assert_int_equal(strstr(found(), "HG101") != NULL, known);
	limited(!known);
}

static void event_after(void)
{
	event(HG_API_hipEventRecord, 0x9000, 7);
	wait_for(0x9000);
}

static void waited_for_an_event(void **state)
{
	(void)state;
	read_after_event(event_after, true);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void event_of_another_stream(void)
{
	event(HG_API_hipEventRecord, 0x9000, 8);
	wait_for(0x9000);
}

static void waited_for_another_event(void **state)
{
	(void)state;
	read_after_event(event_of_another_stream, false);
}

static void stream_after_event(void)
{
	event(HG_API_hipEventRecord, 0x9000, 7);
	event(HG_API_hipStreamWaitEvent, 0x9000, 8);
	event(HG_API_hipEventRecord, 0x9100, 8);
	wait_for(0x9100);
}

static void waited_for_a_stream_that_waited(void **state)
{
	(void)state;
	read_after_event(stream_after_event, true);
}

static void event_recorded_before_the_wait(void)
{
	event(HG_API_hipEventRecord, 0x9100, 8);
	event(HG_API_hipEventRecord, 0x9000, 7);
	event(HG_API_hipStreamWaitEvent, 0x9000, 8);
	wait_for(0x9100);
}

static void waited_for_the_stream_before_it_waited(void **state)
{
	(void)state;
	read_after_event(event_recorded_before_the_wait, false);
}

/* ---- other rules ask for the same memory ---- */

static void two_streams(void)
{
	for (uint64_t stream = 7; stream <= 8; stream++)
		apply((struct hg_event){
		    .type = HG_EVENT_stream,
		    .stream = &(struct hg_ev_stream){
			.api = HG_API_hipStreamCreateWithFlags, .stream = stream, .flags = 1 } });
}

/* The same kernel in two streams writes what one pointer in memory leads to. */
static void two_streams_write(uint64_t target)
{
	memory(HG_API_hipMalloc);
	two_streams();
	two_pointers(target, OTHER);
	path_use.access = ISA_WRITE;
	stores[0] = (struct isa_store){ .path = path, .size = 4 };
	atomic.origin.kind = ISA_ORIGIN_LDS;
	stream_now = 7;
	launch(1, TABLE, 0);
	stream_now = 8;
	launch(1, TABLE, 0);
	stream_now = 0;
}

static void a_race_behind_a_pointer(void **state)
{
	(void)state;
	two_streams_write(COARSE);
	assert_string_equal(found(), "HG701");
	assert_int_equal(finding(0)->address, COARSE);
	assert_string_equal(finding(0)->chain, "argument number 0 -> offset 8");
}

static void no_race_behind_two_pointers(void **state)
{
	(void)state;
	path.step[0] = path_use.path.step[0] =
	    (struct isa_step){ .offset = 0, .exact = false, .repeats = false };
	two_streams_write(COARSE); /* one of several */
	assert_string_equal(found(), "");
}

#define LARGE      0x200000
#define LARGE_SIZE (128 << 10)

/* Memory is uploaded, a kernel uses what `target` is, and it is uploaded again. */
static void uploaded_twice(uint64_t target)
{
	memory(HG_API_hipMalloc);
	alloc(HG_API_hipMalloc, LARGE, LARGE_SIZE, 0, 5);
	alloc(HG_API_malloc, 0x7000000, LARGE_SIZE, 0, 6);
	path_use.access = ISA_READ;
	kernel.store_count = 0;
	atomic.origin.kind = ISA_ORIGIN_LDS;
	two_pointers(target, OTHER);
	copy(HG_API_hipMemcpy, LARGE, 0x7000000, LARGE_SIZE);
	launch(1, TABLE, 0);
	copy(HG_API_hipMemcpy, LARGE, 0x7000000, LARGE_SIZE);
}

static void uploaded_and_not_reached(void **state)
{
	(void)state;
	uploaded_twice(COARSE);
	assert_non_null(strstr(found(), "HG505"));
}

static void uploaded_and_read_behind_a_pointer(void **state)
{
	(void)state;
	uploaded_twice(LARGE);
	assert_null(strstr(found(), "HG505"));
}

/* More than is kept: nothing is known of the rest, and memory stays bounded. */

int main(void)
{
	const struct CMUnitTest tests[] = {
		DOUBTS(HG101, launched_by_a_graph),
		FINDS(HG101, nodes_in_order),
		DOUBTS(HG101, nodes_beside_each_other),
		FINDS(HG101, read_before_the_graph),
		DOUBTS(HG101, read_before_another_graph),
		SILENT(HG101, graph_that_fails),
		FINDS(HG101, moved_in_rows),
		FINDS(HG101, rows_beside_it),
		FINDS(HG108, rows_over_it),
		FINDS(HG101, waited_for_an_event),
		SILENT(HG101, waited_for_another_event),
		FINDS(HG101, waited_for_a_stream_that_waited),
		SILENT(HG101, waited_for_the_stream_before_it_waited),
		FINDS(HG701, a_race_behind_a_pointer),
		SILENT(HG701, no_race_behind_two_pointers),
		FINDS(HG505, uploaded_and_not_reached),
		SILENT(HG505, uploaded_and_read_behind_a_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
