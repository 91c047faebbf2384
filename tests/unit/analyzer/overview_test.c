/* SPDX-License-Identifier: Apache-2.0 */
/* The overview: totals by call site, high-water marks, and bounded maps of what happened. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyzer/overview/overview.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_host_totals.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_range.h"
#include "tracer/events/ev_sync.h"

static struct replay replay;
static struct overview *overview;
static int64_t clock_ns;

static int setup(void **state)
{
	(void)state;
	replay_init(&replay);
	overview = overview_new();
	overview_observe(overview, &replay);
	clock_ns = 1000;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	overview_free(overview);
	replay_destroy(&replay);
	return 0;
}

static struct process *apply(struct hg_event event)
{
	struct process *process;

	event.pid = 1;
	event.tid = 1;
	event.ns = clock_ns;
	clock_ns += 10;
	process = replay_apply(&replay, &event);
	overview_event(overview, process, &event);
	return process;
}

static void alloc(uint16_t api, uint64_t ptr, uint64_t size, uint32_t stack)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = (uint16_t)api,
								 .ptr = ptr,
								 .device_ptr = ptr,
								 .size = size,
								 .symbol = "",
								 .stack_id = stack } });
}

static void release(uint16_t api, uint64_t ptr)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_free,
			       .free = &(struct hg_ev_free){ .api = (uint16_t)api, .ptr = ptr } });
}

static void launch(uint32_t args, uint64_t stream)
{
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .kernel_id = 1,
								   .args_id = args,
								   .grid_x = 2,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1,
								   .stream = stream } });
}

static const struct memory_site *site(unsigned index)
{
	return overview->sites->pdata[index];
}

/* Two sites of one call; the marks are those of the moment when most was live. */
static void test_sites(void **state)
{
	const struct memory_peaks *peaks;

	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 1);
	alloc(HG_API_hipMalloc, 0x20000, 0x1000, 1);
	release(HG_API_hipFree, 0x10000);
	alloc(HG_API_hipMalloc, 0x10000, 0x800, 2);
	alloc(HG_API_hipHostMalloc, 0x90000, 0x300, 1);
	overview_finish(overview);
	assert_int_equal(overview->sites->len, 3);
	assert_int_equal(site(0)->stack_id, 1);
	assert_int_equal(site(0)->count, 2);
	assert_int_equal(site(0)->bytes, 0x2000);
	assert_int_equal(site(0)->peak_bytes, 0x2000);
	assert_int_equal(site(0)->live_bytes, 0x1000);
	assert_int_equal(site(0)->live_count, 1);
	assert_int_equal(site(0)->lifetime_ns, 20);
	assert_int_equal(site(1)->bytes, 0x800);
	assert_int_equal(site(0)->granularity, GRAIN_COARSE);
	assert_int_equal(site(2)->api, HG_API_hipHostMalloc);
	peaks = overview_peaks(overview, site(0)->process);
	assert_non_null(peaks);
	assert_int_equal(peaks->device_peak, 0x2000);
	assert_int_equal(peaks->device_live, 0x1800);
	assert_int_equal(peaks->pinned_peak, 0x300);
}

/* What each site had when all together had most, whichever changed last; registered memory is not
 * counted twice. */
static void test_at_peak(void **state)
{
	const struct memory_peaks *peaks;

	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 1);
	alloc(HG_API_malloc, 0x20000, 0x2000, 2);
	alloc(HG_API_hipHostRegister, 0x20000, 0x2000, 4);
	release(HG_API_hipFree, 0x10000);
	alloc(HG_API_hipMalloc, 0x10000, 0x800, 3);
	release(HG_API_free, 0x20000);
	overview_finish(overview);
	peaks = overview_peaks(overview, site(0)->process);
	assert_int_equal(peaks->peak, 0x3000);
	assert_int_equal(peaks->live, 0x800);
	assert_int_equal(peaks->peak_ns, 1010);
	for (unsigned i = 0; i < overview->sites->len; i++) {
		static const uint64_t at_peak[] = { 0, 0x1000, 0x2000, 0 };

		if (site(i)->stack_id < 4)
			assert_int_equal(site(i)->at_peak, at_peak[site(i)->stack_id]);
	}
}

