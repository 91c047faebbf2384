// SPDX-License-Identifier: Apache-2.0
// clang-format off
// What clauses, allocators and modes do to memory.
//
// arraysum1: two arrays, mapped: copies on the device, which are coarse-grained.
// hipgrain-run: arraysum1
// hipgrain-stdout: arraysum1: 0 wrong
// hipgrain-expect: none
//
// An allocator with the pinned trait: the runtime locks the memory.
// hipgrain-run: pinned
// hipgrain-stdout: pinned: 0 wrong
// hipgrain-expect: none
//
// Reductions, into a variable and into an array, which are mapped without being named in a map clause.
// hipgrain-run: reduction
// hipgrain-only: host
// hipgrain-stdout: reduction: 8192 expected 8192
// hipgrain-stdout: reduction of an array: 8192 expected 8192
// hipgrain-expect: none
//
// hipgrain-run: reduction
// hipgrain-only: gfx90a
// hipgrain-stdout: reduction: 8192 expected 8192
// hipgrain-stdout: reduction of an array: 8192 expected 8192
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: none
//
// An array without a map clause is mapped tofrom, and comes back as it went.
// hipgrain-run: implicit
// hipgrain-stdout: implicit: 0 wrong
// hipgrain-expect: HG804 from=@implicit confidence=likely
//
// hipgrain-run: explicit
// hipgrain-stdout: explicit: 0 wrong
// hipgrain-expect: none
//
// Zero copy: maps copy nothing, as on an APU, and the region uses the host's pages. (OMPX_APU_MAPS
// does it on other GPUs; the distribution has no device library for MI300.) Nothing is missing then,
// not even where a map does not say what the region does.
// hipgrain-run: zero_copy
// hipgrain-only: gfx90a
// hipgrain-env: HSA_XNACK=1 OMPX_APU_MAPS=1
// hipgrain-stdout: zero_copy: 0 wrong, in place
// hipgrain-note: nothing was copied to a device
// hipgrain-expect: none
//
// And the same with copies: what the region wrote is lost, what it reads was never sent.
// hipgrain-run: zero_copy
// hipgrain-only: gfx90a
// hipgrain-stdout: zero_copy: 8192 wrong, copied
// hipgrain-expect: HG805 api=aligned_alloc at=@a from=@wrong_map confidence=likely
// hipgrain-expect: HG805 api=aligned_alloc at=@b from=@wrong_map confidence=likely
//
// A region counts in memory that was never copied in: pages that are fresh are zero, others are not.
// hipgrain-run: counted_fresh
// hipgrain-only: gfx90a
// hipgrain-stdout: counted: a multiple of 32, and more than 0
// hipgrain-expect: HG619 api=hsa_amd_memory_pool_allocate confidence=likely
//
// hipgrain-run: counted_mapped
// hipgrain-only: gfx90a
// hipgrain-stdout: counted: a multiple of 32, and more than 0
// hipgrain-expect: none
//
// hipgrain-run: counted_allocated
// hipgrain-only: gfx90a
// hipgrain-stdout: counted: a multiple of 32, and more than 0
// hipgrain-expect: HG619 api=hsa_amd_memory_pool_allocate confidence=likely
//
// hipgrain-run: counted_sent
// hipgrain-only: gfx90a
// hipgrain-stdout: counted: a multiple of 32, and more than 0
// hipgrain-expect: none

#include "omp_sample.h"

#include <omp.h>

#define N 8192

static int *a, *b, fixed[N];

static void make(void)
{
	a = aligned_alloc(4096, N * sizeof(*a)); // @a
	b = aligned_alloc(4096, N * sizeof(*b)); // @b
	if (!a || !b)
		exit(1);
	for (int i = 0; i < N; i++) {
		a[i] = 0;
		b[i] = fixed[i] = 1;
	}
}

static int count_wrong(const int *array)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += array[i] != 1;
	return wrong;
}

static void arraysum1(void)
{
	make();
#pragma omp target teams distribute parallel for map(tofrom : a[:N]) map(to : b[:N])
	for (int i = 0; i < N; i++)
		a[i] += b[i];
	printf("arraysum1: %d wrong\n", count_wrong(a));
}

