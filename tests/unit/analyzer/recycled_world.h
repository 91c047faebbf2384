/* SPDX-License-Identifier: Apache-2.0 */
/* Heap whose pages kernels' faults bring to the GPU, and the host's faults on it; for tests of
 * HG314. */
#ifndef HIPGRAIN_TEST_RECYCLED_WORLD_H
#define HIPGRAIN_TEST_RECYCLED_WORLD_H

#include "migration_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/host.h"

#define HEAP 0x500000000u

/* A fault of the host's in a block of 2 MiB, as the driver tells it a moment later. */
static void host_fault(uint64_t address)
{
	clock_ns += 10;
	late(6, address, 2 * MIB, 0, -1, CPU_FAULT, 0, 5);
}

static void host_faults(uint64_t start, unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++)
		host_fault(start + i * 2ull * MIB);
}

/* A block of the heap whose pages a kernel's faults brought to the GPU. */
static void in_gpu_memory(unsigned blocks)
{
	alloc(HG_API_malloc, HEAP, blocks * 2ull * MIB, 31);
	launch(HEAP, OTHER);
	gpu_faults(HEAP, blocks);
	wait();
}

/* ... and that is freed there. */
static void freed_in_gpu_memory(unsigned blocks)
{
	in_gpu_memory(blocks);
	release(HG_API_free, HEAP);
}

#endif
