/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of integer instructions. */
#include "native_ops.h"

#if defined(__x86_64__)

void native_move(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a);

	(void)arg;
	copy(n, result(n, in), a);
}

void native_move64(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value a = source64(n, in, in->a), d = result64(n, in);

	(void)arg;
	copy(n, d.r[0], a.r[0]);
	copy(n, d.r[1], a.r[1]);
}

void native_invert(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), ones = native_word(n, ~0u);

	(void)arg;
	op3(n, VPXOR, result(n, in), a, ones);
}

void native_binary(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b);

	op3(n, FIRST(arg), result(n, in), a, b);
}

void native_reverse(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b);

	op3(n, FIRST(arg), result(n, in), b, a);
}

void native_xnor(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), ones = native_word(n, ~0u);
	uint8_t d = result(n, in);

	(void)arg;
	op3(n, VPXOR, d, a, b);
	op3(n, VPXOR, d, d, ones);
}

/* Computes second(first(A, B), C). */
void native_ternary(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), c = source32(n, in, in->c);
	uint8_t d = result(n, in);

	op3(n, FIRST(arg), d, a, b);
	op3(n, SECOND(arg), d, d, c);
}

/* Computes d = `a` shifted by operand k, whose upper bits don't count. */
static void shift_by(struct native *n, const struct sg_insn *in, unsigned k, enum x86_op op,
		     unsigned d, unsigned a)
{
	const struct sg_operand *o = &in->o[k];
	uint8_t by, t;

	if (o->kind == SG_K_CONST) {
		shift32(n,
			op == VPSLLVD   ? SHIFT_LEFT
			: op == VPSRLVD ? SHIFT_RIGHT
					: SHIFT_ARITHMETIC,
			d, a, o->value & 31);
		return;
	}
	by = source32(n, in, k);
	t = native_temp(n);
	op3(n, VPAND, t, by, native_word(n, 31));
	op3(n, op, d, a, t);
}

void native_shift(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t b = source32(n, in, in->b), t = native_temp(n);

	shift_by(n, in, in->a, FIRST(arg), t, b);
	copy(n, result(n, in), t);
}

/* Computes second(A << B, C). */
void native_shift_then(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), c = source32(n, in, in->c), t = native_temp(n);

	shift_by(n, in, in->b, VPSLLVD, t, a);
	op3(n, FIRST(arg), result(n, in), t, c);
}

void native_add_shift(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), t = native_temp(n);

	(void)arg;
	op3(n, VPADDD, t, a, b);
	shift_by(n, in, in->c, VPSLLVD, t, t);
	copy(n, result(n, in), t);
}

void native_field(struct native *n, const struct sg_insn *in, uint32_t is_signed)
{
	const struct sg_operand *width = &in->o[in->c];
	uint8_t a = source32(n, in, in->a), t = native_temp(n), mask, bits, d;
	uint32_t w = width->value & 31;

	if (width->kind != SG_K_CONST) {
		if (is_signed) {
			n->failed = true;
			return;
		}
		shift_by(n, in, in->b, VPSRLVD, t, a);
		mask = native_temp(n);
		shift_by(n, in, in->c, VPSLLVD, mask, native_word(n, ~0u));
		op3(n, VPANDN, result(n, in), mask, t);
		return;
	}
	shift_by(n, in, in->b, is_signed ? VPSRAVD : VPSRLVD, t, a);
	if (is_signed && w) {
		d = result(n, in);
		shift32(n, SHIFT_LEFT, d, t, 32 - w);
		shift32(n, SHIFT_ARITHMETIC, d, d, 32 - w);
		return;
	}
	bits = native_word(n, (1u << w) - 1);
	op3(n, VPAND, result(n, in), t, bits);
}

void native_insert(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), c = source32(n, in, in->c);
	uint8_t t = native_temp(n), d = result(n, in);

	(void)arg;
	op3(n, VPAND, t, a, b);
	op3(n, VPANDN, d, a, c);
	op3(n, VPOR, d, d, t);
}

void native_align(struct native *n, const struct sg_insn *in, uint32_t unit)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), t = native_temp(n), d;
	const struct sg_operand *by = &in->o[in->c];
	unsigned bits = (unsigned)(by->value & (32 / unit - 1)) * unit;

	if (by->kind != SG_K_CONST) {
		n->failed = true;
		return;
	}
	d = result(n, in);
	shift32(n, SHIFT_LEFT, t, a, 32 - bits);
	shift32(n, SHIFT_RIGHT, d, b, bits);
	op3(n, VPOR, d, d, t);
}

/* Multiplies 24 bits each, and adds. */
void native_product24(struct native *n, const struct sg_insn *in, uint32_t is_signed)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), c = 0, low, d;
	uint8_t ta = native_temp(n), tb = native_temp(n);

	if (in->c)
		c = source32(n, in, in->c);
	if (is_signed) {
		shift32(n, SHIFT_LEFT, ta, a, 8);
		shift32(n, SHIFT_ARITHMETIC, ta, ta, 8);
		shift32(n, SHIFT_LEFT, tb, b, 8);
		shift32(n, SHIFT_ARITHMETIC, tb, tb, 8);
	} else {
		low = native_word(n, 0xffffff);
		op3(n, VPAND, ta, a, low);
		op3(n, VPAND, tb, b, low);
	}
	d = result(n, in);
	op3(n, VPMULLD, d, ta, tb);
	if (in->c)
		op3(n, VPADDD, d, d, c);
}

