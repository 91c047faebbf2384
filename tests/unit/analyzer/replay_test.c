/* SPDX-License-Identifier: Apache-2.0 */
/* Replay: addresses that are freed, reused, overlaid, split; advice on pages; failed calls. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "analyzer/replay/replay.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_module.h"
#include "tracer/events/ev_process.h"

static struct replay replay;
static int64_t clock_ns;

static int setup(void **state)
{
	(void)state;
	replay_init(&replay);
	clock_ns = 1000;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	replay_destroy(&replay);
	return 0;
}

/* ---- events, as short as they can be written ---- */

static struct process *apply(struct hg_event event)
{
	if (!event.pid)
		event.pid = 1;
	if (!event.tid)
		event.tid = 1;
	event.ns = clock_ns++;
	return replay_apply(&replay, &event);
}

static struct process *alloc(uint16_t api, uint64_t ptr, uint64_t size)
{
	return apply(
	    (struct hg_event){ .type = HG_EVENT_alloc,
			       .alloc = &(struct hg_ev_alloc){ .api = (uint16_t)api,
							       .ptr = ptr,
							       .size = size,
							       .device = api < HG_HIP_APIS ? -1 : 0,
							       .symbol = "" } });
}

static struct process *release_by(int32_t tid, uint16_t api, uint64_t ptr, uint64_t size)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .tid = tid,
	    .free = &(struct hg_ev_free){ .api = (uint16_t)api, .ptr = ptr, .size = size } });
}

static struct process *release(uint16_t api, uint64_t ptr, uint64_t size)
{
	return release_by(1, api, ptr, size);
}

static struct process *failure(int32_t tid, uint16_t api, uint64_t ptr)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .tid = tid,
	    .error = &(struct hg_ev_error){ .api = (uint16_t)api, .ptr = ptr, .code = 1 } });
}

static struct process *advise(uint64_t ptr, uint64_t size, bool coarse)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise =
		&(struct hg_ev_advise){ .ptr = ptr, .size = size, .advice = coarse ? 100 : 101 } });
}

/* ---- allocations ---- */

static void finds_the_middle_and_not_the_end(void **state)
{
	struct process *process = alloc(HG_API_hipMalloc, 0x10000, 0x100);
	struct place place = process_place(process, 0x10080);

	(void)state;
	assert_int_equal(place.kind, PLACE_ALLOCATION);
	assert_int_equal(place.offset, 0x80);
	assert_int_equal(process_place(process, 0x100ff).kind, PLACE_ALLOCATION);
	place = process_place(process, 0x10100);
	assert_int_equal(place.kind, PLACE_PAST_END);
	assert_int_equal(place.offset, 0);
	assert_int_equal(process_place(process, 0xffff).kind, PLACE_UNKNOWN);
	/* A library mapped right behind it does not own what ran off the end. */
	apply((struct hg_event){
	    .type = HG_EVENT_module,
	    .module = &(struct hg_ev_module){
		.start = 0x10100, .size = 0x100000, .path = "", .build_id = "" } });
	assert_int_equal(process_place(process, 0x10180).kind, PLACE_PAST_END);
	assert_int_equal(process_place(process, 0x12000).kind, PLACE_STATIC);
	assert_int_equal(process_place(process, 0x10000 + (8 << 20)).kind, PLACE_UNKNOWN);
	assert_int_equal(process_place(process, 8).kind, PLACE_NULL);
}

static void freed_memory_is_remembered_until_it_is_reused(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000);
	process = release(HG_API_hipFree, 0x10000, 0);
	assert_int_equal(process_place(process, 0x10010).kind, PLACE_FREED);
	assert_int_equal(process_place(process, 0x10010).offset, 0x10);
	alloc(HG_API_hipMalloc, 0x10800, 0x100);
	assert_int_equal(process_place(process, 0x10810).kind, PLACE_ALLOCATION);
	/* The old block was unmapped as a whole: it cannot be distinguished from the new one's
	 * gaps. */
	assert_int_not_equal(process_place(process, 0x10010).kind, PLACE_FREED);
}

