/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of instructions on single lanes, across lanes, and on registers chosen at run time. */
#include "flow.h"

int flow_lanes(struct flow *flow, struct state *state, const struct insn *insn)
{
	struct value_store *store = &flow->store;
	const struct operand *to = &insn->operand[0], *from = &insn->operand[1];
	value_id value;
	int32_t lane = -1;
	bool known;

	if (insn->class == OP_READ_FIRST) {
		value = value_plain(store, flow_operand(flow, state, from, 0));
		return flow_write(flow, state, to, 0, value == VALUE_BOTTOM ? VALUE_NUMBER : value);
	}
	known =
	    value_constant(&flow->store, flow_operand(flow, state, &insn->operand[2], 0), &lane) &&
	    lane >= 0 && lane < VALUE_LANES;
	if (insn->class == OP_READ_LANE) {
		if (from->kind != OPERAND_REG)
			return flow_write(flow, state, to, 0, VALUE_NUMBER);
		/* The lane may be one that is switched off. */
		value = state_get_any(store, state, from->reg);
		value = known ? value_lane_read(store, value, (uint32_t)lane)
			      : value_plain(store, value);
		return flow_write(flow, state, to, 0, value_plain(store, value));
	}
	if (to->kind != OPERAND_REG)
		return 0;
	if (known)
		return state_write_lane(store, state, to->reg, (uint32_t)lane,
					flow_operand(flow, state, from, 0));
	value = value_add(store, value_unknown(store, "a lane written at a computed number"),
			  flow_sources(flow, state, insn, false));
	return state_set(
	    store, state, to->reg,
	    value_join(store, value, value_plain(store, state_get_any(store, state, to->reg))));
}

int flow_lane_permute(struct flow *flow, struct state *state, const struct insn *insn)
{
	struct value_store *store = &flow->store;
	const struct operand *to = &insn->operand[0];
	value_id value, old;

	if (to->kind != OPERAND_REG || to->reg < REG_VECTOR)
		return flow_write_all(flow, state, to, VALUE_NUMBER);
	old = flow_operand(flow, state, to, 0);
	if (insn->class == OP_MOVE && insn->operand[1].kind == OPERAND_REG && !insn->sdwa)
		value = value_plain(store, state_get_any(store, state, insn->operand[1].reg));
	else if (insn->class == OP_DATA)
		value = VALUE_NUMBER;
	else
		value = value_add(store,
				  value_unknown(store, "a value assembled from parts of registers"),
				  flow_sources(flow, state, insn, true));
	return flow_write(flow, state, to, 0, value_join(store, value_plain(store, old), value));
}

/*
 * Registers counted from a number in a register: compilers index inside of the tuple of registers
 * that holds an array, and the largest has 32 of them [LTD, "Register classes": 1024 bits].
 */
#define TUPLE_MAX 32u

/* Returns the end of the registers of that kind, or of the longest tuple that begins at `reg`. */
static unsigned tuple_end(unsigned reg)
{
	unsigned end = reg < REG_VECTOR ? REG_VCC : reg < REG_ACC ? REG_ACC : REG_COUNT;

	return end < reg + TUPLE_MAX ? end : reg + TUPLE_MAX;
}

static value_id mixed_tuple(struct flow *flow, const struct state *state, const struct insn *insn)
{
	value_id result = VALUE_NUMBER;

	for (unsigned i = 1; i < insn->operand_count; i++) {
		unsigned reg = insn->operand[i].reg;

		for (unsigned end = tuple_end(reg);
		     insn->operand[i].kind == OPERAND_REG && reg < end; reg++) {
			value_id one = flow_mixed(flow, state_get(&flow->store, state, reg));

			if (one != VALUE_NUMBER && one != VALUE_BOTTOM)
				result = value_add(&flow->store, result, one);
		}
	}
	return result;
}

int flow_indexed(struct flow *flow, struct state *state, const struct insn *insn, bool destination)
{
	struct value_store *store = &flow->store;
	value_id value = value_unknown(store, "a register chosen at run time");
	const struct operand *to = &insn->operand[0];
	unsigned i;
	int status = 0;

	if (!destination || to->kind != OPERAND_REG)
		return flow_write_all(flow, state, to,
				      value_add(store, value, mixed_tuple(flow, state, insn)));
	value = value_add(store, value, flow_sources(flow, state, insn, false));
	for (i = to->reg; !status && i < tuple_end(to->reg); i++)
		status = state_set(
		    store, state, i,
		    value_join(store, value, value_plain(store, state_get(store, state, i))));
	return status;
}
