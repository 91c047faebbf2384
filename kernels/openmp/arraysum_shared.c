// SPDX-License-Identifier: Apache-2.0
// clang-format off
// Additions into an array or a number under unified shared memory, a case a run: the host's own
// pages, fine-grained until a map makes them coarse-grained.
//
// 2: two arrays, no map. Without XNACK the GPU cannot reach the pages; it loads from b first.
// hipgrain-run: arraysum2
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arraysum2: 0 wrong
// hipgrain-expect: none
//
// hipgrain-run: arraysum2
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=0
// hipgrain-exit: any
// hipgrain-expect: HG806 api=aligned_alloc at=@b confidence=proven
//
// 3: both mapped: nothing is copied, the pages become coarse-grained. And blocks whose pages are
// others' as well.
// hipgrain-run: arraysum3
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arraysum3: 0 wrong
// hipgrain-expect: none
//
// hipgrain-run: neighbours
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-expect: HG802 api=malloc at=@block confidence=proven
//
// The first region maps, the second does not; and the map is in a function that was called before:
// the pages stay coarse-grained, and the hardware's atomics are right.
// hipgrain-run: arraysum_scope
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arraysum_scope: sum 2048 expected 2048
// hipgrain-expect: none
//
// hipgrain-run: arraysum4
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arraysum4: sum 2048 expected 2048
// hipgrain-expect: none
//
// 8, and 5 for an element of an array: hardware atomics, nothing mapped: lost.
// hipgrain-run: arraysum8
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arraysum8: sum 0 expected 2048
// hipgrain-expect: HG801 api=aligned_alloc at=@result from=@arraysum8 confidence=proven
//
// hipgrain-run: arrays5
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arrays5: sum 0 expected 2048
// hipgrain-expect: HG801 api=aligned_alloc at=@a from=@arrays5 confidence=proven
//
// The same with a variable on the stack, which a map of LLVM's runtime leaves as it is.
// hipgrain-run: scalar
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: scalar: sum 0 expected 2048
// hipgrain-expect: HG801 from=@scalar confidence=proven
//
// 9, and 6: the same, mapped: right.
// hipgrain-run: arraysum9
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arraysum9: sum 2048 expected 2048
// hipgrain-expect: none
//
// hipgrain-run: arrays6
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arrays6: sum 2048 expected 2048
// hipgrain-expect: none
//
// 10, and 7: compare-and-swap loops: right, and slow on fine-grained pages.
// hipgrain-run: arraysum10
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arraysum10: sum 2048 expected 2048
// hipgrain-expect: HG106 api=aligned_alloc at=@result from=@arraysum10 confidence=proven
//
// hipgrain-run: arrays7
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: arrays7: sum 2048 expected 2048
// hipgrain-expect: HG106 api=aligned_alloc at=@a from=@arrays7 confidence=proven
//
// The host's own device has no such instructions, and no granularity.
// hipgrain-run: all
// hipgrain-only: host
// hipgrain-stdout: arraysum2: 0 wrong
// hipgrain-stdout: arraysum3: 0 wrong
// hipgrain-stdout: arraysum_scope: sum 2048 expected 2048
// hipgrain-stdout: arraysum4: sum 2048 expected 2048
// hipgrain-stdout: arraysum8: sum 2048 expected 2048
// hipgrain-stdout: arraysum9: sum 2048 expected 2048
// hipgrain-stdout: arraysum10: sum 2048 expected 2048
// hipgrain-stdout: arrays5: sum 2048 expected 2048
// hipgrain-stdout: arrays6: sum 2048 expected 2048
// hipgrain-stdout: arrays7: sum 2048 expected 2048
// hipgrain-expect: none

#include <dlfcn.h>
#include <stdint.h>

#pragma omp requires unified_shared_memory

#include "omp_sample.h"
#include "omp_atomics.h"

#define N    2048
#define PAGE 4096

static double *a, *b, *result;

static void make(void)
{
	a = aligned_alloc(PAGE, N * sizeof(*a)); // @a
	b = aligned_alloc(PAGE, N * sizeof(*b)); // @b
	result = aligned_alloc(PAGE, PAGE); // @result
	if (!a || !b || !result)
		exit(1);
	*result = 0;
	for (int i = 0; i < N; i++) {
		a[i] = 0;
		b[i] = 1;
	}
}

static void finish(const char *name, double sum)
{
	printf("%s: sum %g expected %d\n", name, sum, N);
	free(a);
	free(b);
	free(result);
}

static void finish_array(const char *name)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += a[i] < 1 || a[i] > 1;
	printf("%s: %d wrong\n", name, wrong);
	free(a);
	free(b);
	free(result);
}

/*
 * Does for a map what AMD's OpenMP runtime does under unified shared memory on MI200: the pages
 * become coarse-grained, permanently. LLVM's own runtime does nothing.
 */