static void pinned(void)
{
	omp_alloctrait_t traits[] = { { omp_atk_pinned, omp_atv_true } };
	omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, traits);
	int *locked = omp_alloc(N * sizeof(*locked), allocator);

	if (allocator == omp_null_allocator || !locked)
		exit(1);
	for (int i = 0; i < N; i++)
		locked[i] = 0;
#pragma omp target teams distribute parallel for map(tofrom : locked[:N])
	for (int i = 0; i < N; i++)
		locked[i] += 1;
	printf("pinned: %d wrong\n", count_wrong(locked));
	omp_free(locked, allocator);
	omp_destroy_allocator(allocator);
}

static void reduction(void)
{
	int sum = 0, sums[4] = { 0 };

	make();
#pragma omp target teams distribute parallel for map(to : b[:N]) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += b[i];
	printf("reduction: %d expected %d\n", sum, N);
#pragma omp target teams distribute parallel for map(to : a[:N]) reduction(+ : sums)
	for (int i = 0; i < N; i++)
		sums[i % 4] += a[i] + 1;
	printf("reduction of an array: %d expected %d\n", sums[0] + sums[1] + sums[2] + sums[3], N);
}

static void implicit(void)
{
	make();
#pragma omp target teams distribute parallel for map(from : a[:N]) // @implicit
	for (int i = 0; i < N; i++)
		a[i] = fixed[i];
	printf("implicit: %d wrong\n", count_wrong(a));
}

static void explicit_map(void)
{
	make();
#pragma omp target teams distribute parallel for map(from : a[:N]) map(to : fixed)
	for (int i = 0; i < N; i++)
		a[i] = fixed[i];
	printf("explicit: %d wrong\n", count_wrong(a));
}

static void zero_copy(void)
{
	int *there = NULL;

	make();
#pragma omp target map(to : a[:N]) map(from : there)
	there = a;
#pragma omp target teams distribute parallel for map(to : a[:N]) map(alloc : b[:N]) // @wrong_map
	for (int i = 0; i < N; i++)
		a[i] = b[i];
	printf("zero_copy: %d wrong, %s\n", count_wrong(a), there == a ? "in place" : "copied");
}

static void print_count(const int *counter)
{
	printf("counted: %s\n", counter[0] > 0 && counter[0] % 32 == 0 ? "a multiple of 32, and more than 0" : "something else");
}

static void counted_fresh(void)
{
	int counter[16] = { 0 };

#pragma omp target parallel map(from : counter)
	{
#pragma omp atomic
		counter[0]++;
	}
	print_count(counter);
}

static void counted_mapped(void)
{
	int counter[16] = { 0 };

#pragma omp target parallel map(tofrom : counter)
	{
#pragma omp atomic
		counter[0]++;
	}
	print_count(counter);
}

static void count_in_place(int sent)
{
	int device = omp_get_default_device(), host = omp_get_initial_device(), counter[16] = { 0 };
	int *there = omp_target_alloc(sizeof(counter), device);

	if (sent)
		omp_target_memcpy(there, counter, sizeof(counter), 0, 0, device, host);
#pragma omp target parallel is_device_ptr(there)
	{
#pragma omp atomic
		there[0]++;
	}
	omp_target_memcpy(counter, there, sizeof(counter), 0, 0, host, device);
	omp_target_free(there, device);
	print_count(counter);
}

static void counted_allocated(void)
{
	count_in_place(0);
}

static void counted_sent(void)
{
	count_in_place(1);
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = {
		{ "arraysum1", arraysum1 }, { "pinned", pinned },	  { "reduction", reduction },
		{ "implicit", implicit },   { "explicit", explicit_map }, { "zero_copy", zero_copy },
		{ "counted_fresh", counted_fresh }, { "counted_mapped", counted_mapped }, { "counted_allocated", counted_allocated },
		{ "counted_sent", counted_sent },
	};

	return RUN_VARIANT(variants, argc, argv);
}
