/* SPDX-License-Identifier: Apache-2.0 */
/* The rules on migrations, HG301 to HG305, HG308, HG309 and HG311: each one's case, what is like
 * it and fine, and what is not known. */
#include "migration_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"

/* ---- HG301 ---- */

static void faults_in_each_launch(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 3; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED + i * 16ull * MIB, 8);
		wait();
	}
	assert_string_equal(found(), "HG301");
	assert_int_equal(finding(0)->launches, 3);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "work(float*, float*)");
	assert_int_equal(finding(0)->allocation->stack_id, 8);
}

#define HEAP 0x500000000u

static void fault_on_host_memory(int32_t version)
{
	begin();
	runtime(version, 2);
	alloc(HG_API_malloc, HEAP, 64 * MIB, 10);
	for (unsigned i = 0; i < 3; i++) {
		launch(HEAP, OTHER);
		gpu_faults(HEAP + i * 16ull * MIB, 8);
		wait();
	}
	assert_string_equal(found(), "HG301");
}

static void faults_on_host_memory(void **state)
{
	(void)state;
	fault_on_host_memory(60140093);
	assert_non_null(
	    strstr(finding(0)->fix, "hipMemPrefetchAsync(" FIX_POINTER ", " FIX_SIZE ", 0, 0);"));
}

/* HIP 5.7.0 to 6.1.1 refuse to prefetch memory of malloc(). */
static void faults_on_host_memory_that_is_not_prefetched(void **state)
{
	(void)state;
	fault_on_host_memory(50731921);
	assert_true(
	    g_str_has_prefix(finding(0)->fix, "allocate it with hipMallocManaged, and insert"));
}

static void faults_of_the_first_launch(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 32);
	wait();
	for (unsigned i = 0; i < 4; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 7);
		wait();
	}
	assert_string_equal(found(), "");
}

static void faults_that_move_nothing(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 3; i++) {
		launch(MANAGED, OTHER);
		for (unsigned j = 0; j < 20; j++)
			fault(MANAGED + j * 4096ull, 0, 'U');
		wait();
	}
	assert_string_equal(found(), "");
	assert_int_equal(row(0)->faults_kept, 60);
}

static void faults_of_one_of_several_kernels(void **state)
{
	(void)state;
	begin();
	kernel.uses_complete = false;
	for (unsigned i = 0; i < 3; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED + i * 16ull * MIB, 8);
		wait();
	}
	assert_string_equal(found(), "HG301");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* ---- HG302 ---- */

static void to_and_fro(unsigned times)
{
	begin();
	for (unsigned i = 0; i < times; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 2);
		wait();
		host_uses(MANAGED, 2);
	}
}

static void three_times_to_and_fro(void **state)
{
	(void)state;
	to_and_fro(3);
	assert_string_equal(found(), "HG302");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->stack_id, 8);
	/* Not blocks, not only those after the third. */
	assert_int_equal(finding(0)->launches, 3);
}

static void twice_to_and_fro(void **state)
{
	(void)state;
	to_and_fro(2);
	assert_string_equal(found(), "");
}

/* New blocks right before and behind it, in the same 2 MiB, are others. */
static void to_and_fro_between_new_blocks(void **state)
{
	const uint64_t block = 0x500100000u, size = 64 << 10;

	(void)state;
	begin();
	alloc(HG_API_malloc, block, size, 22);
	for (unsigned i = 0; i < 3; i++) {
		if (i == 2) {
			alloc(HG_API_malloc, block - size, size, 23);
			alloc(HG_API_malloc, block + size, size, 24);
		}
		launch(block, OTHER);
		gpu_faults(0x500000000u, 1);
		wait();
		host_uses(0x500000000u, 1);
	}
	assert_string_equal(found(), "HG302");
	assert_int_equal(finding(0)->allocation->stack_id, 22);
}

/* Copies move pages, too: the whole block, whatever of it they need. */
static void to_and_fro_by_copies(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_malloc, 0x500000000u, 64 << 10, 22);
	alloc(HG_API_malloc, 0x500020000u, 64 << 10, 23);
	for (unsigned i = 0; i < 5; i++) {
		launch(MANAGED, OTHER);
		wait();
		copy(MANAGED, 0x500000000u, 4096);
		gpu_faults(0x500000000u, 1);
		host_uses(0x500000000u, 1);
	}
	assert_string_equal(found(), "");
}

static void to_and_fro_by_prefetch(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 5; i++) {
		prefetch(MANAGED, 4 * MIB, 0, 7);
		move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
		launch(MANAGED, OTHER);
		prefetch(MANAGED, 4 * MIB, -1, 8);
		move(MANAGED, 4 * MIB, 0, -1, PREFETCH);
		wait();
	}
	assert_string_equal(found(), "");
}

