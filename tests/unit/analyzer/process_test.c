/* SPDX-License-Identifier: Apache-2.0 */
/* Replay: what is known of a process: streams' numbers, failed calls, libraries, regions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "analyzer/replay/pages.h"
#include "analyzer/replay/replay.h"
#include "analyzer/replay/stream_names.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_module.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_range.h"
#include "tracer/events/ev_region.h"
#include "tracer/events/ev_state.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

enum { ILLEGAL_ADDRESS = 700, ASSERTED = 710, OUT_OF_MEMORY = 2 };

static struct replay replay;
static int64_t clock_ns;
static int32_t tid_now;

static int setup(void **state)
{
	(void)state;
	replay_init(&replay);
	clock_ns = 1000;
	tid_now = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	replay_destroy(&replay);
	return 0;
}

static struct process *apply(struct hg_event event)
{
	event.pid = 1;
	event.tid = tid_now;
	event.ns = clock_ns++;
	return replay_apply(&replay, &event);
}

/* ---- streams ---- */

static struct process *stream(uint16_t api, uint64_t handle)
{
	return apply(
	    (struct hg_event){ .type = HG_EVENT_stream,
			       .stream = &(struct hg_ev_stream){ .api = api, .stream = handle } });
}

static struct process *sync_on(uint64_t handle)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_sync,
	    .sync = &(struct hg_ev_sync){ .api = HG_API_hipStreamSynchronize, .stream = handle } });
}

static void streams_are_numbered_as_they_are_created(void **state)
{
	struct process *process;

	(void)state;
	stream(HG_API_hipStreamCreate, 0x100);
	process = stream(HG_API_hipStreamCreate, 0x200);
	assert_int_equal(stream_number(process, 0x100), 1);
	assert_int_equal(stream_number(process, 0x200), 2);
	assert_int_equal(stream_number(process, 0x300), 0);
	assert_int_equal(stream_number(process, 0), 0);
	/* One that is used and was not created is the next. */
	process = sync_on(0x300);
	assert_int_equal(stream_number(process, 0x300), 3);
	/* What is known keeps its number. */
	sync_on(0x100);
	process = sync_on(0x100);
	assert_int_equal(stream_number(process, 0x100), 1);
	assert_int_equal(stream_number(process, 0x300), 3);
	/* Handles of default streams are no streams. */
	sync_on(1);
	process = sync_on(2);
	assert_int_equal(stream_number(process, 1), 0);
	assert_int_equal(stream_number(process, 2), 0);
	assert_int_equal(process->stream_count, 3);
}

static void a_handle_that_is_created_again_is_another_stream(void **state)
{
	struct process *process;

	(void)state;
	stream(HG_API_hipStreamCreate, 0x100);
	stream(HG_API_hipStreamDestroy, 0x100);
	process = stream(HG_API_hipStreamCreate, 0x100);
	assert_int_equal(stream_number(process, 0x100), 2);
	/* A destroyed one that was unknown gets a number as one that is used. */
	process = stream(HG_API_hipStreamDestroy, 0x200);
	assert_int_equal(stream_number(process, 0x200), 3);
	process = stream(HG_API_hipStreamDestroy, 0x100);
	assert_int_equal(stream_number(process, 0x100), 2);
}

static void check_name(uint64_t handle, unsigned number, const char *expected)
{
	char *name = stream_name(stream(HG_API_hipStreamCreate, 0x100), handle, number);

	assert_string_equal(name, expected);
	g_free(name);
}

static void streams_have_names(void **state)
{
	(void)state;
	check_name(0, 0, "the null stream");
	check_name(1, 0, "the null stream");
	check_name(2, 0, "a thread's default stream");
	check_name(0x30, 4, "stream 4");
	check_name(0x30, 0, "stream 0x30");
}

/* As roctxNameHipStream() does. */
static struct process *name_given(uint64_t handle, const char *name)
{
	return apply(
	    (struct hg_event){ .type = HG_EVENT_range,
			       .range = &(struct hg_ev_range){ .source = HG_RANGE_ROCTX,
							       .kind = HG_RANGE_NAMES_STREAM,
							       .id = handle,
							       .name = name } });
}

