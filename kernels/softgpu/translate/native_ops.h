/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that translate, one a kind of vector-ALU instruction, and what they have in common.
 * Each appends the host's instructions for eight lanes. Results are those of the rows in
 * valu_*.def, bit by bit: where the host differs (NaN that an operation makes, conversions out of
 * range) the row's own function is called out of line.
 */
#ifndef SOFTGPU_NATIVE_OPS_H
#define SOFTGPU_NATIVE_OPS_H

#include "native.h"

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000u
/* An argument that stands for two operations, one after the other. */
#define THEN(first, second) ((uint32_t)(first) | (uint32_t)(second) << 16)
#define FIRST(arg)          ((enum x86_op)((arg)&0xffff))
#define SECOND(arg)         ((enum x86_op)((arg) >> 16))

/* Shifts by an immediate: the field that says which. */
enum { SHIFT_RIGHT = 2, SHIFT_ARITHMETIC = 4, SHIFT_LEFT = 6 };

static inline void op2(struct native *n, enum x86_op op, unsigned d, unsigned a)
{
	x86_rrr(&n->x, op, d, 0, a);
}

static inline void op3(struct native *n, enum x86_op op, unsigned d, unsigned a, unsigned b)
{
	x86_rrr(&n->x, op, d, a, b);
}

static inline void op3i(struct native *n, enum x86_op op, unsigned d, unsigned a, unsigned b,
			unsigned i)
{
	x86_rrri(&n->x, op, d, a, b, i);
}

static inline void shift32(struct native *n, unsigned kind, unsigned d, unsigned a, unsigned by)
{
	x86_rrri(&n->x, VPSHIFTD, kind, d, a, by);
}

static inline void shift64(struct native *n, unsigned kind, unsigned d, unsigned a, unsigned by)
{
	x86_rrri(&n->x, VPSHIFTQ, kind, d, a, by);
}

static inline void copy(struct native *n, unsigned d, unsigned a)
{
	op2(n, VMOVDQU_LOAD, d, a);
}

/* ---- sources ---- */

static inline uint8_t source32(struct native *n, const struct sg_insn *in, unsigned k)
{
	const struct sg_operand *o = &in->o[k];
	uint8_t r = 0, t;

	switch (o->kind) {
	case SG_K_VECTOR:
		r = native_row(n, o->index);
		break;
	case SG_K_CONST:
		r = native_word(n, (uint32_t)o->value);
		break;
	case SG_K_SCALAR:
		r = native_scalar(n, o->index, false);
		break;
	default:
		n->failed = true;
	}
	if (o->abs) {
		t = native_temp(n);
		op3(n, VPAND, t, r, native_word(n, ~SIGN32));
		r = t;
	}
	if (o->neg) {
		t = native_temp(n);
		op3(n, VPXOR, t, r, native_word(n, SIGN32));
		r = t;
	}
	return r;
}

static inline struct native_value both(struct native *n, enum x86_op op, struct native_value a,
				       uint8_t b)
{
	struct native_value t;

	t.r[0] = native_temp(n);
	op3(n, op, t.r[0], a.r[0], b);
	t.r[1] = t.r[0];
	if (a.r[1] != a.r[0]) {
		t.r[1] = native_temp(n);
		op3(n, op, t.r[1], a.r[1], b);
	}
	return t;
}

static inline struct native_value source64(struct native *n, const struct sg_insn *in, unsigned k)
{
	const struct sg_operand *o = &in->o[k];
	struct native_value v = { { 0, 0 } };

	switch (o->kind) {
	case SG_K_VECTOR:
		v = native_pair(n, o->index);
		break;
	case SG_K_CONST:
		v.r[0] = v.r[1] = native_quad(n, o->value);
		break;
	case SG_K_SCALAR:
		v.r[0] = v.r[1] = native_scalar(n, o->index, true);
		break;
	default:
		n->failed = true;
	}
	if (o->abs)
		v = both(n, VPAND, v, native_quad(n, ~SIGN64));
	if (o->neg)
		v = both(n, VPXOR, v, native_quad(n, SIGN64));
	return v;
}

/* Widens words of a source to 64 bits, with the words of `high` above. */
static inline struct native_value widen_with(struct native *n, uint8_t r, uint8_t high)
{
	struct native_value v = { { native_temp(n), native_temp(n) } };

	op3(n, VPUNPCKLDQ, v.r[0], r, high);
	op3(n, VPUNPCKHDQ, v.r[1], r, high);
	return v;
}

static inline uint8_t result(struct native *n, const struct sg_insn *in)
{
	return native_set_row(n, in->o[0].index);
}

static inline struct native_value result64(struct native *n, const struct sg_insn *in)
{
	return native_set_pair(n, in->o[0].index);
}

static inline struct native_value one(uint8_t r)
{
	return (struct native_value){ { r, r } };
}

static inline uint8_t mask_of(struct native *n, const struct sg_operand *o)
{
	if (o->kind != SG_K_SCALAR || o->index & 1) {
		n->failed = true;
		return 0;
	}
	return native_mask(n, o->index);
}

static inline uint8_t native_set_mask_of(struct native *n, const struct sg_operand *o)
{
	if (o->kind != SG_K_SCALAR || o->index & 1 || o->index >= SG_M0) {
		n->failed = true;
		return 0;
	}
	return native_set_mask(n, o->index);
}

static inline void pack_masks(struct native *n, unsigned d, unsigned low, unsigned high)
{
	op3i(n, VSHUFPS, d, low, high, 0x88);
}

/* ---- native_int.c, native_float.c, native_ops.c: `arg` is the row's in native.def ---- */

void native_move(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_move64(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_invert(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_choose(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_binary(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_reverse(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_xnor(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_ternary(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_shift_then(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_add_shift(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_shift(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_field(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_insert(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_align(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_product24(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_product_high(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_carry(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_multiply_add(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_shift_wide(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_shift_arithmetic_wide(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_byte_float(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_binary(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_reverse(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_fma(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_least(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_round(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_fraction(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_reciprocal(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_root(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_of_int(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_of_unsigned(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_int_of_float(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_binary(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_fma(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_least(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_round(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_reciprocal(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_root(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_inverse_root(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_of_int(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_of_float(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_of_double(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_int_of_double(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_packed_float(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_packed_move(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_float_fmas(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_double_fmas(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_divide_scale(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_divide_fixup(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_scale(struct native *n, const struct sg_insn *in, uint32_t arg);
void native_classify(struct native *n, const struct sg_insn *in, uint32_t arg);

#endif