static void the_same_place_but_other_memory(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 5; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 2);
		wait();
		host_uses(MANAGED, 2);
		release(HG_API_hipFree, MANAGED);
		alloc(HG_API_hipMallocManaged, MANAGED, 64 * MIB, 8);
	}
	assert_string_equal(found(), "");
}

/* ---- HG303 ---- */

#define BESIDE (MANAGED + 64ull * MIB)

/* Two allocations in one block, of which the kernel is given one; the host uses the other. */
static void neighbours(unsigned times, uint64_t given)
{
	begin();
	alloc(HG_API_malloc, BESIDE, MIB, 21);
	alloc(HG_API_malloc, BESIDE + MIB, MIB, 22);
	for (unsigned i = 0; i < times; i++) {
		launch(BESIDE, given);
		gpu_faults(BESIDE, 1);
		wait();
		move(BESIDE + MIB, MIB, 0, -1, CPU_FAULT);
	}
}

static void pages_that_go_with_others(void **state)
{
	(void)state;
	neighbours(3, OTHER);
	assert_string_equal(found(), "HG303");
	assert_int_equal(finding(0)->allocation->stack_id, 22);
	assert_int_equal(finding(0)->launches, 3);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_string_equal(row(1)->kernel, "work(float*, float*)");
}

static void pages_that_go_with_others_twice(void **state)
{
	(void)state;
	neighbours(2, OTHER);
	assert_string_equal(found(), "");
}

/* To and fro, but not for the neighbour's sake. */
static void pages_that_the_kernel_was_given(void **state)
{
	(void)state;
	neighbours(3, BESIDE + MIB);
	assert_string_equal(found(), "HG302");
	assert_int_equal(finding(0)->allocation->stack_id, 22);
}

static void pages_that_the_kernel_may_use(void **state)
{
	(void)state;
	kernel.uses_complete = false;
	neighbours(3, OTHER);
	assert_string_equal(found(), "HG302");
}

/* ---- HG311 ---- */

static void prefetch_after_the_launch(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	prefetch(MANAGED, 8 * MIB, 0, 7);
	gpu_faults(MANAGED + 4 * MIB, 1);
	wait();
	assert_string_equal(found(), "HG311");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_non_null(strstr(finding(0)->message, "6291456"));
}

/* The kernel that is at work uses what it brought. */
static void prefetch_for_a_kernel_at_work(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED, 8 * MIB, -1, 0, PREFETCH);
	wait();
	host_uses(MANAGED, 4);
	assert_string_equal(found(), "");
}

/* A prefetch that returns at once, and launches on that stream or another. */
static void prefetch_beside_a_launch(uint64_t stream)
{
	begin();
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED, 2 * MIB, -1, 0, PREFETCH);
	launch_on(0, stream, MANAGED, OTHER);
	gpu_faults(MANAGED + 4 * MIB, 1);
	move(MANAGED + 2 * MIB, 2 * MIB, -1, 0, PREFETCH);
	wait();
}

static void prefetch_on_another_stream(void **state)
{
	(void)state;
	prefetch_beside_a_launch(5);
	assert_string_equal(found(), "HG311");
	assert_non_null(strstr(finding(0)->message, "2097152"));
}

static void prefetch_on_the_same_stream(void **state)
{
	(void)state;
	prefetch_beside_a_launch(0);
	assert_string_equal(found(), "");
}

/* Done when the faults came: what they brought had left again, or was evicted. */
static void prefetch_that_was_done(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED, 8 * MIB, -1, 0, PREFETCH);
	launch_on(0, 5, MANAGED, OTHER);
	gpu_faults(MANAGED + 4 * MIB, 1);
	wait();
	assert_string_equal(found(), "");
}

/* Which of them moved the pages is not known. */
static void two_prefetches_on_another_stream(void **state)
{
	(void)state;
	prefetch_beside_a_launch(0);
	prefetch(OTHER, 8 * MIB, 0, 7);
	prefetch(OTHER, 8 * MIB, 0, 7);
	move(OTHER, 2 * MIB, -1, 0, PREFETCH);
	launch_on(0, 5, OTHER, OTHER);
	gpu_faults(OTHER + 4 * MIB, 1);
	move(OTHER + 2 * MIB, 2 * MIB, -1, 0, PREFETCH);
	wait();
	assert_string_equal(found(), "");
}

/* The next part, while a kernel is at work on this one. */
static void prefetch_of_another_part(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	prefetch(MANAGED + 8 * MIB, 8 * MIB, 0, 7);
	move(MANAGED + 8 * MIB, 8 * MIB, -1, 0, PREFETCH);
	wait();
	assert_string_equal(found(), "");
}

