// SPDX-License-Identifier: Apache-2.0
/*
 * Several GPUs: memory, kernels, symbols and copies of each, and one GPU in another's memory.
 * TAP on stdout. Arguments: number of GPUs expected; whether they are in a hive (0 or 1).
 * With "stray" as third: a kernel in a peer's memory without leave, which ends the process.
 */
#include <hip/hip_runtime.h>

#include <hip/hip_cooperative_groups.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

#define COUNT 1000

__device__ int factor = 1;
__managed__ int where[16];

__global__ void fill(int *data, int device, int peer)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < COUNT)
		data[i] = static_cast<int>(i) * factor + peer;
	if (!i)
		where[device] = device + 1;
}

__global__ void add(int *data)
{
	atomicAdd(data, 1);
}

static bool holds(const int *data, int multiplier, int peer)
{
	int copy[COUNT];

	if (hipMemcpy(copy, data, sizeof copy, hipMemcpyDeviceToHost))
		return false;
	for (int i = 0; i < COUNT; i++)
		if (copy[i] != i * multiplier + peer)
			return false;
	return true;
}

static void test_each(int device, bool hive, int **data)
{
	int *fine;
	hipDeviceProp_t properties;
	hipPointerAttribute_t attributes;
	int own = device + 2, current = -1;

	check(!hipSetDevice(device) && !hipGetDevice(&current) && current == device,
	      "GPU %d is chosen", device);
	check(!hipGetDeviceProperties(&properties, device) && properties.pciBusID == 3 + device &&
		  strstr(properties.name, "software GPU"),
	      "GPU %d is on bus %d", device, properties.pciBusID);
	check(!hipMalloc(data, COUNT * sizeof **data) &&
		  !hipPointerGetAttributes(&attributes, *data) && attributes.device == device,
	      "GPU %d owns its memory", device);
	check(!hipMemcpyToSymbol(HIP_SYMBOL(factor), &own, sizeof own), "GPU %d: copy to symbol",
	      device);
	fill<<<4, 256>>>(*data, device, 0);
	check(!hipDeviceSynchronize() && holds(*data, own, 0),
	      "GPU %d: its kernel used its own variable", device);
	/* Without a hive there is no fine-grained VRAM: refused, from 6.3 on coarse-grained [CLR62, CLR63d, SEEN64]. */
	check(!hipExtMallocWithFlags(reinterpret_cast<void **>(&fine), COUNT * sizeof *fine,
				     hipDeviceMallocFinegrained) == (hive || HIP_VERSION >= 60300000),
	      "GPU %d has %s fine-grained VRAM", device, hive ? "a pool of" : "no");
	if (hive) {
		fill<<<4, 256>>>(fine, device, 7);
		check(!hipDeviceSynchronize() && holds(fine, own, 7), "GPU %d writes there",
		      device);
	}
}

static void test_copies(int count, int **data)
{
	int *target;

	for (int from = 0; from < count; from++) {
		int to = (from + 1) % count;
		if (from == to)
			continue;
		check(!hipSetDevice(to) && !hipMalloc(&target, COUNT * sizeof *target) &&
			  !hipMemcpyPeer(target, to, data[from], from, COUNT * sizeof *target) &&
			  !hipDeviceSynchronize() && holds(target, from + 2, 0),
		      "hipMemcpyPeer from GPU %d to %d", from, to);
		(void)hipFree(target);
	}
}

static void test_access(int from, int to, int *data, bool reach)
{
	int can = -1;

	check(!hipSetDevice(from) && !hipDeviceCanAccessPeer(&can, from, to) && can == reach,
	      "GPU %d %s reach GPU %d", from, reach ? "can" : "can't", to);
	if (!reach)
		return;
	check(!hipDeviceEnablePeerAccess(to, 0), "hipDeviceEnablePeerAccess");
	fill<<<4, 256>>>(data, from, 100);
	check(!hipDeviceSynchronize() && holds(data, from + 2, 100),
	      "GPU %d wrote into GPU %d's memory", from, to);
	add<<<10, 64>>>(data + 1);
	check(!hipDeviceSynchronize() && !hipSetDevice(to), "atomics on a peer's memory");
	add<<<10, 64>>>(data + 1);
	int value = 0;
	check(!hipMemcpy(&value, data + 1, sizeof value, hipMemcpyDeviceToHost) &&
		  value == from + 2 + 100 + 1280,
	      "GPU %d and %d counted together: %d", from, to, value);
}

