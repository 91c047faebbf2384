// SPDX-License-Identifier: Apache-2.0
// clang-format off
// a += b and sums of a under unified shared memory: the host's own pages, fine-grained.
//
// fast_scalar, fast_array: hardware atomics on pages that nothing made coarse-grained are lost.
// safe_array: compare-and-swap loops, right and slow. neighbour: a map of a part of two pages makes
// the rest of them coarse-grained as well.
// hipgrain-run: hazards
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: fast_scalar: sum 0 expected 2048
// hipgrain-stdout: fast_array: sum 0 expected 2048
// hipgrain-stdout: safe_array: sum 2048 expected 2048
// hipgrain-expect: HG801 from=@fast_scalar confidence=proven
// hipgrain-expect: HG801 api=aligned_alloc at=@a from=@fast_array confidence=proven
// hipgrain-expect: HG106 api=aligned_alloc at=@a from=@safe_array confidence=proven
// hipgrain-expect: HG802 api=malloc at=@block confidence=proven
//
// in_place: two arrays, no map. mapped_fast: what was mapped is coarse-grained, and the hardware's
// atomics are right. sticky: mapped in another function, before; the pages stay coarse-grained.
// hipgrain-run: well
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: in_place: 0 wrong
// hipgrain-stdout: mapped_fast: sum 2048 expected 2048
// hipgrain-stdout: sticky: sum 2048 expected 2048
// hipgrain-expect: none
//
// Without XNACK the GPU cannot reach the pages.
// hipgrain-run: in_place
// hipgrain-env: HSA_XNACK=0
// hipgrain-exit: any
// hipgrain-expect: HG806 api=aligned_alloc at=@a confidence=likely

#include <dlfcn.h>
#include <stdint.h>

#pragma omp requires unified_shared_memory

#include "sample.h"
#include "atomics.h"

#define N    2048
#define PAGE 4096

static double *a, *b;

static void make(void)
{
	a = aligned_alloc(PAGE, N * sizeof(*a)); // @a
	b = aligned_alloc(PAGE, N * sizeof(*b));
	if (!a || !b) {
		exit(1);
	}
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

/*
 * What AMD's OpenMP runtime does for a map under unified shared memory on MI200: the pages become
 * coarse-grained, for good. LLVM's own runtime does nothing.
 */
static void map_like_amd(void *memory, size_t size)
{
	struct {
		uint64_t attribute, value;
	} coarse = { 0, 1 };
	int (*set)(void *, size_t, void *, size_t) =
		(int (*)(void *, size_t, void *, size_t))dlsym(dlopen("libhsa-runtime64.so", RTLD_LAZY),
							       "hsa_amd_svm_attributes_set");

	/* Only a runtime that has started sets anything. */
#pragma omp target
	{
	}
	if (!set || set(memory, size, &coarse, 1)) {
		exit(1);
	}
}

static void in_place(void)
{
	int wrong = 0;

	make();
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++) {
		a[i] += b[i];
	}
	for (int i = 0; i < N; i++) {
		wrong += a[i] < 1 || a[i] > 1;
	}
	printf("in_place: %d wrong\n", wrong);
	finish();
}

static void fast_scalar(void)
{
	double sum = 0;

	make();
#pragma omp target teams distribute parallel for map(tofrom : sum) // @fast_scalar
	for (int i = 0; i < N; i++) {
		add_fast(&sum, b[i]);
	}
	printf("fast_scalar: sum %g expected %d\n", sum, N);
	finish();
}

static void fast_array(void)
{
	make();
#pragma omp target teams distribute parallel for // @fast_array
	for (int i = 0; i < N; i++) {
		add_fast(&a[1], b[i]);
	}
	printf("fast_array: sum %g expected %d\n", a[1], N);
	finish();
}

static void safe_array(void)
{
	make();
#pragma omp target teams distribute parallel for // @safe_array
	for (int i = 0; i < N; i++) {
		add_safe(&a[1], b[i]);
	}
	printf("safe_array: sum %g expected %d\n", a[1], N);
	finish();
}

static void neighbour(void)
{
	static char *volatile blocks[16];

	for (int i = 0; i < 16; i++) {
		blocks[i] = malloc(PAGE + 1024); // @block
	}
	map_like_amd(blocks[8], PAGE + 1024);
	for (int i = 0; i < 16; i++) {
		free(blocks[i]);
	}
}

static void mapped_fast(void)
{
	make();
	map_like_amd(a, N * sizeof(*a));
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++) {
		add_fast(&a[1], b[i]);
	}
	printf("mapped_fast: sum %g expected %d\n", a[1], N);
	finish();
}

static void prepare(void)
{
	make();
	map_like_amd(a, N * sizeof(*a));
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++) {
		a[i] = 0;
	}
}

static void sticky(void)
{
	prepare();
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++) {
		add_fast(&a[1], b[i]);
	}
	printf("sticky: sum %g expected %d\n", a[1], N);
	finish();
}

static void hazards(void)
{
	fast_scalar();
	fast_array();
	safe_array();
	neighbour();
}

static void well(void)
{
	in_place();
	mapped_fast();
	sticky();
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = {
		{ "hazards", hazards }, { "well", well }, { "in_place", in_place },
	};

	return RUN_VARIANT(variants, argc, argv);
}
