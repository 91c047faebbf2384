/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The L2 caches of a gfx942 with several XCDs, one each, between its work-groups and memory.
 *
 * A model after LLVM's AMDGPUUsage, "Memory Model GFX942" [LUG], as publications on MI300X quote
 * it; the table itself was not compared, nor hardware: L2 caches of one agent are not kept coherent
 * for memory of that agent. A store stays in its XCD's L2 until the line is written back
 * (BUFFER_WBL2 sc1, the end of the kernel, or because the hardware evicts it), unless sc1 is set on
 * it. A load is served by a line that is there, however old, until BUFFER_INV sc1 or the begin of a
 * kernel; with sc1 it comes from memory. Read-modify-write operations are performed on memory.
 *
 * Only one thread executes while there are such caches, so nothing here is locked.
 */
#ifndef SOFTGPU_L2_H
#define SOFTGPU_L2_H

#include "interp.h"

static inline bool sg_has_l2(const struct sg_wave *wave)
{
	return wave->run->nxcds > 1;
}

/* `size` bytes at GPU address `address`, whose bytes in memory are at `memory`, as the wave sees
 * them; `fresh`: from memory. */
void sg_l2_read(struct sg_wave *wave, uint64_t address, const uint8_t *memory, void *to,
		unsigned size, bool fresh);

/* The same for a store; `through`: to memory at once. */
void sg_l2_write(struct sg_wave *wave, uint64_t address, uint8_t *memory, const void *from,
		 unsigned size, bool through);

/* Before a read-modify-write on memory: the wave's L2 writes back what it has of it, and drops it.
 */
void sg_l2_leave(struct sg_wave *wave, uint64_t address, unsigned size);

/* BUFFER_WBL2 and BUFFER_INV with sc1. */
void sg_l2_write_back(struct sg_wave *wave);
void sg_l2_invalidate(struct sg_wave *wave);

/* A kernel begins or ends on GPU number `gpu`: write back and drop all lines of its L2 caches. */
void sg_l2_flush(unsigned gpu);

#endif
