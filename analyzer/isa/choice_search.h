/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a search for conditions on arguments: what the files choice*.c share. */
#ifndef HIPGRAIN_ISA_CHOICE_SEARCH_H
#define HIPGRAIN_ISA_CHOICE_SEARCH_H

#include <string.h>

#include "choice.h"

/* A scalar register holds one of these. */
typedef uint16_t choice_id;
#define CHOICE_UNKNOWN 0u
#define CHOICE_ALL     1u /* exec as it is, which is not 0; in each dword of a mask */
#define CHOICE_NONE    2u /* its complement */
#define CHOICE_UPPER   3u /* the upper half of an address in the kernarg segment */
#define CHOICE_NODES   4u /* an index into the nodes, plus this */

/* The condition code; also results of tests. */
enum choice_truth { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES };

/* Holds what is known of the state of exec. */
enum choice_exec {
	CHOICE_EXEC_BEGUN, /* it is as when the kernel began: any lane, and so not 0 */
	CHOICE_EXEC_EMPTY, /* it is 0 */
	CHOICE_EXEC_SOME,  /* nothing */
};

/* Vector registers in which compilers keep a flag: 0 or 1 by a mask, and a mask of it again. */
#define CHOICE_VECTORS 8u
#define CHOICE_REGS    (REG_VECTOR + CHOICE_VECTORS)

/* Registers are joined so many at a time. */
#define CHOICE_LANE 8u

struct choice_state {
	uint8_t scc;  /* enum choice_truth */
	bool by_exec; /* a register may hold what was made by exec as it is */
	uint8_t exec; /* enum choice_exec */
	bool reached;
	/* By choice.place: copies have the first choice.slots of them. */
	choice_id reg[(CHOICE_REGS + CHOICE_LANE) / CHOICE_LANE * CHOICE_LANE];
};

enum choice_kind {
	CHOICE_FIELD,
	CHOICE_POINTER, /* the lower half of the kernarg segment's address, plus field.add */
	CHOICE_AND,     /* of two fields, field.kernarg and field.add being their ids */
	CHOICE_OR,
	CHOICE_APERTURE, /* certain_path.h: where flat addresses of LDS or private memory begin */
	CHOICE_LOADED,   /* certain_path.h: not known; it comes from what was loaded at pc field.add
			  */
};

struct choice_node {
	enum choice_kind kind;
	struct isa_field field;
};

#define CHOICE_NODES_MAX      1024u
#define CHOICE_SLOTS          2048u /* a power of 2, more than nodes */
#define CHOICE_CONDITIONS_MAX 24u

/* This belongs to one kernel. */
struct choice {
	const struct function *function;
	const struct launch_values *launch; /* of an evaluation (concrete.h), or NULL */
	unsigned mask_dwords;               /* of a lane mask */
	uint16_t vector[CHOICE_VECTORS];    /* numbers of registers */
	unsigned vector_count;
	/*
	 * choice_state has a register in this place: scalar ones in their order, then those of
	 * `vector`. Those that do not matter are in one place together, the last one.
	 */
	uint8_t place[CHOICE_REGS];
	unsigned slots, first_vector, unused; /* slots: of CHOICE_LANE */
	unsigned node_count;
	uint16_t slot[CHOICE_SLOTS]; /* nodes by content: index + 1 */
	struct isa_condition condition[CHOICE_CONDITIONS_MAX];
	uint8_t truth[CHOICE_CONDITIONS_MAX]; /* enum choice_truth: what is assumed */
	unsigned condition_count;
	uint32_t consulted; /* a bit for each condition whose result was consulted */
	bool learning;      /* new conditions are added */
	bool lost;          /* control leaves the function: nothing is known */
	struct choice_node node[CHOICE_NODES_MAX]; /* last: written as they are added */
};

/* ---- choice_number.c: numbers, and what is known of them ---- */

choice_id choice_constant(struct choice *choice, uint32_t constant);
choice_id choice_node(struct choice *choice, enum choice_kind kind, const struct isa_field *field);
/* Returns NULL if it is none. */
const struct choice_node *choice_node_of(const struct choice *choice, choice_id id);
bool choice_is_constant(const struct choice *choice, choice_id id, uint32_t *constant);

