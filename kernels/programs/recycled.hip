// SPDX-License-Identifier: Apache-2.0
// hipgrain-build: -std=c++17
// Heap that the host uses again while its pages are still in GPU memory: kernels sum up inputs that are
// allocated and freed one after the other. (The C library takes sizes from the heap of which it has unmapped a
// larger one before. MALLOC_PERTURB_, which Meson sets, makes free() write to all of it.)
//
// hipgrain-run: heap
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: MALLOC_PERTURB_=0
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: heap: 0 wrong
// hipgrain-expect: HG314 api=aligned_alloc at=@input confidence=proven
//
// calloc() brings the pages back itself, to clear them.
// hipgrain-run: cleared
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: MALLOC_PERTURB_=0
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: cleared: 0 wrong
// hipgrain-expect: HG314 api=calloc at=@cleared confidence=proven
//
// free() unmaps all of them.
// hipgrain-run: unmapped
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: unmapped: 0 wrong
// hipgrain-silent: HG314
// hipgrain-expect: none
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: managed: 0 wrong
// hipgrain-silent: HG314
// hipgrain-expect: none
//
// The host reads the input before it frees it: what comes back is needed.
// hipgrain-run: read_again
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: read_again: 0 wrong
// hipgrain-silent: HG314
// hipgrain-expect: none
//
// The last one is freed, and nobody uses the heap again.
// hipgrain-run: freed
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: freed: 0 wrong
// hipgrain-silent: HG314
// hipgrain-expect: none

#include "sample.h"
#include <malloc.h>

#define BYTES      (12u << 20)
#define BLOCK      (2u << 20)
#define COUNT      (BYTES / sizeof(int))
#define GROUP_SIZE 256
#define GROUPS     64
#define ROUNDS     4

__global__ void sum(const int *input, int *result)
{
	int mine = 0;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT;
	     i += gridDim.x * blockDim.x)
		mine += input[i];
	atomicAdd(result, mine);
}

static void fill(int *input, int value)
{
	for (unsigned i = 0; i < COUNT; i++)
		input[i] = value;
}

/* Returns how many elements, of one in each page, are not `expected`. */
static int look(const int *input, int expected)
{
	int wrong = 0;
	for (unsigned i = 0; i < COUNT; i += 1024)
		wrong += input[i] != expected;
	return wrong;
}

static int sum_is_wrong(const int *input, int expected)
{
	int *result, got;
	CHECK(hipMalloc(&result, sizeof(*result)));
	CHECK(hipMemset(result, 0, sizeof(*result)));
	sum<<<GROUPS, GROUP_SIZE>>>(input, result);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(&got, result, sizeof(got), hipMemcpyDeviceToHost));
	CHECK(hipFree(result));
	return got != expected * (int)COUNT;
}

static uintptr_t latest_input;

/* Uses blocks of its own, so that nothing else moves with them. */
static int heap_round(int round, bool read)
{
	int *input = (int *)aligned_alloc(BLOCK, BYTES); // @input
	int wrong;
	latest_input = (uintptr_t)input;
	fill(input, round);
	wrong = sum_is_wrong(input, round);
	if (read)
		wrong += look(input, round);
	free(input);
	return wrong;
}

static void heap(const char *name, int rounds, bool read)
{
	int wrong = 0;
#pragma nounroll
	for (int round = 1; round <= rounds; round++)
		wrong += heap_round(round, read);
	printf("%s: %d wrong\n", name, wrong);
}

static void unmapped()
{
	mallopt(M_MMAP_THRESHOLD, 131072);
	heap("unmapped", ROUNDS, false);
}

/* calloc() first takes a hole of that size at the heap's beginning, if there is one. */
static int cleared_round()
{
	int *tables[8], wrong = 0, count = 0;
	bool recycled = false;
#pragma nounroll
	while (!recycled && count < 8) {
		int *table = (int *)calloc(COUNT, sizeof(int)); // @cleared
		recycled = (uintptr_t)table < latest_input + BYTES &&
			   latest_input < (uintptr_t)table + BYTES;
		wrong += look(table, 0);
		tables[count++] = table;
	}
	while (count > 0)
		free(tables[--count]);
	return wrong;
}

static void cleared()
{
	int wrong = 0;
#pragma nounroll
	for (int round = 1; round <= ROUNDS; round++)
		wrong += heap_round(round, false) + cleared_round();
	printf("cleared: %d wrong\n", wrong);
}

static void managed()
{
	int wrong = 0;
	for (int round = 1; round <= ROUNDS; round++) {
		int *input;
		CHECK(hipMallocManaged(&input, BYTES));
		fill(input, round);
		wrong += sum_is_wrong(input, round);
		CHECK(hipFree(input));
	}
	printf("managed: %d wrong\n", wrong);
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "heap", [] { heap("heap", ROUNDS, false); } },
		{ "cleared", cleared },
		{ "unmapped", unmapped },
		{ "managed", managed },
		{ "read_again", [] { heap("read_again", ROUNDS - 1, true); } },
		{ "freed", [] { heap("freed", 1, false); } },
	};
	void *volatile larger = malloc(2 * BYTES);
	free(larger);
	return run_variant(variants, argc, argv);
}
