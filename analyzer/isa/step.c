/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of one instruction on the abstract state. */
#include "flow.h"
#include "concrete.h"
#include "swaps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Shifts one dword left by a number that may be known. */
static value_id shifted(struct flow *flow, value_id a, value_id amount)
{
	int32_t count;

	if (value_constant(&flow->store, amount, &count))
		return flow_shift(flow, a, count, SHIFT_LEFT);
	return amount == VALUE_BOTTOM ? VALUE_BOTTOM : flow_mixed(flow, a);
}

/* Returns true if two dwords that are shifted left still have nothing in the upper one. */
static bool stays_low(const struct value_store *store, value_id low, value_id high, int32_t count)
{
	uint32_t top;
	int32_t upper;

	return count < 32 && value_constant(store, high, &upper) && !upper &&
	       value_top(store, low, &top) && (uint64_t)top << count <= VALUE_BOUND;
}

/* Writes `a` shifted by `b`; one or two dwords by the width of `to`. */
static int step_shift(struct flow *flow, struct state *state, const struct operand *to,
		      const struct operand *a, const struct operand *b, enum flow_shift shift)
{
	struct value_store *store = &flow->store;
	value_id amount = flow_operand(flow, state, b, 0), low, high;
	int32_t count;
	bool known;
	int status;

	low = flow_operand(flow, state, a, 0);
	if (to->count < 2) {
		if (value_constant(&flow->store, amount, &count))
			return flow_write(flow, state, to, 0, flow_shift(flow, low, count, shift));
		return flow_write(flow, state, to, 0,
				  amount == VALUE_BOTTOM ? VALUE_BOTTOM : flow_mixed(flow, low));
	}
	high = flow_operand(flow, state, a, 1);
	known = value_constant(&flow->store, amount, &count);
	count = known ? count & 63 : 0; /* the hardware takes six bits [LUG] */
	if (known && shift == SHIFT_LEFT && stays_low(store, low, high, count)) {
		low = flow_shift(flow, low, count, shift);
	} else if (count >= 32) {
		value_id moved =
		    flow_shift(flow, shift == SHIFT_LEFT ? low : high, count - 32, shift);
		value_id filler = value_const(store, 0);

		if (shift == SHIFT_RIGHT_SIGNED)
			filler = flow_mixed(flow, high);
		if (shift == SHIFT_LEFT) {
			low = filler;
			high = moved;
		} else {
			low = moved;
			high = filler;
		}
	} else if (!known || count) {
		int32_t x, y;

		if (known && value_constant(&flow->store, low, &x) &&
		    value_constant(&flow->store, high, &y)) {
			uint64_t wide = (uint64_t)(uint32_t)y << 32 | (uint32_t)x;

			wide = shift == SHIFT_LEFT    ? wide << count
			       : shift == SHIFT_RIGHT ? wide >> count
						      : (uint64_t)((int64_t)wide >> count);
			low = value_const(store, (int32_t)(uint32_t)wide);
			high = value_const(store, (int32_t)(uint32_t)(wide >> 32));
		} else {
			low = flow_mixed(flow, low);
			high = flow_mixed(flow, high);
			low = high = value_join(store, low, high);
			if (low == VALUE_NUMBER && shift == SHIFT_LEFT && known)
				low = flow_shift(flow, flow_operand(flow, state, a, 0), count,
						 SHIFT_LEFT);
		}
	}
	status = flow_write(flow, state, to, 0, low);
	return status ? status : flow_write(flow, state, to, 1, high);
}

/* Applies binary operations to each dword. */
static int step_each(struct flow *flow, struct state *state, const struct insn *insn)
{
	const struct operand *to = &insn->operand[0];
	int taken = insn->class == OP_SELECT ? condition_select(flow, insn, state) : 0;
	value_id result[4] = { 0 };
	unsigned i;
	int status = 0;

	for (i = 0; i < to->count && i < 4; i++) {
		value_id a = flow_operand(flow, state, &insn->operand[1], i);
		value_id b = flow_operand(flow, state, &insn->operand[2], i);

		switch (insn->class) {
		case OP_OR:
			result[i] = flow_or(flow, a, b);
			break;
		case OP_AND:
			result[i] = flow_and(flow, a, b);
			break;
		case OP_ANDN2:
			result[i] = flow_and(flow, a, flow_not(flow, b));
			break;
		case OP_XOR:
			result[i] = flow_xor(flow, a, b);
			break;
		case OP_NOT:
			result[i] = flow_not(flow, a);
			break;
		case OP_SELECT:
			result[i] = taken == 1   ? a
				    : taken == 2 ? b
						 : value_join(&flow->store, a, b);
			break;
		default:
			result[i] = a;
			break;
		}
	}
	for (i = 0; !status && i < to->count && i < 4; i++)
		status = flow_write(flow, state, to, i, result[i]);
	return status;
}

