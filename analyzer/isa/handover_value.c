/* SPDX-License-Identifier: Apache-2.0 */
/* This finds where values in the instructions of a handover come from and go to; see handover.h. */
#include "handover.h"

#include <stdlib.h>
#include <string.h>

/* Definitions of a register that are compared, and how many registers altogether. */
#define DEFINITIONS 4u
#define REGISTERS   400u

static void add_register(struct reg_set *set, const struct operand *operand)
{
	if (operand->kind != OPERAND_REG)
		return;
	reg_add(set, operand->reg, operand->count);
}

static void remove_register(struct reg_set *set, const struct operand *operand)
{
	if (operand->kind != OPERAND_REG)
		return;
	reg_remove(set, operand->reg, operand->count);
}

static bool has_register(const struct reg_set *set, const struct operand *operand)
{
	if (operand->kind != OPERAND_REG)
		return false;
	return reg_any(set, operand->reg, operand->count);
}

/* Returns how many of its first operands an instruction writes. */
static unsigned written(const struct insn *insn)
{
	switch (insn->class) {
	case OP_MEMORY:
		return (insn->load || (insn->atomic && insn->returns)) && !insn->lds;
	case OP_NOTHING:
	case OP_BARRIER:
	case OP_BRANCH:
	case OP_CBRANCH:
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
	case OP_END:
	case OP_COMPARE_SCALAR:
		return 0;
	case OP_SWAP:
	case OP_ADD_CARRY_OUT:
	case OP_SUB_CARRY_OUT:
	case OP_SUBREV_CARRY_OUT:
	case OP_LAST_PLUS64:
		return 2;
	default:
		return 1;
	}
}

/* It also reads what it writes. */
static bool keeps(const struct insn *insn)
{
	return insn->class == OP_SWAP || insn->class == OP_CMOV || insn->class == OP_ADD_CONST ||
	       insn->class == OP_MIX_OWN || insn->class == OP_WRITE_LANE || insn->sdwa_dst ||
	       insn->dpp;
}

void value_use_begin(struct value_use *use, const struct insn *insn)
{
	memset(use, 0, sizeof(*use));
	add_register(&use->holds, &insn->operand[0]);
}

void value_use_step(struct value_use *use, const struct insn *insn)
{
	unsigned count = written(insn), i;
	bool made = false, compares = insn->class == OP_COMPARE || insn->class == OP_COMPARE_EXEC ||
				      insn->class == OP_COMPARE_SCALAR;

	for (i = keeps(insn) ? 0 : count; i < insn->operand_count; i++)
		made |= has_register(&use->holds, &insn->operand[i]);
	if (compares && made) {
		use->pending = true;
		use->pending_equality |=
		    strstr(insn->mnemonic, "_eq_") || strstr(insn->mnemonic, "_ne_") ||
		    strstr(insn->mnemonic, "_neq_") || strstr(insn->mnemonic, "_lg_");
	}
	if (insn->class == OP_CBRANCH || insn->class == OP_CBRANCH_EXECZ ||
	    insn->class == OP_CBRANCH_EXECNZ) {
		use->compared |= use->pending;
		use->equality |= use->pending_equality;
	}
	/* A value in memory at an address made of it is another one. */
	if (insn->class == OP_MEMORY && insn->family != MEM_SCRATCH)
		made = false;
	/* A mask tells which lanes go on, not what the value is. */
	if (compares)
		made = false;
	for (i = 0; i < count && i < insn->operand_count; i++)
		if (made)
			add_register(&use->holds, &insn->operand[i]);
		else if (!keeps(insn))
			remove_register(&use->holds, &insn->operand[i]);
}

bool value_use_over(const struct value_use *use)
{
	uint64_t any = 0;

	for (size_t i = 0; i < REG_COUNT / 64; i++)
		any |= use->holds.word[i];
	return !any && !use->pending;
}

/* Finds the operands that make the address of a global or flat instruction that is no atomic. */
static unsigned address_operands(const struct insn *insn, const struct operand *operand[2])
{
	unsigned count = 0, first = insn->load ? 1 : 0, scalar = 2;

	if (first < insn->operand_count)
		operand[count++] = &insn->operand[first];
	if (scalar < insn->operand_count)
		operand[count++] = &insn->operand[scalar];
	return count;
}

bool value_use_in_address(const struct value_use *use, const struct insn *insn)
{
	const struct operand *operand[2];
	unsigned count = address_operands(insn, operand), i;

	for (i = 0; i < count; i++)
		if (has_register(&use->holds, operand[i]))
			return true;
	return false;
}

/* ---- the same address ---- */

struct definitions {
	struct code_point at[DEFINITIONS];
	unsigned count;
	bool entry;    /* it may be what the kernel began with */
	bool too_many; /* nothing is known */
};

