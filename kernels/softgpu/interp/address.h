/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of vector memory instructions, lane by lane. */
#ifndef SOFTGPU_ADDRESS_H
#define SOFTGPU_ADDRESS_H

#include "interp.h"

enum sg_space { SG_GLOBAL, SG_FLAT, SG_SCRATCH, SG_BUFFER };

/* Addresses of one vector memory instruction. */
struct sg_access {
	enum sg_space space; /* SG_GLOBAL, SG_FLAT, or SG_SCRATCH: offsets in private memory */
	uint64_t active;     /* lanes that access memory */
	uint64_t outside;    /* active lanes at least a part of whose access is out of range */
	uint64_t address[SG_LANES];
	/* The number of bytes that are in range, from the first on, of each lane in `outside`; the
	 * rest reads 0 or is dropped. */
	uint8_t inside[SG_LANES];
};

/*
 * Compute the addresses of `in`, whose operands are vaddr (number `v`) and what follows from the
 * space: saddr, or buffer resource and soffset, at number `s`. `size`: bytes per lane.
 * False after stopping the wave.
 */
bool sg_addresses(struct sg_wave *wave, const struct sg_insn *in, enum sg_space space, unsigned v,
		  unsigned s, unsigned size, struct sg_access *access);

struct sg_touched;
/* The same into touched->active and touched->address; lanes that are out of range access nothing.
 */
bool sg_touch_addresses(struct sg_wave *wave, const struct sg_insn *in, unsigned v, unsigned s,
			struct sg_touched *touched);

/*
 * Host pointer of one lane's access; NULL: nothing there (LDS) or the wave stopped. *state
 * receives the page's state, 0 for LDS and private memory.
 */
uint8_t *sg_access_pointer(struct sg_wave *wave, const struct sg_access *access, unsigned lane,
			   unsigned size, unsigned *state);

/*
 * Copy a lane's bytes, all or none of which are in range, to `to` (zeros if out of range) or from
 * `from` (dropped if out of range). Return false if the wave stopped. In vmem.c.
 */
bool sg_read_lane(struct sg_wave *wave, const struct sg_insn *in, const struct sg_access *access,
		  unsigned lane, unsigned size, uint8_t *to);
bool sg_write_lane(struct sg_wave *wave, const struct sg_insn *in, const struct sg_access *access,
		   unsigned lane, unsigned size, const uint8_t *from);

/*
 * An instruction all of whose lanes stay in one span, or in private memory: lane l is at base +
 * offset[l].
 */
struct sg_reach {
	uint8_t *base;
	const uint32_t *offset; /* a vector register, or `own` */
	unsigned state;
	uint32_t own[SG_LANES];
};

/*
 * Find that out for `in` (operands as for sg_addresses). False: use sg_addresses, nothing happened.
 */
bool sg_reach(struct sg_wave *wave, const struct sg_insn *in, enum sg_space space, unsigned v,
	      unsigned s, unsigned size, struct sg_reach *reach);

#endif