/* Each of these computes one dword. */
choice_id choice_and(struct choice *choice, choice_id a, choice_id b);
choice_id choice_and_not(struct choice *choice, choice_id a, choice_id b);
choice_id choice_or(struct choice *choice, choice_id a, choice_id b);
choice_id choice_xor(struct choice *choice, choice_id a, choice_id b);
choice_id choice_add(struct choice *choice, choice_id a, choice_id b, bool subtract);
choice_id choice_shift_right(struct choice *choice, choice_id value, uint32_t count);
/* Returns what s_bfe_u32 does: `packed` has the first bit and, from its bit 16 on, how many. */
choice_id choice_extract(struct choice *choice, choice_id value, uint32_t packed);
/* Returns the upper half of a sum: addresses in the kernarg segment differ in the lower one. */
choice_id choice_add_upper(const struct choice *choice, choice_id a, choice_id b);

enum choice_relation {
	RELATION_NONE, /* a comparison that is not followed */
	RELATION_EQUAL,
	RELATION_DIFFERENT,
	RELATION_LESS,
	RELATION_LESS_EQUAL,
	RELATION_GREATER,
	RELATION_GREATER_EQUAL,
};

/* Returns the bits of an isa_when in which the conditions of `consulted` have these results. */
isa_when choice_like(unsigned results, unsigned consulted);

enum choice_truth choice_negate(enum choice_truth truth);
enum choice_truth choice_compare(struct choice *choice, enum choice_relation relation,
				 bool is_signed, choice_id left, choice_id right);
/* Compares two numbers of two dwords each. */
enum choice_truth choice_compare_wide(struct choice *choice, enum choice_relation relation,
				      bool is_signed, const choice_id *left,
				      const choice_id *right);
/* Tells if a result of one or two dwords differs from 0. */
enum choice_truth choice_is_set(struct choice *choice, const choice_id *result, unsigned dwords);
/* Tells if the bit with that number is set. */
enum choice_truth choice_test_bit(struct choice *choice, choice_id value, choice_id number);

/*
 * Returns true if a load reads the kernel's arguments, from the dword at *at bytes on; `address` is
 * what its second operand holds, `offset` its third one.
 */
bool choice_reads_arguments(const struct choice *choice, const struct insn *insn,
			    const choice_id *address, choice_id offset, uint32_t *at);
choice_id choice_argument(struct choice *choice, uint32_t at);

/* ---- choice_insn.c: instructions, read once for all passes ---- */

#define CHOICE_SOURCES 3u /* operands that are read are the first ones */

struct choice_insn {
	const struct insn *insn;
	uint32_t index;       /* in the function */
	uint8_t action;       /* enum choice_action */
	uint8_t destinations; /* the first operands; INSN_OPERANDS: any register */
	uint8_t relation;     /* enum choice_relation */
	bool is_signed;       /* of a relation */
	uint8_t vectors;      /* of the flags' registers, those that it writes: a bit for each */
	bool half;            /* the second half of an instruction that does two things at once */
	bool selects;         /* a vector instruction that selects by a mask */
	bool makes_flag;      /* such a one of constants */
	bool keeps_scc;
	bool carries; /* adds or subtracts a carry, too */
	bool extends; /* its constant has 16 bits and a sign */
	/* These are sources that are constants, by dword; CHOICE_UNKNOWN: not computed yet. */
	choice_id constant[CHOICE_SOURCES][2];
};

enum choice_action {
	ACTION_WRITE, /* to its destinations, what is not known */
	ACTION_MASKS, /* and to exec and the condition mask */
	ACTION_LOSE_ALL,
	ACTION_LOAD,
	ACTION_COMPARE_SCALAR,
	ACTION_COMPARE_WIDE,
	ACTION_TEST_BIT,
	ACTION_TEST_NO_BIT,
	ACTION_COMPARE_VECTOR,
	ACTION_SELECT_SCC,
	/* It computes one or two dwords in scalar registers, with the classes of insn.h. */
	ACTION_COMPUTE,
};

/* A block ends in one of these branches. */
enum choice_branch {
	BRANCH_UNKNOWN,
	BRANCH_SCC0,
	BRANCH_SCC1,
	BRANCH_VCC_ZERO,
	BRANCH_VCC_NOT_ZERO,
	BRANCH_EXEC_ZERO,
	BRANCH_EXEC_NOT_ZERO,
};

