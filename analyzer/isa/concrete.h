/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data flow of one launch, whose arguments, sizes and words in memory are known
 * (isa_evaluate()).
 *
 * Numbers that these give are constants; what instructions make of constants is computed by the
 * rows of alu.h. Pointers stay what they are in the data flow (value.h), so that it is known where
 * an address comes from, but comparisons and carries are computed from what they are. A branch that
 * is decided goes one way, and a loop of such branches is followed round by round. What is not
 * known, as work-items' numbers are not, is treated as ever: ways are joined.
 */
#ifndef HIPGRAIN_ISA_CONCRETE_H
#define HIPGRAIN_ISA_CONCRETE_H

#include "alu.h"
#include "codeobj/codeobj.h"
#include "flow.h"

/* An evaluation knows this of the launch. */
struct launch_values {
	const struct isa_launch *launch;
	const struct codeobj_kernel *kernel; /* the layout of its arguments */
	unsigned steps;                      /* instructions that it may take */
	unsigned waiting;                    /* blocks that are still to be visited */
	/* Rows that were looked up, by the address of the mnemonic's text. */
	struct {
		const char *mnemonic;
		const struct alu_row *row;
	} row[64];
};

/* Finds the dword at a byte offset of the arguments, hidden ones included. Returns false if it is
 * not known. */
bool launch_dword(const struct launch_values *values, uint32_t offset, uint32_t *dword);

/* Returns true if that dword is known and is no part of an address. */
bool launch_is_number(const struct launch_values *values, uint32_t offset);

/* Returns the value of a load of a dword of the arguments: a constant, or the data flow's value. */
value_id concrete_argument(struct flow *flow, uint32_t offset);

/* Returns the value of a load from the dispatch packet, at a byte offset. */
value_id concrete_packet(struct flow *flow, const struct insn *insn, int64_t offset);

/* Stores the numbers of work-group and work-items at the kernel's entry. Returns 0 or -ENOMEM. */
int concrete_begin(struct flow *flow, const struct flow_entry *entry, struct state *state);

/* Returns true if all waves come to this point, with every lane active. */
bool concrete_is_sure(const struct flow *flow, const struct state *state);

/* ---- concrete_load.c: numbers, and what is loaded ---- */

/*
 * Finds a dword that is known: a constant, or one of the arguments plus a constant. *base is the
 * argument's, else 0.
 */
bool concrete_dword(const struct flow *flow, value_id id, uint32_t *dword, uint32_t *base);

/* Finds the address that has these halves, if it is known. */
bool concrete_address(const struct flow *flow, value_id low, value_id high, uint64_t *address);

/* Finds dword number `part` of a load from a known address, if it is a number that is known. */
bool concrete_load(struct flow *flow, const struct insn *insn, uint64_t address, unsigned part,
		   value_id *value);

/*
 * Finds the same, at an offset from an address that is a known one plus an index from 0 to a bound,
 * as of work-items: the number that all of the words are, or from the least to the greatest.
 */
bool concrete_load_each(struct flow *flow, const struct insn *insn, const struct value_pair *pair,
			int64_t offset, value_id *value);

/* Finds what a load of a part of a known dword gives, from its byte `at` on. Returns false if that
 * is not known. */
bool concrete_part(struct flow *flow, const struct insn *insn, value_id dword, unsigned at,
		   value_id *part);
/* Does the same for a dword of the arguments, by the byte offset of the part. */
bool concrete_argument_part(struct flow *flow, const struct insn *insn, uint32_t offset,
			    value_id *part);

/* Does an evaluation's flow_step() around the data flow's own. Returns 0 or a negative errno. */
int concrete_step(struct flow *flow, const struct function *function, const struct insn *insn,
		  struct state *state);

/* Returns which operand an OP_SELECT of the vector unit takes: 1 or 2; 0: not known. */
int concrete_select(const struct flow *flow, const struct insn *insn, const struct state *state);

/* Control goes one of these ways at a block's end. */
enum concrete_way { WAY_BOTH, WAY_ON, WAY_JUMP };
/* Returns the way. `before` is how the target of a branch back was entered last, else NULL. */
enum concrete_way concrete_branch(const struct flow *flow, const struct insn *insn,
				  const struct state *state, const struct state *before);

/* ---- concrete_mask.c: masks of lanes ---- */

/* A mask, as far as it is known; the larger the number the fewer lanes. */
enum { LANES_EVERY = -1, LANES_ROOT = 0, LANES_NONE = 1000, LANES_UNKNOWN };

/* Returns what a mask in a register is: LANES_* or a shrink site's place (state_place_of()). */
int concrete_lanes(const struct flow *flow, const struct state *state,
		   const struct operand *operand);
/* Returns 1 if it has all active lanes, 0 if it has none of them; -1: not known. */
int concrete_active(const struct flow *flow, const struct state *state,
		    const struct operand *operand);
/* Does the same for exec itself. */
int concrete_exec(const struct state *state);
/* Returns the value of such a mask in each dword. */
value_id concrete_mask(struct flow *flow, const struct state *state, int lanes);
/* Exec at that shrink site is going to be another: masks that were made of it are not known any
 * more. Returns 0 or a negative errno. */
int concrete_forget(struct flow *flow, struct state *state, uint32_t site);
/* Executes an instruction on masks if enough is known of them: then *handled is true. */
int concrete_masks(struct flow *flow, const struct insn *insn, struct state *state, bool *handled);

#endif
