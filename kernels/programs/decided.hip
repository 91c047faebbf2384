// SPDX-License-Identifier: Apache-2.0
// Numbers among the arguments and in memory decide which of several pointers an atomic goes through, and
// whether it is executed. What a launch takes is found out from what was recorded of it: of each kernel one
// launch that updates device memory alone, and one that updates fine-grained memory.
//
// An argument chooses between two pointers.
// hipgrain-run: choice_coarse
// hipgrain-expect: none
//
// hipgrain-run: choice_fine
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=choose argument=1 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// An index into an array of pointers that is passed by value.
// hipgrain-run: member_coarse
// hipgrain-expect: none
//
// hipgrain-run: member_fine
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=choose_member argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// A word in memory that hipMemset wrote.
// hipgrain-run: flag_clear
// hipgrain-expect: none
//
// hipgrain-run: flag_set
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=if_set argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// The kernel itself sets the word: what hipMemset wrote decides nothing.
// hipgrain-run: flag_set_within
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=set_and_ask argument=0 api=hipMallocManaged at=@fine launches=1 confidence=possible
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// An index into a table of pointers in memory.
// hipgrain-run: entry_coarse
// hipgrain-expect: none
//
// hipgrain-run: entry_fine
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=choose_entry argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// The first entries of the table, as many as an argument says.
// hipgrain-run: rounds_coarse
// hipgrain-expect: none
//
// hipgrain-run: rounds_fine
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=each_entry argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven before 6.4: its compiler leaves each lane its own atomic
// hipgrain-expect: HG101 kernel=each_entry argument=0 api=hipMallocManaged at=@fine launches=1 confidence=possible from 6.4: one lane of a wave adds for all, and which lanes it adds for is not evaluated
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// All of them but one.
// hipgrain-run: skipped
// hipgrain-expect: none
//
// hipgrain-run: not_skipped
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=each_but argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven before 6.4: its compiler leaves each lane its own atomic
// hipgrain-expect: HG101 kernel=each_but argument=0 api=hipMallocManaged at=@fine launches=1 confidence=possible from 6.4: one lane of a wave adds for all, and which lanes it adds for is not evaluated
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// Two pointers that change places again and again.
// hipgrain-run: swapped_even
// hipgrain-expect: none
//
// hipgrain-run: swapped_odd
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=swap argument=1 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// One of three, by a switch.
// hipgrain-run: case_coarse
// hipgrain-expect: none
//
// hipgrain-run: case_fine
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=by_case argument=1 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// By what a loop computes.
// hipgrain-run: computed_coarse
// hipgrain-expect: none
//
// hipgrain-run: computed_fine
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=by_sum argument=1 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// By a limit of work-items, which all are below, or none.
// hipgrain-run: all_items_below
// hipgrain-expect: none
//
// hipgrain-run: no_item_below
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=by_item argument=1 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
//
// A pointer from an array in a struct in memory.
// hipgrain-run: deep_coarse
// hipgrain-expect: none
//
// hipgrain-run: deep_fine
// hipgrain-stdout: decided: fine 0 expected 64
// hipgrain-expect: HG101 kernel=through_struct argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: decided: fine 64 expected 64
// hipgrain-expect: none
#include "sample.h"

static const int ITEMS = 64;

struct three {
	float *pointer[3];
};

struct counted {
	long count;
	float *pointer[3];
};

__global__ void choose(float *a, float *b, int which)
{
	unsafeAtomicAdd(which ? b : a, 1.0f);
}

__global__ void choose_member(three s, int which)
{
	unsafeAtomicAdd(s.pointer[which], 1.0f);
}

__global__ void if_set(float *a, const int *flag)
{
	if (*flag)
		unsafeAtomicAdd(a, 1.0f);
}

__global__ void set_and_ask(float *a, int *flag)
{
	if (threadIdx.x == 0)
		*(volatile int *)flag = 1;
	__syncthreads();
	if (*(volatile int *)flag)
		unsafeAtomicAdd(a, 1.0f);
}

__global__ void choose_entry(float **table, int which)
{
	unsafeAtomicAdd(table[which], 1.0f);
}

__global__ void each_entry(float **table, int count)
{
	for (int i = 0; i < count; i++)
		unsafeAtomicAdd(table[i], 1.0f);
}

__global__ void each_but(float **table, int count, int skip)
{
	for (int i = 0; i < count; i++) {
		if (i != skip)
			unsafeAtomicAdd(table[i], 1.0f);
	}
}

__global__ void swap(float *a, float *b, int count)
{
	for (int i = 0; i < count; i++) {
		float *next = b;

		b = a;
		a = next;
	}
	unsafeAtomicAdd(a, 1.0f);
}

__global__ void by_case(float *a, float *b, float *c, int which)
{
	float *to = a;

	switch (which) {
	case 1:
		to = b;
		break;
	case 7:
		to = c;
		break;
	}
	unsafeAtomicAdd(to, 1.0f);
}

__global__ void by_sum(float *a, float *b, unsigned long count)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < count; i++)
		sum += i;
	unsafeAtomicAdd(sum & 1 ? b : a, 1.0f);
}