/* Additions; the carry into an upper half is a number of 0 or 1 that changes no base. */
static int step_add(struct flow *flow, struct state *state, const struct insn *insn)
{
	struct value_store *store = &flow->store;
	const struct operand *to = &insn->operand[0];
	bool carry_out = insn->class == OP_ADD_CARRY_OUT || insn->class == OP_SUB_CARRY_OUT ||
			 insn->class == OP_SUBREV_CARRY_OUT;
	const struct operand *from = &insn->operand[carry_out ? 2 : 1];
	value_id a = flow_operand(flow, state, &from[0], 0);
	value_id b = flow_operand(flow, state, &from[1], 0), result;
	int status;

	switch (insn->class) {
	case OP_SUB:
	case OP_SUB_CARRY_OUT:
		result = value_sub(store, a, b);
		break;
	case OP_SUBREV:
	case OP_SUBREV_CARRY_OUT:
		result = value_sub(store, b, a);
		break;
	case OP_ADD3:
		result = value_add(store, value_add(store, a, b),
				   flow_operand(flow, state, &from[2], 0));
		break;
	case OP_LAST_PLUS:
		result = value_add(store, flow_mul(flow, a, b),
				   value_blur(store, flow_operand(flow, state, &from[2], 0)));
		break;
	case OP_SHIFT_ADD:
		result =
		    value_add(store, shifted(flow, a, b), flow_operand(flow, state, &from[2], 0));
		break;
	case OP_ADD_SHIFT:
		result =
		    shifted(flow, value_add(store, a, b), flow_operand(flow, state, &from[2], 0));
		break;
	case OP_XOR_ADD:
		result =
		    value_add(store, flow_xor(flow, a, b), flow_operand(flow, state, &from[2], 0));
		break;
	case OP_AND_OR:
		result =
		    flow_or(flow, flow_and(flow, a, b), flow_operand(flow, state, &from[2], 0));
		break;
	case OP_INSERT:
		result = flow_insert(flow, a, b, flow_operand(flow, state, &from[2], 0));
		break;
	case OP_LAST_PLUS2:
		result = value_add(store, flow_mixed(flow, a), value_blur(store, b));
		break;
	case OP_ADD_CONST:
		result = value_add(store, flow_operand(flow, state, to, 0), a);
		break;
	default:
		result = value_add(store, a, b);
		break;
	}
	if (insn->sdwa)
		result = value_blur(store, result);
	/* With a carry it is one more. */
	if (insn->traits & INSN_CARRIES)
		result = value_unbounded(store, result);
	status = flow_write(flow, state, to, 0, flow_normalise(flow, result));
	if (!status && carry_out)
		status = flow_write_all(flow, state, &insn->operand[1], VALUE_NUMBER);
	return status;
}

/*
 * Returns the product of two dwords, in 64 bits: both halves as one number, which is a multiple of
 * a factor. *small is true if the upper half is 0.
 */
static value_id wide_product(struct flow *flow, const struct state *state, const struct insn *insn,
			     bool *small)
{
	uint32_t p, q;
	value_id a = flow_operand(flow, state, &insn->operand[2], 0);
	value_id b = flow_operand(flow, state, &insn->operand[3], 0), mixed;
	int32_t x, y;
	bool xc = value_constant(&flow->store, a, &x), yc = value_constant(&flow->store, b, &y);

	*small = value_top(&flow->store, a, &p) && value_top(&flow->store, b, &q) &&
		 (uint64_t)p * q <= VALUE_BOUND;
	if (*small)
		return flow_mul(flow, a, b);
	mixed = value_add(&flow->store, flow_mixed(flow, a), flow_mixed(flow, b));
	if (xc == yc || (xc ? x : y) <= 0 ||
	    (mixed != VALUE_NUMBER && !flow_is_scale(flow, xc ? x : y)))
		return value_blur(&flow->store, mixed);
	return flow_multiple(flow, (uint32_t)(xc ? x : y));
}

