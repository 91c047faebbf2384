/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter alone: argv lists code objects made from kernels.hip at several optimisation
 * levels; every test runs on each.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cases.h"
#include "harness.h"
#include "interp_test.h"

struct code code;

#define N 640

void must_run(const char *name, uint32_t grid, uint32_t group, const uint64_t *arguments,
	      unsigned words)
{
	struct launch l = { .grid = { grid }, .group = { group } };

	if (launch(&code, name, &l, arguments, words) != SOFTGPU_DONE)
		fail_msg("%s: %s", name, l.message);
}

/* ---- the same function here and there ---- */

static const uint64_t special[] = {
	0,
	1,
	2,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffffffffffff,
	0x3ff0000000000000,
	0xbff0000000000000,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x0010000000000000,
	0x0000000000000001,
	0x000fffffffffffff,
	0x7fefffffffffffff,
	0x3f8000003f800000,
	0x7f8000007f800000,
	0xff800000ff800000,
	0x7fc000007fc00000,
	0x0080000000800000,
	0x007fffff00000001,
	0x7f7fffff7f7fffff,
	0x4b0000004b000000,
	0x3f0000003f000000,
	0xbf800000bf800000,
};

static uint64_t *inputs(void)
{
	uint64_t *in = gpu_alloc(N * 8, 0), x = 88172645463325252u;
	unsigned i;

	for (i = 0; i < N; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		in[i] = i < sizeof(special) / sizeof(special[0]) ? special[i] : x;
		if (i > N / 2 && i % 5 == 0) /* small numbers, too */
			in[i] &= 0x3f0000003full;
	}
	return in;
}

typedef uint64_t (*case_fn)(uint64_t x, uint64_t y);

static void check_uniform(const char *name, case_fn fn, uint64_t x, uint64_t y)
{
	uint64_t *out = gpu_alloc(8, 0), arguments[3] = { x, y, ADDRESS(out) };

	must_run(name, 1, 1, arguments, 3);
	if (*out != fn(x, y))
		fail_msg("%s(0x%llx, 0x%llx): 0x%llx instead of 0x%llx", name,
			 (unsigned long long)x, (unsigned long long)y, (unsigned long long)*out,
			 (unsigned long long)fn(x, y));
	gpu_free(out, 8);
}

static void run_uniform(const char *name, case_fn fn)
{
	uint64_t *in = inputs();
	unsigned i;

	for (i = 0; i < N; i += 3)
		check_uniform(name, fn, in[i], in[(i * 7 + 1) % N]);
	gpu_free(in, N * 8);
}

static void run_case(const char *name, case_fn fn)
{
	uint64_t *in = inputs(), *out = gpu_alloc(N * 8, 0);
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	unsigned i;

	must_run(name, N + 64, 64, arguments, 3);
	for (i = 0; i < N; i++) {
		uint64_t expected = fn(in[i], in[(i + 1) % N]);

		if (out[i] != expected)
			fail_msg("%s(0x%llx, 0x%llx): 0x%llx instead of 0x%llx", name,
				 (unsigned long long)in[i], (unsigned long long)in[(i + 1) % N],
				 (unsigned long long)out[i], (unsigned long long)expected);
	}
}

#define TEST(name)                                   \
	static void test_case_##name(void **state)   \
	{                                            \
		(void)state;                         \
		run_case("case_" #name, name);       \
		run_uniform("uniform_" #name, name); \
	}
CASES(TEST)

/* ---- work-groups ---- */

static void test_reduce(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0);
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	unsigned i;

	(void)state;
	must_run("reduce", 768, 256, arguments, 3);
	for (i = 0; i < 3; i++) {
		uint64_t sum = 0;
		unsigned k;

		for (k = i * 256; k < (i + 1) * 256 && k < N; k++)
			sum += in[k];
		assert_int_equal(out[i], sum);
	}
}

static void test_backwards(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0);
	uint64_t arguments[2] = { ADDRESS(in), ADDRESS(out) };

	(void)state;
	must_run("backwards", 64, 64, arguments, 2);
	assert_int_equal(out[0], (uint32_t)in[39]);
	assert_int_equal(out[1], (uint32_t)in[8]);
}

