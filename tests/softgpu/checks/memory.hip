// SPDX-License-Identifier: Apache-2.0
// Kernels whose accesses to memory are wrong, by argument, and their twins that are right ("NAME_ok").
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void store(int *to, int skip)
{
	to[threadIdx.x + skip] = 1;
}

__global__ void load(const int *from, int *to, int skip)
{
	to[threadIdx.x] = from[threadIdx.x + skip];
}

__global__ void store_pair(double2 *to, int skip)
{
	to[threadIdx.x] = make_double2(1, skip);
}

__global__ void count(int *to, int skip)
{
	atomicAdd(to + threadIdx.x + skip, 1);
}

__global__ void count_at(char *to, int bytes)
{
	atomicAdd((int *)(to + bytes), 1);
}

__global__ void local(int *to, int skip)
{
	extern __shared__ int shared[];

	shared[threadIdx.x + skip] = threadIdx.x;
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x];
}

__global__ void local_load(int *to, int skip)
{
	extern __shared__ int shared[];

	shared[threadIdx.x] = threadIdx.x;
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x + skip];
}

#define COUNT 1024

int main(int argc, char **argv)
{
	char name[32] = "";
	int *a, *b, right;

	if (argc > 1)
		snprintf(name, sizeof(name), "%s", argv[1]);
	right = strstr(name, "_ok") != NULL;
	if (right)
		*strstr(name, "_ok") = 0;
	if (hipMalloc((void **)&a, COUNT * sizeof(int)) || hipMalloc((void **)&b, COUNT * sizeof(int)))
		return 1;
	(void)hipMemset(a, 0, COUNT * sizeof(int));
	if (!strcmp(name, "store"))
		store<<<1, COUNT>>>(a, right ? 0 : 1);
	else if (!strcmp(name, "load"))
		load<<<1, COUNT>>>(a, b, right ? 0 : 8);
	else if (!strcmp(name, "partly"))
		store_pair<<<1, right ? COUNT / 4 : COUNT / 4 + 1>>>((double2 *)a, 2);
	else if (!strcmp(name, "atomic"))
		count<<<1, COUNT>>>(a, right ? 0 : 1);
	else if (!strcmp(name, "misaligned"))
		count_at<<<1, 64>>>((char *)a, right ? 4 : 2);
	else if (!strcmp(name, "lds_store"))
		local<<<1, 256, 1024>>>(b, right ? 0 : 1);
	else if (!strcmp(name, "lds_load"))
		local_load<<<1, 256, 1024>>>(b, right ? 0 : 1);
	else if (!strcmp(name, "freed")) {
		if (!right)
			(void)hipFree(a);
		store<<<1, COUNT>>>(a, 0);
	} else if (!strcmp(name, "reused")) {
		int *c;

		(void)hipFree(a);
		if (hipMalloc((void **)&c, COUNT * sizeof(int)))
			return 1;
		store<<<1, COUNT>>>(right ? c : a, 0);
	} else {
		return 2;
	}
	return hipDeviceSynchronize() ? 1 : 0;
}