static int step_wide(struct flow *flow, struct state *state, const struct insn *insn)
{
	struct value_store *store = &flow->store;
	const struct operand *to = &insn->operand[0];
	value_id low, high;
	int status;

	if (insn->class == OP_ADD64 || insn->class == OP_SUB64) {
		value_id (*op)(struct value_store *, value_id, value_id) =
		    insn->class == OP_ADD64 ? value_add : value_sub;

		low = op(store, flow_operand(flow, state, &insn->operand[1], 0),
			 flow_operand(flow, state, &insn->operand[2], 0));
		high = op(store, flow_operand(flow, state, &insn->operand[1], 1),
			  flow_operand(flow, state, &insn->operand[2], 1));
	} else if (insn->class == OP_LSHL_ADD64) {
		int32_t count;

		low = flow_operand(flow, state, &insn->operand[3], 0);
		high = flow_operand(flow, state, &insn->operand[3], 1);
		if (value_constant(&flow->store, flow_operand(flow, state, &insn->operand[2], 0),
				   &count) &&
		    !count) {
			low =
			    value_add(store, low, flow_operand(flow, state, &insn->operand[1], 0));
			high =
			    value_add(store, high, flow_operand(flow, state, &insn->operand[1], 1));
		} else {
			low =
			    value_add(store, low,
				      shifted(flow, flow_operand(flow, state, &insn->operand[1], 0),
					      flow_operand(flow, state, &insn->operand[2], 0)));
			high = value_add(
			    store, value_blur(store, high),
			    flow_mixed(flow, flow_operand(flow, state, &insn->operand[1], 1)));
		}
	} else {
		bool small;
		value_id product = wide_product(flow, state, insn, &small);

		low = value_add(store, product, flow_operand(flow, state, &insn->operand[4], 0));
		high = value_add(store, small ? value_const(store, 0) : product,
				 flow_operand(flow, state, &insn->operand[4], 1));
		status = flow_write_all(flow, state, &insn->operand[1], VALUE_NUMBER);
		if (status)
			return status;
	}
	status = flow_write(flow, state, to, 0, flow_normalise(flow, low));
	return status ? status : flow_write(flow, state, to, 1, high);
}

static int step_packed_move(struct flow *flow, struct state *state, const struct insn *insn)
{
	value_id low = flow_operand(flow, state, &insn->operand[1], insn->op_sel_hi[0]);
	value_id high = flow_operand(flow, state, &insn->operand[2], insn->op_sel_hi[1]);
	int status = flow_write(flow, state, &insn->operand[0], 0, low);

	return status ? status : flow_write(flow, state, &insn->operand[0], 1, high);
}

/* Notes if it makes memory coherent with what is outside of the GPU; see arch.def. */
static void flow_fence(struct flow *flow, const struct insn *insn)
{
	bool system = true;

	if (!insn->fence || flow->arch->scope == ARCH_SCOPE_NONE)
		return;
	if (flow->arch->scope == ARCH_SCOPE_SC1)
		system = insn->cache & ISA_CACHE_SC0 && insn->cache & ISA_CACHE_SC1;
	else if (flow->arch->scope == ARCH_SCOPE_FIELD)
		system = insn->cache & ISA_CACHE_SCOPE_SYS;
	flow->system_release |= system && insn->fence & 1;
	flow->system_acquire |= system && insn->fence & 2;
}

static int step_once(struct flow *flow, const struct function *function, const struct insn *insn,
		     struct state *state);

/* Both halves read before either writes. */
static int step_dual(struct flow *flow, const struct function *function, const struct insn *insn,
		     struct state *state)
{
	struct insn first = *insn;
	const struct operand *to = &insn->dual->operand[0];
	struct state before;
	unsigned i;
	int status;

	first.dual = NULL;
	state_copy(&before, state);
	status = step_once(flow, function, &first, state);
	if (!status)
		status = step_once(flow, function, insn->dual, &before);
	for (i = 0; !status && to->kind == OPERAND_REG && i < to->count; i++)
		status =
		    flow_write(flow, state, to, i, state_get(&flow->store, &before, to->reg + i));
	state_clear(&before);
	return status;
}

