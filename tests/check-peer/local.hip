// SPDX-License-Identifier: Apache-2.0
// Accesses outside of shared memory (LDS) and of work-items' own arrays.
#include "gpu.h"

#define COUNT 128

__global__ void fixed(int *to, int store, int load)
{
	__shared__ int shared[COUNT];

	shared[threadIdx.x + store] = threadIdx.x;
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x + load];
}

static void try_fixed(int store, int load)
{
	int *a = zeroed<int>(COUNT);

	fixed<<<1, COUNT>>>(a, store, load);
	WAIT();
	finish(a, COUNT);
}

CASE(shared_store_past, "memcheck", "a store one element past shared memory")
{
	try_fixed(PICK(1, 0), 0);
}

CASE(shared_load_past, "memcheck", "a load one element past shared memory")
{
	try_fixed(0, PICK(1, 0));
}

CASE(shared_store_before, "memcheck", "a store one element in front of shared memory")
{
	try_fixed(PICK(-1, 0), 0);
}

CASE(shared_load_before, "memcheck", "a load one element in front of shared memory")
{
	try_fixed(0, PICK(-1, 0));
}

__global__ void sized_by_launch(int *to)
{
	extern __shared__ int dynamic[];

	dynamic[threadIdx.x] = threadIdx.x;
	__syncthreads();
	to[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

CASE(shared_dynamic, "memcheck", "a launch with one element of shared memory too few")
{
	int *a = zeroed<int>(COUNT);

	sized_by_launch<<<1, COUNT, (COUNT - PICK(1, 0)) * sizeof(int)>>>(a);
	WAIT();
	finish(a, COUNT);
}

CASE(shared_dynamic_none, "memcheck", "a launch without the shared memory that the kernel uses")
{
	int *a = zeroed<int>(COUNT);

	sized_by_launch<<<1, COUNT, PICK(0, COUNT * sizeof(int))>>>(a);
	WAIT();
	finish(a, COUNT);
}

CASE(shared_group_too_large, "memcheck", "a work-group of more items than its shared memory has elements")
{
	int *a = zeroed<int>(2 * COUNT);

	fixed<<<1, PICK(2 * COUNT, COUNT)>>>(a, 0, 0);
	WAIT();
	finish(a, 2 * COUNT);
}

__global__ void two_arrays(int *to, int skip)
{
	__shared__ struct {
		int first[COUNT];
		int second[COUNT];
	} shared;

	shared.first[threadIdx.x] = 1;
	shared.second[threadIdx.x] = 2;
	__syncthreads();
	to[threadIdx.x] = shared.first[threadIdx.x + skip];
}

CASE(shared_neighbour, "memcheck", "an array in shared memory is read past its end, into the next one")
{
	int *a = zeroed<int>(COUNT);

	two_arrays<<<1, COUNT>>>(a, PICK(1, 0));
	WAIT();
	finish(a, COUNT);
}

__global__ void shared_count(int *to, int skip)
{
	__shared__ int shared[COUNT];

	shared[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(shared + threadIdx.x + skip, 1);
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x];
}

CASE(shared_atomic, "memcheck", "an atomic one element past shared memory")
{
	int *a = zeroed<int>(COUNT);

	shared_count<<<1, COUNT>>>(a, PICK(1, 0));
	WAIT();
	finish(a, COUNT);
}

__global__ void tile(int *to, int stride)
{
	__shared__ int shared[16 * 16];

	shared[threadIdx.y * stride + threadIdx.x] = 1;
	__syncthreads();
	to[threadIdx.y * 16 + threadIdx.x] = shared[threadIdx.x * stride + threadIdx.y];
}

CASE(shared_tile, "memcheck", "a tile of 16 x 16 with rows of 17")
{
	int *a = zeroed<int>(256);

	tile<<<1, dim3(16, 16)>>>(a, PICK(17, 16));
	WAIT();
	finish(a, 256);
}

__device__ __noinline__ void fill(int *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = i;
}

__global__ void fill_shared(int *to, int n)
{
	__shared__ int shared[COUNT];

	if (threadIdx.x == 0)
		fill(shared, n);
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x];
}

CASE(shared_in_function, "memcheck", "a function stores one element past shared memory that a kernel gave it")
{
	int *a = zeroed<int>(COUNT);

	fill_shared<<<1, COUNT>>>(a, PICK(COUNT + 1, COUNT));
	WAIT();
	finish(a, COUNT);
}

__global__ void shared_fours(int *to, int bytes)
{
	__shared__ int4 shared[32];

	*(int4 *)((char *)(shared + threadIdx.x) + bytes) = make_int4(1, 2, 3, 4);
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x].x;
}

CASE(shared_vector, "memcheck", "a store of 16 bytes past shared memory")
{
	int *a = zeroed<int>(32);

	shared_fours<<<1, 32>>>(a, PICK(16, 0));
	WAIT();
	finish(a, 32);
}

__global__ void own_array(int *to, int store, int load)
{
	int own[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	own[store] = threadIdx.x;
	to[threadIdx.x] = own[load] + own[threadIdx.x % 8];
}

static void try_own(int store, int load)
{
	int *a = zeroed<int>(64);

	own_array<<<1, 64>>>(a, store, load);
	WAIT();
	finish(a, 64);
}

CASE(own_store_past, "memcheck", "a store one element past a work-item's array")
{
	try_own(PICK(8, 7), 0);
}

CASE(own_load_past, "memcheck", "a load one element past a work-item's array")
{
	try_own(7, PICK(8, 0));
}

CASE(own_store_before, "memcheck", "a store one element in front of a work-item's array")
{
	try_own(PICK(-1, 0), 0);
}

CASE(own_store_far, "memcheck", "a store 4 MiB past a work-item's array")
{
	try_own(PICK(1 << 20, 7), 0);
}

__global__ void own_in_function(int *to, int n)
{
	int own[16];

	fill(own, n);
	to[threadIdx.x] = own[threadIdx.x % 16];
}

CASE(own_in_function, "memcheck", "a function stores one element past the array of a work-item that called it")
{
	int *a = zeroed<int>(64);

	own_in_function<<<1, 64>>>(a, PICK(17, 16));
	WAIT();
	finish(a, 64);
}

__global__ void own_structure(int *to, int n)
{
	struct {
		int values[8];
		int sum;
	} own;

	for (int i = 0; i < 8; i++)
		own.values[i] = to[i];
	own.sum = 5;
	for (int i = 0; i < n; i++)
		own.values[i] = i * (int)threadIdx.x;
	to[threadIdx.x] = own.sum + own.values[threadIdx.x % 8];
}

CASE(own_structure, "memcheck", "one element past an array in a work-item's structure")
{
	int *a = zeroed<int>(64);

	own_structure<<<1, 8>>>(a, PICK(9, 8));
	WAIT();
	finish(a, 64);
}
