/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of floating-point instructions. */
#include "native_ops.h"

#if defined(__x86_64__)

/* ---- f32 ---- */

/* Out of line where the result is NaN: the host's own is negative, the GPU's positive. */
static void check_nan32(struct native *n, const struct sg_insn *in, uint8_t a, uint8_t b, uint8_t c,
			uint8_t d)
{
	struct native_cold cold = {
		.op = in->op, .a = one(a), .b = one(b), .c = one(c), .d = one(d)
	};

	cold.nan = true;
	op3i(n, VCMPPS, NATIVE_TEMP, d, d, 3); /* unordered */
	native_cold(n, NATIVE_TEMP, &cold);
}

void native_float_binary(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), d = result(n, in);

	op3(n, FIRST(arg), d, a, b);
	check_nan32(n, in, a, b, 0, d);
}

void native_float_reverse(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), d = result(n, in);

	op3(n, FIRST(arg), d, b, a);
	check_nan32(n, in, a, b, 0, d);
}

void native_float_fma(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b);
	uint8_t c = source32(n, in, in->op->flags & SG_F_ACCUM ? 0 : in->c), d = result(n, in);

	copy(n, d, c);
	op3(n, FIRST(arg), d, a, b);
	check_nan32(n, in, a, b, c, d);
}

/* Does the same, but scales the result in the lanes that VCC names. */
void native_float_fmas(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), c = source32(n, in, in->c);
	uint8_t vcc = native_mask(n, SG_VCC), d = result(n, in);
	struct native_cold cold = {
		.op = in->op, .a = one(a), .b = one(b), .c = one(c), .d = one(d), .cin = vcc
	};

	copy(n, d, c);
	op3(n, FIRST(arg), d, a, b);
	check_nan32(n, in, a, b, c, d);
	native_cold(n, vcc, &cold);
}

/* The negative of two zeros is less: both orders are joined. */
void native_float_least(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_cold cold = { .op = in->op };
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), t = native_temp(n), d;

	d = result(n, in);
	op3(n, FIRST(arg), t, b, a);
	op3(n, FIRST(arg), d, a, b);
	op3(n, FIRST(arg) == VMINPS ? VPOR : VPAND, d, d, t);
	cold.a = one(a);
	cold.b = one(b);
	cold.d = one(d);
	op3i(n, VCMPPS, NATIVE_TEMP, a, b, 3);
	native_cold(n, NATIVE_TEMP, &cold);
}

void native_float_round(struct native *n, const struct sg_insn *in, uint32_t how)
{
	uint8_t a = source32(n, in, in->a);

	op3i(n, VROUNDPS, result(n, in), 0, a, 8 | how);
}

void native_float_fraction(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), top = native_word(n, 0x3f7fffff), t = native_temp(n);

	(void)arg;
	op3i(n, VROUNDPS, t, 0, a, 9);
	op3(n, VSUBPS, t, a, t);
	op3(n, VMINPS, result(n, in), top, t);
}

void native_float_reciprocal(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), unit = native_word(n, 0x3f800000);

	(void)arg;
	op3(n, VDIVPS, result(n, in), unit, a);
}

void native_float_root(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), d = result(n, in);

	(void)arg;
	op2(n, VSQRTPS, d, a);
	check_nan32(n, in, a, 0, 0, d);
}

void native_float_of_int(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a);

	(void)arg;
	op2(n, VCVTDQ2PS, result(n, in), a);
}

/* Halves are exact; their sum rounds once. */
void native_float_of_unsigned(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), low = native_word(n, 0xffff), t = native_temp(n), d;
	uint8_t scale = native_word(n, 0x47800000); /* 65536 */

	(void)arg;
	shift32(n, SHIFT_RIGHT, t, a, 16);
	d = result(n, in);
	op3(n, VPAND, d, a, low);
	op2(n, VCVTDQ2PS, t, t);
	op2(n, VCVTDQ2PS, d, d);
	op3(n, VFMADD231PS, d, t, scale);
}

/* The host answers 0x80000000 to all that does not fit; for unsigned any negative is suspect. */
static void check_int(struct native *n, const struct sg_insn *in, struct native_value a, uint8_t d,
		      uint32_t is_signed)
{
	struct native_cold cold = { .op = in->op, .a = a, .d = one(d) };

	if (is_signed)
		op3(n, VPCMPEQD, NATIVE_TEMP, d, native_word(n, SIGN32));
	native_cold(n, is_signed ? NATIVE_TEMP : d, &cold);
}

void native_int_of_float(struct native *n, const struct sg_insn *in, uint32_t is_signed)
{
	uint8_t a = source32(n, in, in->a), d = result(n, in);

	op2(n, VCVTTPS2DQ, d, a);
	check_int(n, in, one(a), d, is_signed);
}

