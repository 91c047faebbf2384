// SPDX-License-Identifier: Apache-2.0
// usage: work_groups CASE
// Kernels whose work-groups access the same global memory: with nothing that orders them, and, with _ok, right.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>

#define ITEMS  64
#define GROUPS 8

// Each work-group adds to the same word.
template <bool RIGHT> __global__ void counter(int *to)
{
	if (RIGHT)
		atomicAdd(to, 1);
	else
		*to += 1;
}

// Each stores its own number.
template <bool RIGHT> __global__ void stores(int *to)
{
	to[RIGHT ? blockIdx.x : 0] = blockIdx.x + 5;
}

// Each loads what the next one changes.
template <bool RIGHT> __global__ void in_place(int *to)
{
	int i = blockIdx.x * ITEMS + threadIdx.x, sum = to[i] + to[(i + ITEMS) % (GROUPS * ITEMS)];

	to[RIGHT ? GROUPS * ITEMS + i : i] = sum + 1;
}

// Bytes of the same words are different bytes.
template <bool RIGHT> __global__ void bytes(char *to)
{
	if (threadIdx.x < 4)
		to[RIGHT ? threadIdx.x * GROUPS + blockIdx.x : threadIdx.x + blockIdx.x] = blockIdx.x + 1;
}

// The last work-group sums what the others have stored, as it counted.
__global__ void last(int *to)
{
	__shared__ bool mine;

	if (threadIdx.x == 0) {
		to[blockIdx.x + 1] = blockIdx.x + 1;
		__threadfence();
		mine = atomicAdd(to, 1) == GROUPS - 1;
	}
	__syncthreads();
	if (mine && threadIdx.x == 0) {
		int sum = 0;

		__threadfence();
		for (int i = 1; i <= GROUPS; i++)
			sum += to[i];
		to[GROUPS + 1] = sum;
	}
}

// The next work-group waits for a flag.
__global__ void chain(int *to)
{
	volatile int *flags = to + 64, *values = to;

	if (threadIdx.x == 0) {
		if (blockIdx.x)
			while (!flags[(blockIdx.x - 1) * 16])
				;
		values[blockIdx.x] = (blockIdx.x ? values[blockIdx.x - 1] : 0) + 1;
		__threadfence();
		flags[blockIdx.x * 16] = 1;
	}
}

// All store the same: a flag that something was found.
__global__ void same(int *to)
{
	if (to[ITEMS + blockIdx.x] == 0)
		*to = 1;
}

// A work-group comes back to its own words.
__global__ void own(int *to)
{
	for (int i = 0; i < 3; i++)
		to[blockIdx.x * ITEMS + threadIdx.x] += i + 1;
}

// A work-group counts before it stores, so that a race shows where it is the first.
template <bool RIGHT> __global__ void order(int *to)
{
	if (threadIdx.x || blockIdx.x > 1)
		return;
	if (blockIdx.x == 1)
		atomicAdd(to + 1, 1);
	to[RIGHT ? 2 + blockIdx.x : 0] = blockIdx.x + 5;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*kernel)(int *);
	} cases[] = { { "counter", counter<false> },   { "counter_ok", counter<true> },
		      { "stores", stores<false> },     { "stores_ok", stores<true> },
		      { "in_place", in_place<false> }, { "in_place_ok", in_place<true> },
		      { "last", last },		       { "chain", chain },
		      { "same", same },		       { "own", own },
		      { "order", order<false> },     { "order_ok", order<true> } };
	const char *name = argc > 1 ? argv[1] : "";
	int *to;

	if (hipMalloc((void **)&to, 2 * GROUPS * ITEMS * sizeof(int)) || hipMemset(to, 0, 2 * GROUPS * ITEMS * sizeof(int)))
		return 2;
	for (const auto &one : cases)
		if (!strcmp(one.name, name)) {
			one.kernel<<<GROUPS, ITEMS>>>(to);
			return hipDeviceSynchronize() != hipSuccess || hipFree(to) != hipSuccess;
		}
	if (!strcmp(name, "bytes"))
		bytes<false><<<GROUPS, ITEMS>>>((char *)to);
	else if (!strcmp(name, "bytes_ok"))
		bytes<true><<<GROUPS, ITEMS>>>((char *)to);
	else
		return 2;
	return hipDeviceSynchronize() != hipSuccess || hipFree(to) != hipSuccess;
}
