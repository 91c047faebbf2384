/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which code of a kernel a launch can execute, by conditions on its arguments.
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

/* Fills the kernel's conditions and flow->when, after flow_run(). Returns 0 or -ENOMEM. */
int choices_find(struct flow *flow, const struct flow_entry *entry, struct isa_kernel *kernel);

/* Returns the results of the conditions for which an access is executed. */
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

/* Fills the groups, after choices_find(); choices_groups_clear() releases them. Returns 0 or
 * -ENOMEM. */
int choices_groups(struct flow *flow, const struct flow_entry *entry,
		   const struct isa_kernel *kernel, struct choice_groups *groups);
void choices_groups_clear(struct choice_groups *groups);

/* Returns which operand an OP_SELECT takes by flow->selects: 1 or 2; 0: not known. */
int choices_select(const struct flow *flow, const struct insn *insn);

/* Add it to those of each kind of access in `access` (ISA_READ...). */
static inline void isa_add_when(isa_when *whens, unsigned access, isa_when when)
{
	for (unsigned i = 0; i < ISA_ACCESSES; i++)
		if (access & 1u << i)
			whens[i] |= when;
}

#endif
