// SPDX-License-Identifier: Apache-2.0
// Which of a kernel's pointers does the atomic go through? Only memory that it reaches counts.
//
// hipgrain-build: -munsafe-fp-atomics
//
// Two fine-grained buffers, both updated: one finding each.
// hipgrain-run: both_fine
// hipgrain-stdout: pointers: first 0 expected 64, second 0 expected 128
// hipgrain-expect: HG101 kernel=count_both argument=0 api=hipMallocManaged at=@fine_first launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=count_both argument=1 api=hipMallocManaged at=@fine_second launches=1 confidence=proven
//
// hipgrain-run: one_fine
// hipgrain-stdout: pointers: first 64 expected 64, second 0 expected 128
// hipgrain-expect: HG101 kernel=count_both argument=1 api=hipMallocManaged at=@fine_second launches=1 confidence=proven
//
// hipgrain-run: none_fine
// hipgrain-stdout: pointers: first 64 expected 64, second 128 expected 128
// hipgrain-expect: none
//
// Ten launches of the same mistake: one finding, counted.
// hipgrain-run: ten_launches
// hipgrain-stdout: pointers: first 640 expected 640, second 0 expected 1280
// hipgrain-expect: HG101 kernel=count_both argument=1 api=hipMallocManaged at=@fine_second launches=10 confidence=proven
//
// Three atomics through one argument: one finding.
// hipgrain-run: three_atomics
// hipgrain-stdout: pointers: sum 0, sum of squares 0, count 0 expected 64
// hipgrain-expect: HG101 kernel=moments argument=0 api=hipMallocManaged at=@moments launches=1 confidence=proven
// hipgrain-gpu: gfx942: it performs them all
// hipgrain-stdout: pointers: sum 2016, sum of squares 85344, count 64 expected 64
// hipgrain-expect: none
//
// A pointer into the middle of an allocation.
// hipgrain-run: interior
// hipgrain-stdout: pointers: first 0 expected 64, second 128 expected 128
// hipgrain-expect: HG101 kernel=count_both argument=0 api=hipMallocManaged at=@interior launches=1 confidence=proven
//
// Each work-item chooses between the arguments.
// hipgrain-run: parity
// hipgrain-runtime: before 6.4: clang 21 does not see that the chosen address is global
// hipgrain-stdout: pointers: even 32 expected 32, odd 0 expected 32
// hipgrain-expect: HG101 kernel=count_parity argument=1 api=hipMallocManaged at=@fine_second launches=1 confidence=possible
//
// hipgrain-run: parity
// hipgrain-runtime: from 6.4: gfx90a has no addition of floats for other addresses, so clang 21 makes a loop
// hipgrain-stdout: pointers: even 32 expected 32, odd 32 expected 32
// hipgrain-expect: HG106 kernel=count_parity argument=1 api=hipMallocManaged at=@fine_second launches=1 confidence=possible
// hipgrain-expect: HG107 kernel=count_parity argument=0 api=hipMalloc at=@coarse launches=1 confidence=possible
// hipgrain-gpu: gfx942 without HG106 HG107: it adds floats at any address
//
// Both arguments are fine-grained: one finding, which names them.
// hipgrain-run: parity_fine
// hipgrain-runtime: before 6.4: see parity
// hipgrain-stdout: pointers: even 0 expected 32, odd 0 expected 32
// hipgrain-expect: HG101 kernel=count_parity launches=1 confidence=likely candidates=@fine_first,@fine_second
//
// hipgrain-run: parity_fine
// hipgrain-runtime: from 6.4: see parity
// hipgrain-stdout: pointers: even 32 expected 32, odd 32 expected 32
// hipgrain-expect: HG106 kernel=count_parity launches=1 confidence=likely candidates=@fine_first,@fine_second
// hipgrain-gpu: gfx942 without HG106: it adds floats at any address
//
// hipgrain-run: parity_coarse
// hipgrain-runtime: before 6.4: see parity
// hipgrain-stdout: pointers: even 32 expected 32, odd 32 expected 32
// hipgrain-expect: none
//
// The kernel chooses between its arguments, by a number that is an argument, too.
// hipgrain-run: chosen
// hipgrain-stdout: pointers: even 0 expected 0, odd 0 expected 64
// hipgrain-expect: HG101 kernel=count_chosen argument=1 api=hipMallocManaged at=@fine_second launches=1 confidence=proven
//
// A variable of the code object is coarse-grained.
// hipgrain-run: device_variable
// hipgrain-stdout: pointers: device variable 64 expected 64
// hipgrain-expect: none
//
// Fine-grained input, coarse-grained result: reading fine-grained memory is right.
// hipgrain-run: fine_input
// hipgrain-stdout: pointers: sum 2016 expected 2016
// hipgrain-expect: none
//
// LDS first, one global atomic for each group: the last step is lost all the same.
// hipgrain-run: lds_first
// hipgrain-stdout: pointers: sum 0 expected 2016
// hipgrain-expect: HG101 kernel=sum_lds argument=1 api=hipMallocManaged at=@lds_sum launches=1 confidence=proven

#include "sample.h"

#define ITEMS 64

__global__ void count_both(float *first, float *second)
{
	atomicAdd(first, 1.0f);
	atomicAdd(second, 2.0f);
}