/* Tells if the bits are too few for a distance between pieces of memory, as by a constant mask. */
static bool is_small_field(struct flow *flow, const struct state *state, const struct insn *insn,
			   uint32_t *bits)
{
	const struct operand *from = &insn->operand[insn->class == OP_FIELD ? 3 : 2];
	int32_t width;

	if (!value_constant(&flow->store, flow_operand(flow, state, from, 0), &width))
		return false;
	*bits = insn->class == OP_FIELD ? (uint32_t)width & 31 : (uint32_t)width >> 16 & 127;
	return *bits < FLOW_INDEX_BITS;
}

/* Returns such a field, whose bound is known if it has no sign and one dword. */
static value_id small_field(struct flow *flow, const struct insn *insn, uint32_t bits)
{
	return insn->traits & INSN_UNSIGNED && insn->operand[0].count == 1
		   ? flow_bounded(flow, 1, (UINT64_C(1) << bits) - 1)
		   : VALUE_NUMBER;
}

/*
 * Returns the lesser of two numbers, or the upper half of their product, as far as that is bounded;
 * else bottom.
 */
static value_id bounded_mix(struct flow *flow, const struct state *state, const struct insn *insn)
{
	bool least = insn->traits & INSN_LEAST;
	value_id a, b;
	uint32_t p, q;
	bool x, y;

	if (flow->swaps || insn->operand_count != 3 ||
	    !(insn->traits & (INSN_LEAST | INSN_HIGH_PART)))
		return VALUE_BOTTOM;
	a = flow_operand(flow, state, &insn->operand[1], 0);
	b = flow_operand(flow, state, &insn->operand[2], 0);
	if (flow_mixed(flow, a) != VALUE_NUMBER || flow_mixed(flow, b) != VALUE_NUMBER)
		return VALUE_BOTTOM;
	x = value_top(&flow->store, a, &p);
	y = value_top(&flow->store, b, &q);
	if (least && (x || y))
		return flow_bounded(flow, 1, !x || (y && q < p) ? q : p);
	return !least && x && y && (uint64_t)p * q <= UINT32_MAX ? value_const(&flow->store, 0)
								 : VALUE_BOTTOM;
}

static int step_plain(struct flow *flow, const struct function *function, const struct insn *insn,
		      struct state *state);

static int drop_bounds(struct flow *flow, struct state *state, const struct operand *to)
{
	int status = 0;

	for (unsigned i = 0; !status && to->kind == OPERAND_REG && i < to->count; i++)
		if (to->reg + i < REG_EXEC || to->reg + i >= REG_VECTOR)
			status =
			    state_set(&flow->store, state, to->reg + i,
				      value_unbounded(&flow->store,
						      state_get(&flow->store, state, to->reg + i)));
	return status;
}

/* In the pass of swaps.h numbers remember what they come from. */
static int step_once(struct flow *flow, const struct function *function, const struct insn *insn,
		     struct state *state)
{
	value_id carried = VALUE_BOTTOM;
	int status;

	if (flow->swaps && !insn->dual) {
		carried = swaps_carried(flow, insn, state);
		status = swaps_compare(flow, insn, state);
		if (status)
			return status;
	}
	status = step_plain(flow, function, insn, state);
	/* Nothing is known of the bounds of a part of a register, or of another lane's. */
	if (!status && (insn->sdwa || insn->dpp) && insn->operand_count)
		status = drop_bounds(flow, state, &insn->operand[0]);
	if (!status && carried != VALUE_BOTTOM)
		status = flow_write_all(flow, state, &insn->operand[0], carried);
	return status;
}

static int step_plain(struct flow *flow, const struct function *function, const struct insn *insn,
		      struct state *state)
{
	struct value_store *store = &flow->store;
	const struct operand *operand = insn->operand;
	char why[96];
	value_id value;
	uint32_t bits;
	int status;

