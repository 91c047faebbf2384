/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction's operands read and write; addresses in the code object as values. */
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

		if (alt[i].term_count == 1 && !alt[i].flags && alt[i].term[0].sign > 0 &&
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
	    value->alt[0].term[0].base != BASE(BASE_IMAGE, 0) || value->alt[0].term[0].sign < 0)
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
			return state->mode == EXEC_NORMAL
				   ? value_base(store, BASE(BASE_MASK, state_exec_name(state)), 0)
				   : VALUE_NUMBER;
		}
		return state_get(store, state, operand->reg + part);
	case OPERAND_CONST:
		return value_const(store,
				   part ? (operand->value < 0 ? -1 : 0) : (int32_t)operand->value);
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