static void test_masks(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0), expected = 0;
	uint64_t arguments[2] = { ADDRESS(in), ADDRESS(out) };
	unsigned i;

	(void)state;
	must_run("masks", 64, 64, arguments, 2);
	for (i = 0; i < 64; i++)
		expected |= (uint64_t)((uint32_t)in[i] < (uint32_t)in[i + 1]) << i;
	assert_int_equal(out[0], expected);
	assert_int_equal(out[1], expected);
}

static void test_histogram(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0), expected[64] = { 0 };
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	unsigned i;

	(void)state;
	must_run("histogram", 2048, 256, arguments, 3);
	for (i = 0; i < N; i++)
		expected[in[i] & 63]++;
	assert_memory_equal(out, expected, sizeof(expected));
}

static uint32_t dpp(const uint32_t *x, int from, uint32_t otherwise)
{
	return from < 0 ? otherwise : x[from];
}

static void test_lanes(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0);
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	uint32_t x[64], odd = 0, any = 0, all = 1;
	int i;

	(void)state;
	for (i = 0; i < 64; i++) {
		x[i] = (uint32_t)in[i];
		odd += x[i] & 1;
		any |= x[i] == 1;
		all &= x[i] != 12345;
	}
	must_run("lanes", 64, 64, arguments, 3);
	for (i = 0; i < 64; i++) {
		uint32_t r = dpp(x, i + 5 < 64 ? i + 5 : i, 0);

		r = r * 3 + x[i - 7 >= 0 ? i - 7 : i];
		r = r * 3 + x[i ^ 21];
		r = r * 3 + x[x[i] & 63];
		r = r * 3 + odd + (any ? 1000 : 0) + (all ? 100 : 0);
		r = r * 3 + x[0];
		r = r * 3 + x[i ^ 3];
		r = r * 3 + dpp(x, i % 16 ? i - 1 : -1, 9);
		r = r * 3 + dpp(x, i / 16 % 2 ? i / 16 * 16 - 1 : -1, 9);
		r = r * 3 + dpp(x, i < 63 ? i + 1 : -1, 0);
		r = r * 3 + x[i ^ 1];
		r = r * 3 + (uint32_t)i;
		if (i & 1)
			r += x[3];
		assert_int_equal((uint32_t)out[i], r);
	}
}

static void test_late(void **state)
{
	uint32_t *out = gpu_alloc(4096, 0), x = 50000, i;
	uint64_t arguments[2] = { ADDRESS(out), x };

	(void)state;
	must_run("late", 256, 256, arguments, 2);
	for (i = 0; i < 50000; i++)
		x = x * 1664525 + (x >> 7);
	for (i = 0; i < 256; i++)
		assert_int_equal(out[i], x);
}

static void test_geometry(void **state)
{
	struct launch l = { .grid = { 13, 5, 3 }, .group = { 8, 4, 2 } };
	uint32_t *out = gpu_alloc(4096, 0), x, y, z;
	uint64_t arguments[1] = { ADDRESS(out) };

	(void)state;
	assert_int_equal(launch(&code, "geometry", &l, arguments, 1), SOFTGPU_DONE);
	for (z = 0; z < 3; z++)
		for (y = 0; y < 5; y++)
			for (x = 0; x < 13; x++)
				assert_int_equal(out[(z * 5 + y) * 13 + x],
						 1000000 + z * 10000 + y * 100 + x);
	assert_int_equal(out[13 * 5 * 3], 0);
}