__global__ void by_item(float *a, float *b, int limit)
{
	unsafeAtomicAdd((int)threadIdx.x < limit ? a : b, 1.0f);
}

__global__ void through_struct(counted *s, int which)
{
	unsafeAtomicAdd(s->pointer[which], 1.0f);
}

// What a variant works with.
static float *coarse, *other, *fine, **table;
static int *flag;
static counted *deep;

static void allocate()
{
	CHECK(hipMalloc(&coarse, sizeof(*coarse)));
	CHECK(hipMalloc(&other, sizeof(*other)));
	CHECK(hipMallocManaged(&fine, sizeof(*fine))); // @fine
	CHECK(hipMalloc(&table, 3 * sizeof(*table)));
	CHECK(hipMalloc(&flag, sizeof(*flag)));
	CHECK(hipMalloc(&deep, sizeof(*deep)));
	CHECK(hipMemset(coarse, 0, sizeof(*coarse)));
	CHECK(hipMemset(other, 0, sizeof(*other)));
	*fine = 0;
}

static three pointers()
{
	return { { coarse, other, fine } };
}

static void fill()
{
	three entries = pointers();
	counted whole = { 3, { coarse, other, fine } };

	CHECK(hipMemcpy(table, &entries, sizeof(entries), hipMemcpyHostToDevice));
	CHECK(hipMemcpy(deep, &whole, sizeof(whole), hipMemcpyHostToDevice));
}

// Launches a kernel once and says what became of the sum in fine-grained memory, if it is to have one.
template <class launch> static void run(bool in_fine, launch call)
{
	allocate();
	fill();
	call();
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	if (in_fine)
		printf("decided: fine %g expected %d\n", *fine, ITEMS);
	CHECK(hipFree(fine));
	CHECK(hipFree(coarse));
	CHECK(hipFree(other));
	CHECK(hipFree(table));
	CHECK(hipFree(flag));
	CHECK(hipFree(deep));
}

static void run_own_flag()
{
	run(true, [] {
		CHECK(hipMemset(flag, 0, sizeof(*flag)));
		set_and_ask<<<1, ITEMS>>>(fine, flag);
	});
}

static void run_flag(int value)
{
	run(value, [value] {
		CHECK(hipMemset(flag, value, sizeof(*flag)));
		if_set<<<1, ITEMS>>>(fine, flag);
	});
}

static const variant variants[] = {
	{ "choice_coarse", [] { run(false, [] { choose<<<1, ITEMS>>>(coarse, fine, 0); }); } },
	{ "choice_fine", [] { run(true, [] { choose<<<1, ITEMS>>>(coarse, fine, 1); }); } },
	{ "member_coarse", [] { run(false, [] { choose_member<<<1, ITEMS>>>(pointers(), 1); }); } },
	{ "member_fine", [] { run(true, [] { choose_member<<<1, ITEMS>>>(pointers(), 2); }); } },
	{ "flag_clear", [] { run_flag(0); } },
	{ "flag_set", [] { run_flag(1); } },
	{ "flag_set_within", run_own_flag },
	{ "entry_coarse", [] { run(false, [] { choose_entry<<<1, ITEMS>>>(table, 1); }); } },
	{ "entry_fine", [] { run(true, [] { choose_entry<<<1, ITEMS>>>(table, 2); }); } },
	{ "rounds_coarse", [] { run(false, [] { each_entry<<<1, ITEMS>>>(table, 2); }); } },
	{ "rounds_fine", [] { run(true, [] { each_entry<<<1, ITEMS>>>(table, 3); }); } },
	{ "skipped", [] { run(false, [] { each_but<<<1, ITEMS>>>(table, 3, 2); }); } },
	{ "not_skipped", [] { run(true, [] { each_but<<<1, ITEMS>>>(table, 3, 0); }); } },
	{ "swapped_even", [] { run(false, [] { swap<<<1, ITEMS>>>(coarse, fine, 6); }); } },
	{ "swapped_odd", [] { run(true, [] { swap<<<1, ITEMS>>>(coarse, fine, 7); }); } },
	{ "case_coarse", [] { run(false, [] { by_case<<<1, ITEMS>>>(coarse, fine, other, 7); }); } },
	{ "case_fine", [] { run(true, [] { by_case<<<1, ITEMS>>>(coarse, fine, other, 1); }); } },
	{ "computed_coarse", [] { run(false, [] { by_sum<<<1, ITEMS>>>(coarse, fine, 4); }); } },
	{ "computed_fine", [] { run(true, [] { by_sum<<<1, ITEMS>>>(coarse, fine, 3); }); } },
	{ "all_items_below", [] { run(false, [] { by_item<<<1, ITEMS>>>(coarse, fine, ITEMS); }); } },
	{ "no_item_below", [] { run(true, [] { by_item<<<1, ITEMS>>>(coarse, fine, 0); }); } },
	{ "deep_coarse", [] { run(false, [] { through_struct<<<1, ITEMS>>>(deep, 0); }); } },
	{ "deep_fine", [] { run(true, [] { through_struct<<<1, ITEMS>>>(deep, 2); }); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
