/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translation of what divisions, roots and the like are made of. A value of 64 bits is here two
 * rows of words, because it is the words with the exponents that count.
 */
#include "native_ops.h"

#if defined(__x86_64__)

/* The words of an operand with its exponent, and the ones below where it has 64 bits. */
struct words {
	uint8_t low, high;
	bool wide;
};

static uint8_t word_of(struct native *n, const struct sg_insn *in, unsigned k, bool high)
{
	const struct sg_operand *o = &in->o[k];
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
	if (!o->abs && !o->neg)
		return r;
	t = native_temp(n);
	if (o->abs)
		op3(n, VPAND, t, r, native_word_once(n, ~SIGN32));
	if (o->neg)
		op3(n, VPXOR, t, o->abs ? t : r, native_word_once(n, SIGN32));
	return t;
}

static struct words words_of(struct native *n, const struct sg_insn *in, unsigned k)
{
	struct words w = { .wide = sg_is64(in->type[k]) };

	/* Modifiers are of the sign, which the low words don't have. */
	w.low = 0;
	if (w.wide) {
		const struct sg_operand *o = &in->o[k];

		w.low = o->kind == SG_K_VECTOR   ? native_row(n, o->index)
			: o->kind == SG_K_CONST  ? native_word(n, (uint32_t)o->value)
			: o->kind == SG_K_SCALAR ? native_scalar(n, o->index, false)
						 : 0;
	}
	w.high = word_of(n, in, k, w.wide);
	if (!w.wide)
		w.low = w.high;
	return w;
}

static struct native_value rows_of(struct words w)
{
	return (struct native_value){ { w.low, w.high } };
}

static uint8_t exponent(struct native *n, struct words w)
{
	uint8_t t = native_temp(n);

	shift32(n, SHIFT_LEFT, t, w.high, 1);
	shift32(n, SHIFT_RIGHT, t, t, w.wide ? 21 : 24);
	return t;
}

/* Returns the lanes in which it is a zero. */
static uint8_t zeros(struct native *n, struct words w)
{
	uint8_t t = native_temp(n);

	shift32(n, SHIFT_LEFT, t, w.high, 1);
	if (w.wide)
		op3(n, VPOR, t, t, w.low);
	op3(n, VPCMPEQD, t, t, native_word_once(n, 0));
	return t;
}

/* d = lanes in which x + more, unsigned, is less than the limit. */
static void below(struct native *n, unsigned d, unsigned x, uint32_t more, uint32_t limit)
{
	op3(n, VPADDD, d, x, native_word_once(n, more));
	op3(n, VPMINUD, NATIVE_TEMP, d, native_word_once(n, limit - 1));
	op3(n, VPCMPEQD, d, d, NATIVE_TEMP);
}

/* d &= what below() says */
static void and_below(struct native *n, unsigned d, unsigned x, uint32_t more, uint32_t limit)
{
	uint8_t t = native_temp(n);

	below(n, t, x, more, limit);
	op3(n, VPAND, d, d, t);
	native_free(n, t);
}

/* Numbers of the rows in valu_float.def: what makes an operand easy. */
static const struct limits {
	uint32_t scale_b, scale_c, scale_c_from, scale_apart, scale_apart_from;
	uint32_t exponents, fixup_apart, fixup_apart_from;
} limits[2] = {
	{ 252, 231, 24, 216, 120, 254, 512, 150 },
	{ 2044, 1993, 54, 1768, 1000, 2046, 4096, 1075 },
};

static void cold_rows(struct native *n, const struct sg_insn *in, uint8_t easy, struct words a,
		      struct words b, struct words c, struct native_value d, uint8_t cout)
{
	struct native_cold cold = { .op = in->op,
				    .a = rows_of(a),
				    .b = rows_of(b),
				    .c = rows_of(c),
				    .d = d,
				    .cout = cout,
				    .rows = true };

