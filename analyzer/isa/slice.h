/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds which registers of a kernel can still matter to an address, and which instructions
 * therefore do.
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

/*
 * Do something with each word of a set that has some of `count` registers from `reg` on, and with
 * the bits of these; mostly it is one word.
 */
#define REG_WORDS(w, bits, reg, count, do_this)                                     \
	do {                                                                        \
		unsigned w = (reg) / 64, left_ = (count), shift_ = (reg) % 64;      \
                                                                                    \
		for (; left_ && w < REG_COUNT / 64; w++, shift_ = 0) {              \
			unsigned here_ = left_ < 64 - shift_ ? left_ : 64 - shift_; \
			uint64_t bits = UINT64_MAX >> (64 - here_) << shift_;       \
                                                                                    \
			do_this;                                                    \
			left_ -= here_;                                             \
		}                                                                   \
	} while (0)

static inline void reg_add(struct reg_set *set, unsigned reg, unsigned count)
{
	REG_WORDS(w, bits, reg, count, set->word[w] |= bits);
}

static inline void reg_remove(struct reg_set *set, unsigned reg, unsigned count)
{
	REG_WORDS(w, bits, reg, count, set->word[w] &= ~bits);
}

static inline bool reg_any(const struct reg_set *set, unsigned reg, unsigned count)
{
	uint64_t any = 0;

	REG_WORDS(w, bits, reg, count, any |= set->word[w] & bits);
	return any;
}

struct slice {
	struct reg_set *live; /* by block: at its beginning, in active lanes */
	struct reg_set *mask; /* has the ones of them that matter as lane masks only */
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