static void a_free_that_failed_did_not_happen(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000);
	process = release_by(7, HG_API_hipFree, 0x10000, 0);
	failure(8, HG_API_hipFree, 0x10000); /* another thread's failure is not ours */
	assert_int_equal(process_place(process, 0x10000).kind, PLACE_FREED);
	failure(7, HG_API_hipFree, 0x10000);
	assert_int_equal(process_place(process, 0x10000).kind, PLACE_ALLOCATION);
	assert_false(process_place(process, 0x10000).allocation->freed);
}

static void a_second_free_that_fails_leaves_the_first(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_hipMalloc, 0x10000, 0x1000);
	release(HG_API_hipFree, 0x10000, 0);
	process = release(HG_API_hipFree, 0x10000, 0);
	failure(1, HG_API_hipFree, 0x10000);
	assert_int_equal(process_place(process, 0x10000).kind, PLACE_FREED);
}

static void realloc_moves_and_fails(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_malloc, 0x20000, 0x2000);
	release(HG_API_realloc, 0x20000, 0);
	process = alloc(HG_API_realloc, 0x90000, 0x4000);
	assert_int_equal(process_place(process, 0x91000).kind, PLACE_ALLOCATION);
	assert_int_equal(process_place(process, 0x20000).kind, PLACE_FREED);
	release(HG_API_realloc, 0x90000, 0);
	failure(1, HG_API_realloc, 0x90000);
	assert_int_equal(process_place(process, 0x93fff).kind, PLACE_ALLOCATION);
}

static void registration_overlays_and_has_an_address_of_its_own(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_malloc, 0x30000, 0x3000);
	process =
	    apply((struct hg_event){ .type = HG_EVENT_alloc,
				     .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostRegister,
								     .ptr = 0x31000,
								     .device_ptr = 0x600000031000,
								     .size = 0x1000,
								     .symbol = "" } });
	assert_int_equal(process_place(process, 0x31010).allocation->api, HG_API_hipHostRegister);
	assert_int_equal(process_place(process, 0x600000031010).allocation->api,
			 HG_API_hipHostRegister);
	assert_int_equal(process_place(process, 0x600000031010).offset, 0x10);
	assert_int_equal(process_place(process, 0x30010).allocation->api, HG_API_malloc);
	release(HG_API_hipHostUnregister, 0x31000, 0);
	assert_int_equal(process_place(process, 0x31010).allocation->api, HG_API_malloc);
	assert_int_equal(process_place(process, 0x600000031010).kind, PLACE_FREED);
	failure(1, HG_API_hipHostUnregister, 0x31000);
	assert_int_equal(process_place(process, 0x600000031010).kind, PLACE_ALLOCATION);
	assert_int_equal(process_place(process, 0x31010).allocation->api, HG_API_hipHostRegister);
}

static struct process *register_host(uint64_t ptr, uint64_t device_ptr, uint64_t size)
{
	return apply(
	    (struct hg_event){ .type = HG_EVENT_alloc,
			       .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostRegister,
							       .ptr = ptr,
							       .device_ptr = device_ptr,
							       .size = size,
							       .symbol = "" } });
}

/* Each keeps its address on the GPU, and ends alone. */
static void registrations_overlap(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_malloc, 0x30000, 0x20000);
	register_host(0x30000, 0x600000030000, 0x10000);
	register_host(0x31000, 0x600000050000, 0x1000);
	process = register_host(0x34000, 0x600000070000, 0x10000);
	assert_int_equal(process_place(process, 0x600000030010).allocation->ptr, 0x30000);
	assert_int_equal(process_place(process, 0x600000050010).allocation->ptr, 0x31000);
	assert_int_equal(process_place(process, 0x600000070010).allocation->ptr, 0x34000);
	assert_int_equal(process_place(process, 0x31010).allocation->ptr, 0x31000);
	assert_int_equal(process_place(process, 0x33000).allocation->ptr, 0x30000);
	assert_int_equal(process_place(process, 0x33000).offset, 0x3000);
	assert_int_equal(process_place(process, 0x34010).allocation->ptr, 0x34000);
	assert_int_equal(process_place(process, 0x48000).allocation->api, HG_API_malloc);
	release(HG_API_hipHostUnregister, 0x30000, 0);
	assert_int_equal(process_place(process, 0x33000).allocation->api, HG_API_malloc);
	assert_int_equal(process_place(process, 0x600000030010).kind, PLACE_FREED);
	assert_int_equal(process_place(process, 0x600000050010).kind, PLACE_ALLOCATION);
	release(HG_API_hipHostUnregister, 0x34000, 0);
	assert_int_equal(process_place(process, 0x31010).allocation->ptr, 0x31000);
	/* A longer one that comes later. */
	register_host(0x30000, 0x600000030000, 0x10000);
	assert_int_equal(process_place(process, 0x600000050010).allocation->ptr, 0x31000);
	assert_int_equal(process_place(process, 0x33000).allocation->ptr, 0x30000);
}

