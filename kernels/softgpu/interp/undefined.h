/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the undefined bits in a wave's registers: undefined.c keeps it, follow.c follows
 * it through instructions of registers, follow_memory.c through loads and stores.
 */
#ifndef SOFTGPU_UNDEFINED_H
#define SOFTGPU_UNDEFINED_H

#include "defined.h"

#define SG_ALL_LANES (~(uint64_t)0)

/* Loads of unwritten bytes that are remembered for each wave. */
#define SG_UNWRITTEN_LOADS 128u

/* A load of bytes of which some are unwritten. */
struct sg_unwritten_load {
	const char *name;
	uint64_t pc;
	uint32_t number;
	uint64_t lanes;             /* these loaded unwritten bytes */
	uint64_t address[SG_LANES]; /* of the first such byte; in LDS as a flat address */
	uint8_t size[SG_LANES];     /* such bytes from there on */
};

struct sg_undefined {
	uint64_t rows[SG_VECTORS / 64]; /* vector registers whose mask is not 0 */
	uint64_t scalars[SG_SCALARS / 64];
	bool scc;
	uint32_t (*v)[SG_LANES]; /* [SG_VECTORS], 0 for other rows */
	uint32_t s[SG_SCALARS];
	uint64_t computed[SG_VECTORS]; /* lanes whose value was computed */
	bool scomputed[SG_SCALARS];
	uint32_t load[SG_VECTORS], sload[SG_SCALARS],
	    scc_load; /* the numbers of the loads behind it */
	uint32_t nloads;
	struct sg_unwritten_load loads[SG_UNWRITTEN_LOADS];
};

static inline bool sg_bit(const uint64_t *set, unsigned i)
{
	return set[i / 64] >> i % 64 & 1;
}

static inline void sg_set_bit(uint64_t *set, unsigned i, bool value)
{
	set[i / 64] = (set[i / 64] & ~((uint64_t)1 << i % 64)) | (uint64_t)value << i % 64;
}

/* Returns what is known of the wave's registers; NULL if there is no memory for it. */
struct sg_undefined *sg_undefined_of(struct sg_wave *wave);
/* Notes whether any register of the wave has a mask. */
void sg_undefined_settle(struct sg_wave *wave);
/* Notes whether the mask of a register, which has changed, is 0. */
void sg_undefined_settle_row(struct sg_undefined *u, unsigned r);
/* Forgets the masks of the operand's registers. */
void sg_undefined_clear(struct sg_undefined *u, const struct sg_operand *o);
/* Returns true, and which load is behind it, if any register of the operand has a mask. */
bool sg_is_undefined(const struct sg_undefined *u, const struct sg_operand *o, uint32_t *load);
/* Reports that `in` uses what was loaded by load number `number`. */
void sg_undefined_report(struct sg_wave *wave, const struct sg_insn *in, uint32_t number,
			 enum softgpu_check_kind kind);
/* Reports addresses that depend on unwritten bytes, and has their registers defined. */
void sg_follow_addresses(struct sg_wave *wave, const struct sg_insn *in,
			 const struct sg_touched *touched);

#endif