static void prefetch_after_the_kernel(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	wait();
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED + 4 * MIB, 4 * MIB, -1, 0, PREFETCH);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "");
}

static void prefetch_that_may_be_for_another_kernel(void **state)
{
	(void)state;
	begin();
	kernel.uses_complete = false;
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED + 4 * MIB, 4 * MIB, -1, 0, PREFETCH);
	wait();
	assert_string_equal(found(), "");
}

/* ---- HG304, HG305 ---- */

static void prefetch_of_what_is_there(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	clock_ns += 2000000000;
	prefetch(MANAGED, 4 * MIB, 0, 8);
	prefetch(MANAGED, 4 * MIB, 0, 8);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "HG304");
	assert_int_equal(finding(0)->count, 2);
	assert_int_equal(finding(0)->sites->len, 1);
}

static void prefetch_that_is_needed_at_times(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	clock_ns += 2000000000;
	prefetch(MANAGED, 4 * MIB, 0, 7);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "");
}

/* The two are recorded by different threads: the driver's word may even come first. */
static void prefetch_that_moved_before_it_returned(void **state)
{
	(void)state;
	begin();
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	prefetch(MANAGED, 4 * MIB, 0, 7);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "");
}

static void prefetch_with_events_lost(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	launch(MANAGED, OTHER);
	source(3);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

static void prefetch_before_the_host_is_done(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	host_uses(MANAGED, 1);
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 1);
	assert_string_equal(found(), "HG305");
	assert_string_equal(finding(0)->api, "hipMemPrefetchAsync");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void prefetch_that_the_kernel_uses_first(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	launch(MANAGED, OTHER);
	wait();
	host_uses(MANAGED, 2);
	assert_string_equal(found(), "");
}

/* ---- HG308, HG309 ---- */

static void no_room(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	move(OTHER, 2 * MIB, 0, -1, EVICTION);
	assert_string_equal(found(), "HG308");
	assert_string_equal(finding(0)->subject, "device 0");
}

static void stops(unsigned count, int32_t trigger)
{
	begin();
	for (unsigned i = 0; i < count; i++)
		late(9, 0, 0, 0, 0, trigger, 0, 0);
}

static void stopped_for_registered_memory(void **state)
{
	(void)state;
	stops(2, 1);
	assert_string_equal(found(), "HG309");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void stopped_once(void **state)
{
	(void)state;
	stops(1, 1);
	assert_string_equal(found(), "");
}

static void stopped_for_something_else(void **state)
{
	(void)state;
	stops(5, 2);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		FINDS(HG301, faults_in_each_launch),
		FINDS(HG301, faults_on_host_memory),
		FINDS(HG301, faults_on_host_memory_that_is_not_prefetched),
		SILENT(HG301, faults_of_the_first_launch),
		SILENT(HG301, faults_that_move_nothing),
		DOUBTS(HG301, faults_of_one_of_several_kernels),
		FINDS(HG302, three_times_to_and_fro),
		FINDS(HG302, to_and_fro_between_new_blocks),
		SILENT(HG302, twice_to_and_fro),
		SILENT(HG302, to_and_fro_by_copies),
		SILENT(HG302, to_and_fro_by_prefetch),
		SILENT(HG302, the_same_place_but_other_memory),
		FINDS(HG303, pages_that_go_with_others),
		SILENT(HG303, pages_that_go_with_others_twice),
		SILENT(HG303, pages_that_the_kernel_was_given),
		SILENT(HG303, pages_that_the_kernel_may_use),
		FINDS(HG311, prefetch_after_the_launch),
		FINDS(HG311, prefetch_on_another_stream),
		SILENT(HG311, prefetch_on_the_same_stream),
		SILENT(HG311, prefetch_that_was_done),
		SILENT(HG311, two_prefetches_on_another_stream),
		SILENT(HG311, prefetch_of_another_part),
		SILENT(HG311, prefetch_after_the_kernel),
		SILENT(HG311, prefetch_that_may_be_for_another_kernel),
		FINDS(HG304, prefetch_of_what_is_there),
		SILENT(HG304, prefetch_that_is_needed_at_times),
		SILENT(HG304, prefetch_that_moved_before_it_returned),
		TEST(prefetch_with_events_lost),
		FINDS(HG305, prefetch_before_the_host_is_done),
		SILENT(HG305, prefetch_that_the_kernel_uses_first),
		SILENT(HG305, prefetch_for_a_kernel_at_work),
		FINDS(HG308, no_room),
		FINDS(HG309, stopped_for_registered_memory),
		SILENT(HG309, stopped_once),
		SILENT(HG309, stopped_for_something_else),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