static void munmap_splits(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_mmap, 0x100000, 0x10000);
	process = release(HG_API_munmap, 0x104000, 0x4000);
	assert_int_equal(process_place(process, 0x103fff).kind, PLACE_ALLOCATION);
	assert_int_not_equal(process_place(process, 0x104000).kind, PLACE_ALLOCATION);
	assert_int_not_equal(process_place(process, 0x107fff).kind, PLACE_ALLOCATION);
	assert_int_equal(process_place(process, 0x108000).kind, PLACE_ALLOCATION);
	assert_int_equal(process_place(process, 0x108000).offset, 0);
	assert_int_equal(process_place(process, 0x10ffff).kind, PLACE_ALLOCATION);
}

static void an_allocation_on_top_of_a_live_one_ends_it(void **state)
{
	struct process *process;

	(void)state;
	alloc(HG_API_malloc, 0x40000, 0x1000);
	process = alloc(HG_API_malloc, 0x40800, 0x1000);
	assert_int_equal(process->space.overlaps, 1);
	assert_int_not_equal(process_place(process, 0x40000).kind, PLACE_ALLOCATION);
	assert_int_equal(process_place(process, 0x40800).offset, 0);
}

static void processes_do_not_share_addresses(void **state)
{
	struct process *one, *two;

	(void)state;
	one = alloc(HG_API_hipMalloc, 0x10000, 0x100);
	two = apply((struct hg_event){
	    .type = HG_EVENT_alloc,
	    .pid = 2,
	    .alloc = &(struct hg_ev_alloc){
		.api = HG_API_hipHostMalloc, .ptr = 0x10000, .size = 0x100, .symbol = "" } });
	assert_ptr_not_equal(one, two);
	assert_int_equal(process_place(one, 0x10000).allocation->api, HG_API_hipMalloc);
	assert_int_equal(process_place(two, 0x10000).allocation->api, HG_API_hipHostMalloc);
}

static void exec_begins_with_nothing(void **state)
{
	struct hg_event start = { .type = HG_EVENT_process,
				  .process =
				      &(struct hg_ev_process){ .page_size = 4096,
							       .version = "",
							       .exe = "/bin/a",
							       .cmdline = "a",
							       .env = "HSA_XNACK=1\nHIP_X=a=b" } };
	struct process *before, *after;

	(void)state;
	before = apply(start);
	assert_string_equal(process_env(before, "HSA_XNACK"), "1");
	assert_string_equal(process_env(before, "HIP_X"), "a=b");
	alloc(HG_API_malloc, 0x10000, 0x1000);
	after = apply(start);
	assert_ptr_not_equal(before, after);
	assert_int_equal(process_place(after, 0x10000).kind, PLACE_UNKNOWN);
}

static struct process *start(int32_t pid, const char *env)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_process,
	    .pid = pid,
	    .process =
		&(struct hg_ev_process){ .version = "", .exe = "", .cmdline = "", .env = env } });
}