static void test_spin(void **state)
{
	const uint64_t seeds[] = { 0, 1, 42 };
	unsigned i, k;

	(void)state;
	for (k = 0; k < 3; k++) {
		uint32_t *flag = gpu_alloc(4096, 0), *out = gpu_alloc(4096, 0);
		uint64_t arguments[3] = { ADDRESS(flag), ADDRESS(out), 12 };
		struct launch l = { .grid = { 12 * 64 }, .group = { 64 }, .budget = 100000 };

		softgpu_config.seed = seeds[k];
		assert_int_equal(launch(&code, "spin", &l, arguments, 3), SOFTGPU_DONE);
		for (i = 0; i < 12; i++)
			assert_int_equal(out[i], i + 1);
		assert_true(l.steps > 1);
	}
	softgpu_config.seed = 0;
}

/* ---- threads ---- */

static unsigned threads_here(void)
{
	DIR *directory = opendir("/proc/self/task");
	unsigned n = 0;

	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}

/* A small kernel starts and wakes no thread, a large one does. */
static void test_small(void **state)
{
	uint64_t *in = gpu_alloc(16 * 256 * 8, 0), *out = gpu_alloc(16384, 0);
	float *much = gpu_alloc(1 << 16, 0);
	uint64_t small[3] = { ADDRESS(in), ADDRESS(out), 128 }, large[2] = { ADDRESS(much), 2000 };
	static uint64_t more = 16; /* than were ever used */
	uint64_t threads = softgpu_config.threads;
	unsigned before = threads_here();

	(void)state;
	softgpu_config.threads = more++;
	must_run("case_arithmetic64", 128, 64, small, 3);
	assert_int_equal(threads_here(), before);
	must_run("work", 64 * 64, 64, large, 2);
	assert_true(threads_here() > before);
	softgpu_config.threads = threads;
	gpu_free(in, 16 * 256 * 8);
	gpu_free(out, 16384);
	gpu_free(much, 1 << 16);
}

