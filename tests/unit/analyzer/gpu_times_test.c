/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the GPU's times that were recorded. rules_world.h has the trace. */
#include "rules_world.h"
#include "analyzer/analyze.h"
#include "analyzer/times/gpu_times.h"
#include "tracer/events/ev_gpu_time.h"

static struct gpu_times *sum(bool software)
{
	struct analysis analysis = { .replay = replay };

	gpu_times_record(&analysis, software);
	return analysis.gpu_times;
}

static void timed(uint8_t kind, uint32_t kernel_id, uint64_t duration, uint64_t missing)
{
	apply((struct hg_event){ .type = HG_EVENT_gpu_time,
				 .gpu_time = &(struct hg_ev_gpu_time){ .kind = kind,
								       .kernel_id = kernel_id,
								       .began = duration + 5,
								       .duration = duration,
								       .left_out = missing } });
}

static void without_times(void **state)
{
	(void)state;
	device(0);
	launch(1, 0, 0);
	assert_null(sum(false));
	timed(HG_GPU_TIME_NONE, 0, 0, 1);
	assert_null(sum(false));
}

static void kernels_and_copies(void **state)
{
	const struct gpu_time *time;
	struct gpu_times *times;

	(void)state;
	device(0);
	kernel_event(2, "_Z3addPf");
	kernel_event(3, "other");
	launch(1, 0, 0);
	launch(1, 0, 0);
	timed(HG_GPU_TIME_KERNEL, 1, 30, 0);
	timed(HG_GPU_TIME_KERNEL, 2, 50, 0);
	timed(HG_GPU_TIME_KERNEL, 3, 100, 0);
	timed(HG_GPU_TIME_RUNTIME, 0, 7, 0);
	timed(HG_GPU_TIME_COPY, 0, 8, 2);
	times = sum(false);
	assert_non_null(times);
	assert_int_equal(times->kernels_ns, 180);
	assert_int_equal(times->copies_ns, 15);
	assert_int_equal(times->copies, 2);
	assert_int_equal(times->kernels->len, 2);
	time = times->kernels->pdata[0];
	assert_string_equal(time->symbol, "other");
	time = times->kernels->pdata[1];
	assert_string_equal(time->symbol, "_Z3addPf");
	assert_int_equal(time->ns, 80);
	assert_int_equal(time->most_ns, 50);
	assert_int_equal(time->dispatches, 2);
	assert_int_equal(time->launches, 2);
	assert_int_equal(times->lines->len, 1);
	assert_non_null(strstr(times->lines->pdata[0], "2 kernels or copies of process"));
	gpu_times_free(times);
}

static void of_no_kernel_that_is_known(void **state)
{
	struct gpu_times *times;

	(void)state;
	device(0);
	timed(HG_GPU_TIME_KERNEL, 9, UINT64_MAX, UINT64_MAX);
	times = sum(true);
	assert_non_null(times);
	assert_int_equal(times->kernels_ns, 0);
	assert_int_equal(times->kernels->len, 0);
	assert_int_equal(times->lines->len, 2);
	assert_non_null(strstr(times->lines->pdata[1], "say nothing about hardware"));
	gpu_times_free(times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_times, setup, teardown),
		cmocka_unit_test_setup_teardown(kernels_and_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(of_no_kernel_that_is_known, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
