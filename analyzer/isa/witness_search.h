/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the witness's registers, which the files witness*.c share. */
#ifndef HIPGRAIN_ISA_WITNESS_SEARCH_H
#define HIPGRAIN_ISA_WITNESS_SEARCH_H

#include "choice_search.h"
#include "certain_path.h"

/* Identifies a dword whose first bit, the witness's in a mask of lanes, is known and no other. */
#define LANE_IN  CHOICE_ALL
#define LANE_OUT CHOICE_NONE

struct witness_state {
	uint8_t scc;       /* enum choice_truth */
	choice_id scc_why; /* of TRUTH_UNKNOWN: what it depends on, or CHOICE_UNKNOWN */
	bool reached;
	choice_id reg[REG_COUNT]; /* copies have those that the function names */
};

/* Describes an instruction, which is read once. */
struct witness_insn {
	struct choice_insn own;
	uint8_t relation; /* of a vector comparison: enum choice_relation */
	bool is_signed, wide;
	bool counts_lanes; /* it counts the lanes before this one in a mask: v_mbcnt */
};

/* ---- witness_number.c ---- */

/* Returns the first bit of a dword, or -1 if it is not known. */
int witness_bit(const struct choice *choice, choice_id id);
/* The first returns LANE_IN or LANE_OUT for a bit; the second returns true for these. */
choice_id witness_lane(int bit);
bool witness_is_lane(choice_id id);
bool witness_is(const struct choice *choice, choice_id id, uint32_t number);
/* Returns the upper half of flat addresses of LDS or private memory. */
choice_id witness_aperture(struct choice *choice);

/* They compute one dword, and return CHOICE_UNKNOWN where the result is not known. */
choice_id witness_and(struct choice *choice, choice_id a, choice_id b);
choice_id witness_and_not(struct choice *choice, choice_id a, choice_id b);
choice_id witness_or(struct choice *choice, choice_id a, choice_id b);
choice_id witness_xor(struct choice *choice, choice_id a, choice_id b);
choice_id witness_not(struct choice *choice, choice_id a);
choice_id witness_add(struct choice *choice, choice_id a, choice_id b, bool subtract);
choice_id witness_multiply(struct choice *choice, choice_id a, choice_id b);
/* The carry is 0, 1 or -1 (not known); *carried becomes the next one. */
choice_id witness_add_carry(struct choice *choice, choice_id a, choice_id b, int carry,
			    bool subtract, int *carried);

enum witness_shift_kind { WITNESS_LEFT, WITNESS_RIGHT, WITNESS_RIGHT_SIGNED };
choice_id witness_shift(struct choice *choice, choice_id value, choice_id count,
			enum witness_shift_kind direction);
/* It shifts two dwords, if both are constants. */
void witness_shift_wide(struct choice *choice, const choice_id *value, choice_id count,
			enum witness_shift_kind direction, choice_id *result);

/* ---- witness_compute.c ---- */

#define WITNESS_SOURCES 5 /* the first operands, with the destination */

/*
 * Computes one or two dwords, as the first operand has, from dwords of the operands; an OP_SELECT
 * takes operand `selected`, or 0, which is not known. Returns false for another instruction.
 */
bool witness_result(struct choice *choice, const struct witness_insn *read,
		    const choice_id (*value)[2], unsigned selected, choice_id *result);

/* ---- witness_step.c ---- */

void witness_read(const struct choice *choice, const struct insn *insn, uint32_t index,
		  struct witness_insn *read);

/* Changes the witness's registers as the instruction does. A branch changes nothing. */
void witness_step(struct choice *choice, struct witness_insn *read, struct witness_state *state);

/* Tells if a wave takes a branch; if that is not known, *why is what it depends on. */
enum choice_truth witness_taken(const struct choice *choice, const struct insn *insn,
				const struct witness_state *state, choice_id *why);

#endif
