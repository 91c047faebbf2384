/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose callees are known at run time only, and some that look alike and are not. */
#include <hip/hip_runtime.h>

static __device__ void add(double *sum)
{
	unsafeAtomicAdd(sum, 1.0);
}

static __device__ void set(double *sum)
{
	*sum = 1;
}

__device__ void (*table[])(double *) = { add, set };

extern "C" __global__ void by_table(double *sum, int which)
{
	table[which](sum);
}

struct shape {
	virtual __device__ void grow(double *sum) = 0;
};

extern "C" __global__ void by_virtual(struct shape **shapes, double *sum)
{
	shapes[threadIdx.x]->grow(sum);
}

static __device__ __attribute__((noinline)) int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursive(int *n)
{
	*n = fibonacci(*n);
}

extern "C" __global__ void loaded(float **rows)
{
	*rows[threadIdx.x] = 1;
}