/* ---- f64 ---- */

static void check_nan64(struct native *n, const struct sg_insn *in, struct native_value a,
			struct native_value b, struct native_value c, struct native_value d)
{
	struct native_cold cold = { .op = in->op, .a = a, .b = b, .c = c, .d = d };

	uint8_t t = native_temp(n);

	cold.nan = true;
	op3i(n, VCMPPD, NATIVE_TEMP, d.r[0], n->masked ? d.r[0] : d.r[1], 3);
	if (n->masked) {
		op3i(n, VCMPPD, t, d.r[1], d.r[1], 3);
		pack_masks(n, NATIVE_TEMP, NATIVE_TEMP, t);
	}
	native_free(n, t);
	native_cold(n, NATIVE_TEMP, &cold);
}

void native_double_binary(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a), b = source64(n, in, in->b);
	struct native_value d = result64(n, in);

	op3(n, FIRST(arg), d.r[0], a.r[0], b.r[0]);
	op3(n, FIRST(arg), d.r[1], a.r[1], b.r[1]);
	check_nan64(n, in, a, b, one(0), d);
}

void native_double_fma(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a), b = source64(n, in, in->b);
	struct native_value c = source64(n, in, in->op->flags & SG_F_ACCUM ? 0 : in->c), d;
	unsigned i;

	d = result64(n, in);
	for (i = 0; i < 2; i++) {
		copy(n, d.r[i], c.r[i]);
		op3(n, FIRST(arg), d.r[i], a.r[i], b.r[i]);
	}
	check_nan64(n, in, a, b, c, d);
}

void native_double_fmas(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a), b = source64(n, in, in->b);
	struct native_value c = source64(n, in, in->c), d;
	uint8_t vcc = native_mask(n, SG_VCC);
	struct native_cold cold = { .op = in->op, .a = a, .b = b, .c = c, .cin = vcc };
	unsigned i;

	d = result64(n, in);
	for (i = 0; i < 2; i++) {
		copy(n, d.r[i], c.r[i]);
		op3(n, FIRST(arg), d.r[i], a.r[i], b.r[i]);
	}
	check_nan64(n, in, a, b, c, d);
	cold.d = d;
	native_cold(n, vcc, &cold);
}

void native_double_least(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_cold cold = { .op = in->op };
	struct native_value a = source64(n, in, in->a), b = source64(n, in, in->b), d;
	uint8_t t = native_temp(n);
	unsigned i;

	d = result64(n, in);
	for (i = 0; i < 2; i++) {
		op3(n, FIRST(arg), t, b.r[i], a.r[i]);
		op3(n, FIRST(arg), d.r[i], a.r[i], b.r[i]);
		op3(n, FIRST(arg) == VMINPD ? VPOR : VPAND, d.r[i], d.r[i], t);
	}
	op3i(n, VCMPPD, t, a.r[0], b.r[0], 3);
	op3i(n, VCMPPD, NATIVE_TEMP, a.r[1], b.r[1], 3);
	pack_masks(n, NATIVE_TEMP, t, NATIVE_TEMP);
	cold.a = a;
	cold.b = b;
	cold.d = d;
	native_cold(n, NATIVE_TEMP, &cold);
}

void native_double_round(struct native *n, const struct sg_insn *in, uint32_t how)
{
	struct native_value a = source64(n, in, in->a), d = result64(n, in);

	op3i(n, VROUNDPD, d.r[0], 0, a.r[0], 8 | how);
	op3i(n, VROUNDPD, d.r[1], 0, a.r[1], 8 | how);
}

void native_double_reciprocal(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a), d;
	uint8_t unit = native_quad(n, 0x3ff0000000000000u);

	(void)arg;
	d = result64(n, in);
	op3(n, VDIVPD, d.r[0], unit, a.r[0]);
	op3(n, VDIVPD, d.r[1], unit, a.r[1]);
}

void native_double_root(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a), d = result64(n, in);

	(void)arg;
	op2(n, VSQRTPD, d.r[0], a.r[0]);
	op2(n, VSQRTPD, d.r[1], a.r[1]);
	check_nan64(n, in, a, one(0), one(0), d);
}

/* Computes 1 / the root, in f64; the result may be NaN only by the operand's sign. */
void native_double_inverse_root(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a), d;
	uint8_t unit = native_quad(n, 0x3ff0000000000000u);
	unsigned i;

	(void)arg;
	d = result64(n, in);
	for (i = 0; i < 2; i++) {
		op2(n, VSQRTPD, d.r[i], a.r[i]);
		op3(n, VDIVPD, d.r[i], unit, d.r[i]);
	}
	check_nan64(n, in, a, one(0), one(0), d);
}

