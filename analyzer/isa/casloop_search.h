/* SPDX-License-Identifier: Apache-2.0 */
/* casloop.c and casloop_exit.c search a function backwards for what a value is made of. */
#ifndef HIPGRAIN_ISA_CASLOOP_SEARCH_H
#define HIPGRAIN_ISA_CASLOOP_SEARCH_H

#include "casloop.h"

#define ROOTS_MAX 8u

/* Something that holds a value: a register, a lane of one, or a private memory slot. */
struct place {
	uint32_t kind; /* 0 register, 1 lane, 2 slot */
	uint32_t a, b;
};

struct search {
	const struct function *function;
	const struct insn *cas;
	const bool *in_loop; /* per block */
	struct visit {
		uint32_t block;
		struct place place;
	} * seen;
	size_t seen_count, seen_room;
	struct todo {
		uint32_t block, before;
		struct place place;
	} * todo;
	size_t todo_count, todo_room;
	bool reaches_old; /* some path ends in memory's old value */
	/*
	 * Search the whole function, through moves only, for what a value is when it is made. There
	 * may be several, of which each is a root.
	 */
	bool for_roots;
	struct root {
		const struct insn *insn; /* NULL: a register or slot as the function begins */
		struct place place;      /* then; else kind is the dword of its destination */
		bool constant;
		int64_t value;
	} root[ROOTS_MAX];
	unsigned root_count;
	bool too_many;
	bool arithmetic;
	struct arithmetic kind;
	/* Operations on floats, and if a dword's upper half was masked, its lower one shifted up.
	 */
	const struct insn *float_insn[2];
	enum isa_op float_op[2];
	unsigned float_count;
	bool upper, lower;
};

/*
 * Finds what is in `count` registers of `data` from number `first` on, ahead of instruction `index`
 * of `block`. The results are in search->arithmetic, kind and reaches_old, or in root. Returns 0 or
 * -ENOMEM.
 */
int search_operand(struct search *search, uint32_t block, uint32_t index,
		   const struct operand *data, unsigned first, unsigned count);

/*
 * The compare-and-swap search->cas, instruction `index` of `block`, stores a value that is not
 * computed from memory's old one: finds what decides whether it is stored. Fills result->computes,
 * op, type and fp, or result->why. Returns 0 or -ENOMEM.
 */
int casloop_exit(struct search *search, uint32_t block, uint32_t index, const struct operand *data,
		 struct casloop *result);

#endif