static void map_like_amd(void *memory, size_t size)
{
	struct {
		uint64_t attribute, value;
	} coarse = { 0, 1 };
	void *library = dlopen("libhsa-runtime64.so", RTLD_LAZY);
	int (*set)(void *, size_t, void *, size_t) =
		library ? (int (*)(void *, size_t, void *, size_t))dlsym(library, "hsa_amd_svm_attributes_set") : NULL;

	/* Only a runtime that has started sets anything. */
#pragma omp target
	{
	}
	if (set)
		set(memory, size, &coarse, 1); // if it fails, sums are wrong
}

static void arraysum2(void)
{
	make();
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++)
		a[i] += b[i];
	finish_array("arraysum2");
}

static void arraysum3(void)
{
	make();
	map_like_amd(a, N * sizeof(*a));
	map_like_amd(b, N * sizeof(*b));
#pragma omp target teams distribute parallel for map(tofrom : a[:N]) map(to : b[:N])
	for (int i = 0; i < N; i++)
		a[i] += b[i];
	finish_array("arraysum3");
}

static void neighbours(void)
{
	static char *volatile blocks[16];

	for (int i = 0; i < 16; i++)
		blocks[i] = malloc(PAGE + 1024); // @block
	map_like_amd(blocks[8], PAGE + 1024);
	for (int i = 0; i < 16; i++)
		free(blocks[i]);
}

static void arraysum_scope(void)
{
	make();
	map_like_amd(a, N * sizeof(*a));
#pragma omp target teams distribute parallel for map(tofrom : a[:N])
	for (int i = 0; i < N; i++)
		a[i] = 0;
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++)
		add_fast(&a[1], b[i]);
	finish("arraysum_scope", a[1]);
}

static void prepare(void)
{
	make();
	map_like_amd(a, N * sizeof(*a));
#pragma omp target teams distribute parallel for map(tofrom : a[:N])
	for (int i = 0; i < N; i++)
		a[i] = 0;
}

static void arraysum4(void)
{
	prepare();
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++)
		add_fast(&a[1], b[i]);
	finish("arraysum4", a[1]);
}

static void scalar(void)
{
	double sum = 0;

	make();
#pragma omp target teams distribute parallel for map(tofrom : sum) // @scalar
	for (int i = 0; i < N; i++)
		add_fast(&sum, b[i]);
	finish("scalar", sum);
}

static void arraysum8(void)
{
	make();
#pragma omp target teams distribute parallel for // @arraysum8
	for (int i = 0; i < N; i++)
		add_fast(result, b[i]);
	finish("arraysum8", *result);
}

static void arraysum9(void)
{
	make();
	map_like_amd(b, N * sizeof(*b));
	map_like_amd(result, sizeof(*result));
#pragma omp target teams distribute parallel for map(to : b[:N]) map(tofrom : result[:1])
	for (int i = 0; i < N; i++)
		add_fast(result, b[i]);
	finish("arraysum9", *result);
}

static void arraysum10(void)
{
	make();
#pragma omp target teams distribute parallel for // @arraysum10
	for (int i = 0; i < N; i++)
		add_safe(result, b[i]);
	finish("arraysum10", *result);
}

static void arrays5(void)
{
	make();
#pragma omp target teams distribute parallel for // @arrays5
	for (int i = 0; i < N; i++)
		add_fast(&a[1], b[i]);
	finish("arrays5", a[1]);
}

static void arrays6(void)
{
	make();
	map_like_amd(a, N * sizeof(*a));
#pragma omp target teams distribute parallel for map(tofrom : a[:N])
	for (int i = 0; i < N; i++)
		add_fast(&a[1], b[i]);
	finish("arrays6", a[1]);
}

static void arrays7(void)
{
	make();
#pragma omp target teams distribute parallel for // @arrays7
	for (int i = 0; i < N; i++)
		add_safe(&a[1], b[i]);
	finish("arrays7", a[1]);
}

static void all(void)
{
	arraysum2();
	arraysum3();
	arraysum_scope();
	arraysum4();
	arraysum8();
	arraysum9();
	arraysum10();
	arrays5();
	arrays6();
	arrays7();
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = {
		{ "arraysum2", arraysum2 }, { "arraysum3", arraysum3 },	  { "neighbours", neighbours },
		{ "arraysum4", arraysum4 }, { "arraysum8", arraysum8 },	  { "arraysum9", arraysum9 },
		{ "arrays5", arrays5 },	    { "arrays6", arrays6 },	  { "arrays7", arrays7 },
		{ "scalar", scalar },	    { "arraysum10", arraysum10 }, { "arraysum_scope", arraysum_scope },
		{ "all", all },
	};

	return RUN_VARIANT(variants, argc, argv);
}
