/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masks of lanes in an evaluation: none, every lane, or exec as it was at a shrink site, which
 * include one another in the order of the sites. A comparison that is the same in all lanes gives
 * none or exec, and exec may become empty: then vector instructions have no effect (state.dead).
 * Of other masks it may be known that they include exec as it was at a site (BASE_TRUE), or have
 * no lane of it (BASE_FALSE): unoptimized code keeps conditions of loops in such masks.
 */
#include "concrete.h"

#include "state_internal.h"

#include <string.h>

static bool is_exec(const struct operand *operand)
{
	return operand->kind == OPERAND_REG && operand->reg == REG_EXEC;
}

static bool is_lost(const struct state *state)
{
	return state->mode != EXEC_NORMAL ||
	       (state->aside_count && state->aside[0].name == SITE_LOST);
}

int concrete_exec(const struct state *state)
{
	if (state->dead)
		return LANES_NONE;
	return is_lost(state) ? LANES_UNKNOWN : (int)state->aside_count;
}

int concrete_lanes(const struct flow *flow, const struct state *state,
		   const struct operand *operand)
{
	value_id value;
	int32_t constant;
	uint32_t base;

	if (is_exec(operand))
		return concrete_exec(state);
	if (operand->kind == OPERAND_CONST)
		return operand->value == -1  ? LANES_EVERY
		       : operand->value == 0 ? LANES_NONE
					     : LANES_UNKNOWN;
	if (operand->kind != OPERAND_REG || operand->reg + operand->count > REG_VECTOR)
		return LANES_UNKNOWN;
	value = state->scalar[operand->reg];
	for (unsigned i = 1; i < flow->wave_size / 32 && operand->reg + i < REG_VECTOR; i++)
		if (state->scalar[operand->reg + i] != value)
			return LANES_UNKNOWN;
	if (value_constant(&flow->store, value, &constant))
		return constant == -1 ? LANES_EVERY : constant == 0 ? LANES_NONE : LANES_UNKNOWN;
	base = value_sole_base(&flow->store, value);
	if (BASE_KIND(base) == BASE_MASK && !is_lost(state) &&
	    state_place_of(state, BASE_PAYLOAD(base)) >= 0)
		return state_place_of(state, BASE_PAYLOAD(base));
	return LANES_UNKNOWN;
}

/* These are the largest sets that a mask is known to include, and to have no lane of. */
struct bounds {
	int in, out; /* LANES_NONE: of no lane */
};

static struct bounds bounds_of(const struct flow *flow, const struct state *state,
			       const struct operand *operand)
{
	int lanes = concrete_lanes(flow, state, operand), place;
	struct bounds bounds = { LANES_NONE, LANES_NONE };
	uint32_t base;

	if (lanes == LANES_NONE)
		bounds.out = LANES_ROOT;
	else if (lanes == LANES_EVERY)
		bounds.in = LANES_ROOT;
	else if (lanes != LANES_UNKNOWN)
		bounds.in = lanes;
	if (lanes != LANES_UNKNOWN || operand->kind != OPERAND_REG || operand->reg >= REG_VECTOR ||
	    is_lost(state))
		return bounds;
	base = value_sole_base(&flow->store, state->scalar[operand->reg]);
	if (BASE_KIND(base) != BASE_TRUE && BASE_KIND(base) != BASE_FALSE)
		return bounds;
	for (unsigned i = 1; i < flow->wave_size / 32; i++)
		if (operand->reg + i >= REG_VECTOR ||
		    state->scalar[operand->reg + i] != state->scalar[operand->reg])
			return bounds;
	place = state_place_of(state, BASE_PAYLOAD(base));
	if (place >= 0)
		*(BASE_KIND(base) == BASE_TRUE ? &bounds.in : &bounds.out) = place;
	return bounds;
}

static int larger(int a, int b)
{
	return a < b ? a : b;
}

static int smaller(int a, int b)
{
	return a > b ? a : b;
}

static struct bounds combine_bounds(const struct insn *insn, struct bounds x, struct bounds y)
{
	struct bounds bounds;