static void wait(uint16_t api, uint64_t stream, uint64_t duration)
{
	apply((struct hg_event){
	    .type = HG_EVENT_sync,
	    .sync = &(struct hg_ev_sync){ .api = api, .stream = stream, .duration = duration } });
}

static const struct span *first_span(unsigned lane, unsigned at)
{
	const struct lane *from = overview->lanes->pdata[lane];

	assert_in_range(at, 0, from->spans->len - 1);
	return &g_array_index(from->spans, struct span, at);
}

/* The end of a wait bounds the launches before it, on the stream that was waited for. */
static void test_done(void **state)
{
	(void)state;
	launch(0, 0x1000);
	launch(0, 0x2000);
	wait(HG_API_hipStreamSynchronize, 0x1000, 5); /* at 1020 */
	launch(0, 0x1000);
	wait(HG_API_hipEventSynchronize, 0x1000, 5);
	wait(HG_API_hipStreamSynchronize, 2, 5); /* the thread's own */
	assert_int_equal(first_span(0, 0)->done_ns, 1020);
	assert_int_equal(first_span(0, 1)->done_ns, 0);
	assert_int_equal(first_span(1, 0)->done_ns, 0);
	wait(HG_API_hipDeviceSynchronize, 0, 1000); /* began before all of them */
	assert_int_equal(first_span(1, 0)->done_ns, 0);
	wait(HG_API_hipDeviceSynchronize, 0, 5);
	assert_int_equal(first_span(0, 0)->done_ns, 1020);
	assert_int_equal(first_span(0, 1)->done_ns, 1070);
	assert_int_equal(first_span(1, 0)->done_ns, 1070);
	overview_finish(overview);
}

/* A copy names the memory on both sides. */
static void test_memory_of_copies(void **state)
{
	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 1);
	alloc(HG_API_hipHostMalloc, 0x20000, 0x1000, 2);
	apply((struct hg_event){
	    .type = HG_EVENT_copy,
	    .copy = &(struct hg_ev_copy){
		.dst = 0x10800, .src = 0x20000, .size = 8, .rows = 1, .depth = 1 } });
	assert_int_equal(first_span(0, 0)->to->stack_id, 1);
	assert_int_equal(first_span(0, 0)->from->stack_id, 2);
	overview_finish(overview);
}

/* One of many recordings shows less. */
static void test_share(void **state)
{
	struct overview *one;

	(void)state;
	overview_share(64);
	one = overview_new();
	assert_int_equal(one->most_bars, OVERVIEW_BARS * 4 / 64);
	overview_free(one);
	overview_share(1);
	one = overview_new();
	assert_int_equal(one->most_bars, OVERVIEW_BARS);
	overview_free(one);
}

/* A free that failed did not end the memory's life, and it was allocated only once. */
static void test_failed_free(void **state)
{
	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 1);
	release(HG_API_hipFree, 0x10000);
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){ .api = HG_API_hipFree, .ptr = 0x10000, .code = 1 } });
	overview_finish(overview);
	assert_int_equal(site(0)->count, 1);
	assert_int_equal(site(0)->live_count, 1);
	assert_int_equal(site(0)->live_bytes, 0x1000);
}

/* A pointer into the middle is a use; a number is not. */
static void test_used(void **state)
{
	uint64_t words[2] = { 0x20800, 42 };

	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 1);
	alloc(HG_API_hipMalloc, 0x20000, 0x1000, 2);
	apply((struct hg_event){ .type = HG_EVENT_kernel,
				 .kernel = &(struct hg_ev_kernel){
				     .kernel_id = 1, .symbol = "k", .kernarg_size = 16 } });
	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = 1,
							       .kernel_id = 1,
							       .bytes = (const uint8_t *)words,
							       .length = sizeof(words) } });
	launch(1, 0);
	launch(1, 0);
	overview_finish(overview);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(site(i)->used_bytes, site(i)->stack_id == 2 ? 0x1000 : 0);
	assert_int_equal(overview->kernels->len, 1);
	assert_int_equal(((struct kernel_total *)overview->kernels->pdata[0])->launches, 2);
	assert_int_equal(((struct kernel_total *)overview->kernels->pdata[0])->work_items, 256);
}

