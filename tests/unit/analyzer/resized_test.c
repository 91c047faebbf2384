/* SPDX-License-Identifier: Apache-2.0 */
/* HG314, HG302: heap in GPU memory that realloc() resizes or moves. */
#include "recycled_world.h"

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
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = { .api = HG_API_realloc, .code = 12, .ptr = HEAP } });
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