static bool writes(const struct insn *insn, unsigned reg)
{
	unsigned count = written(insn);

	for (unsigned i = 0; i < count && i < insn->operand_count; i++) {
		const struct operand *to = &insn->operand[i];

		if (to->kind == OPERAND_REG && reg >= to->reg && reg < to->reg + to->count)
			return true;
	}
	return false;
}

/* The last writes of a register ahead of `at`, on all ways that lead there. */
static void find_definitions(const struct function *function, struct code_point at, unsigned reg,
			     struct definitions *found)
{
	uint32_t *todo = calloc(function->block_count + 1, sizeof(*todo)), top = 0;
	bool *seen = calloc(function->block_count, 1);
	uint32_t block = at.block, end = at.index, i;

	memset(found, 0, sizeof(*found));
	found->too_many = !todo || !seen;
	while (!found->too_many) {
		for (i = end; i > 0; i--)
			if (writes(insn_at(function, (struct code_point){ block, i - 1 }), reg))
				break;
		if (i && found->count == DEFINITIONS)
			found->too_many = true;
		else if (i)
			found->at[found->count++] = (struct code_point){ block, i - 1 };
		else if (block == function->entry_block)
			found->entry = true;
		for (uint32_t k = 0; !i && k < function->block[block].predecessor_count; k++) {
			uint32_t before = function->block[block].predecessor[k];

			if (!seen[before]) {
				seen[before] = true;
				todo[top++] = before;
			}
		}
		if (!top)
			break;
		block = todo[--top];
		end = function->block[block].count;
	}
	free(todo);
	free(seen);
}

static bool same_point(struct code_point a, struct code_point b)
{
	return a.block == b.block && a.index == b.index;
}

static bool same_definitions(const struct definitions *a, const struct definitions *b)
{
	unsigned i, k;

	if (a->too_many || b->too_many || a->entry != b->entry || a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++) {
		for (k = 0; k < b->count && !same_point(a->at[i], b->at[k]); k++)
			;
		if (k == b->count)
			return false;
	}
	return true;
}

/* A comparison of two addresses. */
struct comparison {
	const struct function *function;
	const struct flow_entry *entry;
	unsigned left; /* registers that may yet be looked at */
};

static bool exhausted(struct comparison *comparison)
{
	return !comparison->left || !--comparison->left;
}

/* Returns true if it may differ between work-items or work-groups. */
static bool differs(struct comparison *comparison, struct code_point at, unsigned reg)
{
	int kernarg = comparison->entry->kernarg_ptr;
	struct definitions found;
	unsigned i, k, part;

	find_definitions(comparison->function, at, reg, &found);
	if (found.too_many || exhausted(comparison))
		return true;
	if (found.entry &&
	    (kernarg < 0 || (reg != (unsigned)kernarg && reg != (unsigned)kernarg + 1)))
		return true;
	for (i = 0; i < found.count; i++) {
		const struct insn *insn = insn_at(comparison->function, found.at[i]);

		if (insn->class == OP_MEMORY && insn->family != MEM_SCALAR)
			return true;
		for (k = written(insn); k < insn->operand_count; k++)
			for (part = 0;
			     insn->operand[k].kind == OPERAND_REG && part < insn->operand[k].count;
			     part++)
				if (differs(comparison, found.at[i], insn->operand[k].reg + part))
					return true;
	}
	return false;
}

static bool same_register(struct comparison *comparison, struct code_point a, unsigned x,
			  struct code_point b, unsigned y);

static bool same_operand(struct comparison *comparison, struct code_point a,
			 const struct operand *x, struct code_point b, const struct operand *y)
{
	if (x->kind != y->kind || x->count != y->count)
		return false;
	if (x->kind == OPERAND_CONST)
		return x->value == y->value;
	for (unsigned i = 0; x->kind == OPERAND_REG && i < x->count; i++)
		if (!same_register(comparison, a, x->reg + i, b, y->reg + i))
			return false;
	return true;
}

/* Returns true if the same instruction made both, or instructions alike from the same. */
static bool same_register(struct comparison *comparison, struct code_point a, unsigned x,
			  struct code_point b, unsigned y)
{
	const struct insn *one, *other;
	struct definitions from, to;
	unsigned i;

