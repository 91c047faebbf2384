// SPDX-License-Identifier: Apache-2.0
// One kernel, one argument, several things: lines, launches, flags. What is true of one of them is
// not reported of all.
//
// hipgrain-build: -munsafe-fp-atomics
//
// hipgrain-run: two_lines
// hipgrain-stdout: apart: 0 of 2 right
// hipgrain-expect: HG101 kernel=add_twice argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven lines=@first,@second
//
// The first half of the memory is coarse-grained; the third launch is given the second half.
// hipgrain-run: third_launch
// hipgrain-stdout: apart: 1024 of 2048 right
// hipgrain-expect: HG102 kernel=add_each argument=0 api=hipMallocManaged at=@managed launches=1 offset=8192 from=@third advised=@advice confidence=proven
//
// The same, and only the launches that use the coarse-grained half, as their evaluation shows.
// hipgrain-run: first_launches
// hipgrain-stdout: apart: 1024 of 1024 right
// hipgrain-expect: none
//
// The coarse-grained half is the second one, and all that is used lies there.
// hipgrain-run: second_half
// hipgrain-stdout: apart: 1024 of 1024 right
// hipgrain-expect: none
// hipgrain-silent: HG102 HG108
//
// Two kinds of memory from one line.
// hipgrain-run: flags
// hipgrain-stdout: apart: 0 of 2 right
// hipgrain-expect: HG101 kernel=add_twice argument=0 api=hipHostMalloc at=@pinned launches=1 flags=hipHostMallocDefault
// hipgrain-expect: HG101 kernel=add_twice argument=0 api=hipHostMalloc at=@pinned launches=1 flags=hipHostMallocCoherent

#include "sample.h"

#define PAGE       4096
#define HALF       (2 * PAGE)
#define GROUP_SIZE 256
#define ELEMENTS   (PAGE / (int)sizeof(float))

__global__ void add_twice(float *sums)
{
	atomicAdd(&sums[0], 1.0f); // @first
	atomicAdd(&sums[1], 2.0f); // @second
}

__global__ void add_each(float *sums)
{
	atomicAdd(&sums[blockIdx.x * blockDim.x + threadIdx.x], 1.0f);
}

static float *managed(size_t bytes)
{
	float *p;

	CHECK(hipMallocManaged(&p, bytes)); // @managed
	memset(p, 0, bytes);
	return p;
}

static int right(const float *sums, int count, float each)
{
	int right = 0;

	for (int i = 0; i < count; i++) {
		right += sums[i] == each;
	}
	return right;
}

static void run_two_lines()
{
	float *sums = managed(2 * sizeof(*sums));

	add_twice<<<1, 1>>>(sums);
	CHECK(hipDeviceSynchronize());
	printf("apart: %d of 2 right\n", (sums[0] == 1) + (sums[1] == 2));
}

static void run_launches(bool third)
{
	float *sums = managed(2 * HALF);
	float *fine = sums + HALF / sizeof(*sums);

	CHECK(hipMemAdvise(sums, HALF, hipMemAdviseSetCoarseGrain, 0)); // @advice
	add_each<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(sums);
	add_each<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(sums);
	if (third) {
		add_each<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(fine); // @third
	}
	CHECK(hipDeviceSynchronize());
	printf("apart: %d of %d right\n",
	       right(sums, ELEMENTS, 2) + (third ? right(fine, ELEMENTS, 1) : 0),
	       third ? 2 * ELEMENTS : ELEMENTS);
}

static void run_second_half()
{
	float *sums = managed(2 * HALF);
	float *coarse = sums + HALF / sizeof(*sums);

	CHECK(hipMemAdvise(coarse, HALF, hipMemAdviseSetCoarseGrain, 0));
	add_each<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(coarse);
	CHECK(hipDeviceSynchronize());
	printf("apart: %d of %d right\n", right(coarse, ELEMENTS, 1), ELEMENTS);
}

static void run_flags()
{
	static const unsigned flags[] = { hipHostMallocDefault, hipHostMallocCoherent };
	int kept = 0;

	for (unsigned f : flags) {
		float *sums;

		CHECK(hipHostMalloc(&sums, 2 * sizeof(*sums), f)); // @pinned
		memset(sums, 0, 2 * sizeof(*sums));
		add_twice<<<1, 1>>>(sums);
		CHECK(hipDeviceSynchronize());
		kept += sums[0] == 1 && sums[1] == 2;
	}
	printf("apart: %d of 2 right\n", kept);
}

static const variant variants[] = {
	{ "two_lines", run_two_lines },
	{ "third_launch", [] { run_launches(true); } },
	{ "first_launches", [] { run_launches(false); } },
	{ "second_half", run_second_half },
	{ "flags", run_flags },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