/* A bit for each register of choice_state, and one for the condition code. */
#define CHOICE_WORDS ((CHOICE_REGS + 1 + 63) / 64)
struct choice_set {
	uint64_t word[CHOICE_WORDS];
};

/* A block of the function: its steps, and how it ends. */
struct choice_block {
	uint32_t first;         /* its steps; they end where the next block's begin */
	uint32_t cost;          /* instructions that matter, and one */
	uint8_t branch;         /* enum choice_branch */
	uint8_t ways;           /* is how many it went last */
	bool selects;           /* it has vector instructions that select by a mask */
	bool dirty;             /* to be visited */
	bool renewed;           /* conditions that are looked at may decide it */
	uint32_t consults;      /* conditions whose results it consulted: a bit for each */
	struct choice_set live; /* can still decide something, at its beginning */
};

/* Follow a vector register if the instruction makes it a flag: before everything else. */
void choice_follow(struct choice *choice, const struct insn *insn);
/* Returns where choice_state has a vector register; CHOICE_REGS: it is not followed. */
unsigned choice_vector_slot(const struct choice *choice, const struct operand *operand);
/* Returns true if an instruction changes nothing that is followed. */
bool choice_is_idle(const struct choice *choice, const struct insn *insn);
void choice_read(const struct choice *choice, const struct insn *insn, uint32_t index,
		 struct choice_insn *step);
enum choice_branch choice_read_branch(const struct insn *insn);
/* Returns the relation of "eq_u32" and so on, which is a comparison without its prefix. */
enum choice_relation choice_relation_of(const char *how);
/* Returns how many of the first operands it writes; INSN_OPERANDS: any register. */
unsigned choice_destinations(const struct insn *insn);

static inline bool choice_is_scalar(const struct operand *operand)
{
	return operand->kind == OPERAND_REG && operand->reg < REG_VECTOR;
}

/* ---- choice_slice.c ---- */

/*
 * Leave out steps that decide neither branches nor vector selections (`scalar`: any selections),
 * and set blocks' `live`. The blocks are one more than the function's. Returns 0 or -ENOMEM.
 */
int choice_slice(struct choice *choice, struct choice_insn *steps, struct choice_block *blocks,
		 bool scalar);

/* Set choice->place for these registers. */
void choice_arrange(struct choice *choice, const struct choice_set *set);

static inline void choice_copy(const struct choice *choice, struct choice_state *to,
			       const struct choice_state *from)
{
	memcpy(to, from, offsetof(struct choice_state, reg) + choice->slots * sizeof(to->reg[0]));
}

/* ---- choice_step.c: their effects ---- */

/* Applies a step that is no branch. */
void choice_step(struct choice *choice, struct choice_insn *step, struct choice_state *state);
/* Returns which operand an OP_SELECT takes: 1 or 2; 0: not known. */
int choice_selects(const struct choice *choice, const struct insn *insn,
		   const struct choice_state *state);
/* Tells if a conditional branch is taken. */
enum choice_truth choice_taken(struct choice *choice, enum choice_branch branch,
			       const struct choice_state *state);

/* ---- choice_run.c ---- */

/* Passes over the function. */
struct choice_pass {
	struct choice *choice;
	struct choice_insn *step;   /* instructions that matter, by block */
	struct choice_block *block; /* one more than blocks */
	struct choice_state *in;    /* by block */
	bool selects;               /* some block has */
	size_t steps;
	uint32_t *todo;
	uint8_t last[CHOICE_CONDITIONS_MAX]; /* choice.truth in the last pass */
	bool settled; /* `in` is as the last pass left it: what differs from that is followed */
};

/* Returns 0 or -ENOMEM; the pass is to be ended also then. */
int choice_pass_begin(struct choice_pass *pass, const struct function *function,
		      const struct flow_entry *entry);
void choice_pass_end(struct choice_pass *pass);

/* Sets the registers as they are when the kernel begins. */
void choice_begin(struct choice *choice, const struct flow_entry *entry,
		  struct choice_state *state);

/*
 * Returns how many ways are left with choice->truth. What is reached stands in pass->in, which
 * conditions were consulted in choice->consulted.
 */
unsigned choice_run(struct choice_pass *pass, const struct choice_state *entry);

/* Marks the blocks that may differ after a pass with other results of these conditions, by
 * `renewed`, and returns how many. */
unsigned choice_mark(struct choice_pass *pass, uint32_t conditions);

#endif
