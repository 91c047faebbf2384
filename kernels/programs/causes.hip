// SPDX-License-Identifier: Apache-2.0
// One cause, several kernels, arguments and lines: each row of a report's table is expected here, and the number of causes.
//
// hipgrain-build: -munsafe-fp-atomics
//
// (gfx942 loses no atomics.)
// Three kernels update one block, one of them through two arguments.
// hipgrain-run: block
// hipgrain-only: gfx90a
// hipgrain-stdout: causes: 0 of 96 right
// hipgrain-causes: 1
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@block launches=2 confidence=proven
// hipgrain-expect: HG101 kernel=add_force argument=0 api=hipMallocManaged at=@block launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_both argument=0 api=hipMallocManaged at=@block launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_both argument=1 api=hipMallocManaged at=@block launches=1 confidence=proven
//
// A class requests all its arrays as managed memory; two of four are updated.
// hipgrain-run: wrapper
// hipgrain-only: gfx90a
// hipgrain-stdout: causes: 96 of 288 right
// hipgrain-causes: 1
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@array launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_force argument=0 api=hipMallocManaged at=@array launches=1 confidence=proven
//
// Two lines allocate: two causes.
// hipgrain-run: lines
// hipgrain-only: gfx90a
// hipgrain-stdout: causes: 0 of 192 right
// hipgrain-causes: 2
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@one launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_force argument=0 api=hipMallocManaged at=@other launches=1 confidence=proven
//
// A library's kernel is given what it does as a lambda.
// hipgrain-run: lambda
// hipgrain-only: gfx90a
// hipgrain-stdout: causes: 0 of 96 right
// hipgrain-causes: 1
// hipgrain-expect: HG101 kernel=for_each_kernel api=hipMallocManaged at=@lambda launches=1 confidence=proven
//
// One line copies too much, for each of its callers.
// hipgrain-run: copies
// hipgrain-stdout: causes: 96 of 96 right
// hipgrain-causes: 2
// hipgrain-expect: HG606 call=hipMemcpy from=@upload
// hipgrain-expect: HG606 call=hipMemcpy from=@upload
// hipgrain-expect: HG707 call=hipMemcpy from=@upload
// hipgrain-harmless: what lies behind the memory is nothing that the program prints

#include "sample.h"

#define ELEMENTS 96

__global__ void add_energy(float *sums)
{
	atomicAdd(&sums[threadIdx.x], 1.0f);
}

__global__ void add_force(float *sums, float by)
{
	atomicAdd(&sums[threadIdx.x], by);
}

__global__ void add_both(float *sums, float *upper)
{
	atomicAdd(&sums[threadIdx.x], 1.0f);
	atomicAdd(&upper[threadIdx.x], 1.0f);
}

template <typename Body>
__global__ void for_each_kernel(int count, Body body)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		body(i);
}

template <typename Body>
static void for_each(int count, Body body)
{
	for_each_kernel<<<1, ELEMENTS>>>(count, body);
}

static int right(const float *sums, float each)
{
	int right = 0;

	for (int i = 0; i < ELEMENTS; i++)
		right += sums[i] == each;
	return right;
}

static void run_block()
{
	float *sums;

	CHECK(hipMallocManaged(&sums, ELEMENTS * sizeof(*sums))); // @block
	memset(sums, 0, ELEMENTS * sizeof(*sums));
	add_energy<<<1, ELEMENTS>>>(sums);
	add_energy<<<1, ELEMENTS>>>(sums);
	add_force<<<1, ELEMENTS>>>(sums, 2);
	add_both<<<1, ELEMENTS / 2>>>(sums, sums + ELEMENTS / 2);
	CHECK(hipDeviceSynchronize());
	printf("causes: %d of %d right\n", right(sums, 5), ELEMENTS);
}

class array
{
public:
	explicit array(size_t count)
	{
		CHECK(hipMallocManaged(&elements, count * sizeof(*elements))); // @array
		memset(elements, 0, count * sizeof(*elements));
	}
	~array()
	{
		(void)hipFree(elements);
	}
	float *elements;
};

static void run_wrapper()
{
	array energy(ELEMENTS);
	array mass(2 * ELEMENTS);
	array force(3 * ELEMENTS);

	add_energy<<<1, ELEMENTS>>>(energy.elements);
	add_force<<<1, ELEMENTS>>>(force.elements, 1);
	CHECK(hipDeviceSynchronize());
	printf("causes: %d of %d right\n",
	       right(energy.elements, 1) + right(mass.elements, 0) + right(force.elements, 1),
	       3 * ELEMENTS);
}

static void run_lines()
{
	float *energy, *force;

	CHECK(hipMallocManaged(&energy, ELEMENTS * sizeof(*energy))); // @one
	CHECK(hipMallocManaged(&force, ELEMENTS * sizeof(*force)));   // @other
	memset(energy, 0, ELEMENTS * sizeof(*energy));
	memset(force, 0, ELEMENTS * sizeof(*force));
	add_energy<<<1, ELEMENTS>>>(energy);
	add_force<<<1, ELEMENTS>>>(force, 1);
	CHECK(hipDeviceSynchronize());
	printf("causes: %d of %d right\n", right(energy, 1) + right(force, 1), 2 * ELEMENTS);
}

static void run_lambda()
{
	float *sums;

	CHECK(hipMallocManaged(&sums, ELEMENTS * sizeof(*sums))); // @lambda
	memset(sums, 0, ELEMENTS * sizeof(*sums));
	for_each(ELEMENTS, [=] __device__(int i) { atomicAdd(&sums[i], 1.0f); });
	CHECK(hipDeviceSynchronize());
	printf("causes: %d of %d right\n", right(sums, 1), ELEMENTS);
}

static void upload(float *to, const float *from)
{
	SHOW("upload", hipMemcpy(to, from, (ELEMENTS + 1) * sizeof(*to), hipMemcpyHostToDevice)); // @upload
}

static void run_copies()
{
	static float sums[2 * ELEMENTS];
	float *energy, *force;

	CHECK(hipMalloc(&energy, ELEMENTS * sizeof(*energy)));
	CHECK(hipMalloc(&force, ELEMENTS * sizeof(*force)));
	upload(energy, sums);
	upload(force, sums);
	CHECK(hipMemcpy(sums, energy, ELEMENTS * sizeof(*sums), hipMemcpyDeviceToHost));
	printf("causes: %d of %d right\n", right(sums, 0), ELEMENTS);
}

static const variant variants[] = {
	{ "block", run_block },
	{ "wrapper", run_wrapper },
	{ "lines", run_lines },
	{ "lambda", run_lambda },
	{ "copies", run_copies },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
