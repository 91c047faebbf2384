/* SPDX-License-Identifier: Apache-2.0 */
/* HG314, HG302: heap in GPU memory that realloc() resizes or moves. */
#include "recycled_world.h"

#include "tracer/events/ev_error.h"

/* A call of realloc(): the release of the old block, then the new one. */
static void resize(uint64_t old, uint64_t ptr, uint64_t size)
{
	release(HG_API_realloc, old);
	clock_ns += 100;
	alloc(HG_API_realloc, ptr, size, 34);
}

/* What it contains is the program's: that it comes back is no waste. */
static void grown_in_place(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	resize(HEAP, HEAP, 32 * MIB);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "");
	assert_int_equal(row(1)->allocations, 1);
}

/* Often, as vectors grow, before anything moves. */
static void grown_in_place_often(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	for (unsigned i = 0; i < 20; i++)
		resize(HEAP, HEAP, (17 + i) * MIB);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "");
}

/* Its pages are those of the block that it was. */
static void grown_in_place_and_freed(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	resize(HEAP, HEAP, 20 * MIB);
	resize(HEAP, HEAP, 32 * MIB);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
	assert_int_equal(finding(0)->related_stack_id, 34);
}

/* They come back once. */
static void grown_in_place_and_used_again(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	resize(HEAP, HEAP, 32 * MIB);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, 8);
	wait();
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
}

/* calloc() clears them before it is recorded. */
static void grown_in_place_freed_and_cleared(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	resize(HEAP, HEAP, 32 * MIB);
	release(HG_API_free, HEAP);
	host_faults(HEAP, 8);
	clock_ns += 10;
	alloc(HG_API_calloc, HEAP, 16 * MIB, 32);
	assert_string_equal(found(), "HG314");
}

/* Its release and the new block may have one time. */
static void grown_in_place_at_once(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	release(HG_API_realloc, HEAP);
	clock_ns--;
	alloc(HG_API_realloc, HEAP, 32 * MIB, 34);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
}

static void grown_by_reallocarray(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	release(HG_API_reallocarray, HEAP);
	alloc(HG_API_reallocarray, HEAP, 32 * MIB, 34);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "");
}

/* The C library copied what stayed at first; the driver has not told yet. */
static void grown_in_place_and_moved(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	resize(HEAP, HEAP, 20 * MIB);
	resize(HEAP, HEAP + 64 * MIB, 40 * MIB);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "");
}

/* Another thread's block came to where this one was. */
static void moved_for_another_thread(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_malloc, HEAP + 128 * MIB, 4 * MIB, 33);
	in_gpu_memory(8);
	release(HG_API_realloc, HEAP);
	alloc(HG_API_realloc, HEAP + 64 * MIB, 32 * MIB, 34);
	tid_now = 2;
	resize(HEAP + 128 * MIB, HEAP, 16 * MIB);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "");
}

/* The new block is on other pages of the same 2 MiB. */
static void moved_by_a_few_pages(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 8; i++) {
		uint64_t block = HEAP + i * 2ull * MIB;

		alloc(HG_API_malloc, block, 64 << 10, 31);
		launch(block, OTHER);
		gpu_faults(block, 1);
		wait();
		resize(block, block + MIB, 128 << 10);
		clock_ns += 10;
		late(6, block + MIB, 128 << 10, 0, -1, CPU_FAULT, 0, 5);
		alloc(HG_API_malloc, block, 64 << 10, 32);
		host_fault(block);
	}
	assert_string_equal(found(), "");
}

/* The first page and the last one are not all its. */
static void grown_in_place_within_pages(void **state)
{
	const uint64_t start = HEAP + 2048, size = 2 * 4096 + 16 - 2048;

	(void)state;
	begin();
	for (unsigned i = 0; i < 8; i++) {
		alloc(HG_API_malloc, start, size, 31);
		launch(start, OTHER);
		gpu_faults(HEAP, 1);
		wait();
		resize(start, start, size);
		release(HG_API_free, start);
		alloc(HG_API_malloc, start, size, 32);
		host_fault(HEAP);
		release(HG_API_free, start);
	}
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
	assert_non_null(strstr(finding(0)->message, "brought 98304 bytes back"));
}

/* Each of two in one block of 2 MiB. */
static void two_grown_in_place(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 4; i++) {
		for (uint64_t block = HEAP; block < HEAP + 2 * MIB; block += MIB)
			alloc(HG_API_malloc, block, 64 << 10, 31);
		launch(HEAP, HEAP + MIB);
		gpu_faults(HEAP, 1);
		wait();
		for (uint64_t block = HEAP; block < HEAP + 2 * MIB; block += MIB) {
			resize(block, block, 128 << 10);
			release(HG_API_free, block);
			alloc(HG_API_malloc, block, 64 << 10, 32);
		}
		host_fault(HEAP);
		for (uint64_t block = HEAP; block < HEAP + 2 * MIB; block += MIB)
			release(HG_API_free, block);
	}
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
}

/* While `others` are moved, and their pages have come back. */
static void grown_in_place_while(unsigned others)
{
	const uint64_t small = HEAP + 64 * MIB;

	begin();
	for (unsigned i = 0; i < others; i++)
		alloc(HG_API_malloc, small + i * 16384ull, 16384, 33);
	launch(small, OTHER);
	gpu_faults(small, 1);
	wait();
	in_gpu_memory(8);
	release(HG_API_realloc, HEAP);
	tid_now = 2;
	for (unsigned i = 0; i < others; i++)
		resize(small + i * 16384ull, small + (64 + i) * (uint64_t)MIB, 32768);
	tid_now = 1;
	alloc(HG_API_realloc, HEAP, 32 * MIB, 34);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
}

