/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 10 kernels, or 410 with MANY: none is run. With TWINS all have the same machine code, and there are 10 more that
 * lead through pointers in memory.
 */
#include <hip/hip_runtime.h>

#ifdef TWINS
enum { IS_TWIN = true };
#else
enum { IS_TWIN = false };
#endif

template <int N> __global__ void count_above(int *count, double *sum, const double *value, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < size && value[i] > (IS_TWIN ? 1 : N)) {
		atomicAdd(count, 1);
		unsafeAtomicAdd(sum, value[i]);
	}
}

#define ONE(n)      template __global__ void count_above<n>(int *, double *, const double *, int);
#define TEN(n)      ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n)  TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

TEN(1)
#ifdef TWINS
template <int N> __global__ void count_behind(int **count, const int *which, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < size)
		atomicAdd(count[which[i]], 1);
}

#undef ONE
#define ONE(n) template __global__ void count_behind<n>(int **, const int *, int);
TEN(1)
#undef ONE
#define ONE(n) template __global__ void count_above<n>(int *, double *, const double *, int);
#endif
#ifdef MANY
HUNDRED(2)
HUNDRED(3)
HUNDRED(4)
HUNDRED(5)
#endif
