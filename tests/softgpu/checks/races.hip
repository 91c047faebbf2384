// SPDX-License-Identifier: Apache-2.0
// Kernels with a race in LDS, by argument, and their twins without ("NAME_ok").
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#define ITEMS 256

template <bool RIGHT> __global__ void reverse(int *to)
{
	__shared__ int shared[ITEMS];

	shared[threadIdx.x] = threadIdx.x + 1;
	if (RIGHT)
		__syncthreads();
	to[threadIdx.x] = shared[ITEMS - 1 - threadIdx.x];
}

// The second round overwrites what slower waves still read.
template <bool RIGHT> __global__ void rounds(int *to)
{
	__shared__ int shared[ITEMS];
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		shared[threadIdx.x] = threadIdx.x + i;
		__syncthreads();
		sum += shared[(threadIdx.x + 64) % ITEMS];
		if (RIGHT)
			__syncthreads();
	}
	to[threadIdx.x] = sum;
}

template <bool RIGHT> __global__ void last(int *to)
{
	__shared__ int shared;

	if (threadIdx.x % 64 == 0 && (!RIGHT || threadIdx.x == 0))
		shared = threadIdx.x + 1;
	__syncthreads();
	to[threadIdx.x] = shared;
}

template <bool RIGHT> __global__ void halves(int *to)
{
	__shared__ int shared[ITEMS];

	shared[threadIdx.x] = threadIdx.x + 1;
	for (int n = ITEMS / 2; n; n /= 2) {
		if (RIGHT || n == ITEMS / 2)
			__syncthreads();
		if (threadIdx.x < n)
			shared[threadIdx.x] += shared[threadIdx.x + n];
	}
	__syncthreads();
	to[threadIdx.x] = shared[0];
}

template <bool RIGHT> __global__ void cleared(int *to)
{
	__shared__ int bins[4];

	if (threadIdx.x >= ITEMS - 4)
		bins[threadIdx.x - ITEMS + 4] = 7;
	if (RIGHT)
		__syncthreads();
	atomicAdd(&bins[threadIdx.x % 4], 1);
	__syncthreads();
	to[threadIdx.x] = bins[threadIdx.x % 4];
}

// All store the same.
template <bool RIGHT> __global__ void same(int *to)
{
	__shared__ int found;

	if (threadIdx.x == 0)
		found = 0;
	__syncthreads();
	if (threadIdx.x % 64 == 3)
		found = 1;
	__syncthreads();
	to[threadIdx.x] = found;
}

#define CASE(name)                                  \
	if (!strcmp(argv[1], #name)) {              \
		name<false><<<2, ITEMS>>>(to);      \
		return hipDeviceSynchronize() != 0; \
	}                                           \
	if (!strcmp(argv[1], #name "_ok")) {        \
		name<true><<<2, ITEMS>>>(to);       \
		return hipDeviceSynchronize() != 0; \
	}

int main(int argc, char **argv)
{
	int *to;

	if (argc < 2 || hipMalloc((void **)&to, ITEMS * sizeof(int)))
		return 2;
	CASE(reverse)
	CASE(rounds)
	CASE(last)
	CASE(halves)
	CASE(cleared)
	CASE(same)
	return 2;
}