	if (insn->dual)
		return step_dual(flow, function, insn, state);
	if (insn->class != OP_NOTHING && insn->class != OP_COMPARE_SCALAR && insn->operand_count &&
	    operand[0].kind == OPERAND_OTHER &&
	    (insn->class != OP_MEMORY || insn->load || insn->returns))
		flow_broken(flow, insn, "the destination");
	if (insn->class == OP_MEMORY)
		return flow_memory(flow, function, insn, state);
	if (state->index_mode && insn->operand_count && operand[0].kind == OPERAND_REG &&
	    operand[0].reg >= REG_VECTOR && insn->class != OP_WRITE_LANE)
		return flow_indexed(flow, state, insn, state->index_mode & 2);
	if ((insn->dpp || insn->sdwa_dst) && insn->class != OP_COMPARE)
		return flow_lane_permute(flow, state, insn);
	switch (insn->class) {
	case OP_NOTHING:
		flow_fence(flow, insn);
		return 0;
	case OP_INDEX_ON:
		state->index_mode |= insn->index_mode;
		return 0;
	case OP_INDEX_OFF:
		state->index_mode = 0;
		return 0;
	case OP_INDEX_SOURCE:
	case OP_INDEX_DEST:
		return flow_indexed(flow, state, insn, insn->class == OP_INDEX_DEST);
	case OP_ODD:
		flow_broken(flow, insn, "the effect");
		return 0;
	case OP_SEXT_HIGH:
		value = flow_operand(flow, state, &operand[1], 0);
		return flow_write(flow, state, &operand[0], 0,
				  value == flow_image_high(flow) ? value : value_number(value));
	case OP_BARRIER:
		flow->has_barrier = true;
		return 0;
	case OP_DATA:
		if (insn->traits & INSN_DIV_SCALE) {
			status = flow_write_all(flow, state, &operand[1], VALUE_NUMBER);
			if (status)
				return status;
		}
		return flow_write_all(flow, state, &operand[0], VALUE_NUMBER);
	case OP_FIELD:
	case OP_FIELD_PACKED:
		if (is_small_field(flow, state, insn, &bits))
			return flow_write_all(flow, state, &operand[0],
					      small_field(flow, insn, bits));
		return flow_write_all(flow, state, &operand[0],
				      flow_sources(flow, state, insn, false));
	case OP_MIX:
	case OP_MIX_OWN:
		value = bounded_mix(flow, state, insn);
		if (value != VALUE_BOTTOM)
			return flow_write_all(flow, state, &operand[0], value);
		return flow_write_all(flow, state, &operand[0],
				      flow_sources(flow, state, insn, insn->class == OP_MIX_OWN));
	case OP_COMPARE:
		return flow_write_all(flow, state, &operand[0],
				      condition_vector(flow, insn, state));
	case OP_COMPARE_SCALAR:
		condition_scalar(flow, insn, state);
		return 0;
	case OP_MOVE:
	case OP_SELECT:
	case OP_OR:
	case OP_AND:
	case OP_ANDN2:
	case OP_XOR:
	case OP_NOT:
		return step_each(flow, state, insn);
	case OP_CMOV:
		status = 0;
		for (unsigned i = 0; !status && i < operand[0].count; i++) {
			value = value_join(store, flow_operand(flow, state, &operand[0], i),
					   flow_operand(flow, state, &operand[1], i));
			status = flow_write(flow, state, &operand[0], i, value);
		}
		return status;
	case OP_PACKED_MOVE:
		return step_packed_move(flow, state, insn);
	case OP_SWAP: {
		value_id a = flow_operand(flow, state, &operand[0], 0);

		status = flow_write(flow, state, &operand[0], 0,
				    flow_operand(flow, state, &operand[1], 0));
		return status ? status : flow_write(flow, state, &operand[1], 0, a);
	}
	case OP_ADD:
	case OP_ADD_CARRY_OUT:
	case OP_SUB:
	case OP_SUB_CARRY_OUT:
	case OP_SUBREV:
	case OP_SUBREV_CARRY_OUT:
	case OP_ADD3:
	case OP_ADD_CONST:
	case OP_LAST_PLUS:
	case OP_LAST_PLUS2:
	case OP_SHIFT_ADD:
	case OP_ADD_SHIFT:
	case OP_XOR_ADD:
	case OP_AND_OR:
	case OP_INSERT:
		return step_add(flow, state, insn);
	case OP_ADD64:
	case OP_SUB64:
	case OP_LAST_PLUS64:
	case OP_LSHL_ADD64:
		return step_wide(flow, state, insn);
	case OP_LSHL:
		return step_shift(flow, state, &operand[0], &operand[1], &operand[2], SHIFT_LEFT);
	case OP_LSHR:
		return step_shift(flow, state, &operand[0], &operand[1], &operand[2], SHIFT_RIGHT);
	case OP_ASHR:
		return step_shift(flow, state, &operand[0], &operand[1], &operand[2],
				  SHIFT_RIGHT_SIGNED);
	case OP_LSHLREV:
		return step_shift(flow, state, &operand[0], &operand[2], &operand[1], SHIFT_LEFT);
	case OP_LSHRREV:
		return step_shift(flow, state, &operand[0], &operand[2], &operand[1], SHIFT_RIGHT);
	case OP_ASHRREV:
		return step_shift(flow, state, &operand[0], &operand[2], &operand[1],
				  SHIFT_RIGHT_SIGNED);
	case OP_MUL:
		return flow_write(flow, state, &operand[0], 0,
				  flow_mul(flow, flow_operand(flow, state, &operand[1], 0),
					   flow_operand(flow, state, &operand[2], 0)));
	case OP_READ_FIRST:
	case OP_READ_LANE:
	case OP_WRITE_LANE:
		return flow_lanes(flow, state, insn);
	case OP_GETREG:
		value = VALUE_NUMBER;
		/* SH_MEM_BASES: private in bits 0 to 15, shared in 16 to 31 [LUG]. */
		if (operand[1].kind == OPERAND_HWREG && operand[1].reg) {
			if (operand[1].value == (0 << 8 | 16))
				value = value_base(store, BASE(BASE_APERTURE_RAW, 0), 0);
			else if (operand[1].value == (16 << 8 | 16))
				value = value_base(store, BASE(BASE_APERTURE_RAW, 1), 0);
		}
		return flow_write(flow, state, &operand[0], 0, value);
	case OP_GETPC:
		status = flow_write(flow, state, &operand[0], 0,
				    value_base(store, BASE(BASE_IMAGE, 0),
					       (int32_t)(uint32_t)(insn->pc + insn->length)));
		return status ? status
			      : flow_write(flow, state, &operand[0], 1, flow_image_high(flow));
	default:
		/* It might even go elsewhere. */
		if (insn->traits & INSN_SCALAR)
			flow_broken(flow, insn, "the effect");
		snprintf(why, sizeof(why), "%s is not followed", insn->mnemonic);
		value = value_add(store, value_unknown(store, why),
				  flow_sources(flow, state, insn, true));
		status = insn->operand_count ? flow_write_all(flow, state, &operand[0], value) : 0;
		if (!status && insn->operand_count > 2 && operand[1].kind == OPERAND_REG &&
		    operand[1].reg < REG_VECTOR && operand[1].count == flow->wave_size / 32)
			status = flow_write_all(flow, state, &operand[1], value);
		return status;
	}
}

