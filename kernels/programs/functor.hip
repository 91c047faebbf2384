// SPDX-License-Identifier: Apache-2.0
// Kernels as C++ libraries write them: the work is a struct that is passed by value, and the pointer that
// the atomic goes through lies somewhere inside it. The metadata of the code object calls it mere bytes.
//
// hipgrain-build: -munsafe-fp-atomics
//
// hipgrain-run: device
// hipgrain-stdout: functor: sum 2016 expected 2016
// hipgrain-expect: none
//
// hipgrain-run: managed
// hipgrain-stdout: functor: sum 0 expected 2016
// hipgrain-expect: HG101 kernel=for_each argument=0 kernarg=24 api=hipMallocManaged at=@managed_sum launches=1 confidence=proven
//
// hipgrain-run: pinned
// hipgrain-stdout: functor: sum 0 expected 2016
// hipgrain-expect: HG101 kernel=for_each argument=0 kernarg=24 api=hipHostMalloc at=@pinned_sum launches=1 confidence=proven
//
// Two pointers in one struct, both updated: two findings for one argument.
// hipgrain-run: two_sums
// hipgrain-stdout: functor: sum 0 expected 2016
// hipgrain-stdout: functor: squares 0 expected 85344
// hipgrain-expect: HG101 kernel=for_each argument=0 kernarg=16 api=hipMallocManaged at=@first_sum launches=1
// hipgrain-expect: HG101 kernel=for_each argument=0 kernarg=24 api=hipMallocManaged at=@second_sum launches=1
//
// A number or a pointer, of which a flag says which it is, as BLAS libraries pass their scalars. Behind a number stands what was on
// the stack, here the rest of a host address: nothing is read there.
// hipgrain-run: number
// hipgrain-stdout: functor: 64 of 64 right
// hipgrain-expect: none
// hipgrain-silent: HG209
//
// hipgrain-run: number_in_memory
// hipgrain-stdout: functor: 64 of 64 right
// hipgrain-expect: none
//
// hipgrain-run: number_on_host
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=fill argument=2 kernarg=8 launches=1 confidence=proven

#include "sample.h"

#define ELEMENTS 64

struct accumulate {
	float scale;     /* offset 0 */
	const float *in; /* 8 */
	int stride;      /* 16 */
	double *sum;     /* 24 */

	__device__ void operator()(int i) const
	{
		atomicAdd(sum, (double)(scale * in[i * stride]));
	}
};

struct moments {
	const float *in; /* 0 */
	int stride;      /* 8 */
	float *sum;      /* 16 */
	float *squares;  /* 24 */

	__device__ void operator()(int i) const
	{
		atomicAdd(sum, in[i * stride]);
		atomicAdd(squares, in[i * stride] * in[i * stride]);
	}
};

template <class functor> __global__ void for_each(functor f, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		f(i);
	}
}

template <class functor> static void parallel_for(int n, const functor &f)
{
	for_each<<<(n + 63) / 64, 64>>>(f, n);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
}

static float *make_input()
{
	float *in;

	CHECK(hipMallocManaged(&in, ELEMENTS * sizeof(*in)));
	for (int i = 0; i < ELEMENTS; i++) {
		in[i] = (float)i;
	}
	return in;
}

static double expected(bool squares)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		sum += squares ? i * i : i;
	}
	return sum;
}

static void report(double sum)
{
	printf("functor: sum %g expected %g\n", sum, expected(false));
}

static void run_device()
{
	float *in = make_input();
	double *sum, total;

	CHECK(hipMalloc(&sum, sizeof(*sum)));
	CHECK(hipMemset(sum, 0, sizeof(*sum)));
	parallel_for(ELEMENTS, accumulate{ 1.0f, in, 1, sum });
	CHECK(hipMemcpy(&total, sum, sizeof(total), hipMemcpyDeviceToHost));
	report(total);
	CHECK(hipFree(sum));
	CHECK(hipFree(in));
}

static void run_managed()
{
	float *in = make_input();
	double *sum;

	CHECK(hipMallocManaged(&sum, sizeof(*sum))); // @managed_sum
	*sum = 0;
	parallel_for(ELEMENTS, accumulate{ 1.0f, in, 1, sum });
	report(*sum);
	CHECK(hipFree(sum));
	CHECK(hipFree(in));
}

static void run_pinned()
{
	float *in = make_input();
	double *sum;

	CHECK(hipHostMalloc(&sum, sizeof(*sum), hipHostMallocDefault)); // @pinned_sum
	*sum = 0;
	parallel_for(ELEMENTS, accumulate{ 1.0f, in, 1, sum });
	report(*sum);
	CHECK(hipHostFree(sum));
	CHECK(hipFree(in));
}

static void run_two_sums()
{
	float *in = make_input();
	float *sum, *squares;

	CHECK(hipMallocManaged(&sum, sizeof(*sum)));         // @first_sum
	CHECK(hipMallocManaged(&squares, sizeof(*squares))); // @second_sum
	*sum = *squares = 0;
	parallel_for(ELEMENTS, moments{ in, 1, sum, squares });
	report(*sum);
	printf("functor: squares %g expected %g\n", *squares, expected(true));
	CHECK(hipFree(sum));
	CHECK(hipFree(squares));
	CHECK(hipFree(in));
}

struct number_or_pointer {
	union {
		int value;
		const int *pointer;
	};
};

static __global__ void fill(bool is_number, int n, number_or_pointer number, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		out[i] = is_number ? number.value : *number.pointer;
	}
}

static void fill_and_report(bool is_number, number_or_pointer number, int expected)
{
	int out[ELEMENTS], *device, right = 0;

	CHECK(hipMalloc(&device, sizeof(out)));
	fill<<<1, 64>>>(is_number, ELEMENTS, number, device);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(out, device, sizeof(out), hipMemcpyDeviceToHost));
	for (int i = 0; i < ELEMENTS; i++) {
		right += out[i] == expected;
	}
	printf("functor: %d of %d right\n", right, ELEMENTS);
	CHECK(hipFree(device));
}

static int on_host[ELEMENTS];

static void run_number()
{
	number_or_pointer number;
	int value;

	number.pointer = on_host; /* the bits that the stack held */
	memcpy(&value, &number, sizeof(value));
	number.value = value;
	fill_and_report(true, number, value);
}

static void run_number_in_memory()
{
	number_or_pointer number;
	int value = 7, *copy;

	CHECK(hipMalloc(&copy, sizeof(value)));
	CHECK(hipMemcpy(copy, &value, sizeof(value), hipMemcpyHostToDevice));
	number.pointer = copy;
	fill_and_report(false, number, value);
	CHECK(hipFree(copy));
}

static void run_number_on_host()
{
	number_or_pointer number;

	number.pointer = on_host;
	fill_and_report(false, number, 0);
}

static const variant variants[] = {
	{ "device", run_device },
	{ "managed", run_managed },
	{ "pinned", run_pinned },
	{ "two_sums", run_two_sums },
	{ "number", run_number },
	{ "number_in_memory", run_number_in_memory },
	{ "number_on_host", run_number_on_host },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