/* Far more allocations than bars: the largest are kept, with their ends; totals stay exact. */
static void test_many_bars(void **state)
{
	const unsigned count = 3 * OVERVIEW_BARS;
	uint64_t largest = 0;
	bool ended = false;

	(void)state;
	for (unsigned i = 0; i < count; i++)
		alloc(HG_API_hipMalloc, 0x100000000 + (uint64_t)i * 0x200000, 64 + i * 16ull, 1);
	release(HG_API_hipFree, 0x100000000 + (uint64_t)(count - 1) * 0x200000);
	overview_finish(overview);
	assert_in_range(overview->bars->len, OVERVIEW_BARS / 8, OVERVIEW_BARS);
	assert_int_equal(overview->bars->len + overview->bars_left_out, count);
	assert_int_equal(site(0)->count, count);
	assert_int_equal(site(0)->bytes, 64ull * count + 8ull * count * (count - 1));
	for (unsigned i = 0; i < overview->bars->len; i++) {
		const struct memory_bar *bar = &g_array_index(overview->bars, struct memory_bar, i);

		assert_true(bar->size >= overview->bar_minimum);
		if (bar->size > largest) {
			largest = bar->size;
			ended = bar->end_ns != INT64_MAX;
		}
	}
	assert_int_equal(largest, 64 + (count - 1) * 16ull);
	assert_true(ended);
}

/* Most of one size: some of them are kept, spread over time. */
static void test_equal_bars(void **state)
{
	int64_t last = 0;

	(void)state;
	for (unsigned i = 0; i < 5 * OVERVIEW_BARS; i++)
		alloc(HG_API_hipMalloc, 0x100000000 + (uint64_t)i * 0x2000, 0x1000, 1);
	overview_finish(overview);
	assert_in_range(overview->bars->len, OVERVIEW_BARS / 8, OVERVIEW_BARS);
	for (unsigned i = 0; i < overview->bars->len; i++) {
		const struct memory_bar *bar = &g_array_index(overview->bars, struct memory_bar, i);

		assert_true(bar->start_ns > last);
		last = bar->start_ns;
	}
	assert_true(last > clock_ns / 2);
}

/* Far more launches than spans, on two streams, among prefetches: merged, none lost. */
static void test_many_spans(void **state)
{
	const unsigned count = 3 * OVERVIEW_SPANS;
	uint64_t launches = 0;
	unsigned spans = 0;

	(void)state;
	for (unsigned i = 0; i < count; i++) {
		launch(0, i % 2);
		apply((struct hg_event){ .type = HG_EVENT_prefetch,
					 .prefetch = &(struct hg_ev_prefetch){ .size = 1 } });
		clock_ns += 5000;
	}
	overview_finish(overview);
	assert_int_equal(overview->lanes->len, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct lane *lane = overview->lanes->pdata[i];
		int64_t before = INT64_MIN;

		spans += lane->spans->len;
		for (unsigned j = 0; j < lane->spans->len; j++) {
			const struct span *span = &g_array_index(lane->spans, struct span, j);

			assert_true(span->start_ns >= before);
			assert_true(span->end_ns >= span->start_ns);
			before = span->end_ns;
			launches += lane->kind == SPAN_LAUNCH ? span->count : 0;
		}
	}
	assert_int_equal(launches, count);
	assert_in_range(spans, 2, OVERVIEW_SPANS);
	assert_true(overview->merge_gap_ns > 0);
}

