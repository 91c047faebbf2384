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
//
// One GPU of the two reads it again and again from where it is, because it was only mapped for it.
// hipgrain-run: mapped
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: HG307 kernel=add_one argument=0 api=hipMallocManaged at=@managed launches=4 confidence=likely
//
// hipgrain-run: mapped_and_preferred
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none

#include "sample.h"

#define ITEMS    256
#define ROUNDS   4
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

static int *managed()
{
	int *values;

	CHECK(hipMallocManaged(&values, ELEMENTS * sizeof(*values))); // @managed
	memset(values, 0, ELEMENTS * sizeof(*values));
	return values;
}

static void add_up(int *values, int rounds)
{
	int right = 0;

	CHECK(hipSetDevice(1));
	for (int i = 0; i < rounds; i++) {
		add_one<<<ELEMENTS / ITEMS, ITEMS>>>(values);
		CHECK(hipGetLastError());
	}
	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < ELEMENTS; i++) {
		right += values[i] == rounds;
	}
	printf("two gpus: %d expected %d\n", right, ELEMENTS);
	CHECK(hipFree(values));
}

static void run_prefetched(int device)
{
	int *values = managed();

	CHECK(hipMemPrefetchAsync(values, ELEMENTS * sizeof(*values), device, nullptr));
	add_up(values, 1);
}

static void run_mapped(bool preferred)
{
	int *values = managed();
	size_t bytes = ELEMENTS * sizeof(*values);

	CHECK(hipMemAdvise(values, bytes, hipMemAdviseSetAccessedBy, 1));
	if (preferred) {
		CHECK(hipMemAdvise(values, bytes, hipMemAdviseSetPreferredLocation, 1));
	}
	add_up(values, ROUNDS);
}

static const variant variants[] = {
	{ "both_count_coarse", [] { run_count(hipHostMallocNonCoherent, false); } },
	{ "both_count_fine", [] { run_count(hipHostMallocCoherent, false); } },
	{ "count_in_turns", [] { run_count(hipHostMallocNonCoherent, true); } },
	{ "prefetched_elsewhere", [] { run_prefetched(0); } },
	{ "prefetched_here", [] { run_prefetched(1); } },
	{ "mapped", [] { run_mapped(false); } },
	{ "mapped_and_preferred", [] { run_mapped(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