void native_product_high(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b);
	uint8_t even = native_temp(n), ta = native_temp(n), tb = native_temp(n), d;

	op3(n, FIRST(arg), even, a, b);
	shift64(n, SHIFT_RIGHT, ta, a, 32);
	shift64(n, SHIFT_RIGHT, tb, b, 32);
	op3(n, FIRST(arg), ta, ta, tb);
	shift64(n, SHIFT_RIGHT, even, even, 32);
	d = result(n, in);
	op3i(n, VPBLENDD, d, even, ta, 0xaa);
}

void native_choose(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b);
	uint8_t mask = mask_of(n, &in->o[in->carry_in]);

	(void)arg;
	op3(n, VBLENDVPS, result(n, in), a, b);
	x86_byte(&n->x, (unsigned)mask << 4);
}

/* Sums and differences with carries; the carry is one bit of and, or, and not of all three. */
void native_carry(struct native *n, const struct sg_insn *in, uint32_t subtract)
{
	bool swapped = subtract == 2;
	uint8_t a = source32(n, in, swapped ? in->b : in->a);
	uint8_t b = source32(n, in, swapped ? in->a : in->b);
	uint8_t cin = in->carry_in ? mask_of(n, &in->o[in->carry_in]) : 0;
	uint8_t t = native_temp(n), u = native_temp(n), sum = native_temp(n), d, out;

	op3(n, subtract ? VPSUBD : VPADDD, sum, a, b);
	if (in->carry_in)
		op3(n, subtract ? VPADDD : VPSUBD, sum, sum, cin);
	if (subtract) {
		/* (~a & b) | (~(a ^ b) & sum) */
		op3(n, VPANDN, t, a, b);
		op3(n, VPXOR, u, a, b);
		op3(n, VPANDN, u, u, sum);
	} else {
		/* (a & b) | (~sum & (a | b)) */
		op3(n, VPAND, t, a, b);
		op3(n, VPOR, u, a, b);
		op3(n, VPANDN, u, sum, u);
	}
	op3(n, VPOR, t, t, u);
	d = result(n, in);
	copy(n, d, sum);
	out = native_set_mask_of(n, &in->o[in->carry_out]);
	shift32(n, SHIFT_ARITHMETIC, out, t, 31);
}

/* A * B + C in 64 bits; the carry out is "less than C", unsigned. */
void native_multiply_add(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value c = source64(n, in, in->c), d;
	uint8_t a = source32(n, in, in->a), b = source32(n, in, in->b), sign, out;
	uint8_t ta = native_temp(n), tb = native_temp(n), less[2];
	unsigned i;

	(void)arg;
	sign = native_quad(n, SIGN64);
	d = result64(n, in);
	for (i = 0; i < 2; i++) {
		op3(n, i ? VPUNPCKHDQ : VPUNPCKLDQ, ta, a, a);
		op3(n, i ? VPUNPCKHDQ : VPUNPCKLDQ, tb, b, b);
		op3(n, VPMULUDQ, ta, ta, tb);
		op3(n, VPADDQ, d.r[i], ta, c.r[i]);
	}
	for (i = 0; i < 2; i++) {
		less[i] = i ? tb : ta;
		op3(n, VPXOR, NATIVE_TEMP, d.r[i], sign);
		op3(n, VPXOR, less[i], c.r[i], sign);
		op3(n, VPCMPGTQ, less[i], less[i], NATIVE_TEMP);
	}
	out = native_set_mask_of(n, &in->o[in->carry_out]);
	pack_masks(n, out, less[0], less[1]);
}

void native_shift_wide(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value b = source64(n, in, in->b), by = { { 0, 0 } }, d;
	const struct sg_operand *o = &in->o[in->a];
	unsigned i, k = o->value & 63;
	uint8_t zero, limit;

	if (o->kind == SG_K_CONST) {
		d = result64(n, in);
		for (i = 0; i < 2; i++)
			shift64(n, arg == VPSLLVQ ? SHIFT_LEFT : SHIFT_RIGHT, d.r[i], b.r[i], k);
		return;
	}
	zero = native_word(n, 0);
	limit = native_quad(n, 63);
	by = widen_with(n, source32(n, in, in->a), zero);
	d = result64(n, in);
	for (i = 0; i < 2; i++) {
		op3(n, VPAND, by.r[i], by.r[i], limit);
		op3(n, FIRST(arg), d.r[i], b.r[i], by.r[i]);
	}
}

void native_shift_arithmetic_wide(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	struct native_value b = source64(n, in, in->b), d;
	const struct sg_operand *o = &in->o[in->a];
	unsigned i, k = o->value & 63;
	uint8_t zero = native_word(n, 0), t = native_temp(n);

	(void)arg;
	if (o->kind != SG_K_CONST) {
		n->failed = true;
		return;
	}
	d = result64(n, in);
	for (i = 0; i < 2; i++) {
		op3(n, VPCMPGTQ, t, zero, b.r[i]);
		shift64(n, SHIFT_LEFT, t, t, 64 - k);
		shift64(n, SHIFT_RIGHT, d.r[i], b.r[i], k);
		op3(n, VPOR, d.r[i], d.r[i], t);
	}
}

/* Converts byte `arg` to a float. */
void native_byte_float(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	uint8_t a = source32(n, in, in->a), low = native_word(n, 255), t = native_temp(n);

	shift32(n, SHIFT_RIGHT, t, a, 8 * arg);
	op3(n, VPAND, t, t, low);
	op2(n, VCVTDQ2PS, result(n, in), t);
}

#endif
