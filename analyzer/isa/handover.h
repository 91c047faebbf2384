/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that wavefronts hand over to each other: struct isa_handover. handover.c looks for the
 * instructions, handover_order.c for what leads to what, handover_value.c for where operands come
 * from.
 *
 * Only a kernel's own function is looked at, and only where the compiler kept values in registers:
 * in unoptimized code nothing is found.
 */
#ifndef HIPGRAIN_ISA_HANDOVER_H
#define HIPGRAIN_ISA_HANDOVER_H

#include "analysis.h"

/* Fill kernel->handovers, after all other facts. 0 or -ENOMEM. */
int handover_find(struct isa_analysis *analysis, struct flow *flow, const struct flow_entry *entry,
		  struct isa_kernel *kernel);

/* ---- handover_order.c and handover_value.c ---- */

/* Instruction number `index` of a block. */
struct code_point {
	uint32_t block, index;
};

static inline const struct insn *insn_at(const struct function *function, struct code_point at)
{
	return function->insn[function->block[at.block].first + at.index];
}

/* Whether whoever executes `a` executes `b` afterwards. */
bool handover_always_after(const struct function *function, struct code_point a,
			   struct code_point b);

/*
 * Whether `b`, which stands behind `a`, is executed because `a` was: by the same lanes, or behind a
 * barrier that those wait at who execute `a`.
 */
bool handover_leads_to(const struct function *function, struct code_point a, struct code_point b);

/* What a value that an instruction read is used for, in code that follows in address order. */
struct value_use {
	struct reg_set holds; /* registers that hold something made of it */
	bool compared;        /* it is compared, and a conditional branch follows */
	bool equality;        /* ... for equality */
	bool pending;         /* compared, and no branch yet */
	bool pending_equality;
};

/* `use` is zeroed; the value is what `insn` reads from memory. */
void value_use_begin(struct value_use *use, const struct insn *insn);
void value_use_step(struct value_use *use, const struct insn *insn);
/* Whether one of the operands that make its address holds something made of the value. */
bool value_use_in_address(const struct value_use *use, const struct insn *insn);

/*
 * How the address of a load is computed, against that of a store: alike, from what differs between
 * work-items (the lane's own word), or from what is the same for all (one word); or not alike.
 */
enum address_match { ADDRESS_OTHER, ADDRESS_OWN, ADDRESS_SHARED };
enum address_match value_match_addresses(const struct function *function,
					 const struct flow_entry *entry, struct code_point store,
					 struct code_point load);

#endif
