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
// hipgrain-expect: HG302 kernel=increment api=malloc at=@malloc confidence=proven
// hipgrain-expect: HG303 kernel=increment argument=0 api=malloc at=@malloc confidence=proven
//
// hipgrain-run: aligned_new
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: aligned_new: 0 wrong
// hipgrain-expect: HG302 kernel=increment api=operator_new_array at=@new confidence=proven
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: managed: 0 wrong
// hipgrain-expect: HG302 kernel=increment api=hipMallocManaged at=@managed confidence=proven
//
// Put where it is needed before it is needed.
// hipgrain-run: prefetched
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: prefetched: 0 wrong
// hipgrain-expect: none
//
// Prefetched, but the host is not done yet.
// hipgrain-run: too_early
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: too_early: 0 wrong
// hipgrain-expect: HG305 call=hipMemPrefetchAsync api=hipMallocManaged at=@early confidence=proven
//
// Two buffers in turn, and room for one and a half.
// hipgrain-run: overcommit
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-env: SOFTGPU_VRAM_MIB=14
// hipgrain-stdout: overcommit: 0 wrong
// hipgrain-expect: HG308 confidence=proven
//
// 32 MiB come to the GPU block by block, three times.
// hipgrain-run: storm
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: storm: 0 wrong
// hipgrain-expect: HG301 kernel=increment api=hipMallocManaged at=@storm confidence=proven

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

static void too_early()
{
	int *data;
	CHECK(hipMallocManaged(&data, BYTES)); // @early
	memset(data, 0, BYTES);
	CHECK(hipMemPrefetchAsync(data, BYTES, 0));
	CHECK(hipDeviceSynchronize());
	check_all(data, 0);
	compute(data);
	printf("too_early: %d wrong\n", check_all(data, 2));
	CHECK(hipFree(data));
}

static void overcommit()
{
	int *first, *second, wrong;
	CHECK(hipMallocManaged(&first, BYTES));
	CHECK(hipMallocManaged(&second, BYTES));
	memset(first, 0, BYTES);
	memset(second, 0, BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		compute(first);
		compute(second);
	}
	wrong = check_all(first, ROUNDS) + check_all(second, ROUNDS);
	printf("overcommit: %d wrong\n", wrong);
	CHECK(hipFree(first));
	CHECK(hipFree(second));
}

/* Each round uses other buffers of the same place in the program. */
static void storm()
{
	int wrong = 0;
	for (int round = 0; round < 3; round++) {
		int *data;
		CHECK(hipMallocManaged(&data, 4 * BYTES)); // @storm
		memset(data, 0, 4 * BYTES);
		increment<<<4 * COUNT / GROUP_SIZE, GROUP_SIZE>>>(data, 4 * COUNT);
		CHECK(hipDeviceSynchronize());
		for (unsigned i = 0; i < 4 * COUNT; i += 1024)
			wrong += data[i] != 1;
		CHECK(hipFree(data));
	}
	printf("storm: %d wrong\n", wrong);
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "malloc", from_malloc },   { "aligned_new", from_aligned_new },
		{ "managed", from_managed }, { "prefetched", prefetched },
		{ "too_early", too_early },  { "overcommit", overcommit },
		{ "storm", storm },
	};
	return run_variant(variants, argc, argv);
}
