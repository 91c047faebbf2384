/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which registers of a kernel can still matter to an address, and which instructions therefore.
 *
 * Most of a kernel computes what it loads and stores, not where, and most registers are reused. A
 * register is live where its contents may yet reach an address operand, the lane mask, or what is
 * read back from private memory. Others need not be followed there, which is what makes the
 * iteration over loops short.
 *
 * Liveness is meant for each lane by itself. A lane that an instruction switches off passes over
 * everything up to the one that switches it on again; there may be any number of both, so what is
 * live at any instruction that may switch lanes on (`aside`) is live wherever lanes are switched
 * off. What is read from other lanes, active or not, is live everywhere.
 */
#ifndef HIPGRAIN_ISA_SLICE_H
#define HIPGRAIN_ISA_SLICE_H

#include "insn.h"

/* A bit for each register. */
struct reg_set {
	uint64_t word[REG_COUNT / 64];
};

static inline bool reg_in(const struct reg_set *set, unsigned reg)
{
	return set->word[reg / 64] >> reg % 64 & 1;
}

/* Bits of `count` registers from `reg` on that lie in word `word` of a set. */
static inline uint64_t reg_bits(unsigned reg, unsigned count, unsigned word)
{
	unsigned end = reg + count < REG_COUNT ? reg + count : REG_COUNT;
	unsigned from = reg > word * 64 ? reg - word * 64 : 0;
	unsigned to = end > word * 64 ? end - word * 64 : 0;

	if (from >= 64 || from >= to)
		return 0;
	return (to >= 64 ? UINT64_MAX : (UINT64_C(1) << to) - 1) & UINT64_MAX << from;
}

/* Every register from `reg` on, `count` of them; words of a set are visited once each. */
#define REG_WORDS(w, reg, count) \
	for (unsigned w = (reg) / 64; w < REG_COUNT / 64 && w * 64 < (unsigned)(reg) + (count); w++)

static inline void reg_add(struct reg_set *set, unsigned reg, unsigned count)
{
	REG_WORDS(w, reg, count)
	set->word[w] |= reg_bits(reg, count, w);
}

static inline void reg_remove(struct reg_set *set, unsigned reg, unsigned count)
{
	REG_WORDS(w, reg, count)
	set->word[w] &= ~reg_bits(reg, count, w);
}

static inline bool reg_any(const struct reg_set *set, unsigned reg, unsigned count)
{
	uint64_t any = 0;

	REG_WORDS(w, reg, count)
	any |= set->word[w] & reg_bits(reg, count, w);
	return any;
}

struct slice {
	struct reg_set *live; /* by block: at its beginning, in active lanes */
	struct reg_set *mask; /* those of them that matter as lane masks only */
	struct reg_set aside; /* in lanes that are switched off, anywhere */
	bool *idle;           /* by instruction of the function: it changes nothing live */
};

/*
 * Fill *slice for a function that is a kernel's own. False where every register must be followed,
 * or without memory: there are calls, registers indexed at run time, code that is not understood.
 * `slice` is zeroed before; slice_clear() in either case.
 */
bool slice_function(struct slice *slice, const struct function *function);
void slice_clear(struct slice *slice);

#endif