static void streams_have_the_names_that_the_program_gives(void **state)
{
	struct process *process;
	char *name;

	(void)state;
	stream(HG_API_hipStreamCreate, 0x100);
	name_given(0x100, "copies");
	name_given(0, "null");
	process = name_given(0x900, "never created");
	name = stream_name(process, 0x100, 1);
	assert_string_equal(name, "stream 1 \"copies\"");
	g_free(name);
	assert_int_equal(g_hash_table_size(process->stream_labels), 1);
	/* The next one with that handle is another. */
	stream(HG_API_hipStreamDestroy, 0x100);
	process = stream(HG_API_hipStreamCreate, 0x100);
	name = stream_name(process, 0x100, stream_number(process, 0x100));
	assert_string_equal(name, "stream 2");
	g_free(name);
}

/* ---- failed calls ---- */

static struct process *failure(struct hg_ev_error error)
{
	return apply((struct hg_event){ .type = HG_EVENT_error, .error = &error });
}

static const struct failed_call *failed(const struct process *process, unsigned index)
{
	assert_in_range(index, 0, process->failed->len - 1);
	return &g_array_index(process->failed, struct failed_call, index);
}

static void equal_failures_are_counted_together(void **state)
{
	struct hg_ev_error error = {
		.api = HG_API_hipMalloc, .code = OUT_OF_MEMORY, .stack_id = 7, .size = 64
	};
	struct process *process;

	(void)state;
	failure(error);
	process = failure(error);
	assert_int_equal(process->failed->len, 1);
	assert_int_equal(failed(process, 0)->count, 2);
	assert_int_equal(failed(process, 0)->size, 64);
	error.code = 1;
	failure(error);
	error.stack_id = 8;
	failure(error);
	error.api = HG_API_hipFree;
	process = failure(error);
	assert_int_equal(process->failed->len, 4);
	/* Calls of the C library are counted wherever they are. */
	failure((struct hg_ev_error){ .api = HG_API_malloc, .code = 12, .stack_id = 1 });
	process = failure((struct hg_ev_error){ .api = HG_API_malloc, .code = 12, .stack_id = 2 });
	assert_int_equal(process->failed->len, 5);
	assert_int_equal(failed(process, 4)->count, 2);
	assert_int_equal(failed(process, 4)->stack_id, 0);
}

static struct process *launch_of(uint32_t kernel)
{
	return apply(
	    (struct hg_event){ .type = HG_EVENT_launch,
			       .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								 .kernel_id = kernel,
								 .grid_x = 2,
								 .grid_y = 3,
								 .grid_z = 4,
								 .block_x = 5,
								 .block_y = 6,
								 .block_z = 7,
								 .shared = 8 } });
}

static void a_failed_launch_has_the_sizes_of_its_own(void **state)
{
	struct process *process;

	(void)state;
	launch_of(1);
	failure((struct hg_ev_error){ .api = HG_API_hipLaunchKernel, .code = 1, .ptr = 1 });
	process =
	    failure((struct hg_ev_error){ .api = HG_API_hipLaunchKernel, .code = 1, .ptr = 2 });
	assert_int_equal(process->failed->len, 2);
	assert_true(failed(process, 0)->sized);
	assert_int_equal(failed(process, 0)->kernel_id, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(failed(process, 0)->grid[i], 2 + i);
		assert_int_equal(failed(process, 0)->block[i], 5 + i);
	}
	assert_int_equal(failed(process, 0)->lds, 8);
	/* The latest launch was of another kernel, or of another thread. */
	assert_false(failed(process, 1)->sized);
	launch_of(3);
	tid_now = 2;
	process =
	    failure((struct hg_ev_error){ .api = HG_API_hipLaunchKernel, .code = 1, .ptr = 3 });
	assert_false(failed(process, 2)->sized);
	/* Another call's pointer is no kernel. */
	process = failure((struct hg_ev_error){ .api = HG_API_hipFree, .code = 1, .ptr = 3 });
	assert_int_equal(failed(process, 3)->kernel_id, 0);
	assert_false(failed(process, 3)->sized);
}

