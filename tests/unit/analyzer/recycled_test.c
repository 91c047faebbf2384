/* SPDX-License-Identifier: Apache-2.0 */
/* HG314: heap that is used again while its pages are in GPU memory. */
#include "recycled_world.h"

static void heap_that_is_used_again(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->stack_id, 32);
	assert_int_equal(finding(0)->related_stack_id, 31);
	assert_non_null(strstr(finding(0)->message, "brought 16777216 bytes back"));
	assert_true(g_str_has_prefix(finding(0)->fix, "call mallopt("));
}

/* calloc() itself clears the memory, before anybody knows where it is. */
static void heap_that_is_cleared(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	host_faults(HEAP, 8);
	clock_ns += 10;
	alloc(HG_API_calloc, HEAP, 16 * MIB, 32);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 33);
	wait();
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
	assert_string_equal(finding(0)->api, "calloc");
}

/* The new block lies elsewhere in the old one, and something else came to the GPU in between. */
static void heap_in_pieces(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(12);
	alloc(HG_API_malloc, HEAP, 2 * MIB, 33);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, 1);
	wait();
	alloc(HG_API_malloc, HEAP + 3 * MIB, 20 * MIB, 32);
	clock_ns += 10;
	late(6, HEAP + 3 * MIB, MIB, 0, -1, CPU_FAULT, 0, 5);
	host_faults(HEAP + 4 * MIB, 9);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 10);
	assert_int_equal(finding(0)->allocation->stack_id, 32);
	assert_non_null(strstr(finding(0)->message, "brought 19922944 bytes back"));
}

/* The heap's blocks one after another, each in GPU memory when it is freed. */
static void freed_one_by_one(unsigned count, uint64_t freed, uint64_t used)
{
	for (unsigned i = 0; i < count; i++) {
		alloc(HG_API_malloc, HEAP, freed, 31);
		launch(HEAP, OTHER);
		gpu_faults(HEAP, 1);
		wait();
		release(HG_API_free, HEAP);
		alloc(HG_API_malloc, HEAP, used, 32);
		host_fault(HEAP);
		release(HG_API_free, HEAP);
	}
}

/* A few after each release: the clocks of driver and program may disagree about those. */
static void small_blocks(void **state)
{
	(void)state;
	begin();
	freed_one_by_one(8, (128 << 10) - 1, MIB);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_true(finding(0)->met.several);
	assert_true(g_str_has_prefix(finding(0)->fix, "allocate what kernels use with"));
}

/* Which mallopt() can keep from the heap. */
static void large_blocks(void **state)
{
	(void)state;
	begin();
	freed_one_by_one(8, 128 << 10, 64 << 10);
	assert_string_equal(found(), "HG314");
	assert_true(g_str_has_prefix(finding(0)->fix, "call mallopt("));
}

static void returns_after_releases(unsigned first, unsigned second, unsigned third)
{
	const unsigned blocks[] = { first, second, third };

	for (unsigned i = 0; i < G_N_ELEMENTS(blocks); i++) {
		if (!blocks[i])
			continue;
		freed_in_gpu_memory(blocks[i]);
		alloc(HG_API_malloc, HEAP, blocks[i] * 2ull * MIB, 32);
		host_faults(HEAP, blocks[i]);
		release(HG_API_free, HEAP);
	}
}

static void three_after_a_release(void **state)
{
	(void)state;
	begin();
	returns_after_releases(3, 3, 2);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void four_after_a_release(void **state)
{
	(void)state;
	begin();
	returns_after_releases(4, 4, 0);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* Events may have been lost that used the memory. */
static void events_are_missing(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
	findings_lost(&findings, 1);
}

/* Each brings too little back. */
static void several_call_sites(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(12);
	alloc(HG_API_malloc, HEAP, 8 * MIB, 32);
	alloc(HG_API_malloc, HEAP + 8 * MIB, 8 * MIB, 33);
	alloc(HG_API_calloc, HEAP + 16 * MIB, 8 * MIB, 32);
	host_faults(HEAP, 12);
	assert_string_equal(found(), "");
}

/* The C library gave it back to the system in between, or HIP has it now. */
static void memory_of_another_kind(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_mmap, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 8);
	wait();
	release(HG_API_hipFree, MANAGED);
	alloc(HG_API_malloc, MANAGED, 16 * MIB, 33);
	host_faults(MANAGED, 8);
	assert_null(strstr(found(), "HG314"));
}

/* free() was not recorded: the block may have been unmapped. */
static void blocks_whose_release_is_unknown(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "");
}

/* The driver began to move the pages before they were freed. */
static void moved_before_it_was_freed(int64_t earlier)
{
	begin();
	in_gpu_memory(8);
	for (unsigned i = 0; i < 8; i++)
		late(5, HEAP + i * 2ull * MIB, 2 * MIB, 0, -1, CPU_FAULT, 0, 0);
	clock_ns -= earlier;
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
}

static void returns_that_began_before(void **state)
{
	(void)state;
	moved_before_it_was_freed(0);
	assert_string_equal(found(), "");
}