	find_definitions(comparison->function, a, x, &from);
	find_definitions(comparison->function, b, y, &to);
	if (x == y && same_definitions(&from, &to))
		return true;
	if (exhausted(comparison) || from.too_many || to.too_many || from.entry || to.entry ||
	    from.count != 1 || to.count != 1)
		return false;
	one = insn_at(comparison->function, from.at[0]);
	other = insn_at(comparison->function, to.at[0]);
	if (strcmp(one->mnemonic, other->mnemonic) || one->offset != other->offset ||
	    one->operand_count != other->operand_count || one->class == OP_UNKNOWN ||
	    (one->class == OP_MEMORY && one->family != MEM_SCALAR) ||
	    x - one->operand[0].reg != y - other->operand[0].reg)
		return false;
	for (i = written(one); i < one->operand_count; i++)
		if (!same_operand(comparison, from.at[0], &one->operand[i], to.at[0],
				  &other->operand[i]))
			return false;
	return true;
}

enum address_match value_match_addresses(const struct function *function,
					 const struct flow_entry *entry, struct code_point store,
					 struct code_point load)
{
	struct comparison comparison = { function, entry, REGISTERS };
	const struct insn *one = insn_at(function, store), *other = insn_at(function, load);
	const struct operand *x[2], *y[2];
	unsigned count = address_operands(one, x), i, part;
	bool varies = false;

	if (one->offset != other->offset || address_operands(other, y) != count)
		return ADDRESS_OTHER;
	for (i = 0; i < count; i++) {
		/* If that takes too long, nothing is claimed of the load. */
		if (!same_operand(&comparison, store, x[i], load, y[i]))
			return comparison.left ? ADDRESS_OTHER : ADDRESS_OWN;
		for (part = 0; x[i]->kind == OPERAND_REG && part < x[i]->count; part++)
			varies |= differs(&comparison, store, x[i]->reg + part);
	}
	return varies ? ADDRESS_OWN : ADDRESS_SHARED;
}

/* The register that is moved to dword `part` of the destination; -1 if that is not all that
 * happens. */
static int moved_from(const struct insn *insn, unsigned part)
{
	const struct operand *from;

	if ((insn->class != OP_MOVE || insn->operand_count != 2) &&
	    (insn->class != OP_PACKED_MOVE || insn->operand_count < 3 || part > 1))
		return -1;
	if (keeps(insn))
		return -1;
	from = &insn->operand[1];
	if (insn->class == OP_PACKED_MOVE) {
		from = &insn->operand[1 + part];
		part = insn->op_sel_hi[part];
	}
	return from->kind == OPERAND_REG && part < from->count ? (int)(from->reg + part) : -1;
}

/* Finds where a register's value was before it was moved there: *at and *reg. */
static void before_moves(const struct function *function, struct code_point *at, unsigned *reg)
{
	struct definitions found;

	for (unsigned moves = 0; moves < DEFINITIONS; moves++) {
		const struct insn *move;
		int from;

		find_definitions(function, *at, *reg, &found);
		if (found.too_many || found.entry || found.count != 1)
			return;
		move = insn_at(function, found.at[0]);
		from = moved_from(move, *reg - move->operand[0].reg);
		if (from < 0)
			return;
		*at = found.at[0];
		*reg = (unsigned)from;
	}
}

/* Returns true if all that was ever put there is that constant. */
static bool is_constant(const struct function *function, struct code_point at, unsigned reg,
			int64_t constant)
{
	struct definitions found;

	find_definitions(function, at, reg, &found);
	for (unsigned i = 0; i < found.count; i++) {
		const struct insn *insn = insn_at(function, found.at[i]);

		if (insn->class != OP_MOVE || keeps(insn) || insn->operand_count != 2 ||
		    insn->operand[1].kind != OPERAND_CONST || insn->operand[1].value != constant)
			return false;
	}
	return found.count && !found.too_many && !found.entry;
}

/* Returns the operand that it stores. */
static const struct operand *stored_operand(const struct insn *insn)
{
	return insn->store && insn->operand_count > 1 ? &insn->operand[1] : NULL;
}

bool value_stores_address(const struct function *function, const struct flow_entry *entry,
			  struct code_point pointer, struct code_point store)
{
	struct comparison comparison = { function, entry, REGISTERS };
	const struct operand *value = stored_operand(insn_at(function, pointer)), *address[2];
	unsigned count = address_operands(insn_at(function, store), address);
	const struct operand *base = count ? address[0] : NULL;

	/* A sum of two operands, of which one is 0. */
	if (count == 2 && address[1]->kind == OPERAND_REG) {
		if (base->kind != OPERAND_REG || !is_constant(function, store, base->reg, 0))
			return false;
		base = address[1];
	}
	if (!value || !base || value->kind != OPERAND_REG || base->kind != OPERAND_REG ||
	    value->count != 2 || base->count != 2)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		struct code_point from = pointer, to = store;
		unsigned stored = value->reg + i, used = base->reg + i;

		before_moves(function, &from, &stored);
		before_moves(function, &to, &used);
		if (!same_register(&comparison, from, stored, to, used))
			return false;
	}
	return true;
}
