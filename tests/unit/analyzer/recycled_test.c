/* SPDX-License-Identifier: Apache-2.0 */
/* HG314: heap that is used again while its pages are in GPU memory. */
#include "migration_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/host.h"

#define HEAP 0x500000000u

/* A fault of the host's in a block of 2 MiB, as the driver tells it a moment later. */
static void host_fault(uint64_t address)
{
	clock_ns += 10;
	late(6, address, 2 * MIB, 0, -1, CPU_FAULT, 0, 5);
}

static void host_faults(uint64_t start, unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++)
		host_fault(start + i * 2ull * MIB);
}

/* Pages of the heap that a kernel's faults brought to the GPU when they are freed. */
static void freed_in_gpu_memory(unsigned blocks)
{
	alloc(HG_API_malloc, HEAP, blocks * 2ull * MIB, 31);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, blocks);
	wait();
	release(HG_API_free, HEAP);
}

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

/* A few after each release: the clocks of driver and program may disagree about those. */
static void small_blocks(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 8; i++) {
		alloc(HG_API_malloc, HEAP, 64 << 10, 31);
		launch(HEAP, OTHER);
		gpu_faults(HEAP, 1);
		wait();
		release(HG_API_free, HEAP);
		alloc(HG_API_malloc, HEAP, 64 << 10, 32);
		host_fault(HEAP);
		release(HG_API_free, HEAP);
	}
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_true(g_str_has_prefix(finding(0)->fix, "allocate what kernels use with"));
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

/* The next kernel brings the new memory to the GPU itself; or all of it moves at once. */
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
	release(HG_API_free, HEAP);
	alloc(HG_API_malloc, HEAP, 16 * MIB, 32);
	prefetch(HEAP, 16 * MIB, -1, 7);
	move(HEAP, 16 * MIB, 0, -1, PREFETCH);
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
	assert_string_equal(found(), "HG314");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
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

/* A call of realloc(): the release of the old block, then the new one. */
static void resize(uint64_t old, uint64_t ptr, uint64_t size)
{
	release(HG_API_realloc, old);
	clock_ns += 100;
	alloc(HG_API_realloc, ptr, size, 34);
}

static void in_gpu_memory(unsigned blocks)
{
	alloc(HG_API_malloc, HEAP, blocks * 2ull * MIB, 31);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, blocks);
	wait();
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
		FINDS(HG314, heap_that_is_used_again),
		FINDS(HG314, heap_that_is_cleared),
		FINDS(HG314, heap_in_pieces),
		DOUBTS(HG314, small_blocks),
		SILENT(HG314, a_few_pages),
		SILENT(HG314, heap_that_nobody_uses),
		SILENT(HG314, used_before_it_was_freed),
		SILENT(HG314, told_after_it_was_freed),
		SILENT(HG314, needed_there_again),
		SILENT(HG314, memory_that_was_unmapped),
		DOUBTS(HG314, times_are_unknown),
		DOUBTS(HG314, events_were_dropped),
		SILENT(HG314, blocks_within_a_mapping),
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