static void totals(uint32_t stack, uint64_t count, uint64_t bytes, uint64_t freed,
		   uint64_t freed_bytes)
{
	apply((struct hg_event){ .type = HG_EVENT_host_totals,
				 .host_totals =
				     &(struct hg_ev_host_totals){ .api = HG_API_malloc,
								  .stack_id = stack,
								  .largest = 100,
								  .count = count,
								  .bytes = bytes,
								  .freed = freed,
								  .freed_bytes = freed_bytes } });
}

/* Each time all there ever were; beside the events of larger blocks of the same stack. */
static void test_totals(void **state)
{
	char *call;

	(void)state;
	alloc(HG_API_malloc, 0x10000, 0x10000, 1);
	totals(1, 10, 1000, 2, 200);
	totals(1, 20, 2000, 15, 1500);
	totals(2, 1, 5, 0, 0);
	overview_finish(overview);
	assert_int_equal(overview->sites->len, 3);
	assert_false(site(0)->totals);
	assert_int_equal(site(0)->count, 1);
	assert_true(site(1)->totals);
	assert_int_equal(site(1)->count, 20);
	assert_int_equal(site(1)->bytes, 2000);
	assert_int_equal(site(1)->live_count, 5);
	assert_int_equal(site(1)->live_bytes, 500);
	assert_int_equal(site(1)->peak_bytes, 800);
	assert_int_equal(site(2)->bytes, 5);
	call = memory_site_call(site(1));
	assert_string_equal(call, "malloc of small blocks");
	g_free(call);
}

/* Differences of times must not overflow: neither without events nor with any that a trace names.
 */
static void test_moments(void **state)
{
	(void)state;
	assert_int_equal(overview_duration(overview), 0);
	assert_int_equal(overview_moment(overview, 1000), 0);
	alloc(HG_API_malloc, 0x10000, 0x10000, 1);
	assert_int_equal(overview_duration(overview), 0);
	alloc(HG_API_malloc, 0x20000, 0x10000, 1);
	assert_int_equal(overview_duration(overview), 10);
	assert_int_equal(overview_moment(overview, 999), 0);
	assert_int_equal(overview_moment(overview, 1007), 7);
	clock_ns = INT64_MIN;
	alloc(HG_API_malloc, 0x30000, 0x10000, 1);
	assert_int_equal(overview_moment(overview, INT64_MIN), 0);
	assert_true(overview_duration(overview) == INT64_MAX);
}

static void range(uint8_t kind, const char *name)
{
	apply((struct hg_event){ .type = HG_EVENT_range,
				 .range =
				     &(struct hg_ev_range){ HG_RANGE_ROCTX, kind, 0, 0, name } });
}

/* As many beginnings as fit, each with its end, and no end without its beginning. */
static void test_ranges(void **state)
{
	int depth = 0;

	(void)state;
	range(HG_RANGE_POP, "");
	range(HG_RANGE_PUSH, "all");
	for (unsigned i = 0; i < OVERVIEW_RANGES; i++) {
		range(HG_RANGE_PUSH, "outer");
		range(HG_RANGE_PUSH, "inner");
		range(HG_RANGE_POP, "");
		range(HG_RANGE_POP, "");
	}
	range(HG_RANGE_POP, "");
	assert_true(overview->ranges_left_out > OVERVIEW_RANGES);
	assert_in_range(overview->ranges->len, OVERVIEW_RANGES, OVERVIEW_RANGES + 3);
	for (unsigned i = 0; i < overview->ranges->len; i++) {
		depth += g_array_index(overview->ranges, struct range_step, i).kind == HG_RANGE_PUSH
			     ? 1
			     : -1;
		assert_in_range(depth, 0, 3);
	}
	assert_int_equal(depth, 0);
}

static void numbered(uint8_t kind, uint8_t source, uint64_t id, const char *name)
{
	apply((struct hg_event){ .type = HG_EVENT_range,
				 .range = &(struct hg_ev_range){ source, kind, id, 0, name } });
}

static void assert_span(const GArray *spans, unsigned index, const char *name, unsigned level,
			int64_t length)
{
	const struct range_span *span = &g_array_index(spans, struct range_span, index);

	assert_string_equal(span->name, name);
	assert_int_equal(span->level, level);
	assert_int_equal(span->end_ns == INT64_MAX ? -1 : span->end_ns - span->start_ns, length);
}