static void returns_that_began_then(void **state)
{
	(void)state;
	moved_before_it_was_freed(8);
	assert_string_equal(found(), "");
}

/* Of pages that the host has, it brings none back. */
static void told_twice(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	host_faults(HEAP, 8);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
}

/* What was there last but one is not whose memory it is. */
static void nobodys_since_two_were_freed(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 8; i++) {
		uint64_t block = HEAP + i * 2ull * MIB, half = block + MIB;

		alloc(HG_API_malloc, block, 2 * MIB, 31);
		launch(block, OTHER);
		gpu_faults(block, 1);
		wait();
		release(HG_API_free, block);
		alloc(HG_API_malloc, half, MIB, 33);
		launch(half, OTHER);
		move(half, MIB, -1, 0, GPU_FAULT);
		wait();
		release(HG_API_free, half);
		host_fault(block);
	}
	assert_string_equal(found(), "");
}

/* By the time of the driver's events it was not. */
static void told_after_it_was_freed_again(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	clock_ns += 100;
	release(HG_API_free, HEAP);
	for (unsigned i = 0; i < 8; i++)
		late(6, HEAP + i * 2ull * MIB, 2 * MIB, 0, -1, CPU_FAULT, 0, 50 + i);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->allocation->stack_id, 32);
}

/* ---- calloc(), which is recorded after it has cleared the memory ---- */

static void cleared_at_last(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	host_faults(HEAP, 8);
	clock_ns += 10;
	alloc(HG_API_calloc, HEAP, 16 * MIB, 32);
	assert_string_equal(found(), "HG314");
}

/* Half of each block at a time; other events follow. */
static void cleared_by_halves(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(4);
	for (unsigned i = 0; i < 8; i++) {
		clock_ns += 10;
		late(6, HEAP + i * MIB, MIB, 0, -1, CPU_FAULT, 0, 5);
	}
	clock_ns += 10;
	alloc(HG_API_calloc, HEAP, 8 * MIB, 32);
	wait();
	wait();
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
}

static void freed_and_cleared(uint64_t page, uint64_t freed, uint64_t cleared, uint64_t size)
{
	for (unsigned i = 0; i < 8; i++) {
		alloc(HG_API_malloc, freed, 64 << 10, 31);
		launch(freed, OTHER);
		gpu_faults(HEAP, 1);
		wait();
		release(HG_API_free, freed);
		clock_ns += 10;
		late(6, page, 4096, 0, -1, CPU_FAULT, 0, 5);
		clock_ns += 10;
		alloc(HG_API_calloc, cleared, size, 32);
		release(HG_API_free, cleared);
	}
}

/* The page's first byte, or its last, is not the block's; the first page of 2 MiB is not. */
static void cleared_from_within_a_page(void **state)
{
	(void)state;
	begin();
	freed_and_cleared(HEAP, HEAP, HEAP + 16, 64 << 10);
	assert_string_equal(found(), "HG314");
}

static void cleared_in_a_page(void **state)
{
	(void)state;
	begin();
	freed_and_cleared(HEAP, HEAP, HEAP, 2048);
	assert_string_equal(found(), "HG314");
}

static void cleared_in_a_later_page(void **state)
{
	(void)state;
	begin();
	freed_and_cleared(HEAP + MIB, HEAP + MIB, HEAP + MIB, 64 << 10);
	assert_string_equal(found(), "HG314");
}

/* As many returns as are kept. */
static void much_that_is_cleared(void **state)
{
	(void)state;
	begin();
	in_gpu_memory(70);
	release(HG_API_free, HEAP);
	clock_ns += 10;
	late(6, HEAP, 140 * MIB, 0, -1, CPU_FAULT, 0, 5);
	clock_ns += 10;
	alloc(HG_API_calloc, HEAP, 140 * MIB, 32);
	wait();
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 64);
}

/* After `events` more; beside another block that is cleared, and freed at once. */
static void cleared_later(unsigned events)
{
	freed_in_gpu_memory(9);
	clock_ns += 10;
	late(6, HEAP, 18 * MIB, 0, -1, CPU_FAULT, 0, 5);
	clock_ns += 10;
	alloc(HG_API_calloc, HEAP + 16 * MIB, 2 * MIB, 33);
	release(HG_API_free, HEAP + 16 * MIB);
	for (unsigned i = 0; i < events; i++)
		wait();
	alloc(HG_API_calloc, HEAP, 16 * MIB, 32);
}

static void cleared_soon(void **state)
{
	(void)state;
	begin();
	cleared_later(31);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->count, 8);
}

static void cleared_too_late(void **state)
{
	(void)state;
	begin();
	cleared_later(32);
	assert_string_equal(found(), "");
}

static void a_few_pages(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(7);
	alloc(HG_API_malloc, HEAP, 14 * MIB, 32);
	host_faults(HEAP, 7);
	assert_string_equal(found(), "");
}

/* free() writes to what it frees, and malloc() beside what it returns. */
static void heap_that_nobody_uses(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	host_faults(HEAP, 8);
	clock_ns += 10;
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	wait();
	assert_string_equal(found(), "");
}