	if (insn->class == OP_ANDN2)
		y = (struct bounds){ y.out, y.in };
	switch (insn->class) {
	case OP_AND:
	case OP_ANDN2:
		bounds.in = smaller(x.in, y.in);
		bounds.out = larger(x.out, y.out);
		break;
	case OP_OR:
		bounds.in = larger(x.in, y.in);
		bounds.out = smaller(x.out, y.out);
		break;
	default:
		bounds.in = larger(smaller(x.in, y.out), smaller(x.out, y.in));
		bounds.out = larger(smaller(x.in, y.in), smaller(x.out, y.out));
		break;
	}
	return bounds;
}

/* Returns the combination of exec and a mask of which it is only known what it has of exec. */
static int combine_exec(const struct state *state, const struct insn *insn, struct bounds mask)
{
	int exec = concrete_exec(state);

	if (exec >= LANES_NONE || (insn->class != OP_AND && insn->class != OP_ANDN2))
		return LANES_UNKNOWN;
	if (insn->class == OP_ANDN2)
		mask = (struct bounds){ mask.out, mask.in };
	return mask.in <= exec ? exec : mask.out <= exec ? LANES_NONE : LANES_UNKNOWN;
}

static uint32_t name_of(const struct state *state, int lanes)
{
	return lanes > 0 ? state->aside[lanes - 1].name : SITE_ROOT;
}

value_id concrete_mask(struct flow *flow, const struct state *state, int lanes)
{
	if (lanes == LANES_UNKNOWN)
		return VALUE_NUMBER;
	if (lanes == LANES_NONE || lanes == LANES_EVERY)
		return value_const(&flow->store, lanes == LANES_EVERY ? -1 : 0);
	return value_base(&flow->store, BASE(BASE_MASK, name_of(state, lanes)), 0);
}

int concrete_active(const struct flow *flow, const struct state *state,
		    const struct operand *operand)
{
	struct bounds mask = bounds_of(flow, state, operand);
	int lanes = concrete_lanes(flow, state, operand), exec = concrete_exec(state);

	if (lanes == LANES_NONE || lanes == LANES_EVERY)
		return lanes == LANES_EVERY;
	if (exec >= LANES_NONE)
		return -1;
	return mask.in <= exec ? 1 : mask.out <= exec ? 0 : -1;
}

/* Returns the combination of two masks of which one includes the other. */
static int combine(const struct insn *insn, int x, int y)
{
	switch (insn->class) {
	case OP_AND:
	case OP_AND_SAVEEXEC:
		if (x == LANES_NONE || y == LANES_NONE)
			return LANES_NONE;
		return x == LANES_UNKNOWN || y == LANES_UNKNOWN ? LANES_UNKNOWN : x > y ? x : y;
	case OP_OR:
	case OP_OR_SAVEEXEC:
		return x == LANES_UNKNOWN || y == LANES_UNKNOWN ? LANES_UNKNOWN : x < y ? x : y;
	case OP_ANDN2:
	case OP_ANDN2_SAVEEXEC:
		if (x == LANES_NONE || (x != LANES_UNKNOWN && y <= x))
			return LANES_NONE;
		return y == LANES_NONE ? x : LANES_UNKNOWN;
	default: /* exclusive or */
		if (x == y && x != LANES_UNKNOWN)
			return LANES_NONE;
		return x == LANES_NONE ? y : y == LANES_NONE ? x : LANES_UNKNOWN;
	}
}

/* Exec becomes that; *handled is false where the data flow's own step is to do it. */
static int set_exec(struct flow *flow, struct state *state, int lanes, bool *handled)
{
	int now = (int)state->aside_count;

	*handled = lanes != LANES_EVERY && lanes != LANES_UNKNOWN;
	state->dead = lanes == LANES_NONE;
	return *handled && lanes < now ? state_restore(&flow->store, state, name_of(state, lanes))
				       : 0;
}

