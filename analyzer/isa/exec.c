/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lane masks: what instructions on exec and on copies of it mean for who is active.
 *
 * Only the shapes that compilers make of structured control flow are followed (if, if-else,
 * loop, whole-wave sections); anything else counts as "any lane may be active now".
 */
#include "flow.h"

#include <errno.h>
#include <string.h>

static bool is_exec(const struct operand *operand)
{
	return operand->kind == OPERAND_REG && operand->reg == REG_EXEC;
}

/* Returns the mask base of an operand, 0 if it is none. */
static uint32_t mask_of(struct flow *flow, const struct state *state, const struct operand *operand)
{
	uint32_t base;

	if (is_exec(operand)) {
		if (state->mode != EXEC_NORMAL)
			return 0;
		return BASE(BASE_MASK, state_exec_name(state));
	}
	if (operand->kind != OPERAND_REG || operand->reg >= REG_VECTOR)
		return 0;
	base = value_sole_base(&flow->store, state->scalar[operand->reg]);
	return BASE_IS_MASK(base) ? base : 0;
}

static bool is_constant(struct flow *flow, const struct state *state, const struct operand *operand,
			int32_t constant)
{
	int32_t actual;

	if (operand->kind == OPERAND_CONST)
		return (int32_t)operand->value == constant;
	return operand->kind == OPERAND_REG && operand->reg < REG_VECTOR && !is_exec(operand) &&
	       value_constant(&flow->store, state->scalar[operand->reg], &actual) &&
	       actual == constant;
}

static int set_mask(struct flow *flow, struct state *state, const struct operand *to, uint32_t base)
{
	value_id value = base ? value_base(&flow->store, base, 0) : VALUE_NUMBER;
	unsigned i;
	int status = 0;

	for (i = 0; !status && i < to->count; i++)
		status = flow_write(flow, state, to, i, value);
	return status;
}

uint32_t flow_site(const struct insn *insn)
{
	return (uint32_t)(insn->pc >> 2 & 0x3ffffffu) + 1;
}

static int write_exec(struct flow *flow, const struct insn *insn, struct state *state)
{
	struct value_store *store = &flow->store;
	const struct operand *a = &insn->operand[1], *b = &insn->operand[2], *x;
	uint32_t mask, name = state_exec_name(state);
	int status;

	switch (insn->class) {
	case OP_MOVE:
		if (is_constant(flow, state, a, -1)) {
			state_all(state);
			return 0;
		}
		if (is_constant(flow, state, a, 0)) {
			status = state_shrink(store, state, flow_site(insn), NULL);
			return status ? status : state_none(state);
		}
		/* Scalar registers go to memory through the first lanes of a vector register. */
		if (a->kind == OPERAND_CONST && a->value > 0 && a->value <= INT32_MAX &&
		    state->mode == EXEC_NORMAL) {
			state_some(state, (uint32_t)a->value);
			return 0;
		}
		mask = mask_of(flow, state, a);
		if (BASE_KIND(mask) == BASE_BOTH && state->mode == EXEC_ALL && state->aside_count &&
		    BASE_PAYLOAD(mask) == name) {
			state->mode = EXEC_BOTH;
			return 0;
		}
		if (BASE_KIND(mask) == BASE_MASK)
			return state_restore(store, state, BASE_PAYLOAD(mask));
		if (BASE_KIND(mask) == BASE_SUBMASK && BASE_PAYLOAD(mask) == name)
			return state_shrink(store, state, flow_site(insn), NULL);
		break;
	case OP_OR:
		if (!is_exec(a) && !is_exec(b))
			break;
		mask = mask_of(flow, state, is_exec(a) ? b : a);
		if (BASE_KIND(mask) == BASE_MASK || BASE_KIND(mask) == BASE_PART)
			return state_restore(store, state, BASE_PAYLOAD(mask));
		return state_grow(store, state);
	case OP_AND:
		if (is_exec(a) || is_exec(b))
			return state_shrink(store, state, flow_site(insn), NULL);
		break;
	case OP_ANDN2:
		if (is_exec(a)) {
			status = state_shrink(store, state, flow_site(insn), NULL);
			/* The lanes taken out, and exec, make up what exec was before. */
			if (!status && b->kind == OPERAND_REG && b->reg < REG_VCC &&
			    name != SITE_LOST && state->aside_count) {
				unsigned i = state->aside_count;

				while (i && state->aside[i - 1].name != flow_site(insn))
					i--;
				if (i) {
					uint32_t below =
					    i > 1 ? state->aside[i - 2].name : SITE_ROOT;

					return set_mask(flow, state, b, BASE(BASE_PART, below));
				}
			}
			return status;
		}
		mask = mask_of(flow, state, a);
		if (is_exec(b) && BASE_KIND(mask) == BASE_MASK)
			return state_complement(store, state, BASE_PAYLOAD(mask), false);
		break;
	case OP_XOR:
		x = is_exec(a) ? b : a;
		if (!is_exec(a) && !is_exec(b))
			break;
		mask = mask_of(flow, state, x);
		if (state->mode == EXEC_BOTH && BASE_KIND(mask) == BASE_PART)
			return state_end_both(store, state, true);
		if (state->mode == EXEC_NORMAL && BASE_KIND(mask) == BASE_SUBMASK &&
		    BASE_PAYLOAD(mask) == name)
			return state_shrink(store, state, flow_site(insn), NULL);
		break;
	default:
		break;
	}
	return state_lose(store, state);
}

