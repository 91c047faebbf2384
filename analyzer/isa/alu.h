/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes what instructions of integers do, by the rows of the software GPU's interpreter
 * (kernels/softgpu/interp): there is one description of them.
 */
#ifndef HIPGRAIN_ISA_ALU_H
#define HIPGRAIN_ISA_ALU_H

#include <stdbool.h>
#include <stdint.h>

struct alu_in {
	uint64_t a, b, c;
	uint64_t old;   /* is what the destination held */
	int32_t imm;    /* of s_movk_i32 and its kind, sign-extended */
	uint32_t scc;   /* the condition code */
	uint32_t carry; /* of a lane */
};

struct alu_out {
	uint64_t d;
	uint32_t scc;   /* as it was, where the instruction leaves it */
	uint32_t carry; /* of a lane, where the instruction has one */
};

/* An instruction of one lane, or of the scalar unit. */
struct alu_row {
	const char *name; /* without encoding suffix */
	void (*compute)(const struct alu_in *in, struct alu_out *out);
	uint8_t dwords[4];         /* of the destination, a, b and c; 0: it has none */
	bool first_is_source;      /* it has no destination among its operands */
	bool carries, takes_carry; /* its second operand, or its last one, is a mask of carries */
	bool compares;             /* its destination is a mask of lanes; d is 0 or 1 */
};

/* Returns the row of a mnemonic, or NULL if there is none. */
const struct alu_row *alu_row(const char *mnemonic);

#endif
