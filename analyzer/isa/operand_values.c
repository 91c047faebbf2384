/* SPDX-License-Identifier: Apache-2.0 */
/* This tells what operands read and write, and makes values of addresses in the code object. */
#include "flow.h"

#include <string.h>

value_id flow_image_high(struct flow *flow)
{
	return value_base(&flow->store, BASE(BASE_IMAGE, 1), 0);
}

value_id flow_image_address(struct flow *flow, uint64_t address)
{
	const struct isa_image *image = flow->program->image;
	const struct isa_symbol *symbol = isa_image_symbol_at(image, address, false);

	if (symbol)
		return value_base(&flow->store, BASE(BASE_SYMBOL, symbol - image->symbols),
				  (int32_t)(address - symbol->address));
	return value_base(&flow->store, BASE(BASE_IMAGE, 0), (int32_t)(uint32_t)address);
}

value_id flow_normalise(struct flow *flow, value_id value)
{
	struct value_store *store = &flow->store;
	const struct value *old = value_get(store, value);
	value_id result = VALUE_BOTTOM;
	struct alt alt[VALUE_ALTS];
	uint32_t i, n = old->alt_count;

	if (!value_has(store, value, BASE_IMAGE))
		return value;
	memcpy(alt, old->alt, n * sizeof(*alt));
	for (i = 0; i < n; i++) {
		value_id one;

		if (alt[i].term_count == 1 && !alt[i].flags && alt[i].term[0].sign == SIGN_WHOLE &&
		    alt[i].term[0].base == BASE(BASE_IMAGE, 0))
			one = flow_image_address(flow, (uint32_t)alt[i].constant);
		else
			one = value_alts(store, &alt[i], 1);
		result = value_join(store, result, one);
	}
	return result;
}

bool flow_code_address(const struct flow *flow, value_id low, uint64_t *address)
{
	const struct value *value = value_get(&flow->store, low);

	if (value->alt_count != 1 || value->alt[0].term_count != 1 || value->alt[0].flags ||
	    value->alt[0].term[0].base != BASE(BASE_IMAGE, 0) ||
	    value->alt[0].term[0].sign != SIGN_WHOLE)
		return false;
	*address = (uint32_t)value->alt[0].constant;
	return true;
}

value_id flow_operand(struct flow *flow, const struct state *state, const struct operand *operand,
		      unsigned part)
{
	struct value_store *store = &flow->store;

	switch (operand->kind) {
	case OPERAND_REG:
		if (part >= operand->count)
			return value_const(store, 0);
		if (operand->reg + part == REG_EXEC || operand->reg + part == REG_EXEC + 1) {
			if (state->mode == EXEC_ALL)
				return value_const(store, -1);
			if (state->dead)
				return value_const(store, 0);
			return state->mode == EXEC_NORMAL
				   ? value_base(store, BASE(BASE_MASK, state_exec_name(state)), 0)
				   : VALUE_NUMBER;
		}
		if (operand->half)
			return flow_mixed(flow, state_get(store, state, operand->reg + part));
		return state_get(store, state, operand->reg + part);
	case OPERAND_CONST:
		return value_const(store, (int32_t)(part ? operand->value >> 32 : operand->value));
	case OPERAND_SHARED:
	case OPERAND_PRIVATE:
		return part ? value_base(store,
					 BASE(BASE_APERTURE, operand->kind == OPERAND_SHARED), 0)
			    : value_const(store, 0);
	case OPERAND_FLOAT:
		return VALUE_NUMBER;
	default:
		return value_unknown(store, "an operand that is not followed");
	}
}

int flow_write(struct flow *flow, struct state *state, const struct operand *operand, unsigned part,
	       value_id value)
{
	if (operand->kind != OPERAND_REG || part >= operand->count)
		return 0;
	if (operand->reg + part >= REG_EXEC && operand->reg + part < REG_VECTOR)
		return 0;
	return state_set(&flow->store, state, operand->reg + part, value);
}

value_id flow_sources(struct flow *flow, const struct state *state, const struct insn *insn,
		      bool own)
{
	value_id result = VALUE_NUMBER;

	for (unsigned i = own ? 0 : 1; i < insn->operand_count; i++) {
		const struct operand *from = &insn->operand[i];

		for (unsigned part = 0; from->kind == OPERAND_REG && part < from->count; part++) {
			value_id one = flow_mixed(flow, flow_operand(flow, state, from, part));

			if (one != VALUE_NUMBER && one != VALUE_BOTTOM)
				result = value_add(&flow->store, result, one);
		}
	}
	return result;
}

int flow_write_all(struct flow *flow, struct state *state, const struct operand *to, value_id value)
{
	unsigned i;
	int status = 0;

	for (i = 0; !status && to->kind == OPERAND_REG && i < to->count; i++)
		status = flow_write(flow, state, to, i, value);
	return status;
}
