/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that wavefronts hand over to each other: struct isa_handover. handover.c looks for the
 * instructions, handover_order.c for what leads to what, handover_value.c for where operands come
 * from, handover_place.c for where behind a pointer they lead.
 *
 * Only a kernel's own function is looked at, and only where the compiler kept values in registers:
 * in unoptimized code nothing is found.
 */
#ifndef HIPGRAIN_ISA_HANDOVER_H
#define HIPGRAIN_ISA_HANDOVER_H

#include "analysis.h"
#include "flow.h"

/* Fill kernel->handovers, after all other facts. 0 or -ENOMEM. */
int handover_find(struct isa_analysis *analysis, struct flow *flow, const struct flow_entry *entry,
		  struct isa_kernel *kernel);

/* ---- handover_place.c ---- */

/* Bytes behind the pointer that an access goes through. */
struct place {
	bool known;
	struct isa_step step; /* from where the pointer leads */
	uint32_t size;        /* at least 4, also where it is less */
};

/* Finds the place of an access through one pointer. Returns 0 or -ENOMEM. */
int place_find(struct flow *flow, const struct access *access, struct place *place);

/*
 * Stores the origin of an access. If it is one pointer of the arguments, *placed says if the bytes
 * behind the pointer are known, and *step is the first of them. Returns 0 or -ENOMEM.
 */
int place_resolve(struct flow *flow, const struct access *access, struct isa_origin *origin,
		  bool *placed, struct isa_step *step);
/* Returns true if it is certain that they have no byte in common, behind the same pointer. */
bool places_apart(const struct place *a, const struct place *b);
/* Returns true if they are the same one, or the same member of structs in an array. */
bool places_equal(const struct place *a, const struct place *b);
/* Returns true if both start from the same argument or variable. */
bool handover_same_root(const struct isa_party *a, const struct isa_party *b);

/* ---- handover_order.c and handover_value.c ---- */

/* Instruction number `index` of a block. */
struct code_point {
	uint32_t block, index;
};

static inline const struct insn *insn_at(const struct function *function, struct code_point at)
{
	return function->insn[function->block[at.block].first + at.index];
}

/* Returns true if whoever executes `a` executes `b` afterwards. */
bool handover_always_after(const struct function *function, struct code_point a,
			   struct code_point b);

/*
 * Returns true if `b`, which stands behind `a`, is executed because `a` was: by the same lanes, or
 * behind a barrier that those wait at who execute `a`.
 */
bool handover_leads_to(const struct function *function, struct code_point a, struct code_point b);

/* It tells what a value that was read is used for, in code that follows in address order. */
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
/* Returns true if nothing can change it any more: nothing holds the value, no branch is awaited. */
bool value_use_over(const struct value_use *use);
/* Returns true if one of the operands that make its address holds something made of the value. */
bool value_use_in_address(const struct value_use *use, const struct insn *insn);

/*
 * It tells how the address of a load is computed, against that of a store: alike, from what differs
 * between work-items (the lane's own word), or from what is the same for all (one word); or not
 * alike.
 */
enum address_match { ADDRESS_OTHER, ADDRESS_OWN, ADDRESS_SHARED };
enum address_match value_match_addresses(const struct function *function,
					 const struct flow_entry *entry, struct code_point store,
					 struct code_point load);

/* Tells if the address that `store` stores to, but for a constant, is stored at `pointer`. */
bool value_stores_address(const struct function *function, const struct flow_entry *entry,
			  struct code_point pointer, struct code_point store);

#endif