/* Processor time of all threads for 50 launches of a small kernel of 16 groups, in seconds. */
static double small_cost(uint64_t *arguments, uint64_t threads)
{
	struct timespec a, b;
	unsigned i;

	softgpu_config.threads = threads;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (i = 0; i < 50; i++)
		must_run("case_arithmetic64", 16 * 64, 64, arguments, 3);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* It costs no more than twice as much with 16 threads as with one, when these exist. */
static void test_small_cost(void **state)
{
	uint64_t *in = gpu_alloc(16384, 0), *out = gpu_alloc(16384, 0), threads;
	float *much = gpu_alloc(1 << 16, 0);
	uint64_t small[3] = { ADDRESS(in), ADDRESS(out), 1024 }, large[2] = { ADDRESS(much), 2000 };
	double one = 1e9, sixteen = 1e9, x;
	unsigned round;

	(void)state;
	threads = softgpu_config.threads;
	softgpu_config.threads = 16;
	must_run("work", 64 * 64, 64, large, 2);
	/* The least of several rounds: others use the machine, too. */
	for (round = 0; round < 8; round++) {
		x = small_cost(small, 1);
		one = x < one ? x : one;
		x = small_cost(small, 16);
		sixteen = x < sixteen ? x : sixteen;
	}
	softgpu_config.threads = threads;
	print_message("%.1f us with one thread, %.1f with 16\n", one * 2e4, sixteen * 2e4);
	/* Unoptimized it takes a hundred times as many instructions: not small, and shared by
	 * threads. */
	if (one < 10e-3)
		assert_true(sixteen <= 2 * one);
	gpu_free(in, 16384);
	gpu_free(out, 16384);
	gpu_free(much, 1 << 16);
}

/* ---- code of clang 17, unoptimized: lanes17.hip ---- */

/* Runs "choose" on a wave; returns whether all lanes have what the source says. */
static bool chosen(int odd, int even)
{
	int *in = gpu_alloc(4096, 0), *out = gpu_alloc(4096, 0), i;
	uint64_t arguments[2] = { ADDRESS(in), ADDRESS(out) };
	struct launch l = { .grid = { 64 }, .group = { 64 } };
	bool right = true;

	for (i = 0; i < 64; i++)
		in[i] = i & 1 ? odd + 2 * i : even + 2 * i;
	right = launch(&code, "choose", &l, arguments, 2) == SOFTGPU_DONE;
	for (i = 0; i < 64; i++)
		right &= out[i] == (in[i] & 1 ? in[i] * 3 : in[i] + 100);
	gpu_free(in, 4096);
	gpu_free(out, 4096);
	return right;
}

static void test_lanes17_fixed(void **state)
{
	(void)state;
	assert_true(chosen(1, 1));
	assert_true(chosen(2, 2));
	assert_true(chosen(1, 2));
	assert_true(chosen(2, 1));
}

/*
 * As it left the compiler it is right only where every lane takes the second branch. What is
 * switched off must not be reloaded, or the software GPU would hide what a GPU does.
 */
static void test_lanes17(void **state)
{
	(void)state;
	assert_true(chosen(1, 1));
	assert_false(chosen(2, 2));
	assert_false(chosen(1, 2));
	assert_false(chosen(2, 1));
}

/* ---- speed, when requested ---- */

static void test_speed(void **state)
{
	float *out = gpu_alloc(1 << 16, 0);
	uint64_t arguments[2] = { ADDRESS(out), 200000 };
	struct timespec a, b;
	double seconds;

	(void)state;
	if (!getenv("SOFTGPU_SPEED"))
		skip();
	clock_gettime(CLOCK_MONOTONIC, &a);
	must_run("work", 256, 256, arguments, 2);
	clock_gettime(CLOCK_MONOTONIC, &b);
	seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	/* At least four vector operations of the source per turn of the loop. */
	print_message("at least %.0f million lane operations a second\n",
		      200000.0 * 4 * 256 / seconds / 1e6);
}

#define UNIT(name) cmocka_unit_test(test_case_##name),

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASES(UNIT) cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_spin),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_small_cost),
		cmocka_unit_test(test_atomics_coarse),
		cmocka_unit_test(test_atomics_coarse_host),
		cmocka_unit_test(test_atomics_fine_device),
		cmocka_unit_test(test_atomics_fine_host),
		cmocka_unit_test(test_atomics_switches),
		cmocka_unit_test(test_atomic_log),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_lds_outside),
		cmocka_unit_test(test_lds_negative),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_buffer_formats),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_speed),
	};
	const struct CMUnitTest lanes17[] = { cmocka_unit_test(test_lanes17) };
	const struct CMUnitTest lanes17_fixed[] = { cmocka_unit_test(test_lanes17_fixed) };
	int i, failed = 0, fd = mkstemp(log_path);

	if (fd < 0)
		return 99;
	close(fd);
	softgpu_config.atomic_log = log_path;
	if (getenv("SOFTGPU_THREADS"))
		softgpu_config.threads = strtoul(getenv("SOFTGPU_THREADS"), NULL, 10);
	if (getenv("SOFTGPU_NATIVE"))
		softgpu_config.native = strtoul(getenv("SOFTGPU_NATIVE"), NULL, 10);
	if (getenv("SOFTGPU_TEST"))
		cmocka_set_test_filter(getenv("SOFTGPU_TEST"));
	for (i = 1; i < argc; i++) {
		if (load_code(argv[i], &code)) {
			fprintf(stderr, "cannot load %s\n", argv[i]);
			return 99;
		}
		if (strstr(argv[i], "lanes17_fixed"))
			failed += cmocka_run_group_tests_name(argv[i], lanes17_fixed, NULL, NULL);
		else if (strstr(argv[i], "lanes17"))
			failed += cmocka_run_group_tests_name(argv[i], lanes17, NULL, NULL);
		else
			failed += cmocka_run_group_tests_name(argv[i], tests, NULL, NULL);
	}
	unlink(log_path);
	return failed != 0;
}