static int save_exec(struct flow *flow, const struct insn *insn, struct state *state, bool *handled)
{
	const struct operand *to = &insn->operand[0];
	int now = concrete_exec(state), result;
	bool was_dead = state->dead, set;
	int status;

	if (insn->class == OP_OTHER_SAVEEXEC && strncmp(insn->mnemonic, "s_xor_saveexec", 14) != 0)
		result = LANES_UNKNOWN;
	else
		result = combine(insn, concrete_lanes(flow, state, &insn->operand[1]), now);
	if (result == LANES_UNKNOWN && insn->class == OP_AND_SAVEEXEC && now < LANES_NONE) {
		int active = concrete_active(flow, state, &insn->operand[1]);

		result = active < 0 ? LANES_UNKNOWN : active ? now : LANES_NONE;
	}
	if (now == LANES_UNKNOWN || (result == LANES_UNKNOWN && !was_dead))
		return 0;
	if (result == LANES_EVERY && !was_dead)
		return 0;
	*handled = true;
	/* The names of the masks are up to the state as it is now. */
	status = flow_write_all(flow, state, to, concrete_mask(flow, state, now));
	if (!status)
		status = set_exec(flow, state, result, &set);
	if (!status && !set && result == LANES_EVERY)
		state_all(state);
	else if (!status && !set)
		status = state_lose(&flow->store, state);
	return status;
}

/* Returns the mask that is not known and is copied because the other one is empty, or NULL. */
static const struct operand *copied(const struct insn *insn, int x, int y)
{
	bool either = insn->class == OP_OR || insn->class == OP_XOR;

	if (y == LANES_NONE && x == LANES_UNKNOWN && (either || insn->class == OP_ANDN2))
		return &insn->operand[1];
	return x == LANES_NONE && y == LANES_UNKNOWN && either ? &insn->operand[2] : NULL;
}

/* Returns true if the data flow's own step makes less of a combination: it knows parts of masks. */
static bool is_unfollowed(const struct insn *insn, int x, int y)
{
	switch (insn->class) {
	case OP_OR:
		return true;
	case OP_ANDN2:
		return x == LANES_UNKNOWN;
	case OP_AND:
		return x == LANES_UNKNOWN && y == LANES_UNKNOWN;
	default:
		return x == LANES_EVERY || y == LANES_EVERY;
	}
}

static int compute(struct flow *flow, const struct insn *insn, struct state *state, bool *handled)
{
	const struct operand *to = &insn->operand[0], *a = &insn->operand[1], *from = NULL;
	bool moves = insn->class == OP_MOVE;
	const struct operand *b = moves ? a : &insn->operand[2];
	int x = concrete_lanes(flow, state, a), y = concrete_lanes(flow, state, b), result;
	struct bounds one = { LANES_NONE, LANES_NONE }, other;
	bool was_dead = state->dead, set;
	int status = 0;

	result = moves ? x : combine(insn, x, y);
	if (!moves) {
		one = bounds_of(flow, state, a);
		other = bounds_of(flow, state, b);
		from = copied(insn, x, y);
		if (result == LANES_UNKNOWN && is_exec(a))
			result = combine_exec(state, insn, other);
		else if (result == LANES_UNKNOWN && is_exec(b) && insn->class == OP_AND)
			result = combine_exec(state, insn, one);
		one = combine_bounds(insn, one, other);
	}
	if (is_exec(to)) {
		/* Nothing but the name of a smaller mask is lost where exec was not empty. */
		if (result == LANES_UNKNOWN && !was_dead)
			return 0;
		status = set_exec(flow, state, result, &set);
		*handled = set;
		if (!status && !set && result == LANES_UNKNOWN) {
			*handled = true;
			status = state_lose(&flow->store, state);
		}
	} else if (from) {
		*handled = true;
		for (unsigned i = 0; !status && i < to->count; i++)
			status = flow_write(flow, state, to, i, flow_operand(flow, state, from, i));
	} else if (result != LANES_UNKNOWN) {
		*handled = true;
		status = flow_write_all(flow, state, to, concrete_mask(flow, state, result));
	} else if (!moves && is_unfollowed(insn, x, y) &&
		   (one.in < LANES_NONE || one.out < LANES_NONE)) {
		bool in = one.in < LANES_NONE;

		*handled = true;
		status = flow_write_all(flow, state, to,
					value_base(&flow->store,
						   BASE(in ? BASE_TRUE : BASE_FALSE,
							name_of(state, in ? one.in : one.out)),
						   0));
	}
	if (*handled && !moves)
		state->scc = from || result == LANES_UNKNOWN ? 0 : result == LANES_NONE ? -1 : 1;
	return status;
}

