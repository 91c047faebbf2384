// SPDX-License-Identifier: Apache-2.0
// Two GPUs and one buffer: counted in by both, prefetched to the wrong one, or given from one to the other.
//
// Atomics of both in coarse-grained memory, and nothing orders the kernels. On the software GPU they add up:
// what hardware does there is not documented.
// hipgrain-run: both_count_coarse
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-expect: HG406 kernel=count argument=0 api=hipHostMalloc at=@coarse
//
// hipgrain-run: both_count_fine
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 512 expected 512
// hipgrain-expect: none
//
// hipgrain-run: count_in_turns
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 512 expected 512
// hipgrain-expect: none
//
// hipgrain-run: prefetched_elsewhere
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: HG305 kernel=add_one argument=0 api=hipMallocManaged at=@managed
//
// hipgrain-run: prefetched_here
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none

#include "sample.h"

#define ITEMS    256
#define ELEMENTS (1 << 20)

__global__ void count(unsigned *sum)
{
	atomicAdd(sum, 1u);
}

__global__ void add_one(int *values)
{
	values[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static unsigned *pinned(unsigned flags)
{
	unsigned *p;

	CHECK(hipHostMalloc(&p, sizeof(*p), flags | hipHostMallocPortable)); // @coarse
	*p = 0;
	return p;
}

static void count_on(int device, unsigned *sum)
{
	CHECK(hipSetDevice(device));
	count<<<1, ITEMS>>>(sum);
	CHECK(hipGetLastError());
}

static void run_count(unsigned flags, bool in_turns)
{
	unsigned *sum = pinned(flags);

	count_on(0, sum);
	if (in_turns) {
		CHECK(hipDeviceSynchronize());
	}
	count_on(1, sum);
	CHECK(hipDeviceSynchronize());
	CHECK(hipSetDevice(0));
	CHECK(hipDeviceSynchronize());
	printf("two gpus: %u expected %d\n", *sum, 2 * ITEMS);
	CHECK(hipHostFree(sum));
}

static void run_prefetched(int device)
{
	int *values, right = 0;

	CHECK(hipMallocManaged(&values, ELEMENTS * sizeof(*values))); // @managed
	memset(values, 0, ELEMENTS * sizeof(*values));
	CHECK(hipMemPrefetchAsync(values, ELEMENTS * sizeof(*values), device, nullptr));
	CHECK(hipSetDevice(1));
	add_one<<<ELEMENTS / ITEMS, ITEMS>>>(values);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < ELEMENTS; i++) {
		right += values[i] == 1;
	}
	printf("two gpus: %d expected %d\n", right, ELEMENTS);
	CHECK(hipFree(values));
}

static const variant variants[] = {
	{ "both_count_coarse", [] { run_count(hipHostMallocNonCoherent, false); } },
	{ "both_count_fine", [] { run_count(hipHostMallocCoherent, false); } },
	{ "count_in_turns", [] { run_count(hipHostMallocNonCoherent, true); } },
	{ "prefetched_elsewhere", [] { run_prefetched(0); } },
	{ "prefetched_here", [] { run_prefetched(1); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
