/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what instructions make of the numbers and masks in the witness's registers. */
#include "witness_search.h"

/*
 * Computes one dword of a result from the same dwords of the sources. Returns false for other
 * instructions.
 */
static bool by_dword(struct choice *choice, const struct choice_insn *own,
		     const choice_id (*value)[2], unsigned part, unsigned selected,
		     choice_id *result)
{
	choice_id a = value[1][part], b = value[2][part];

	switch (own->insn->class) {
	case OP_MOVE:
		*result = own->extends ? CHOICE_UNKNOWN : a;
		return true;
	case OP_AND:
		*result = witness_and(choice, a, b);
		return true;
	case OP_ANDN2:
		*result = witness_and_not(choice, a, b);
		return true;
	case OP_OR:
		*result = witness_or(choice, a, b);
		return true;
	case OP_XOR:
		*result = witness_xor(choice, a, b);
		return true;
	case OP_NOT:
		*result = witness_not(choice, a);
		return true;
	case OP_AND_OR:
		*result = witness_or(choice, witness_and(choice, a, b), value[3][part]);
		return true;
	case OP_SELECT:
		*result = selected ? value[selected][part] : a == b ? a : CHOICE_UNKNOWN;
		return true;
	default:
		return false;
	}
}

/* Computes s_min, v_max and so on, of constants. Returns false for other instructions. */
static bool lesser_or_greater(struct choice *choice, const struct insn *insn, choice_id a,
			      choice_id b, choice_id *result)
{
	const char *what = insn->mnemonic + 2;
	bool lesser = !strncmp(what, "min_", 4), is_signed = !strcmp(what + 4, "i32"), less;
	uint32_t x, y;

	if ((!lesser && strncmp(what, "max_", 4) != 0) ||
	    (!is_signed && strcmp(what + 4, "u32") != 0) || !choice_is_constant(choice, a, &x) ||
	    !choice_is_constant(choice, b, &y))
		return false;
	less = is_signed ? (int32_t)x < (int32_t)y : x < y;
	*result = less == lesser ? a : b;
	return true;
}

/* Computes a shift of one or two dwords. Returns false for other instructions. */
static bool shifted(struct choice *choice, const struct insn *insn, const choice_id (*value)[2],
		    choice_id *result)
{
	static const struct {
		uint8_t class; /* enum op_class */
		uint8_t from;  /* the operand that is shifted; the other one is the count */
		uint8_t kind;  /* enum witness_shift_kind */
	} shifts[] = {
		{ OP_LSHL, 1, WITNESS_LEFT },         { OP_LSHLREV, 2, WITNESS_LEFT },
		{ OP_LSHR, 1, WITNESS_RIGHT },        { OP_LSHRREV, 2, WITNESS_RIGHT },
		{ OP_ASHR, 1, WITNESS_RIGHT_SIGNED }, { OP_ASHRREV, 2, WITNESS_RIGHT_SIGNED },
	};

	for (size_t i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
		const choice_id *from = value[shifts[i].from];
		choice_id count = value[3 - shifts[i].from][0];

		if (shifts[i].class != insn->class)
			continue;
		if (insn->operand[0].count == 2)
			witness_shift_wide(choice, from, count, shifts[i].kind, result);
		else
			*result = witness_shift(choice, from[0], count, shifts[i].kind);
		return true;
	}
	return false;
}

/* Computes a result of one dword. Returns false for another instruction, or other operands. */
static bool of_numbers(struct choice *choice, const struct witness_insn *read,
		       const choice_id (*value)[2], choice_id *result)
{
	const struct insn *insn = read->own.insn;
	choice_id a = value[1][0], b = value[2][0], c = value[3][0];
	uint32_t packed;

	switch (insn->class) {
	case OP_ADD:
		*result = witness_add(choice, a, b, false);
		return !read->own.carries;
	case OP_SUB:
		*result = witness_add(choice, a, b, true);
		return read->own.action == ACTION_COMPUTE || insn->traits & INSN_VECTOR;
	case OP_SUBREV:
		*result = witness_add(choice, b, a, true);
		return true;
	case OP_ADD3:
		*result = !strncmp(insn->mnemonic, "v_or", 4)
			      ? witness_or(choice, witness_or(choice, a, b), c)
			      : witness_add(choice, witness_add(choice, a, b, false), c, false);
		return true;
	case OP_SHIFT_ADD:
		a = witness_shift(choice, a, b, WITNESS_LEFT);
		*result = !strcmp(insn->mnemonic, "v_lshl_or_b32")
			      ? witness_or(choice, a, c)
			      : witness_add(choice, a, c, false);
		return true;
	case OP_ADD_SHIFT:
		*result = witness_shift(choice, witness_add(choice, a, b, false), c, WITNESS_LEFT);
		return true;
	case OP_LAST_PLUS:
		*result = witness_add(choice, witness_multiply(choice, a, b), c, false);
		return witness_is(choice, a, 0) || witness_is(choice, b, 0);
	case OP_MUL:
		*result = witness_multiply(choice, a, b);
		/* Some instructions multiply 24 bits. */
		return !strstr(insn->mnemonic, "24") || witness_is(choice, *result, 0);
	case OP_FIELD:
		*result = a;
		return witness_is(choice, a, 0);
	case OP_FIELD_PACKED:
		*result = a;
		if (witness_is(choice, a, 0))
			return true;
		if (strcmp(insn->mnemonic, "s_bfe_u32") || witness_is_lane(a) ||
		    !choice_is_constant(choice, b, &packed))
			return false;
		*result = choice_extract(choice, a, packed);
		return true;
	case OP_MIX:
		*result = b; /* the first lane has none before it */
		return read->counts_lanes || lesser_or_greater(choice, insn, a, b, result);
	default:
		return false;
	}
}

/* Computes two dwords together. Returns false for other instructions. */
static bool of_two(struct choice *choice, const struct insn *insn, const choice_id (*value)[2],
		   choice_id *result)
{
	choice_id sum[2];

	switch (insn->class) {
	case OP_LSHL_ADD64:
		memcpy(result, value[3], sizeof(value[3]));
		witness_shift_wide(choice, value[1], value[2][0], WITNESS_LEFT, sum);
		return witness_is(choice, sum[0], 0) && witness_is(choice, sum[1], 0);
	case OP_LAST_PLUS64:
		memcpy(result, value[4], sizeof(value[4]));
		return witness_is(choice, value[2][0], 0) || witness_is(choice, value[3][0], 0);
	default:
		return false;
	}
}

bool witness_result(struct choice *choice, const struct witness_insn *read,
		    const choice_id (*value)[2], unsigned selected, choice_id *result)
{
	const struct insn *insn = read->own.insn;

	if (shifted(choice, insn, value, result))
		return true;
	if (by_dword(choice, &read->own, value, 0, selected, &result[0]))
		return insn->operand[0].count == 1 ||
		       by_dword(choice, &read->own, value, 1, selected, &result[1]);
	return insn->operand[0].count == 2 ? of_two(choice, insn, value, result)
					   : of_numbers(choice, read, value, result);
}