static void places_beyond_the_first_share_an_entry(void **state)
{
	struct hg_ev_error error = { .api = HG_API_hipFree, .code = 1 };
	struct process *process = NULL;

	(void)state;
	for (error.stack_id = 1; error.stack_id <= FAILED_PLACES + 2; error.stack_id++)
		process = failure(error);
	assert_int_equal(process->failed->len, FAILED_PLACES + 1);
	assert_false(failed(process, FAILED_PLACES - 1)->elsewhere);
	assert_true(failed(process, FAILED_PLACES)->elsewhere);
	assert_int_equal(failed(process, FAILED_PLACES)->count, 2);
	/* A place that has its own is counted there. */
	error.stack_id = 1;
	failure(error);
	assert_int_equal(failed(process, 0)->count, 2);
	error = (struct hg_ev_error){ .api = HG_API_hipMalloc, .code = 1, .stack_id = 1 };
	failure(error);
	assert_int_equal(process->failed->len, FAILED_PLACES + 2);
}

static void a_gpu_that_stops_stays_so(void **state)
{
	struct process *process;
	int64_t stopped;

	(void)state;
	process = failure((struct hg_ev_error){ .api = HG_API_hipDeviceSynchronize, .code = 1 });
	assert_int_equal(process->stopped_ns, 0);
	/* errno 700 of the C library is no such thing. */
	process = failure((struct hg_ev_error){ .api = HG_API_malloc, .code = ILLEGAL_ADDRESS });
	assert_int_equal(process->stopped_ns, 0);
	assert_false(process_refused_launch(process, ILLEGAL_ADDRESS, clock_ns));
	assert_true(process_refused_launch(process, 1, clock_ns));
	stopped = clock_ns;
	failure((struct hg_ev_error){ .api = HG_API_hipDeviceSynchronize, .code = ASSERTED });
	process = failure(
	    (struct hg_ev_error){ .api = HG_API_hipDeviceSynchronize, .code = ILLEGAL_ADDRESS });
	assert_int_equal(process->stopped_ns, stopped);
	assert_false(process_refused_launch(process, ILLEGAL_ADDRESS, stopped));
	assert_true(process_refused_launch(process, ILLEGAL_ADDRESS, stopped + 1));
	assert_true(process_refused_launch(process, ASSERTED, stopped + 1));
}

static void a_queue_that_stops_is_one_too(void **state)
{
	struct process *process;
	int64_t stopped = clock_ns;

	(void)state;
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_gpu_memory_fault, .text = "" } });
	process = apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_gpu_queue_error, .text = "" } });
	assert_int_equal(process->stopped_ns, stopped);
}

static void realloc_that_failed_leaves_the_block(void **state)
{
	static const uint16_t apis[] = { HG_API_realloc, HG_API_reallocarray, HG_API_hipFree };

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(apis); i++) {
		uint64_t ptr = 0x10000 * (i + 1);
		uint16_t by = apis[i] == HG_API_hipFree ? HG_API_hipMalloc : HG_API_malloc;
		struct process *process;

		apply((struct hg_event){ .type = HG_EVENT_alloc,
					 .alloc = &(struct hg_ev_alloc){
					     .api = by, .ptr = ptr, .size = 64, .symbol = "" } });
		process = apply((struct hg_event){
		    .type = HG_EVENT_free,
		    .free = &(struct hg_ev_free){ .api = apis[i], .ptr = ptr } });
		assert_int_equal(process_place(process, ptr).kind, PLACE_FREED);
		failure((struct hg_ev_error){ .api = apis[i], .code = 1, .ptr = ptr });
		assert_int_equal(process_place(process, ptr).kind, PLACE_ALLOCATION);
	}
}

/* ---- libraries and regions ---- */