static int save_exec(struct flow *flow, const struct insn *insn, struct state *state)
{
	struct value_store *store = &flow->store;
	const struct operand *to = &insn->operand[0], *from = &insn->operand[1];
	uint32_t mask = mask_of(flow, state, from), old, name;
	bool known = BASE_KIND(mask) == BASE_MASK || BASE_KIND(mask) == BASE_PART;
	int status = 0;

	/* A register is spilled in every lane while the other side of an if is being set up. */
	if (state->mode == EXEC_BOTH && insn->class == OP_OR_SAVEEXEC &&
	    is_constant(flow, state, from, -1)) {
		old = BASE(BASE_BOTH, state_exec_name(state));
		state_all(state);
		return set_mask(flow, state, to, old);
	}
	if (state->mode != EXEC_NORMAL) {
		status = state_end_both(store, state, false);
		if (status)
			return status;
	}
	old = BASE(BASE_MASK, state_exec_name(state));
	switch (insn->class) {
	case OP_AND_SAVEEXEC:
		status = state_shrink(store, state, flow_site(insn), &name);
		old = BASE(BASE_MASK, name);
		break;
	case OP_ANDN2_SAVEEXEC:
		if (known) {
			old = BASE(BASE_PART, BASE_PAYLOAD(mask));
			status = state_complement(store, state, BASE_PAYLOAD(mask), false);
		} else {
			old = 0;
			status = state_lose(store, state);
		}
		break;
	case OP_OR_SAVEEXEC:
		if (is_constant(flow, state, from, -1)) {
			state_all(state);
		} else if (known && BASE_PAYLOAD(mask) != state_exec_name(state)) {
			old = BASE(BASE_PART, BASE_PAYLOAD(mask));
			status = state_complement(store, state, BASE_PAYLOAD(mask), true);
		} else if (!known) {
			old = 0;
			status = state_grow(store, state);
		}
		break;
	default:
		/* Functions save what they change in lanes that their caller has switched off. */
		if (strstr(insn->mnemonic, "s_xor_") && is_constant(flow, state, from, -1) &&
		    state_exec_name(state) != SITE_LOST) {
			state_off(state);
			break;
		}
		old = 0;
		status = state_lose(store, state);
		break;
	}
	return status ? status : set_mask(flow, state, to, old);
}