static void other_recordings_are_kept_out(void **state)
{
	(void)state;
	replay_set_session(&replay, "ours");
	assert_false(start(2, "A=1\nHIPGRAIN_SESSION=ours\nB=2")->foreign);
	assert_true(start(3, "HIPGRAIN_SESSION=theirs")->foreign);
	assert_true(start(4, "A=1")->foreign);
	/* Began before this session. */
	assert_true(alloc(HG_API_malloc, 0x1000, 0x1000)->foreign);
	/* ... and its pid is used again by one of ours. */
	assert_false(start(1, "HIPGRAIN_SESSION=ours")->foreign);
	assert_int_equal(replay.processes->len, 2);
	assert_int_equal(replay.foreign->len, 3);
}

/* ---- pages ---- */

static struct page_summary summary(const struct process *process, uint64_t start, uint64_t size)
{
	return page_map_summary(&process->pages, start, size);
}

static void advice_rounds_out_to_pages(void **state)
{
	struct process *process = advise(0x10100, 0x100, true);

	(void)state;
	assert_int_equal(summary(process, 0x10000, 0x1000).coarse, 0x1000);
	assert_int_equal(summary(process, 0x11000, 0x1000).coarse, 0);
	advise(0x12fff, 2, true);
	assert_int_equal(summary(process, 0x12000, 0x2000).coarse, 0x2000);
	assert_int_equal(summary(process, 0x10000, 0x4000).plain, 0x1000);
}

static void later_advice_wins_page_by_page(void **state)
{
	struct process *process = advise(0x10000, 0x10000, true);
	struct page_summary pages;

	(void)state;
	advise(0x14000, 0x2000, false);
	pages = summary(process, 0x10000, 0x10000);
	assert_int_equal(pages.coarse, 0xe000);
	assert_int_equal(pages.fine, 0x2000);
	assert_int_equal(pages.plain, 0);
	assert_false(pages.latest->call.coarse);
	advise(0x15000, 0x1000, true);
	assert_int_equal(summary(process, 0x10000, 0x10000).coarse, 0xf000);
}

static void advice_outlives_small_blocks_but_not_mappings(void **state)
{
	struct process *process;

	(void)state;
	/* A heap block: its pages stay mapped when it is freed, and stay coarse-grained. */
	alloc(HG_API_malloc, 0x50000, 0x8000);
	process = advise(0x50000, 0x8000, true);
	release(HG_API_free, 0x50000, 0);
	assert_int_equal(summary(process, 0x50000, 0x8000).coarse, 0x8000);
	/* A block of its own mapping, 16 bytes into its first page: free unmaps it. */
	alloc(HG_API_malloc, 0x700010, 0x40000);
	advise(0x700010, 0x40000, true);
	release(HG_API_free, 0x700010, 0);
	assert_int_equal(summary(process, 0x700000, 0x41000).coarse, 0);
	/* Managed memory: hipFree unmaps. */
	alloc(HG_API_hipMallocManaged, 0x800000, 0x1800);
	advise(0x800000, 0x1800, true);
	release(HG_API_hipFree, 0x800000, 0);
	assert_int_equal(summary(process, 0x800000, 0x2000).coarse, 0);
	/* munmap of a part. */
	alloc(HG_API_mmap, 0x900000, 0x4000);
	advise(0x900000, 0x4000, true);
	release(HG_API_munmap, 0x901000, 0x1000);
	assert_int_equal(summary(process, 0x900000, 0x4000).coarse, 0x3000);
}

/* What page_map_each() passed: a sign for each page, and whether neighbours of one call were
 * joined.
 */
struct seen {
	signed char page[64];
	uint64_t at;
	const struct page_call *last;
	bool joined, gapless;
};

static void tell_stretch(void *data, uint64_t from, uint64_t to, const struct page_call *call)
{
	struct seen *seen = data;

	seen->gapless &= from == seen->at && from < to;
	seen->joined &= from == 0 || (call ? call->ns : -1) != (seen->last ? seen->last->ns : -1);
	for (uint64_t page = from >> 12; page < to >> 12; page++)
		seen->page[page] = call ? (call->coarse ? 1 : -1) : 0;
	seen->at = to;
	seen->last = call;
}