static struct process *module(uint64_t start, uint64_t size, uint64_t bias, const char *path)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_module,
	    .module = &(struct hg_ev_module){
		.bias = bias, .start = start, .size = size, .path = path, .build_id = "" } });
}

static void a_library_recorded_again_is_known(void **state)
{
	struct process *process = module(0x1000, 0x1000, 0, "/a");

	(void)state;
	assert_int_equal(process->modules->len, 1);
	module(0x1000, 0x1000, 0, "/a");
	assert_int_equal(process->modules->len, 1);
	module(0x1000, 0x1000, 0, "/b");
	assert_int_equal(process->modules->len, 2);
	module(0x1000, 0x2000, 0, "/b");
	assert_int_equal(process->modules->len, 3);
	module(0x1000, 0x2000, 0x10, "/b");
	assert_int_equal(process->modules->len, 4);
	/* Within it begins another. */
	module(0x1800, 0x1800, 0x10, "/b");
	assert_int_equal(process->modules->len, 5);
	/* Unloaded, and loaded there again. */
	module(0x1800, 0, 0, "");
	assert_int_equal(process->modules->len, 6);
	module(0x1800, 0x1800, 0x10, "/b");
	assert_int_equal(process->modules->len, 7);
	/* The end of what was never seen. */
	module(0x800000, 0, 0, "");
	assert_int_equal(process->modules->len, 7);
}

static struct process *region(uint8_t kind, uint64_t start, uint64_t size)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_region,
	    .region = &(struct hg_ev_region){ .kind = kind, .start = start, .size = size } });
}

static void a_region_that_grows_is_one(void **state)
{
	struct process *process = region(1, 0x1000, 0x1000);
	uint64_t epoch = process->epoch;

	(void)state;
	region(1, 0x1000, 0x2000);
	assert_int_equal(process->regions->len, 1);
	assert_int_equal(g_array_index(process->regions, struct region, 0).size, 0x2000);
	assert_true(process->epoch > epoch);
	region(2, 0x1000, 0x1000);
	region(2, 0x9000, 0x1000);
	assert_int_equal(process->regions->len, 3);
}

/* ---- copies below HIP, and what is told again ---- */

static void copies_of_the_hsa_runtime_are_counted(void **state)
{
	struct process *process;

	(void)state;
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_hsa_tables_refused, .text = "old" } });
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_hsa_memory_copy, .text = "" } });
	process = apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_hsa_amd_memory_fill, .text = "" } });
	assert_int_equal(process->hsa_copies, 2);
	assert_int_equal(process->hsa_copy_api, HG_API_hsa_memory_copy);
	assert_string_equal(process->hsa_refused, "old");
}

static struct process *announce(bool late, uint64_t instance)
{
	return apply(
	    (struct hg_event){ .type = HG_EVENT_process,
			       .process = &(struct hg_ev_process){ .page_size = 4096,
								   .version = "",
								   .exe = "",
								   .cmdline = "",
								   .env = "",
								   .late = late,
								   .instance = instance } });
}

static struct process *tell(uint8_t phase, uint64_t age, uint64_t calls)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_state,
	    .state = &(struct hg_ev_state){ .phase = phase, .age = age, .calls = calls } });
}

static bool is_known(struct hg_event event)
{
	event.pid = 1;
	event.tid = tid_now;
	return replay_knows(&replay, &event);
}

