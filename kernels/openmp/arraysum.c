// SPDX-License-Identifier: Apache-2.0
// clang-format off
// a += b and sums of a, with maps: memory of the device's own, coarse-grained.
//
// mapped: two arrays. fast_scalar, fast_array: hardware atomics, right on coarse-grained memory.
// reduced: a reduction clause.
// hipgrain-run: well
// hipgrain-stdout: mapped: 0 wrong
// hipgrain-stdout: fast_scalar: sum 2048 expected 2048
// hipgrain-stdout: fast_array: sum 2048 expected 2048
// hipgrain-stdout: reduced: sum 2048 expected 2048
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: none
//
// Compare-and-swap loops where the hardware's instruction would do.
// hipgrain-run: safe
// hipgrain-stdout: safe_array: sum 2048 expected 2048
// hipgrain-expect: HG107 argument=1 api=hsa_amd_memory_pool_allocate from=@safe_array confidence=proven
//
// The host pointer is declared a device pointer (is_device_ptr), and nothing is mapped.
// hipgrain-run: missing_map
// hipgrain-only: gfx90a
// hipgrain-exit: any
// hipgrain-expect: HG806 api=malloc at=@a confidence=proven
//
// A pointer in a struct leads to memory that is not mapped, or is mapped.
// hipgrain-run: unmapped_member
// hipgrain-only: gfx90a
// hipgrain-exit: any
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: HG806 from=@member confidence=likely
//
// hipgrain-run: mapped_member
// hipgrain-stdout: mapped_member: 0 wrong
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: none

#include "omp_sample.h"
#include "omp_atomics.h"

#define N 2048

static double *a, *b;

static void make(void)
{
	a = malloc(N * sizeof(*a)); // @a
	b = malloc(N * sizeof(*b));
	if (!a || !b)
		exit(1);
	for (int i = 0; i < N; i++) {
		a[i] = 0;
		b[i] = 1;
	}
}

static void finish(void)
{
	free(a);
	free(b);
}

static void mapped(void)
{
	int wrong = 0;

	make();
#pragma omp target teams distribute parallel for map(tofrom : a[:N]) map(to : b[:N])
	for (int i = 0; i < N; i++)
		a[i] += b[i];
	for (int i = 0; i < N; i++)
		wrong += a[i] < 1 || a[i] > 1;
	printf("mapped: %d wrong\n", wrong);
	finish();
}

static void fast_scalar(void)
{
	double sum = 0;

	make();
#pragma omp target teams distribute parallel for map(to : b[:N]) map(tofrom : sum)
	for (int i = 0; i < N; i++)
		add_fast(&sum, b[i]);
	printf("fast_scalar: sum %g expected %d\n", sum, N);
	finish();
}

static void fast_array(void)
{
	make();
#pragma omp target teams distribute parallel for map(to : b[:N]) map(tofrom : a[:N])
	for (int i = 0; i < N; i++)
		add_fast(&a[1], b[i]);
	printf("fast_array: sum %g expected %d\n", a[1], N);
	finish();
}

static void reduced(void)
{
	double sum = 0;

	make();
#pragma omp target teams distribute parallel for map(to : b[:N]) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += b[i];
	printf("reduced: sum %g expected %d\n", sum, N);
	finish();
}

static void safe(void)
{
	make();
#pragma omp target teams distribute parallel for map(to : b[:N]) map(tofrom : a[:N]) // @safe_array
	for (int i = 0; i < N; i++)
		add_safe(&a[1], b[i]);
	printf("safe_array: sum %g expected %d\n", a[1], N);
	finish();
}

static void missing_map(void)
{
	make();
#pragma omp target teams distribute parallel for is_device_ptr(a)
	for (int i = 0; i < N; i++)
		a[i] += 1;
	finish();
}

struct vector {
	size_t length;
	double *data;
};

static struct vector make_vector(void)
{
	struct vector vector = { N, calloc(N, sizeof(double)) };

	if (!vector.data)
		exit(1);
	return vector;
}

static void finish_vector(const char *name, struct vector *vector)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += vector->data[i] < i || vector->data[i] > i;
	printf("%s: %d wrong\n", name, wrong);
	free(vector->data);
}

static void unmapped_member(void)
{
	struct vector s = make_vector();

#pragma omp target // @member
	for (size_t i = 0; i < s.length; i++)
		s.data[i] = (double)i;
	finish_vector("unmapped_member", &s);
}

static void mapped_member(void)
{
	struct vector s = make_vector();

#pragma omp target map(to : s) map(tofrom : s.data[0 : s.length])
	for (size_t i = 0; i < s.length; i++)
		s.data[i] = (double)i;
	finish_vector("mapped_member", &s);
}

static void well(void)
{
	mapped();
	fast_scalar();
	fast_array();
	reduced();
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = {
		{ "well", well }, { "safe", safe }, { "missing_map", missing_map },
		{ "unmapped_member", unmapped_member }, { "mapped_member", mapped_member },
	};

	return RUN_VARIANT(variants, argc, argv);
}