/* With exec a constant: whether what is done to vector registers is followed lane by lane. */
static int step_some(struct flow *flow, const struct insn *insn, struct state *state, bool *handled)
{
	*handled = false;
	switch (insn->class) {
	case OP_NOTHING:
	case OP_READ_LANE:
	case OP_WRITE_LANE:
		return 0;
	case OP_MOVE:
	case OP_MEMORY:
		if (insn->traits & INSN_SCALAR && insn->family <= MEM_SCALAR_BUFFER)
			return 0;
		break;
	default:
		break;
	}
	if (insn->class == OP_MEMORY) {
		int status = flow_private_some(flow, insn, state, handled);

		if (status || *handled)
			return status;
	}
	return state_lose(&flow->store, state);
}

int flow_step_plainly(struct flow *flow, const struct function *function, const struct insn *insn,
		      struct state *state)
{
	bool handled;
	int status;

	if (state->mode == EXEC_SOME) {
		status = step_some(flow, insn, state, &handled);
		if (status || handled)
			return status;
	}

	if (insn->traits & INSN_SETS_SCC)
		state->scc = 0;
	if (insn->class != OP_MEMORY) {
		status = flow_exec(flow, insn, state, &handled);
		if (status || handled)
			return status;
	}
	/* Both sides of an if at once: what one computes does not meet what the other does. */
	if (state->mode == EXEC_BOTH && insn->operand_count && insn->class != OP_WRITE_LANE &&
	    ((insn->operand[0].kind == OPERAND_REG && insn->operand[0].reg >= REG_VECTOR) ||
	     (insn->class == OP_MEMORY && insn->family >= MEM_GLOBAL))) {
		state->mode = EXEC_NORMAL;
		status = step_once(flow, function, insn, state);
		state_swap_both(state);
		if (!status)
			status = step_once(flow, function, insn, state);
		state_swap_both(state);
		state->mode = EXEC_BOTH;
		return status;
	}
	return step_once(flow, function, insn, state);
}

int flow_step(struct flow *flow, const struct function *function, const struct insn *insn,
	      struct state *state)
{
	return flow->launch ? concrete_step(flow, function, insn, state)
			    : flow_step_plainly(flow, function, insn, state);
}