	op3(n, VPCMPEQD, NATIVE_TEMP, NATIVE_TEMP, NATIVE_TEMP);
	op3(n, VPXOR, NATIVE_TEMP, NATIVE_TEMP, easy);
	native_cold(n, NATIVE_TEMP, &cold);
}

static struct native_value result_rows(struct native *n, const struct sg_insn *in, bool wide)
{
	struct native_value d;

	d.r[0] = d.r[1] = native_set_row(n, in->o[0].index);
	if (wide)
		d.r[1] = native_set_row(n, in->o[0].index + 1u);
	return d;
}

/* Yields the value itself if nothing has to be scaled, NaN if the numerator is 0. */
void native_divide_scale(struct native *n, const struct sg_insn *in, uint32_t wide)
{
	const struct limits *l = &limits[wide];
	struct words a = words_of(n, in, in->a), b = words_of(n, in, in->b);
	struct words c = words_of(n, in, in->c);
	uint8_t eb = exponent(n, b), ec = exponent(n, c), easy = native_temp(n), zero, out;
	struct native_value d;

	below(n, easy, ec, -l->scale_c_from, l->scale_c);
	op3(n, VPSUBD, ec, ec, eb);
	and_below(n, easy, ec, l->scale_apart_from, l->scale_apart);
	native_free(n, ec);
	zero = zeros(n, c);
	op3(n, VPOR, easy, easy, zero);
	and_below(n, easy, eb, ~0u, l->scale_b);
	native_free(n, eb);
	d = result_rows(n, in, wide);
	if (wide) {
		op3(n, VPANDN, d.r[0], zero, a.low);
		op3(n, VBLENDVPS, d.r[1], a.high, native_word_once(n, 0x7ff80000));
	} else {
		op3(n, VBLENDVPS, d.r[0], a.high, native_word_once(n, 0x7fc00000));
	}
	x86_byte(&n->x, (unsigned)zero << 4);
	out = native_set_mask_of(n, &in->o[in->carry_out]);
	op3(n, VPXOR, out, out, out);
	cold_rows(n, in, easy, a, b, c, d, out);
}

void native_divide_fixup(struct native *n, const struct sg_insn *in, uint32_t wide)
{
	const struct limits *l = &limits[wide];
	struct words a = words_of(n, in, in->a), b = words_of(n, in, in->b);
	struct words c = words_of(n, in, in->c);
	uint8_t e = exponent(n, c), eb = exponent(n, b), easy = native_temp(n), zero, sign;
	struct native_value d;

	below(n, easy, e, ~0u, l->exponents);
	op3(n, VPSUBD, e, e, eb);
	and_below(n, easy, e, l->fixup_apart_from, l->fixup_apart);
	native_free(n, e);
	e = exponent(n, a);
	and_below(n, easy, e, 0, l->exponents + 1);
	native_free(n, e);
	zero = zeros(n, c);
	op3(n, VPOR, easy, easy, zero);
	and_below(n, easy, eb, ~0u, l->exponents);
	native_free(n, eb);
	sign = native_temp(n);
	op3(n, VPXOR, sign, b.high, c.high);
	op3(n, VPAND, sign, sign, native_word_once(n, SIGN32));
	d = result_rows(n, in, wide);
	if (wide)
		op3(n, VPANDN, d.r[0], zero, a.low);
	op3(n, VPAND, d.r[1], a.high, native_word_once(n, ~SIGN32));
	op3(n, VPANDN, d.r[1], zero, d.r[1]);
	op3(n, VPOR, d.r[1], d.r[1], sign);
	cold_rows(n, in, easy, a, b, c, d, 0);
}

