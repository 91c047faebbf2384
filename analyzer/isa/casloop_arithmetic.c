/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what instructions on the way of a value compute, and what a loop around a compare-and-swap
 * then is. */
#include <string.h>

#include "casloop.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Arithmetic by prefix of the mnemonic; the first that fits. */
static const struct {
	const char *prefix;
	uint8_t op, type;
	bool fp;
} operations[] = {
	{ "v_add_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_add_f64", ISA_OP_ADD, ISA_TYPE_F64, true },
	{ "v_sub_f32", ISA_OP_SUB, ISA_TYPE_F32, true },
	{ "v_subrev_f32", ISA_OP_SUB, ISA_TYPE_F32, true },
	{ "v_pk_add_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_pk_add_f16", ISA_OP_ADD, ISA_TYPE_PK_F16, true },
	{ "v_add_f16", ISA_OP_ADD, ISA_TYPE_PK_F16, true },
	{ "v_min_f32", ISA_OP_MIN, ISA_TYPE_F32, true },
	{ "v_max_f32", ISA_OP_MAX, ISA_TYPE_F32, true },
	{ "v_min_f64", ISA_OP_MIN, ISA_TYPE_F64, true },
	{ "v_max_f64", ISA_OP_MAX, ISA_TYPE_F64, true },
	{ "v_min_num_f32", ISA_OP_MIN, ISA_TYPE_F32, true },
	{ "v_max_num_f32", ISA_OP_MAX, ISA_TYPE_F32, true },
	{ "v_min_num_f64", ISA_OP_MIN, ISA_TYPE_F64, true },
	{ "v_max_num_f64", ISA_OP_MAX, ISA_TYPE_F64, true },
	{ "v_minimum_f32", ISA_OP_MIN, ISA_TYPE_F32, true },
	{ "v_maximum_f32", ISA_OP_MAX, ISA_TYPE_F32, true },
	{ "v_minimum_f64", ISA_OP_MIN, ISA_TYPE_F64, true },
	{ "v_maximum_f64", ISA_OP_MAX, ISA_TYPE_F64, true },
	{ "v_pk_min_f16", ISA_OP_MIN, ISA_TYPE_PK_F16, true },
	{ "v_pk_max_f16", ISA_OP_MAX, ISA_TYPE_PK_F16, true },
	{ "v_pk_min_num_f16", ISA_OP_MIN, ISA_TYPE_PK_F16, true },
	{ "v_pk_max_num_f16", ISA_OP_MAX, ISA_TYPE_PK_F16, true },
	{ "v_pk_minimum_f16", ISA_OP_MIN, ISA_TYPE_PK_F16, true },
	{ "v_pk_maximum_f16", ISA_OP_MAX, ISA_TYPE_PK_F16, true },
	{ "v_pk_add_bf16", ISA_OP_ADD, ISA_TYPE_PK_BF16, true },
	{ "v_fma_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_fmac_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_fma_f64", ISA_OP_ADD, ISA_TYPE_F64, true },
	{ "v_fmac_f64", ISA_OP_ADD, ISA_TYPE_F64, true },
	{ "v_mac_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_mul_f32", ISA_OP_OTHER, ISA_TYPE_F32, true },
	{ "v_mul_f64", ISA_OP_OTHER, ISA_TYPE_F64, true },
	{ "v_min_i32", ISA_OP_MIN, ISA_TYPE_I32, false },
	{ "v_min_u32", ISA_OP_MIN, ISA_TYPE_I32, false },
	{ "v_max_i32", ISA_OP_MAX, ISA_TYPE_I32, false },
	{ "v_max_u32", ISA_OP_MAX, ISA_TYPE_I32, false },
	{ "v_add_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "v_addc_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "v_add3_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "v_sub", ISA_OP_SUB, ISA_TYPE_I32, false },
	{ "v_and_b32", ISA_OP_AND, ISA_TYPE_I32, false },
	{ "v_or_b32", ISA_OP_OR, ISA_TYPE_I32, false },
	{ "v_xor_b32", ISA_OP_XOR, ISA_TYPE_I32, false },
	{ "s_add_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "s_sub_", ISA_OP_SUB, ISA_TYPE_I32, false },
};

static bool contains(const struct insn *insn, const char *const *parts, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strstr(insn->mnemonic, parts[i]))
			return true;
	return false;
}

/* A conversion's name has the type that it makes first. */
static const char *const conversions[] = { "_cvt_f32_u32",   "_cvt_f32_i32", "_cvt_f64_u32",
					   "_cvt_f64_i32",   "_cvt_u32_f",   "_cvt_i32_f",
					   "_cvt_f32_ubyte", "_rcp_iflag" };
static const char *const products[] = { "_mul_lo_", "_mul_hi_", "_mul_u",
					"_mul_i",   "_mad_u",   "_mad_i" };

/* Returns true if it is that instruction, alone or as one of two. */
static bool is_called(const struct insn *insn, const char *prefix)
{
	const char *name = insn->mnemonic;

	if (!strncmp(name, "v_dual_", 7) && !strncmp(prefix, "v_", 2)) {
		name += 7;
		prefix += 2;
	}
	return !strncmp(name, prefix, strlen(prefix));
}

bool casloop_arithmetic(const struct insn *insn, struct arithmetic *kind)
{
	size_t i;

	memset(kind, 0, sizeof(*kind));
	kind->converts = contains(insn, conversions, ARRAY_SIZE(conversions));
	kind->product = contains(insn, products, ARRAY_SIZE(products));
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		if (!is_called(insn, operations[i].prefix))
			continue;
		/* max(x, x) only quiets a NaN */
		if ((operations[i].op == ISA_OP_MAX || operations[i].op == ISA_OP_MIN) &&
		    insn->operand[1].kind == OPERAND_REG && insn->operand[2].kind == OPERAND_REG &&
		    insn->operand[1].reg == insn->operand[2].reg)
			return false;
		kind->op = (enum isa_op)operations[i].op;
		kind->type = (enum isa_type)operations[i].type;
		kind->fp = operations[i].fp;
		return true;
	}
	if (insn->class == OP_MOVE || insn->class == OP_SELECT || insn->class == OP_PACKED_MOVE ||
	    insn->class == OP_READ_LANE || insn->class == OP_READ_FIRST)
		return false;
	kind->op = ISA_OP_OTHER;
	kind->fp = strstr(insn->mnemonic, "_f32") || strstr(insn->mnemonic, "_f64") ||
		   strstr(insn->mnemonic, "_f16");
	kind->type = !kind->fp                        ? ISA_TYPE_I32
		     : strstr(insn->mnemonic, "_f64") ? ISA_TYPE_F64
		     : strstr(insn->mnemonic, "_f16") ? ISA_TYPE_PK_F16
						      : ISA_TYPE_F32;
	return true;
}

/* Returns true if the word is one number of that type, or a pair of halves. */
static bool is_number(const struct arithmetic *kind, unsigned dwords)
{
	switch (kind->type) {
	case ISA_TYPE_PK_F16:
	case ISA_TYPE_PK_BF16:
		return dwords == 1;
	case ISA_TYPE_F64:
		return dwords == 2 && !kind->masked;
	case ISA_TYPE_F32:
		return dwords == 1 && (!kind->masked || kind->halves);
	default:
		return dwords == 1 && !kind->masked;
	}
}

void casloop_conclude(const struct arithmetic *kind, unsigned dwords, struct casloop *result)
{
	result->computes = true;
	result->fp = kind->fp && !kind->converts;
	result->op = kind->op;
	result->type = kind->type == ISA_TYPE_F32 && kind->halves && dwords == 1 ? ISA_TYPE_PK_BF16
										 : kind->type;
	if (!result->fp)
		result->type = dwords == 2 ? ISA_TYPE_I64 : ISA_TYPE_I32;
	if (kind->converts || (kind->fp ? !is_number(kind, dwords) : kind->product))
		result->op = ISA_OP_OTHER;
}