/* The integer's bits below those of 2^52 are that plus the integer. */
void native_double_of_int(struct native *n, const struct sg_insn *in, uint32_t is_signed)
{
	uint8_t a = source32(n, in, in->a), high = native_word(n, 0x43300000), t = a, bias;
	struct native_value d;

	if (is_signed) {
		t = native_temp(n);
		op3(n, VPXOR, t, a, native_word(n, SIGN32));
	}
	bias = native_quad(n, is_signed ? 0x4330000080000000u : 0x4330000000000000u);
	d = result64(n, in);
	op3(n, VPUNPCKLDQ, d.r[0], t, high);
	op3(n, VPUNPCKHDQ, d.r[1], t, high);
	op3(n, VSUBPD, d.r[0], d.r[0], bias);
	op3(n, VSUBPD, d.r[1], d.r[1], bias);
}

void native_double_of_float(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), t = native_temp(n);
	struct native_value d = result64(n, in);

	(void)arg;
	op3i(n, VPERMQ, t, 0, a, 0xd8);
	op2(n, VCVTPS2PD, d.r[0], t);
	op3i(n, VEXTRACTI128, t, 0, t, 1);
	op2(n, VCVTPS2PD, d.r[1], t);
}

/* Puts two results of four lanes together, in order. */
static void join(struct native *n, unsigned d, unsigned low, unsigned high)
{
	op3i(n, VINSERTI128, d, low, high, 1);
	op3i(n, VPERMQ, d, 0, d, 0xd8);
}

void native_float_of_double(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a);
	uint8_t t = native_temp(n), u = native_temp(n);

	(void)arg;
	op2(n, VCVTPD2PS, t, a.r[0]);
	op2(n, VCVTPD2PS, u, a.r[1]);
	join(n, result(n, in), t, u);
}

void native_int_of_double(struct native *n, const struct sg_insn *in, uint32_t is_signed)
{
	struct native_value a = source64(n, in, in->a);
	uint8_t t = native_temp(n), u = native_temp(n), d;

	op2(n, VCVTTPD2DQ, t, a.r[0]);
	op2(n, VCVTTPD2DQ, u, a.r[1]);
	d = result(n, in);
	join(n, d, t, u);
	check_int(n, in, a, d, is_signed);
}

/* ---- two f32 in a pair of registers ---- */

/* Returns the low or the high result's part of a source, as op_sel chooses. */
static uint8_t packed_source(struct native *n, const struct sg_insn *in, unsigned k,
			     unsigned number, bool top)
{
	const struct sg_operand *o = &in->o[k];
	unsigned high = (top ? in->op_sel_hi : in->op_sel) >> number & 1;
	uint8_t r = 0, t;

	switch (o->kind) {
	case SG_K_VECTOR:
		r = native_row(n, o->index + high);
		break;
	case SG_K_CONST:
		r = native_word(n, (uint32_t)(o->value >> 32 * high));
		break;
	case SG_K_SCALAR:
		r = native_scalar(n, o->index + high, false);
		break;
	default:
		n->failed = true;
	}
	if ((top ? in->neg_hi : in->neg_lo) >> number & 1) {
		t = native_temp(n);
		op3(n, VPXOR, t, r, native_word(n, SIGN32));
		r = t;
	}
	return r;
}

static const struct sg_op *half_row(const struct sg_insn *in)
{
	return sg_find_op(in->c ? "v_fma_f32" : in->op->name[5] == 'a' ? "v_add_f32" : "v_mul_f32");
}

void native_packed_float(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t s[2][3] = { { 0 } }, d[2];
	unsigned i;

	for (i = 0; i < 2; i++) {
		s[i][0] = packed_source(n, in, in->a, 0, i);
		s[i][1] = packed_source(n, in, in->b, 1, i);
		if (in->c)
			s[i][2] = packed_source(n, in, in->c, 2, i);
	}
	for (i = 0; i < 2; i++)
		d[i] = native_set_row(n, in->o[0].index + i);
	for (i = 0; i < 2; i++) {
		struct native_cold cold = { .op = half_row(in),
					    .a = one(s[i][0]),
					    .b = one(s[i][1]),
					    .c = one(s[i][2]),
					    .d = one(d[i]) };

		if (in->c)
			copy(n, d[i], s[i][2]);
		op3(n, FIRST(arg), d[i], s[i][0], s[i][1]);
		cold.nan = true;
		op3i(n, VCMPPS, NATIVE_TEMP, d[i], d[i], 3);
		native_cold(n, NATIVE_TEMP, &cold);
	}
}

void native_packed_move(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t low = packed_source(n, in, in->a, 0, false);
	uint8_t high = packed_source(n, in, in->b, 1, false);

	(void)arg;
	copy(n, native_set_row(n, in->o[0].index), low);
	copy(n, native_set_row(n, in->o[0].index + 1), high);
}

#endif
