// SPDX-License-Identifier: Apache-2.0
// Kernels with barriers that not all work-items reach, by argument, and their twins that are right ("NAME_ok").
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#define ITEMS 256

// Work-items without an element pass the barriers of the sum by, and wait at the last one.
template <bool RIGHT> __global__ void passed(int *to, int n)
{
	__shared__ int sum[ITEMS];
	int i = threadIdx.x;

	if (RIGHT || i < n) {
		sum[i] = i < n ? to[i] : 0;
		for (int half = ITEMS / 2; half; half /= 2) {
			__syncthreads();
			if (i < half && i + half < n)
				sum[i] += sum[i + half];
		}
	}
	__syncthreads();
	to[i] = sum[0];
}

template <bool RIGHT> __global__ void stored(int *to, int n)
{
	int i = threadIdx.x;

	if (RIGHT || i < n)
		__syncthreads();
	to[i] = n;
}

// The second wave takes the first one's first barrier for the common one.
template <bool RIGHT> __global__ void waves(int *to, int n)
{
	int i = threadIdx.x;

	if (i < 64) {
		to[i] = n;
		if (!RIGHT)
			__syncthreads();
		to[i] += n;
	}
	__syncthreads();
	to[i] = 1;
}

// These are right on AMD's GPUs: returned work-items and ended waves take no part in barriers.
template <bool RIGHT> __global__ void returned(int *to, int n)
{
	int i = threadIdx.x;

	if (i >= n)
		return;
	to[i] = i;
	__syncthreads();
	to[i] += to[n - 1 - i];
}

// Both ways end with a store, which the compiler merges.
template <bool RIGHT> __global__ void merged(int *to, int n)
{
	int i = threadIdx.x;

	if (i >= n) {
		to[i] = 0;
		return;
	}
	to[i] = i;
	__syncthreads();
	to[i] = to[n - 1 - i] + 1;
}

template <bool RIGHT> __global__ void ended(int *to, int n)
{
	int i = threadIdx.x;

	to[i] = i;
	__syncthreads();
	if (i >= 64)
		return;
	to[i] += to[i + 64];
	__syncthreads();
	to[i] += to[63 - i];
}

// Whole waves, of which each passes as many barriers.
template <bool RIGHT> __global__ void arms(int *to, int n)
{
	int i = threadIdx.x;

	if (i < 64) {
		to[i] = n;
		__syncthreads();
		to[i] += 1;
	} else {
		to[i] = 2 * n;
		__syncthreads();
		to[i] += 2;
	}
}

#define CASE(name)                                  \
	if (!strcmp(argv[1], #name)) {              \
		name<false><<<2, ITEMS>>>(to, 200); \
		return hipDeviceSynchronize() != 0; \
	}                                           \
	if (!strcmp(argv[1], #name "_ok")) {        \
		name<true><<<2, ITEMS>>>(to, 200);  \
		return hipDeviceSynchronize() != 0; \
	}

int main(int argc, char **argv)
{
	int *to;

	if (argc < 2 || hipMalloc((void **)&to, ITEMS * sizeof(int)))
		return 2;
	CASE(passed)
	CASE(stored)
	CASE(waves)
	CASE(returned)
	CASE(merged)
	CASE(ended)
	CASE(arms)
	return 2;
}
