/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which code of a kernel a launch can execute, by conditions on its arguments.
 *
 * Scalar registers are followed through the kernel's own function as constants and fields of the
 * arguments. A comparison of these is a condition; with the results of a few of them assumed,
 * branches are decided that depend on them, also through flags in registers that compilers set on
 * one way and test on another. What is not understood is unknown, and an unknown branch goes both
 * ways.
 */
#ifndef HIPGRAIN_ISA_CHOICE_H
#define HIPGRAIN_ISA_CHOICE_H

#include "flow.h"
#include "isa.h"

/* After flow_run(): fills the kernel's conditions, and flow->when. 0 or -ENOMEM. */
int choices_find(struct flow *flow, const struct flow_entry *entry, struct isa_kernel *kernel);

/* For which results of the conditions an access is executed. */
isa_when choices_when(const struct flow *flow, const struct access *access);

/*
 * Results of the conditions with which the selections of the kernel's function differ, as far as
 * they are decided by them.
 */
#define CHOICE_GROUPS 4u
struct choice_groups {
	unsigned count; /* 0: too many, or none is decided */
	struct choice_group {
		isa_when when;
		uint8_t *selects; /* as in struct flow, by instruction */
	} group[CHOICE_GROUPS];
};

/* After choices_find(). 0 or -ENOMEM; to be given to choices_groups_clear(). */
int choices_groups(struct flow *flow, const struct flow_entry *entry,
		   const struct isa_kernel *kernel, struct choice_groups *groups);
void choices_groups_clear(struct choice_groups *groups);

/* Which operand an OP_SELECT takes by flow->selects: 1 or 2; 0: not known. */
int choices_select(const struct flow *flow, const struct insn *insn);

/* Add it to those of each kind of access in `access` (ISA_READ...). */
static inline void isa_add_when(isa_when *whens, unsigned access, isa_when when)
{
	for (unsigned i = 0; i < ISA_ACCESSES; i++)
		if (access & 1u << i)
			whens[i] |= when;
}

/* ---- between choice.c and choice_step.c ---- */

/* What a scalar register holds. */
typedef uint32_t choice_id;
#define CHOICE_UNKNOWN 0u
#define CHOICE_ALL     1u /* exec as it is, which is not 0; in each dword of a mask */
#define CHOICE_NONE    2u /* its complement */
#define CHOICE_UPPER   3u /* the upper half of an address in the kernarg segment */
#define CHOICE_NODES   4u /* an index into the nodes, plus this */

/* The condition code; also results of tests. */
enum choice_truth { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES };

/* Vector registers in which compilers keep a flag: 0 or 1 by a mask, and a mask of it again. */
#define CHOICE_VECTORS 8u
#define CHOICE_REGS    (REG_VECTOR + CHOICE_VECTORS)

struct choice_state {
	choice_id reg[CHOICE_REGS]; /* scalar registers, then those of choice.vector */
	uint8_t scc;                /* enum choice_truth */
	bool by_exec;               /* a register may hold what was made by exec as it is */
	bool reached;
};

enum choice_kind {
	CHOICE_FIELD,
	CHOICE_POINTER, /* the lower half of the kernarg segment's address, plus field.add */
	CHOICE_AND,     /* of two fields, field.kernarg and field.add being their ids */
	CHOICE_OR,
};

struct choice_node {
	enum choice_kind kind;
	struct isa_field field;
};

#define CHOICE_NODES_MAX      1024u
#define CHOICE_SLOTS          2048u /* a power of 2, more than nodes */
#define CHOICE_CONDITIONS_MAX 24u

/* Of one kernel. */
struct choice {
	const struct function *function;
	unsigned mask_dwords;            /* of a lane mask */
	uint16_t vector[CHOICE_VECTORS]; /* numbers of registers */
	unsigned vector_count;
	struct choice_node node[CHOICE_NODES_MAX];
	unsigned node_count;
	uint16_t slot[CHOICE_SLOTS]; /* nodes by content: index + 1 */
	struct isa_condition condition[CHOICE_CONDITIONS_MAX];
	uint8_t truth[CHOICE_CONDITIONS_MAX]; /* enum choice_truth: what is assumed */
	unsigned condition_count;
	bool learning; /* new conditions are added */
	bool lost;     /* control leaves the function: nothing is known */
};

choice_id choice_constant(struct choice *choice, uint32_t constant);
choice_id choice_node(struct choice *choice, enum choice_kind kind, const struct isa_field *field);

/* Follow a vector register if the instruction makes it a flag: before everything else. */
void choice_follow(struct choice *choice, const struct insn *insn);
/* Whether an instruction changes nothing that is followed. */
bool choice_is_idle(const struct choice *choice, const struct insn *insn);
/* The effect of one that is no branch. */
void choice_step(struct choice *choice, const struct insn *insn, struct choice_state *state);
/* Which operand an OP_SELECT takes: 1 or 2; 0: not known. */
int choice_selects(struct choice *choice, const struct insn *insn,
		   const struct choice_state *state);
/* Whether a conditional branch is taken. */
enum choice_truth choice_branch(struct choice *choice, const struct insn *insn,
				const struct choice_state *state);

#endif