static void grown_in_place_while_others_are_moved(void **state)
{
	(void)state;
	grown_in_place_while(63);
	assert_string_equal(found(), "HG314");
}

/* Of so many the first is no longer followed. */
static void grown_in_place_while_many_are_moved(void **state)
{
	(void)state;
	grown_in_place_while(64);
	assert_string_equal(found(), "");
}

/* Beside memory that a kernel uses. */
static void resized_neighbour(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_malloc, HEAP, 64 << 10, 31);
	alloc(HG_API_malloc, HEAP + MIB, 64 << 10, 33);
	for (unsigned i = 0; i < 3; i++) {
		launch(HEAP, OTHER);
		gpu_faults(HEAP, 1);
		wait();
		resize(HEAP + MIB, HEAP + MIB, (65 + i) << 10);
		clock_ns += 10;
		late(6, HEAP + MIB, 64 << 10, 0, -1, CPU_FAULT, 0, 5);
	}
	IF_WHOLE(assert_int_equal(claim_confidence("HG302"), -1));
}

/* Something else moves while realloc() is at work. */
static void grown_in_place_meanwhile(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	release(HG_API_realloc, HEAP);
	host_fault(OTHER);
	clock_ns += 10;
	alloc(HG_API_realloc, HEAP, 32 * MIB, 34);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
}

/* ... but for those that the host has brought back since. */
static void grown_in_place_and_read(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	resize(HEAP, HEAP, 32 * MIB);
	host_faults(HEAP, 8);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "");
}

/* The first page is not on the GPU. */
static void grown_in_place_later_pages(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_malloc, HEAP, 20 * MIB, 31);
	launch(HEAP, OTHER);
	gpu_faults(HEAP + 4 * MIB, 8);
	wait();
	resize(HEAP, HEAP, 32 * MIB);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 20 * MIB, 32);
	host_faults(HEAP + 4 * MIB, 8);
	assert_string_equal(found(), "HG314");
}

/* The rest is free, and its pages stay where they are. */
static void shrunk_in_place(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(10);
	resize(HEAP, HEAP, 4 * MIB);
	host_faults(HEAP, 2);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 20 * MIB, 32);
	host_faults(HEAP, 10);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
	assert_int_equal(finding(0)->allocation->stack_id, 32);
}

/* The rest is another block's before anything is known of the first. */
static void shrunk_in_place_and_used(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(10);
	resize(HEAP, HEAP, 2 * MIB);
	alloc(HG_API_malloc, HEAP + 2 * MIB, 18 * MIB, 32);
	host_faults(HEAP + 2 * MIB, 9);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 9);
}

/* The C library copies: all pages of the old block come back, and are needed. */
static void moved(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	release(HG_API_realloc, HEAP);
	host_faults(HEAP, 8);
	clock_ns += 10;
	alloc(HG_API_realloc, HEAP + 64 * MIB, 32 * MIB, 34);
	alloc(HG_API_calloc, HEAP, 16 * MIB, 32);
	wait();
	host_faults(HEAP, 8);
	host_faults(HEAP + 64 * MIB, 8);
	assert_string_equal(found(), "");
}

/* To where another block was freed, whose pages are in nobody's way. */
static void moved_to_recycled_heap(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP + 64 * MIB, 4 * MIB, 33);
	resize(HEAP + 64 * MIB, HEAP, 16 * MIB);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
	assert_string_equal(finding(0)->api, "realloc");
}

/* It failed: the block is what it was. */
static void not_resized(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	release(HG_API_realloc, HEAP);
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){ .api = HG_API_realloc, .code = 12, .ptr = HEAP } });
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->related_stack_id, 31);
}

/* A round trip of the same memory, whatever its size was in between. */
static void resized_between_trips(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_malloc, HEAP, 2 * MIB, 31);
	for (unsigned i = 0; i < 4; i++) {
		launch(HEAP, OTHER);
		gpu_faults(HEAP, 1);
		wait();
		resize(HEAP, HEAP, (3 + i) * MIB);
		host_fault(HEAP);
	}
	IF_WHOLE(assert_non_null(strstr(found(), "HG302")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SILENT(HG314, grown_in_place),
		SILENT(HG314, grown_in_place_often),
		FINDS(HG314, grown_in_place_and_freed),
		FINDS(HG314, grown_in_place_and_used_again),
		FINDS(HG314, grown_in_place_freed_and_cleared),
		FINDS(HG314, grown_in_place_at_once),
		SILENT(HG314, grown_by_reallocarray),
		SILENT(HG314, grown_in_place_and_moved),
		SILENT(HG314, moved_for_another_thread),
		SILENT(HG314, moved_by_a_few_pages),
		FINDS(HG314, grown_in_place_within_pages),
		FINDS(HG314, two_grown_in_place),
		FINDS(HG314, grown_in_place_while_others_are_moved),
		SILENT(HG314, grown_in_place_while_many_are_moved),
		FINDS(HG303, resized_neighbour),
		SILENT(HG302, resized_neighbour),
		FINDS(HG314, grown_in_place_meanwhile),
		SILENT(HG314, grown_in_place_and_read),
		FINDS(HG314, grown_in_place_later_pages),
		FINDS(HG314, shrunk_in_place),
		FINDS(HG314, shrunk_in_place_and_used),
		SILENT(HG314, moved),
		FINDS(HG314, moved_to_recycled_heap),
		FINDS(HG314, not_resized),
		FINDS(HG302, resized_between_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
