/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests HG701 where the bytes that kernels access are known from their code, arguments and launch:
 * 0x1000 bytes here.
 */
#include "order_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_launch.h"

static void launch_below(uint32_t kernel, uint64_t stream, uint64_t pointer, int32_t count)
{
	groups_now = 0x1000 / 4 / 64;
	launch_by(HG_API_hipLaunchKernel, kernel, stream, (struct bytes){ pointer, 0, count });
}

static void is_likely_race(void)
{
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void the_same_known_range_in_two_streams(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x400);
	launch_below(WRITER_BELOW, B, P, 0x400);
	is_likely_race();
}

static void a_kernel_reads_what_another_writes_behind_its_pointer(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x400);
	launch_below(READER_BELOW, B, P + 0x800, 0x200);
	is_likely_race();
}

static void kernels_without_a_limit_meet(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_ALL, A, P, 0);
	groups_now = 0x800 / 4 / 64;
	launch(WRITER_ALL, B, P + 0x800);
	is_likely_race();
}

static void halves_without_a_limit(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	groups_now = 0x800 / 4 / 64;
	launch(WRITER_ALL, A, P);
	launch(WRITER_ALL, B, P + 0x800);
	assert_string_equal(found(), "");
}

static void halves_by_a_number(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x200);
	launch_below(WRITER_BELOW, B, P + 0x800, 0x200);
	launch_below(READER_BELOW, A, P, 0x200);
	launch_below(READER_BELOW, B, P + 0x800, 0x200);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x800, A);
	copy(HG_API_hipMemcpyAsync, Q + 0x800, P + 0x800, 0x800, B);
	assert_string_equal(found(), "");
}

/* The last 64 elements of one are the first ones of the other. */
static void a_halo_is_a_race(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x200 + 64);
	launch_below(WRITER_BELOW, B, P + 0x800, 0x200);
	is_likely_race();
}

static void a_copy_of_a_part_that_a_kernel_writes(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x400);
	copy(HG_API_hipMemcpyAsync, Q, P + 0x800, 0x800, B);
	is_likely_race();
}

static void a_fill_of_a_part_that_a_kernel_writes(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x400);
	fill(HG_API_hipMemsetAsync, P + 0x400, 0x100, B);
	is_likely_race();
}

static void a_copy_of_the_first_word(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x10);
	copy(HG_API_hipMemcpyAsync, Q, P, 4, B);
	is_likely_race();
}

static void a_copy_behind_what_a_kernel_writes(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0x200);
	copy(HG_API_hipMemcpyAsync, Q, P + 0x800, 0x800, B);
	copy(HG_API_hipMemcpyAsync, P + 0x800, Q, 0x800, B);
	assert_string_equal(found(), "");
}

static void a_kernel_reads_what_is_copied(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(READER_BELOW, A, P, 0x400);
	copy(HG_API_hipMemcpyAsync, Q, P + 0x800, 0x800, B);
	assert_string_equal(found(), "");
}

static void no_work_item_is_below_the_limit(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch_below(WRITER_BELOW, A, P, 0);
	launch_below(WRITER_BELOW, B, P + 0x800, 0x200);
	copy(HG_API_hipMemcpyAsync, Q, P, 4, B);
	assert_string_equal(found(), "");
}

/* Its last work-group may be smaller. */
static void how_many_work_items_there_are_is_not_known(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	groups_now = 0x1000 / 4 / 64;
	launch_by(HG_API_hipExtModuleLaunchKernel, WRITER_ALL, A, (struct bytes){ P, 0, 0 });
	copy(HG_API_hipMemcpyAsync, Q, P + 0x800, 0x800, B);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG701, the_same_known_range_in_two_streams),
		FINDS(HG701, a_kernel_reads_what_another_writes_behind_its_pointer),
		FINDS(HG701, kernels_without_a_limit_meet),
		SILENT(HG701, halves_without_a_limit),
		SILENT(HG701, halves_by_a_number),
		FINDS(HG701, a_halo_is_a_race),
		FINDS(HG701, a_copy_of_a_part_that_a_kernel_writes),
		FINDS(HG701, a_fill_of_a_part_that_a_kernel_writes),
		FINDS(HG701, a_copy_of_the_first_word),
		SILENT(HG701, a_copy_behind_what_a_kernel_writes),
		SILENT(HG701, a_kernel_reads_what_is_copied),
		SILENT(HG701, no_work_item_is_below_the_limit),
		SILENT(HG701, how_many_work_items_there_are_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
