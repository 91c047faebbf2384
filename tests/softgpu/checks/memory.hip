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

/* The pointer and the index are uniform, so that loads are scalar. */
__global__ void scalar_load(const int *__restrict__ from, int *__restrict__ to, int skip)
{
	to[threadIdx.x] = from[blockIdx.x + skip] + 1;
}

/* The same load is in a branch that no work-item takes. */
__global__ void skipped_load(const int *__restrict__ from, int *__restrict__ to, int n)
{
	if ((int)threadIdx.x < n)
		to[threadIdx.x] = from[n] + 1;
}

__global__ void store_far(int *to, long skip)
{
	to[threadIdx.x + skip] = 1;
}

struct link {
	int *data;
	struct link *next;
};

__global__ void store_links(const struct link *links)
{
	for (; links; links = links->next)
		links->data[threadIdx.x] = 1;
}

/* The pointer is taken from memory by an atomic. */
__global__ void store_taken(unsigned long long *slot)
{
	int *to = (int *)atomicExch(slot, 0ull);

	if (to)
		to[threadIdx.x] = 1;
}

/* `to` is one element in front of the memory. */
__global__ void store_from_one(int *to)
{
	to[threadIdx.x + 1] = 1;
}

struct __attribute__((packed)) held {
	short n;
	int *data;
};

__global__ void store_held(struct held held)
{
	held.data[threadIdx.x] = held.n;
}

__global__ void store_two(int *one, int *other)
{
	one[threadIdx.x] = other[threadIdx.x];
}

/* It is the only variable of this code object. */
__device__ int numbers[64];

__global__ void store_variable(int skip)
{
	numbers[threadIdx.x + skip] = 1;
}

#define COUNT 1024

/* Runs what is about scalar loads, and about pointers to `b`. Returns false for another name. */
static bool run_pointers(const char *name, bool right, int *a, int *b)
{
	unsigned long long address = (unsigned long long)b;
	struct link host[2] = { { a, NULL }, { b, NULL } }, *links;
	struct held held = { 1, b };

	if (!strcmp(name, "scalar")) {
		scalar_load<<<1, 64>>>(a, b, right ? 0 : COUNT);
	} else if (!strcmp(name, "scalar_skipped")) {
		skipped_load<<<1, 64>>>(a, b, right ? 0 : COUNT);
	} else if (!strcmp(name, "variable")) {
		store_variable<<<1, 64>>>(right ? 0 : 1);
	} else if (!strcmp(name, "neighbour")) {
		/* Another launch has the pointer. */
		store_two<<<1, 64>>>(a, b);
		store_far<<<1, 64>>>(right ? b : a, right ? 0 : b - a);
	} else if (!strcmp(name, "pointers")) {
		if (hipMalloc((void **)&links, sizeof(host)))
			return false;
		host[0].next = links + 1;
		(void)hipMemcpy(links, host, sizeof(host), hipMemcpyHostToDevice);
		store_links<<<1, 64>>>(links);
		(void)hipMemcpy(a, &address, sizeof(address), hipMemcpyHostToDevice);
		store_taken<<<1, 1>>>((unsigned long long *)a);
		store_from_one<<<1, 64>>>(b - 1);
		store_held<<<1, 64>>>(held);
	} else {
		return false;
	}
	return true;
}

/* Runs what is about other memory than that of hipMalloc. Returns false for another name. */
static bool run_other(const char *name, bool right)
{
	hipStream_t stream;
	size_t pitch;
	int *a = NULL;

	if (!strcmp(name, "managed")) {
		if (hipMallocManaged((void **)&a, COUNT * sizeof(int)))
			return false;
	} else if (!strcmp(name, "pinned") || !strcmp(name, "pinned_freed")) {
		if (hipHostMalloc((void **)&a, COUNT * sizeof(int), 0))
			return false;
		if (!strcmp(name, "pinned_freed")) {
			if (!right)
				(void)hipHostFree(a);
			store<<<1, COUNT>>>(a, 0);
			return true;
		}
	} else if (!strcmp(name, "pitched")) {
		if (hipMallocPitch((void **)&a, &pitch, 256, 16))
			return false;
		store<<<1, 1>>>(a, (int)(pitch / sizeof(int)) * (right ? 15 : 16));
		return true;
	} else if (!strcmp(name, "pooled")) {
		if (hipStreamCreate(&stream) ||
		    hipMallocAsync((void **)&a, COUNT * sizeof(int), stream))
			return false;
		store<<<1, COUNT, 0, stream>>>(a, right ? 0 : 1);
		return true;
	} else if (!strcmp(name, "registered")) {
		static int host[2 * COUNT] __attribute__((aligned(4096)));

		if (hipHostRegister(host + 8, COUNT * sizeof(int), 0))
			return false;
		if (hipHostGetDevicePointer((void **)&a, host + 8, 0))
			return false;
	} else if (!strcmp(name, "signal")) {
		/* The runtime refuses another size. */
		return !hipExtMallocWithFlags((void **)&a, 8, hipMallocSignalMemory) &&
		       !hipGetLastError();
	} else if (!strcmp(name, "twice")) {
		if (hipMalloc((void **)&a, 4096) || hipFree(a))
			return false;
		return (hipFree(right ? NULL : a) == hipSuccess) == right;
	} else if (!strcmp(name, "copied") || !strcmp(name, "copied_freed")) {
		static char bytes[8192];
		bool end = !strcmp(name, "copied");

		if (hipMalloc((void **)&a, 4096))
			return false;
		if (!end && !right)
			(void)hipFree(a);
		(void)hipMemcpy(a, bytes, end && !right ? 4100 : 4096, hipMemcpyHostToDevice);
		(void)hipMemset(a, 0, 16);
		return true;
	} else {
		return false;
	}
	store<<<1, COUNT>>>(a, right ? 0 : 1);
	return true;
}

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
	} else if (!run_pointers(name, right, a, b) && !run_other(name, right)) {
		return 2;
	}
	return hipDeviceSynchronize() ? 1 : 0;
}