static void test_host(int count)
{
	int *pinned;

	check(!hipSetDevice(0) &&
		  !hipHostMalloc(&pinned, 2 * COUNT * sizeof *pinned, hipHostMallocPortable),
	      "hipHostMalloc");
	memset(pinned, 0, COUNT * sizeof *pinned);
	for (int device = 0; device < count; device++) {
		(void)hipSetDevice(device);
		add<<<1, 64>>>(pinned);
	}
	for (int device = 0; device < count; device++) {
		(void)hipSetDevice(device);
		(void)hipDeviceSynchronize();
	}
	check(*pinned == count * 64, "host memory: %d", *pinned);
	bool good = true;
	for (int device = 0; device < count; device++)
		good = good && where[device] == device + 1;
	check(good, "managed memory is written by each GPU");
}

/* Not mapped for GPU 1 while nobody called hipDeviceEnablePeerAccess. */
static int stray(void)
{
	int *data;

	if (hipMalloc(&data, COUNT * sizeof *data) || hipSetDevice(1))
		return 1;
	fill<<<4, 256>>>(data, 1, 0);
	return hipDeviceSynchronize() ? 2 : 3;
}

/* Each work-item counts, all grids meet, the first of each grid reads: in each of three rounds. */
__global__ void meet(int *counter, int *seen)
{
	cooperative_groups::multi_grid_group all = cooperative_groups::this_multi_grid();

	for (int round = 0; round < 3; round++) {
		__hip_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
		all.sync();
		if (!threadIdx.x && !blockIdx.x)
			seen[3 * all.grid_rank() + round] =
			    __hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
		all.sync();
	}
}

static void test_meeting(int count)
{
	int *counter, *seen, wrong = 0;
	void *arguments[] = { &counter, &seen };
	hipLaunchParams launches[16] = {};
	bool good = !hipHostMalloc(&counter, sizeof *counter, hipHostMallocCoherent) &&
		    !hipHostMalloc(&seen, 48 * sizeof *seen, hipHostMallocCoherent);

	*counter = 0;
	for (int i = 0; i < count; i++) {
		good = good && !hipSetDevice(i) && !hipStreamCreate(&launches[i].stream);
		launches[i].func = reinterpret_cast<void *>(meet);
		launches[i].gridDim = dim3(3);
		launches[i].blockDim = dim3(128);
		launches[i].args = arguments;
	}
	good = good && !hipLaunchCooperativeKernelMultiDevice(launches, count, 0);
	for (int i = 0; i < count; i++)
		good = good && !hipSetDevice(i) && !hipDeviceSynchronize();
	for (int i = 0; i < 3 * count; i++)
		wrong += seen[i] != (i % 3 + 1) * 384 * count;
	check(good && !wrong, "grids of %d devices meet: %d wrong", count, wrong);
}

int main(int argc, char **argv)
{
	int expected = argc > 1 ? atoi(argv[1]) : 1, reach = argc > 2 && atoi(argv[2]);
	int count = 0, *data[16];

	if (argc > 3)
		return stray();
	check(!hipGetDeviceCount(&count) && count == expected, "%d GPUs", count);
	for (int device = 0; device < count; device++)
		test_each(device, reach, &data[device]);
	for (int device = 0; device < count; device++)
		check(!hipSetDevice(device) && holds(data[device], device + 2, 0),
		      "GPU %d kept its data", device);
	test_copies(count, data);
	test_host(count);
	for (int device = 1; device < count; device++)
		test_access(device, 0, data[0], reach);
	test_meeting(count);
	return tap_end();
}
