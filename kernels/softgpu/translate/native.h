/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translation of runs of vector-ALU instructions into the host's code (x86-64 with AVX2 and FMA).
 *
 * A run is straight code in which a lane sees only its own values, so it is executed for eight
 * lanes at a time from its first instruction to its last, and values stay in the host's registers:
 *
 *   native.c       which instructions make a run; entering it
 *   native_regs.c  what the host's registers hold; loop, constants, calls out of it
 *   native_cold.c  code out of line
 *   native_room.c  memory for the code
 *   native_ops.c   which instruction is whose; native_int.c, native_float.c, native_divide.c
 *
 * A row of 64 words is eight registers' worth. A 64-bit value of eight lanes is in two: lanes 0, 1,
 * 4, 5 and lanes 2, 3, 6, 7, as the instructions that interleave words leave it.
 */
#ifndef SOFTGPU_NATIVE_H
#define SOFTGPU_NATIVE_H

#include "kernels/softgpu/interp/lanes.h"
#include "native_x86.h"

#define NATIVE_REGS      14
#define NATIVE_TEMP      14 /* the register free for a few instructions */
#define NATIVE_SKIP      15 /* lanes not to write: ones */

#define NATIVE_CONSTANTS 512
#define NATIVE_COLDS     256
#define NATIVE_MASKS     64

/* The content of a register of the host. */
enum native_held {
	HELD_NOTHING,
	HELD_TEMP,
	HELD_ROW,      /* vector register `key` */
	HELD_PAIR,     /* lanes 0, 1, 4, 5 of vector registers `key` and `key` + 1 */
	HELD_PAIR_TOP, /* lanes 2, 3, 6, 7 */
	HELD_MASK,     /* all ones in lanes whose bit is set in the scalar pair `key` */
	HELD_WORD,     /* `key` in every lane */
	HELD_QUAD,
	HELD_SCALAR, /* scalar register `key` in every lane */
	HELD_SCALAR_PAIR,
	HELD_BITS, /* 1 << lane */
};

struct native_reg {
	uint8_t held;
	bool dirty;  /* memory does not have it yet */
	bool locked; /* the instruction that is being translated uses it */
	uint32_t used;
	uint64_t key;
};

/* Two registers with a 64-bit value of eight lanes, or one with a 32-bit value, twice. */
struct native_value {
	uint8_t r[2];
};

/* A way out of line for operands that are hard: the row's own function does them. */
struct native_cold {
	uint8_t *jump, *back;
	const struct sg_op *op;
	struct native_value a, b, c, d;
	uint8_t cin, cout;
	bool nan;
	bool rows; /* a value of 64 bits is in two rows of words instead */
};

struct native {
	struct x86 x;
	struct native_reg reg[NATIVE_REGS];
	uint32_t clock;
	bool masked; /* EXEC is not all ones */
	bool failed; /* an operand of a kind that can't be had */
	struct {
		uint8_t *at;
		uint8_t size;
		uint64_t value;
	} constant[NATIVE_CONSTANTS];
	unsigned nconstants;
	struct native_cold cold[NATIVE_COLDS];
	unsigned ncolds;
	uint8_t mask[NATIVE_MASKS]; /* scalar pairs with masks that the run writes */
	unsigned nmasks;
	uint8_t *top, *skip;
};

/* Return the host's register that holds a row of 64 words of vector registers, or the value of two
 * in 64 bits. */
uint8_t native_row(struct native *n, unsigned index);
struct native_value native_pair(struct native *n, unsigned index);
uint8_t native_mask(struct native *n, unsigned scalar);
uint8_t native_word(struct native *n, uint32_t value);
uint8_t native_quad(struct native *n, uint64_t value);
uint8_t native_scalar(struct native *n, unsigned index, bool pair);
uint8_t native_temp(struct native *n);
/* A temporary one is not needed any more. */
void native_free(struct native *n, uint8_t r);
/* Returns a register that is good for the next instruction of the host only. */
uint8_t native_word_once(struct native *n, uint32_t value);

/* Registers for results; those of the instruction's sources must have been allocated before. */
uint8_t native_set_row(struct native *n, unsigned index);
struct native_value native_set_pair(struct native *n, unsigned index);
uint8_t native_set_mask(struct native *n, unsigned scalar);

/* The instruction is translated: its registers may serve others. */
void native_unlock(struct native *n);

/* Write the frame of the whole code, before the first and after the last instruction. */
void native_begin(struct native *n);
void native_end(struct native *n);

/*
 * Jump out of line if a lane's sign bit is set in `hard`. There `op` computes `d` from the others,
 * which must not change ordinary lanes' results; or, with `nan`, only NaN in `d` are replaced.
 */
void native_cold(struct native *n, uint8_t hard, const struct native_cold *cold);
unsigned native_frame_size(void);
void native_end_colds(struct native *n);

/* Append one instruction's code; false when it has to be left to the interpreter. */
bool native_translate(struct native *n, const struct sg_insn *in);
/* Could native_translate() know the row? */
bool native_knows(const struct sg_op *op);

#endif
