/* SPDX-License-Identifier: Apache-2.0 */
/* Compare-and-swap loops: what they compute (docs/memory-model.md#compare-and-swap-loops). */
#ifndef HIPGRAIN_ISA_CASLOOP_H
#define HIPGRAIN_ISA_CASLOOP_H

#include "insn.h"

struct casloop {
	bool loop;     /* the instruction lies in a loop */
	bool computes; /* the new value is computed from the old one: an atomic operation */
	bool lock;     /* spins on a fixed expected value without computing anything */
	enum isa_op op;
	enum isa_type type;
	bool fp;
	const char *why; /* it updates memory's old value, but how is not seen; NULL otherwise */
};

/* An instruction does this to a value on its way from memory back to it. */
struct arithmetic {
	enum isa_op op;
	enum isa_type type;
	bool fp;
	bool masked;   /* a result of floating point was shifted, masked or counted up */
	bool converts; /* between integers and floating point, as a division of integers does */
	bool product;  /* multiplies integers */
	bool halves;   /* two floats, of the upper and the lower half of a dword: of type bf16 */
};

/* Returns false if it does nothing (a move, or one that only quiets a NaN); `kind` is zeroed. */
bool casloop_arithmetic(const struct insn *insn, struct arithmetic *kind);

/*
 * Tells what a compare-and-swap of `dwords` dwords computes, given the arithmetic on the way. If
 * that is more than one operation on a number as wide as the word, the operation is "other".
 */
void casloop_conclude(const struct arithmetic *kind, unsigned dwords, struct casloop *result);

/* A comparison that tells the smaller from the larger. */
struct ordering {
	unsigned first;    /* its operands are this one and the next */
	bool first_larger; /* the first one is the larger, or as large, where it holds */
	bool fp;
	enum isa_type type;
	unsigned dwords; /* of each operand */
};

/* Returns false if the instruction is no such comparison. */
bool casloop_ordering(const struct insn *insn, struct ordering *ordering);

/* Returns 1 if the instruction at `pc` lies in a loop of `function`, else 0, or -ENOMEM. */
int casloop_in_loop(const struct function *function, uint64_t pc);

/*
 * Set in_loop[] (one per block, zeroed before) for the blocks that lie on some cycle through block
 * `start`; *cyclic tells whether there is one. Then narrow that to the innermost loop.
 * Returns 0 or -ENOMEM.
 */
int loop_find(const struct function *function, uint32_t start, bool *in_loop, bool *cyclic);
int loop_innermost(const struct function *function, uint32_t start, bool *in_loop);

/* Classify the compare-and-swap `insn` of `function`. Returns 0 or -ENOMEM. */
int casloop_classify(const struct function *function, const struct insn *insn,
		     struct casloop *result);

#endif