static bool is_mask(uint32_t base)
{
	return BASE_IS_MASK(base) || BASE_KIND(base) == BASE_TRUE || BASE_KIND(base) == BASE_FALSE;
}

static bool names_mask(const struct flow *flow, const struct state *state,
		       const struct operand *operand)
{
	return is_exec(operand) ||
	       (operand->kind == OPERAND_REG && operand->reg < REG_VECTOR &&
		is_mask(value_sole_base(&flow->store, state->scalar[operand->reg])));
}

/* Returns true if a value is a mask that was made of exec as it was at a site. */
static bool is_of_site(const struct flow *flow, value_id value, uint32_t site)
{
	uint32_t base = value_sole_base(&flow->store, value);

	return is_mask(base) && BASE_PAYLOAD(base) == site;
}

int concrete_forget(struct flow *flow, struct state *state, uint32_t site)
{
	struct value_store *store = &flow->store;
	int status = 0;

	for (unsigned reg = 0; reg < REG_VECTOR; reg++)
		if (is_of_site(flow, state->scalar[reg], site))
			state->scalar[reg] = VALUE_NUMBER;
	/* Scalar registers may be kept in lanes. */
	for (unsigned reg = REG_VECTOR; !status && reg < REG_COUNT; reg++) {
		value_id held = state->active->reg[reg - REG_VECTOR];

		for (uint32_t i = 0; !status && i < value_get(store, held)->lane_count; i++) {
			struct lane lane = value_get(store, held)->lane[i];

			if (is_of_site(flow, lane.value, site))
				status =
				    state_write_lane(store, state, reg, lane.lane, VALUE_NUMBER);
		}
	}
	return status;
}

int concrete_masks(struct flow *flow, const struct insn *insn, struct state *state, bool *handled)
{
	const struct operand *to = &insn->operand[0];
	unsigned dwords = flow->wave_size / 32;

	*handled = false;
	/* Back from a moment in which every lane was active. */
	if (insn->class == OP_MOVE && state->mode == EXEC_ALL && is_exec(to) &&
	    concrete_lanes(flow, state, &insn->operand[1]) == LANES_NONE) {
		state->mode = EXEC_NORMAL;
		state->dead = *handled = true;
		return 0;
	}
	if (insn->dual || (state->mode != EXEC_NORMAL && !state->dead) || !insn->operand_count ||
	    to->kind != OPERAND_REG || to->count != dwords || !(insn->traits & INSN_SCALAR))
		return 0;
	switch (insn->class) {
	case OP_AND_SAVEEXEC:
	case OP_ANDN2_SAVEEXEC:
	case OP_OR_SAVEEXEC:
	case OP_OTHER_SAVEEXEC:
		return insn->operand_count == 2 ? save_exec(flow, insn, state, handled) : 0;
	case OP_AND:
	case OP_OR:
	case OP_ANDN2:
	case OP_XOR:
		if (insn->operand_count == 3 &&
		    (is_exec(to) || names_mask(flow, state, &insn->operand[1]) ||
		     names_mask(flow, state, &insn->operand[2])))
			return compute(flow, insn, state, handled);
		return 0;
	case OP_MOVE:
		/* A mask that is only copied is so by the data flow, too; an empty one is 0. */
		if (is_exec(to) || (is_exec(&insn->operand[1]) && state->dead))
			return compute(flow, insn, state, handled);
		return 0;
	default:
		return 0;
	}
}