/* Computes masks in ordinary scalar registers. */
static int compute_mask(struct flow *flow, const struct insn *insn, struct state *state,
			bool *handled)
{
	const struct operand *to = &insn->operand[0];
	const struct operand *a = &insn->operand[1], *b = &insn->operand[2];
	uint32_t x = mask_of(flow, state, a), y = mask_of(flow, state, b), result = 0;
	uint32_t part = BASE_KIND(x) == BASE_PART ? x : BASE_KIND(y) == BASE_PART ? y : 0;
	uint32_t whole = BASE_KIND(x) == BASE_MASK ? x : BASE_KIND(y) == BASE_MASK ? y : 0;
	bool exec = is_exec(a) || is_exec(b);

	if (!x && !y && !exec)
		return 0;
	*handled = true;
	switch (insn->class) {
	case OP_AND:
		if (state->mode == EXEC_BOTH && exec && part)
			result = part;
		else if (whole)
			result = BASE(BASE_SUBMASK, BASE_PAYLOAD(whole));
		break;
	case OP_ANDN2:
		if (BASE_KIND(x) == BASE_MASK)
			result = BASE(BASE_SUBMASK, BASE_PAYLOAD(x));
		break;
	case OP_XOR:
		/* Part of a mask, and the mask: the other part. */
		if (BASE_KIND(x) == BASE_MASK && BASE_KIND(y) == BASE_MASK && x != y) {
			uint32_t now = BASE(BASE_MASK, state_exec_name(state));

			if (x == now || y == now)
				result = BASE(BASE_PART, BASE_PAYLOAD(x == now ? y : x));
		} else if ((BASE_KIND(x) == BASE_SUBMASK &&
			    y == BASE(BASE_MASK, BASE_PAYLOAD(x))) ||
			   (BASE_KIND(y) == BASE_SUBMASK &&
			    x == BASE(BASE_MASK, BASE_PAYLOAD(y)))) {
			result = BASE(BASE_PART, BASE_PAYLOAD(x));
		}
		break;
	default:
		break;
	}
	return set_mask(flow, state, to, result);
}

int flow_exec(struct flow *flow, const struct insn *insn, struct state *state, bool *handled)
{
	const struct operand *to = &insn->operand[0];

	*handled = false;
	switch (insn->class) {
	case OP_AND_SAVEEXEC:
	case OP_ANDN2_SAVEEXEC:
	case OP_OR_SAVEEXEC:
	case OP_OTHER_SAVEEXEC:
		*handled = true;
		if (insn->operand_count != 2 || to->count != flow->wave_size / 32) {
			int status = set_mask(flow, state, to, 0);

			return status ? status : state_lose(&flow->store, state);
		}
		return save_exec(flow, insn, state);
	case OP_COMPARE_EXEC:
		*handled = true;
		/* gfx10: no other destination than exec. */
		if (insn->operand_count > 2 && !is_exec(to)) {
			int status = set_mask(flow, state, to, 0);

			if (status)
				return status;
		}
		return state_shrink(&flow->store, state, flow_site(insn), NULL);
	default:
		break;
	}
	if (insn->operand_count && to->kind == OPERAND_REG && to->reg <= REG_EXEC + 1 &&
	    to->reg + to->count > REG_EXEC && insn->class != OP_NOTHING &&
	    insn->class != OP_COMPARE_SCALAR && insn->class != OP_MEMORY) {
		*handled = true;
		if (to->reg != REG_EXEC || to->count != flow->wave_size / 32)
			return state_lose(&flow->store, state);
		return write_exec(flow, insn, state);
	}
	if (insn->operand_count == 3 && to->kind == OPERAND_REG && to->reg < REG_VECTOR &&
	    (insn->class == OP_AND || insn->class == OP_ANDN2 || insn->class == OP_XOR ||
	     insn->class == OP_OR))
		return compute_mask(flow, insn, state, handled);
	return 0;
}