/* Ranges have levels, also where they do not lie inside of each other. */
static void test_range_spans(void **state)
{
	GArray *spans;

	(void)state;
	range(HG_RANGE_PUSH, "outer");                               /* 1 */
	numbered(HG_RANGE_PUSH, HG_RANGE_HIPGRAIN, 0, "other kind"); /* 2 */
	range(HG_RANGE_POP, "");                                     /* 3: of outer */
	range(HG_RANGE_PUSH, "below");                               /* 4 */
	range(HG_RANGE_MARK, "here");                                /* 5 */
	range(HG_RANGE_POP, "");                                     /* 6 */
	numbered(HG_RANGE_POP, HG_RANGE_HIPGRAIN, 0, "");            /* 7 */
	numbered(HG_RANGE_START, HG_RANGE_ROCTX, 7, "epoch");        /* 8 */
	numbered(HG_RANGE_START, HG_RANGE_ROCTX, 8, "open");         /* 9 */
	numbered(HG_RANGE_STOP, HG_RANGE_ROCTX, 7, "");              /* 10 */
	numbered(HG_RANGE_START, HG_RANGE_ROCTX, 9, "again");        /* 11 */
	spans = overview_range_spans(overview);
	assert_int_equal(spans->len, 7);
	assert_span(spans, 0, "outer", 0, 2 * 10);
	assert_span(spans, 1, "other kind", 1, 5 * 10);
	assert_span(spans, 2, "below", 2, 2 * 10);
	assert_span(spans, 3, "here", 3, 0);
	assert_span(spans, 4, "epoch", 0, 2 * 10);
	assert_span(spans, 5, "open", 1, -1);
	assert_span(spans, 6, "again", 0, -1);
	assert_int_equal(g_array_index(spans, struct range_span, 5).tid, RANGE_OF_PROCESS);
	g_array_unref(spans);
}

/* More levels than there are: the ranges below have none, and each end is that of its beginning. */
static void test_range_levels(void **state)
{
	GArray *spans;

	(void)state;
	for (unsigned i = 0; i < RANGE_LEVELS + 3; i++)
		range(HG_RANGE_PUSH, "nested");
	for (unsigned i = 0; i < RANGE_LEVELS + 3; i++)
		range(HG_RANGE_POP, "");
	for (unsigned i = 0; i < RANGE_LEVELS + 3; i++)
		numbered(HG_RANGE_START, HG_RANGE_ROCTX, i, "started");
	for (unsigned i = 0; i < RANGE_LEVELS + 3; i++)
		numbered(HG_RANGE_STOP, HG_RANGE_ROCTX, i, "");
	spans = overview_range_spans(overview);
	assert_int_equal(spans->len, 2 * RANGE_LEVELS);
	assert_span(spans, 0, "nested", 0, (2 * RANGE_LEVELS + 5) * 10);
	assert_span(spans, RANGE_LEVELS - 1, "nested", RANGE_LEVELS - 1, 7 * 10);
	assert_span(spans, 2 * RANGE_LEVELS - 1, "started", RANGE_LEVELS - 1,
		    (RANGE_LEVELS + 3) * 10);
	g_array_unref(spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sites, setup, teardown),
		cmocka_unit_test_setup_teardown(test_at_peak, setup, teardown),
		cmocka_unit_test_setup_teardown(test_done, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_of_copies, setup, teardown),
		cmocka_unit_test(test_share),
		cmocka_unit_test_setup_teardown(test_failed_free, setup, teardown),
		cmocka_unit_test_setup_teardown(test_totals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_used, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_bars, setup, teardown),
		cmocka_unit_test_setup_teardown(test_equal_bars, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_spans, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ranges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_range_spans, setup, teardown),
		cmocka_unit_test_setup_teardown(test_range_levels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_moments, setup, teardown),
	};

	return cmocka_run_group_tests_name("overview", tests, NULL, NULL);
}