/* The compiler makes one atomic of it, with a choice of address for each work-item. */
__global__ void count_parity(float *even, float *odd)
{
	if (threadIdx.x % 2) {
		atomicAdd(odd, 1.0f);
	} else {
		atomicAdd(even, 1.0f);
	}
}

__global__ void count_chosen(float *even, float *odd, int use_odd)
{
	float *sum = use_odd ? odd : even;

	atomicAdd(sum, 1.0f);
}

__global__ void moments(double *out)
{
	double x = threadIdx.x;

	atomicAdd(&out[0], x);
	atomicAdd(&out[1], x * x);
	atomicAdd(&out[2], 1.0);
}

__global__ void sum_input(const float *in, float *sum)
{
	atomicAdd(sum, in[threadIdx.x]);
}

__global__ void sum_lds(const float *in, float *sum)
{
	__shared__ float partial;

	if (threadIdx.x == 0) {
		partial = 0;
	}
	__syncthreads();
	atomicAdd(&partial, in[threadIdx.x]);
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(sum, partial);
	}
}

__device__ float device_count;

__global__ void count_in_variable()
{
	atomicAdd(&device_count, 1.0f);
}

static float *coarse_number()
{
	float *p;

	CHECK(hipMalloc(&p, sizeof(*p))); // @coarse
	CHECK(hipMemset(p, 0, sizeof(*p)));
	return p;
}

static float *fine_second()
{
	float *p;

	CHECK(hipMallocManaged(&p, sizeof(*p))); // @fine_second
	*p = 0;
	return p;
}

static float *fine_first()
{
	float *p;

	CHECK(hipMallocManaged(&p, sizeof(*p))); // @fine_first
	*p = 0;
	return p;
}

static float value(const float *p)
{
	float number;

	CHECK(hipMemcpy(&number, p, sizeof(number), hipMemcpyDefault));
	return number;
}

static void count(float *first, float *second, int launches)
{
	int expected = launches * ITEMS;

	for (int i = 0; i < launches; i++) {
		count_both<<<1, ITEMS>>>(first, second);
		CHECK(hipGetLastError());
	}
	CHECK(hipDeviceSynchronize());
	printf("pointers: first %g expected %d, second %g expected %d\n", value(first), expected,
	       value(second), 2 * expected);
}

static void parity(float *even, float *odd)
{
	count_parity<<<1, ITEMS>>>(even, odd);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	printf("pointers: even %g expected %d, odd %g expected %d\n", value(even), ITEMS / 2,
	       value(odd), ITEMS / 2);
}

static void run_interior()
{
	float *numbers;

	CHECK(hipMallocManaged(&numbers, 16384)); // @interior
	memset(numbers, 0, 16384);
	count(numbers + 2000, coarse_number(), 1);
}

static void run_chosen()
{
	float *even = coarse_number(), *odd = fine_second();

	count_chosen<<<1, ITEMS>>>(even, odd, 1);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	printf("pointers: even %g expected 0, odd %g expected %d\n", value(even), value(odd),
	       ITEMS);
}

static void run_three_atomics()
{
	double *out;

	CHECK(hipMallocManaged(&out, 3 * sizeof(*out))); // @moments
	out[0] = out[1] = out[2] = 0;
	moments<<<1, ITEMS>>>(out);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	printf("pointers: sum %g, sum of squares %g, count %g expected %d\n", out[0], out[1],
	       out[2], ITEMS);
}

static void run_device_variable()
{
	float number = 0;

	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(device_count), &number, sizeof(number)));
	count_in_variable<<<1, ITEMS>>>();
	CHECK(hipGetLastError());
	CHECK(hipMemcpyFromSymbol(&number, HIP_SYMBOL(device_count), sizeof(number)));
	printf("pointers: device variable %g expected %d\n", number, ITEMS);
}

typedef void (*sum_kernel)(const float *, float *);

static void sum(sum_kernel kernel, float *result)
{
	float *in;

	CHECK(hipMallocManaged(&in, ITEMS * sizeof(*in)));
	for (int i = 0; i < ITEMS; i++) {
		in[i] = (float)i;
	}
	kernel<<<1, ITEMS>>>(in, result);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	printf("pointers: sum %g expected %d\n", value(result), ITEMS * (ITEMS - 1) / 2);
}

static void run_lds_first()
{
	float *result;

	CHECK(hipMallocManaged(&result, sizeof(*result))); // @lds_sum
	*result = 0;
	sum(sum_lds, result);
}

static const variant variants[] = {
	{ "both_fine", [] { count(fine_first(), fine_second(), 1); } },
	{ "one_fine", [] { count(coarse_number(), fine_second(), 1); } },
	{ "none_fine", [] { count(coarse_number(), coarse_number(), 1); } },
	{ "ten_launches", [] { count(coarse_number(), fine_second(), 10); } },
	{ "three_atomics", run_three_atomics },
	{ "interior", run_interior },
	{ "parity", [] { parity(coarse_number(), fine_second()); } },
	{ "parity_fine", [] { parity(fine_first(), fine_second()); } },
	{ "parity_coarse", [] { parity(coarse_number(), coarse_number()); } },
	{ "chosen", run_chosen },
	{ "device_variable", run_device_variable },
	{ "fine_input", [] { sum(sum_input, coarse_number()); } },
	{ "lds_first", run_lds_first },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