/* Random advice against a plain array of pages. */
static void page_map_agrees_with_an_array(void **state)
{
	enum { PAGES = 64 };
	signed char expected[PAGES] = { 0 };
	struct page_map map;
	struct seen seen;
	uint32_t random = 12345;

	(void)state;
	page_map_init(&map, 4096);
	for (int round = 0; round < 5000; round++) {
		uint64_t first, count, coarse = 0, fine = 0;
		unsigned kind;

		random = random * 1664525u + 1013904223u;
		first = (random >> 8) % PAGES;
		count = 1 + (random >> 16) % (PAGES - first);
		kind = random >> 30;
		if (kind == 0) {
			page_map_drop(&map, first << 12, count << 12);
		} else {
			const struct page_call call = { .ptr = first << 12,
							.size = count << 12,
							.coarse = kind > 1,
							.ns = round };

			page_map_advise(&map, &call);
		}
		for (uint64_t page = first; page < first + count; page++)
			expected[page] = kind == 0 ? 0 : kind > 1 ? 1 : -1;
		for (int page = 0; page < PAGES; page++) {
			coarse += expected[page] == 1;
			fine += expected[page] == -1;
		}
		assert_int_equal(page_map_summary(&map, 0, PAGES << 12).coarse, coarse << 12);
		assert_int_equal(page_map_summary(&map, 0, PAGES << 12).fine, fine << 12);
		seen = (struct seen){ .joined = true, .gapless = true };
		page_map_each(&map, 0, PAGES << 12, tell_stretch, &seen);
		assert_memory_equal(seen.page, expected, PAGES);
		assert_true(seen.joined && seen.gapless && seen.at == PAGES << 12);
	}
	page_map_destroy(&map);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* A freed block of the C library's can be in use again by something too small to be recorded. */
static void reused_unseen(void **state)
{
	const struct process *process;

	(void)state;
	apply((struct hg_event){ .type = HG_EVENT_process,
				 .process = &(struct hg_ev_process){
				     .threshold = 4096, .exe = "", .cmdline = "", .env = "" } });
	alloc(HG_API_malloc, 0x100000, 0x2000);
	alloc(HG_API_hipMalloc, 0x200000, 0x2000);
	release(HG_API_free, 0x100000, 0);
	process = release(HG_API_hipFree, 0x200000, 0);
	assert_int_equal(process_place(process, 0x100800).kind, PLACE_UNKNOWN);
	assert_null(process_place(process, 0x100800).allocation);
	assert_int_equal(process_place(process, 0x200800).kind, PLACE_FREED);
}

static struct process *device_of(int32_t ordinal, const char *arch)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = &(struct hg_ev_device){ .ordinal = ordinal, .name = "test", .arch = arch } });
}

static void processors_of_generic_code(void **state)
{
	const struct process *one;

	(void)state;
	device_of(0, "gfx90a:sramecc+:xnack-");
	one = device_of(1, "gfx942:sramecc+:xnack-");
	assert_string_equal(process_arch_for_generic(one, "gfx9-4-generic"), "gfx942");
	assert_string_equal(process_arch_for_generic(one, "gfx9-generic"), "");
	assert_string_equal(process_arch_for_generic(one, "gfx11-generic"), "");
	assert_string_equal(process_arch_for_generic(one, "nonsense"), "");
	/* Two that can, and differ. */
	one = device_of(2, "gfx940:sramecc+:xnack-");
	assert_string_equal(process_arch_for_generic(one, "gfx9-4-generic"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_the_middle_and_not_the_end),
		TEST(reused_unseen),
		TEST(freed_memory_is_remembered_until_it_is_reused),
		TEST(a_free_that_failed_did_not_happen),
		TEST(a_second_free_that_fails_leaves_the_first),
		TEST(realloc_moves_and_fails),
		TEST(registration_overlays_and_has_an_address_of_its_own),
		TEST(registrations_overlap),
		TEST(munmap_splits),
		TEST(an_allocation_on_top_of_a_live_one_ends_it),
		TEST(processes_do_not_share_addresses),
		TEST(exec_begins_with_nothing),
		TEST(other_recordings_are_kept_out),
		TEST(advice_rounds_out_to_pages),
		TEST(later_advice_wins_page_by_page),
		TEST(advice_outlives_small_blocks_but_not_mappings),
		TEST(page_map_agrees_with_an_array),
		TEST(processors_of_generic_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
