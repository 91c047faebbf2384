// SPDX-License-Identifier: Apache-2.0
// hipgrain-build: -std=c++17
// Pages that move: memory of three kinds goes back and forth between host and GPU, and is put where
// it is needed instead.
//
// What the GPU has incremented, the host reads and writes, four times: all pages go to and fro.
// hipgrain-run: malloc
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: malloc: 0 wrong
// hipgrain-expect: HG303 kernel=increment argument=0 api=malloc at=@malloc
//
// hipgrain-run: aligned_new
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: aligned_new: 0 wrong
// hipgrain-expect: none
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: managed: 0 wrong
// hipgrain-expect: none
//
// Put where it is needed before it is needed.
// hipgrain-run: prefetched
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: prefetched: 0 wrong
// hipgrain-expect: none

#include "sample.h"
#include <new>

#define BYTES      (8u << 20)
#define COUNT      (BYTES / sizeof(int))
#define BLOCK      (2u << 20)
#define ROUNDS     4
#define GROUP_SIZE 256

__global__ void increment(int *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i]++;
}

static void compute(int *data)
{
	increment<<<(COUNT + GROUP_SIZE - 1) / GROUP_SIZE, GROUP_SIZE>>>(data, COUNT); // @compute
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
}

/* Elements that are not `expected`; each is incremented. */
static int check_all(int *data, int expected)
{
	int wrong = 0;
	for (unsigned i = 0; i < COUNT; i++)
		wrong += data[i]++ != expected;
	return wrong;
}

static void back_and_forth(const char *name, int *data)
{
	int wrong = 0;
	memset(data, 0, BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		compute(data);
		wrong += check_all(data, 2 * round + 1);
	}
	printf("%s: %d wrong\n", name, wrong);
}

static void from_malloc()
{
	int *data = (int *)malloc(BYTES); // @malloc
	back_and_forth("malloc", data);
	free(data);
}

static void from_aligned_new()
{
	int *data = new (std::align_val_t(BLOCK)) int[COUNT]; // @new
	back_and_forth("aligned_new", data);
	operator delete[](data, std::align_val_t(BLOCK));
}

static void from_managed()
{
	int *data;
	CHECK(hipMallocManaged(&data, BYTES)); // @managed
	back_and_forth("managed", data);
	CHECK(hipFree(data));
}

static void prefetched()
{
	int *data, wrong = 0;
	CHECK(hipMallocManaged(&data, BYTES));
	memset(data, 0, BYTES);
	CHECK(hipMemPrefetchAsync(data, BYTES, 0));
	for (int round = 0; round < ROUNDS; round++)
		compute(data);
	CHECK(hipMemPrefetchAsync(data, BYTES, hipCpuDeviceId));
	CHECK(hipDeviceSynchronize());
	wrong = check_all(data, ROUNDS);
	printf("prefetched: %d wrong\n", wrong);
	CHECK(hipFree(data));
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "malloc", from_malloc },
		{ "aligned_new", from_aligned_new },
		{ "managed", from_managed },
		{ "prefetched", prefetched },
	};
	return run_variant(variants, argc, argv);
}
