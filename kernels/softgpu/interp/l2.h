/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caches of a gfx942 with several XCDs, between its work-groups and memory: a vector L1 of each
 * work-group's CU and an L2 of each XCD. After LLVM's AMDGPUUsage, "Memory Model GFX942" [LUG]; not
 * compared with hardware.
 *
 * L1: stores go through it. A load is served by a line that is there, however old, until BUFFER_INV
 * sc0 or sc1; with sc1 it is not. Each work-group has one of its own, as if on a CU of its own.
 *
 * L2, by the page's MTYPE (SOFTGPU_PAGE_MTYPE):
 *   RW  A store stays until the line is written back (BUFFER_WBL2 sc1, the end of the kernel, or
 *       because the hardware evicts it), unless it has sc1. What others write to memory drops the
 *       line (probes), so a load sees memory, and what its own XCD stored.
 *   NC  The same for stores. Lines stay when others write: a load may be served by an old one until
 *       BUFFER_INV sc1, unless it has sc1.
 *   CC  As RW; stores go to memory at once ([LUG], "Memory Model GFX90A": write through).
 *   UC  Neither cache holds it. (For L1 no document says so.)
 * Read-modify-write operations are performed on memory, after L2 wrote back what it has of it: code
 * of agent scope does not differ from that of narrower ones, but has to be atomic for all XCDs.
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

/* An access: `size` bytes at GPU address `address`, whose bytes in memory are at `memory`. */
struct sg_line_access {
	uint64_t address;
	uint8_t *memory;
	unsigned size;
	unsigned state; /* SOFTGPU_PAGE_* */
	bool sc1;       /* agent or system scope */
	bool scalar;    /* not by way of the vector L1 */
};

/* Perform a load and a store of the wave. */
void sg_l2_read(struct sg_wave *wave, const struct sg_line_access *access, void *to);
void sg_l2_write(struct sg_wave *wave, const struct sg_line_access *access, const void *from);

/* Before a read-modify-write on memory: the wave's L2 writes back what it has of it, and both
 * caches drop it. */
void sg_l2_leave(struct sg_wave *wave, uint64_t address, unsigned size);

/* Execute BUFFER_WBL2 with sc1, and BUFFER_INV with sc0 or sc1 (then of L2, too). */
void sg_l2_write_back(struct sg_wave *wave);
void sg_l2_invalidate(struct sg_wave *wave, bool sc1);

/* A kernel begins or ends on GPU number `gpu`: write back and drop all lines of its L2 caches. */
void sg_l2_flush(unsigned gpu);

/* A work-group starts (its L1 is empty), or is freed. */
void sg_l1_start(struct sg_group *group);
void sg_l1_free(struct sg_group *group);

#endif