static void used_before_it_was_freed(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_malloc, HEAP, 16 * MIB, 31);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, 8);
	wait();
	host_faults(HEAP, 8);
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	assert_string_equal(found(), "");
}

/* Seen late: the program has freed the memory since, and another one has it. */
static void told_after_it_was_freed(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_malloc, HEAP, 16 * MIB, 31);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, 8);
	wait();
	clock_ns += 10;
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	for (unsigned i = 0; i < 8; i++)
		late(6, HEAP + i * 2ull * MIB, 2 * MIB, 0, -1, CPU_FAULT, 0, 10 + i);
	assert_string_equal(found(), "");
}

/* The next kernel brings the new memory to the GPU itself. */
static void needed_there_again(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, 8);
	wait();
	host_faults(HEAP, 8);
	assert_null(strstr(found(), "HG314"));
}

/* All of it moves at once. */
static void brought_back_by_a_prefetch(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	prefetch(HEAP, 16 * MIB, -1, 7);
	clock_ns += 10;
	for (unsigned i = 0; i < 8; i++)
		late(6, HEAP + i * 2ull * MIB, 2 * MIB, 0, -1, PREFETCH, 0, 5);
	assert_null(strstr(found(), "HG314"));
}

/* Unmapped: the driver drops the pages. What it tells then is about the next memory there. */
static void memory_that_was_unmapped(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 2; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 8);
		wait();
		release(HG_API_hipFree, MANAGED);
		alloc(HG_API_hipMallocManaged, MANAGED, 64 * MIB, 8);
		host_faults(MANAGED, 8);
	}
	assert_null(strstr(found(), "HG314"));
}

/* A driver that tells no times: those of the recording may be late. */
static void times_are_unknown(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	clock_ns += 10;
	host_uses(HEAP, 8);
	assert_string_equal(found(), "");
}

static void events_were_dropped(void **state)
{
	(void)state;
	begin();
	source(3);
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	release(HG_API_hipFree, MANAGED + 8);
	found();
	IF_WHOLE(assert_int_equal(claim_confidence("HG314"), CONFIDENCE_POSSIBLE));
	IF_WHOLE(assert_int_equal(claim_confidence("HG605"), CONFIDENCE_PROVEN));
}

static void events_of_another_process_were_dropped(void **state)
{
	(void)state;
	begin();
	freed_in_gpu_memory(8);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	host_faults(HEAP, 8);
	pid_now = tid_now = 2;
	process("/bin/other", "");
	source(3);
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* Memory that an allocator has from the system, beside blocks of the C library in it. */
static void blocks_within_a_mapping(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_mmap, HEAP, 64 * MIB, 30);
	alloc(HG_API_malloc, HEAP + MIB, MIB, 31);
	for (unsigned i = 0; i < 3; i++) {
		launch(HEAP + MIB, OTHER);
		gpu_faults(HEAP, 1);
		wait();
		host_fault(HEAP);
	}
	IF_WHOLE(assert_string_equal(found(), "HG302 HG303"));
	IF_WHOLE(assert_int_equal(finding(0)->allocation->stack_id, 31));
	IF_WHOLE(assert_int_equal(finding(1)->allocation->stack_id, 30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG314, heap_that_is_used_again),
		FINDS(HG314, heap_that_is_cleared),
		FINDS(HG314, heap_in_pieces),
		DOUBTS(HG314, small_blocks),
		SILENT(HG314, a_few_pages),
		SILENT(HG314, heap_that_nobody_uses),
		SILENT(HG314, used_before_it_was_freed),
		SILENT(HG314, told_after_it_was_freed),
		SILENT(HG314, needed_there_again),
		SILENT(HG314, brought_back_by_a_prefetch),
		SILENT(HG314, memory_that_was_unmapped),
		DOUBTS(HG314, times_are_unknown),
		DOUBTS(HG314, events_were_dropped),
		FINDS(HG314, events_of_another_process_were_dropped),
		DOUBTS(HG314, three_after_a_release),
		FINDS(HG314, four_after_a_release),
		DOUBTS(HG314, large_blocks),
		SILENT(HG314, events_are_missing),
		SILENT(HG314, several_call_sites),
		SILENT(HG314, memory_of_another_kind),
		SILENT(HG314, blocks_whose_release_is_unknown),
		SILENT(HG314, returns_that_began_before),
		SILENT(HG314, returns_that_began_then),
		FINDS(HG314, told_twice),
		SILENT(HG314, nobodys_since_two_were_freed),
		FINDS(HG314, told_after_it_was_freed_again),
		FINDS(HG314, cleared_at_last),
		FINDS(HG314, cleared_by_halves),
		DOUBTS(HG314, cleared_from_within_a_page),
		DOUBTS(HG314, cleared_in_a_page),
		DOUBTS(HG314, cleared_in_a_later_page),
		FINDS(HG314, much_that_is_cleared),
		FINDS(HG314, cleared_soon),
		SILENT(HG314, cleared_too_late),
		SILENT(HG314, blocks_within_a_mapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