/* Exponents are added where neither operand nor result is denormal. */
void native_scale(struct native *n, const struct sg_insn *in, uint32_t wide)
{
	const struct limits *l = &limits[wide];
	uint32_t range = wide ? 4096 : 512;
	struct words a = words_of(n, in, in->a), none = { 0, 0, false }, b = none;
	uint8_t by = source32(n, in, in->b), e = exponent(n, a), easy = native_temp(n), zero, t;
	struct native_value d;

	b.low = b.high = by;
	below(n, easy, e, ~0u, l->exponents);
	op3(n, VPADDD, e, e, by);
	and_below(n, easy, e, ~0u, l->exponents);
	native_free(n, e);
	and_below(n, easy, by, range - 1, 2 * range - 1);
	zero = zeros(n, a);
	op3(n, VPOR, easy, easy, zero);
	t = native_temp(n);
	shift32(n, SHIFT_LEFT, t, by, wide ? 20 : 23);
	op3(n, VPANDN, t, zero, t);
	d = result_rows(n, in, wide);
	if (wide)
		copy(n, d.r[0], a.low);
	op3(n, VPADDD, d.r[1], a.high, t);
	cold_rows(n, in, easy, a, b, none, d, 0);
}

/* Bits of the constant: a negative and a positive class each for these. */
static const struct {
	uint16_t negative, positive;
} classes[] = { { 1 << 2, 1 << 9 }, { 1 << 3, 1 << 8 }, { 1 << 4, 1 << 7 }, { 1 << 5, 1 << 6 } };

enum { INFINITE, NORMAL, DENORMAL, ZERO };

/* d = lanes in which x, without sign, is of that class */
static void of_class(struct native *n, unsigned d, unsigned x, unsigned class, bool wide)
{
	uint32_t infinite = wide ? 0x7ff00000 : 0x7f800000, normal = wide ? 0x00100000 : 0x00800000;

	switch (class) {
	case INFINITE:
		op3(n, VPCMPEQD, d, x, native_word_once(n, infinite));
		break;
	case ZERO:
		op3(n, VPCMPEQD, d, x, native_word_once(n, 0));
		break;
	default:
		op3(n, VPCMPGTD, d, native_word_once(n, class == NORMAL ? infinite : normal), x);
		op3(n, VPCMPGTD, NATIVE_TEMP, x,
		    native_word_once(n, class == NORMAL ? normal - 1 : 0));
		op3(n, VPAND, d, d, NATIVE_TEMP);
	}
}

void native_classify(struct native *n, const struct sg_insn *in, uint32_t wide)
{
	struct words a = words_of(n, in, in->a);
	const struct sg_operand *o = &in->o[in->b];
	uint32_t bits = (uint32_t)o->value & 0x3ff;
	uint8_t x = native_temp(n), sum = native_temp(n), t = native_temp(n), sign = native_temp(n),
		out;
	unsigned i;

	if (o->kind != SG_K_CONST || (bits & 3) == 1 || (bits & 3) == 2) {
		n->failed = true;
		return;
	}
	op3(n, VPAND, x, a.high, native_word_once(n, ~SIGN32));
	if (wide) {
		/* All that counts of the low word is that it has a bit. */
		op3(n, VPCMPEQD, t, a.low, native_word_once(n, 0));
		op3(n, VPSUBD, t, t, native_word_once(n, ~0u));
		op3(n, VPOR, x, x, t);
	}
	shift32(n, SHIFT_ARITHMETIC, sign, a.high, 31);
	op3(n, VPXOR, sum, sum, sum);
	if (bits & 3)
		op3(n, VPCMPGTD, sum, x, native_word_once(n, wide ? 0x7ff00000 : 0x7f800000));
	for (i = INFINITE; i <= ZERO; i++) {
		bool negative = bits & classes[i].negative, positive = bits & classes[i].positive;

		if (!negative && !positive)
			continue;
		of_class(n, t, x, i, wide);
		if (!positive)
			op3(n, VPAND, t, t, sign);
		else if (!negative)
			op3(n, VPANDN, t, sign, t);
		op3(n, VPOR, sum, sum, t);
	}
	out = native_set_mask_of(n, &in->o[0]);
	copy(n, out, sum);
}

#endif
