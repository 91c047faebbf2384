/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons whose result is known, and what selects by them.
 *
 * Compilers test pointers into private memory for null before they turn them into flat ones: the
 * pointer is a constant, and taking the other way for possible would mix it with the address 0.
 */
#include "choice.h"
#include "concrete.h"
#include "flow.h"

bool condition_followed(const struct insn *insn)
{
	return insn->traits & (INSN_EQUAL | INSN_DIFFERENT);
}

static bool both_constant(struct flow *flow, const struct state *state, const struct operand *a,
			  const struct operand *b, bool *equal)
{
	int32_t x, y;

	if (!value_constant(&flow->store, flow_operand(flow, state, a, 0), &x) ||
	    !value_constant(&flow->store, flow_operand(flow, state, b, 0), &y))
		return false;
	*equal = x == y;
	return true;
}

void condition_scalar(struct flow *flow, const struct insn *insn, struct state *state)
{
	bool equal = insn->traits & INSN_EQUAL, are;

	state->scc = 0;
	if (condition_followed(insn) &&
	    both_constant(flow, state, &insn->operand[0], &insn->operand[1], &are))
		state->scc = are == equal ? 1 : -1;
}

value_id condition_vector(struct flow *flow, const struct insn *insn, struct state *state)
{
	bool equal = insn->traits & INSN_EQUAL, are;
	uint32_t name = state_exec_name(state);

	if (!condition_followed(insn) || insn->dpp || insn->sdwa || insn->operand_count < 3 ||
	    state->mode != EXEC_NORMAL || name == SITE_LOST ||
	    !both_constant(flow, state, &insn->operand[1], &insn->operand[2], &are))
		return VALUE_NUMBER;
	state->conditions = true;
	return value_base(&flow->store, BASE(are == equal ? BASE_TRUE : BASE_FALSE, name), 0);
}

/*
 * Returns 1 if the mask from register `reg` on is all ones, -1 if it is all zeros, else 0: clang 21
 * makes such masks of a scalar condition that is known (s_cselect_b64 mask, -1, 0). Of waves of 32
 * lanes only the first register is meant; the next one is then seldom the same, and nothing is
 * claimed.
 */
static int uniform_mask(struct flow *flow, const struct state *state, unsigned reg)
{
	int32_t low, high;

	if (reg + 1 >= REG_VECTOR || !value_constant(&flow->store, state->scalar[reg], &low) ||
	    !value_constant(&flow->store, state->scalar[reg + 1], &high) || low != high)
		return 0;
	return low == -1 ? 1 : low == 0 ? -1 : 0;
}

/* s_cselect takes its second operand for true; v_cndmask its third. */
int condition_select(struct flow *flow, const struct insn *insn, const struct state *state)
{
	bool scalar = insn->traits & INSN_SCALAR;
	const struct operand *mask = &insn->operand[3];
	unsigned reg = insn->operand_count > 3 ? mask->reg : REG_VCC;
	uint32_t base;
	int uniform = choices_select(flow, insn);

	if (uniform)
		return uniform;
	if (scalar)
		return state->scc ? (state->scc > 0 ? 1 : 2) : 0;
	if (flow->launch)
		return concrete_select(flow, insn, state);
	if (insn->operand_count > 3 && (mask->kind != OPERAND_REG || mask->reg >= REG_VECTOR))
		return 0;
	uniform = uniform_mask(flow, state, reg);
	if (uniform)
		return uniform > 0 ? 2 : 1;
	if (state->mode != EXEC_NORMAL || !state->conditions)
		return 0;
	base = value_sole_base(&flow->store, state->scalar[reg]);
	if (BASE_PAYLOAD(base) != state_exec_name(state))
		return 0;
	return BASE_KIND(base) == BASE_TRUE ? 2 : BASE_KIND(base) == BASE_FALSE ? 1 : 0;
}

void condition_forget(struct flow *flow, struct state *state)
{
	unsigned i;

	state->scc = 0;
	if (!state->conditions || flow->launch)
		return;
	state->conditions = false;
	for (i = 0; i < REG_VECTOR; i++)
		if (value_has(&flow->store, state->scalar[i], BASE_TRUE) ||
		    value_has(&flow->store, state->scalar[i], BASE_FALSE))
			state->scalar[i] = VALUE_NUMBER;
}