static void a_state_that_is_told_again_changes_nothing(void **state)
{
	struct hg_event alloc = { .type = HG_EVENT_alloc,
				  .alloc = &(struct hg_ev_alloc){ .symbol = "" } };
	struct hg_event launch = { .type = HG_EVENT_launch };
	struct process *process;

	(void)state;
	assert_false(is_known(alloc));
	announce(true, 5);
	tell(HG_STATE_BEGIN, 100, 0);
	assert_false(is_known(alloc));
	process = tell(HG_STATE_END, 0, 3);
	assert_true(process->state.state_known);
	assert_int_equal(process->state.age, 100);
	assert_int_equal(process->state.calls, 3);
	assert_ptr_equal(announce(true, 5), process);
	assert_false(is_known(alloc));
	tell(HG_STATE_BEGIN, 900, 0);
	assert_true(is_known(alloc));
	assert_false(is_known(launch));
	/* Another thread goes on meanwhile. */
	tid_now = 2;
	assert_false(is_known(alloc));
	tid_now = 1;
	tell(HG_STATE_END, 0, 9);
	assert_false(is_known(alloc));
	assert_int_equal(process->state.age, 100);
	assert_int_equal(process->state.calls, 3);
	/* A third session's, told to it alone. */
	tell(HG_STATE_BEGIN, 700, 0);
	tell(HG_STATE_END, 0, 11);
	assert_int_equal(process->state.age, 700);
	assert_int_equal(process->state.calls, 11);
}

static void another_image_is_another_process(void **state)
{
	struct hg_ev_process fields = { .late = 1, .instance = 5 };
	struct hg_event event = { .type = HG_EVENT_process, .process = &fields };

	(void)state;
	assert_false(is_known(event));
	announce(true, 5);
	assert_true(is_known(event));
	fields.instance = 6;
	assert_false(is_known(event));
	fields.instance = 5;
	fields.late = 0;
	assert_false(is_known(event));
	assert_int_equal(replay.processes->len, 1);
	announce(true, 6);
	assert_int_equal(replay.processes->len, 2);
	announce(false, 6);
	assert_int_equal(replay.processes->len, 3);
}

/* ---- pages ---- */

struct stretches {
	unsigned count;
	uint64_t to[8];
};

static void note_stretch(void *data, uint64_t from, uint64_t to, const struct page_call *call)
{
	struct stretches *stretches = data;

	(void)from;
	(void)call;
	assert_in_range(stretches->count, 0, G_N_ELEMENTS(stretches->to) - 1);
	stretches->to[stretches->count++] = to;
}

/* Returns the number of stretches of two neighbouring pages. */
static unsigned stretches_of(const struct page_call *first, const struct page_call *second)
{
	struct stretches stretches = { 0 };
	struct page_map map;

	page_map_init(&map, 4096);
	page_map_advise(&map, first);
	page_map_advise(&map, second);
	page_map_each(&map, 0x10000, 0x3000, note_stretch, &stretches);
	page_map_destroy(&map);
	assert_int_equal(stretches.to[stretches.count - 1], 0x13000);
	return stretches.count;
}

static void neighbours_of_one_call_are_one_stretch(void **state)
{
	struct page_call whole = { 1, 0x10000, 0x3000, true, 5, 7 };
	struct page_call middle = { 1, 0x11000, 0x1000, true, 5, 7 };

	(void)state;
	/* The middle has been advised by another call: other place and size. */
	assert_int_equal(stretches_of(&whole, &middle), 3);
	/* The same once more. */
	assert_int_equal(stretches_of(&whole, &whole), 1);
	middle = whole;
	middle.size = 0x2000;
	assert_int_equal(stretches_of(&whole, &middle), 2);
	middle.size = whole.size - 1; /* which touches the same pages */
	assert_int_equal(stretches_of(&whole, &middle), 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(streams_are_numbered_as_they_are_created),
		TEST(a_handle_that_is_created_again_is_another_stream),
		TEST(streams_have_names),
		TEST(streams_have_the_names_that_the_program_gives),
		TEST(equal_failures_are_counted_together),
		TEST(a_failed_launch_has_the_sizes_of_its_own),
		TEST(places_beyond_the_first_share_an_entry),
		TEST(a_gpu_that_stops_stays_so),
		TEST(a_queue_that_stops_is_one_too),
		TEST(realloc_that_failed_leaves_the_block),
		TEST(a_library_recorded_again_is_known),
		TEST(a_region_that_grows_is_one),
		TEST(copies_of_the_hsa_runtime_are_counted),
		TEST(a_state_that_is_told_again_changes_nothing),
		TEST(another_image_is_another_process),
		TEST(neighbours_of_one_call_are_one_stretch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
