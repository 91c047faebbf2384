// SPDX-License-Identifier: Apache-2.0
// clang-format off
// Constructs in inlined functions and unrolled loops, and maps of parts. gfx90a only: on the host's device nothing tells the line of a
// region, nor what it reads.
//
// inlined: one construct, which the compiler copies into its callers.
// hipgrain-run: inlined
// hipgrain-stdout: inlined: 6 expected 6
// hipgrain-expect: HG803 api=aligned_alloc at=@x from=@step confidence=proven
// hipgrain-expect: HG804 api=aligned_alloc at=@x from=@step confidence=likely
//
// One member of a struct is mapped, and the region reads another one, too.
// hipgrain-run: one_member
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: HG805 argument=1 from=@one_member confidence=likely
//
// hipgrain-run: whole
// hipgrain-stdout: whole: 0 wrong
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: none
//
// A flag in memory decides whether the region uses the member, which it loads ahead of that: this one does not.
// hipgrain-run: not_used
// hipgrain-stdout: not_used: 0 wrong
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: HG805 argument=2 from=@not_used confidence=possible
//
// Parts of an array and of a struct that begin behind the pointer that the region gets.
// hipgrain-run: begins_later
// hipgrain-stdout: begins_later: 0 wrong
// hipgrain-limit: not every memory access could be traced
// hipgrain-expect: none
//
// A map has a part of what the region uses.
// (ROCr from 5.5 on has small memory in blocks of 2 MiB, which stay mapped, unless it is told not to.)
// hipgrain-run: short_map
// hipgrain-env: HSA_DISABLE_FRAGMENT_ALLOCATOR=1
// hipgrain-exit: any
// hipgrain-expect: HG614 argument=1 api=calloc at=@short from=@short_loop confidence=proven

#include "omp_sample.h"

#define N 4096

struct list {
	size_t count;
	double *data;
};

static double total;

static inline double *first_of(double *x)
{
	return x + (total < 0);
}

// The call of the region seems to lie in what is inlined ahead of it.
__attribute__((always_inline)) static inline void step(double *from)
{
	double sum = 0, *x = first_of(from);

#pragma omp target map(tofrom : x[:N]) map(tofrom : sum) // @step
	for (int i = 0; i < N; i++)
		sum += x[i];
	total += sum;
}

static void inlined(void)
{
	double *x = aligned_alloc(4096, N * sizeof(*x)); // @x

	if (!x)
		exit(1);
	for (int i = 0; i < N; i++)
		x[i] = i == 1;
	step(x);
	printf("after one: %g\n", total);
	for (int i = 0; i < 2; i++)
		step(x);
	printf("after three: %g\n", total);
	step(x);
	for (int i = 0; i < 2; i++)
		step(x);
	printf("inlined: %g expected 6\n", total);
}

static struct list make(void)
{
	struct list list = { .count = N, .data = calloc(N, sizeof(*list.data)) };

	if (!list.data)
		exit(1);
	return list;
}

static int count_wrong(const struct list *list)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += list->data[i] != i;
	return wrong;
}

static void one_member(void)
{
	struct list list = make();

#pragma omp target map(tofrom : list.data[:N]) // @one_member
	for (size_t i = 0; i < list.count; i++)
		list.data[i] = (double)i;
	printf("one_member: %d wrong\n", count_wrong(&list));
}

static void whole(void)
{
	struct list list = make();

#pragma omp target map(to : list) map(tofrom : list.data[:N])
	for (size_t i = 0; i < list.count; i++)
		list.data[i] = (double)i;
	printf("whole: %d wrong\n", count_wrong(&list));
}

static void not_used(void)
{
	struct list list = make();
	int all = 1;

#pragma omp target map(tofrom : list.data[:N]) map(to : all) // @not_used
	for (size_t i = 0; i < (all ? N : list.count); i++)
		list.data[i] = (double)i;
	printf("not_used: %d wrong\n", count_wrong(&list));
}

static void begins_later(void)
{
	/* The list lies 8 bytes behind a multiple of 16, and its second member at one. */
	struct {
		_Alignas(16) size_t other;
		struct list list;
	} lists = { .list = make() };
	double *array = calloc(16 * N, sizeof(*array));
	int wrong = 0;

	if (!array)
		exit(1);
#pragma omp target map(tofrom : lists.list.data[:N])
	for (int i = 0; i < N; i++)
		lists.list.data[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : array [N:N])
	for (int i = N; i < 2 * N; i++)
		array[i] = 1;
	for (int i = N; i < 2 * N; i++)
		wrong += array[i] != 1;
	printf("begins_later: %d wrong\n", wrong + count_wrong(&lists.list));
}

static void short_map(void)
{
	double *array = calloc(16 * N, sizeof(*array)); // @short

	if (!array)
		exit(1);
#pragma omp target data map(tofrom : array [N:N])
	{
#pragma omp target teams distribute parallel for // @short_loop
		for (int i = N; i < 16 * N; i++)
			array[i] = 1;
	}
	printf("short_map: %g\n", array[0]);
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = {
		{ "inlined", inlined },	  { "one_member", one_member },	    { "whole", whole },
		{ "not_used", not_used }, { "begins_later", begins_later },
		{ "short_map", short_map },
	};

	return RUN_VARIANT(variants, argc, argv);
}
