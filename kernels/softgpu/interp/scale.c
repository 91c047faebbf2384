/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gfx950's conversions with a scale, V_CVT_SCALEF32_*: from eight, six and four bits to f32, f16
 * and bf16, multiplied by the scale, and back, divided by it. The scale is the power of two in the
 * exponent of an f32; exponent 255 makes every result NaN (in formats without it, the greatest
 * number).
 *
 * Sources: AMD's CDNA4 ISA guide (pseudocode: places of elements, the sequence of random numbers;
 * "BF8 / FP8 and Smaller Formats and Conversions": ranges, FP16_OVFL) and HIP 7.2's
 * amd_hip_ocp_host.hpp (NaN in formats without it, which bits of the random number are added).
 */
#include "small_float.h"

/* Row's arg: small format, other format, elements, and how. */
enum wide { W_F32, W_F16, W_BF16 };

#define ARG(small, wide, elements) ((small) | (wide) << 3 | (elements) << 5)
#define SMALL(arg)                 ((enum sg_small)((arg)&7))
#define WIDE(arg)                  ((enum wide)((arg) >> 3 & 3))
#define ELEMENTS(arg)              ((arg) >> 5 & 63u)
#define RANDOM                     0x0800u
#define INTERLEAVED                0x1000u /* elements of two sources in turns */

#define MOST                       32

/* The bits of op_sel that choose a part of a register for so many elements; the first is `first`.
 */
static unsigned selector(const struct sg_small_format *f, unsigned elements, unsigned first)
{
	switch (sg_small_bits(f) * elements) {
	case 8:
		return 3u << first;
	case 16:
		return first ? 8 : 1;
	default:
		return 0;
	}
}

/* Returns the shift of the part of a register that op_sel names. */
static unsigned part(const struct sg_insn *in, unsigned selector)
{
	unsigned chosen = (in->op_sel & selector) / (selector & -selector);

	return chosen * (selector & (selector - 1) ? 8 : 16);
}

static bool vector(const struct sg_operand *o, unsigned registers)
{
	return o->count == registers && (o->kind == SG_K_VECTOR || registers == 1);
}

/* Returns true for the forms that the guide has, in a mode that it or its pseudocode speaks of. */
static bool form_ok(struct sg_wave *wave, const struct sg_insn *in, unsigned operands,
		    unsigned op_sel)
{
	const char *problem = NULL;

	if (in->nops != operands || in->o[0].kind != SG_K_VECTOR || in->clamp || in->omod ||
	    in->dpp || in->sdwa || wave->mode & SG_MODE_GPR_IDX)
		problem = "form of a conversion with scale";
	else if (in->op_sel & ~op_sel)
		problem = "half or byte that this conversion does not choose";
	else if ((wave->mode & 0xff) != SG_MODE_DEFAULT)
		problem = "conversion with scale in another rounding or denormal mode";
	if (problem)
		sg_unsupported(wave, in, problem);
	return !problem;
}

/* Returns a scale: NaN or a power of two. */
static double scale_of(const struct sg_wave *wave, const struct sg_operand *o, unsigned lane)
{
	int exponent = (int)(sg_lane32(wave, o, lane) >> 23 & 0xff);

	return exponent == 255 ? sg_double(0x7ff8000000000000u)
			       : __builtin_ldexp(1, exponent - 127);
}

static uint32_t narrow_bits(uint32_t (*v)[SG_LANES], unsigned lane, unsigned at, unsigned bits)
{
	uint64_t two = v[at / 32][lane];

	if (at % 32 + bits > 32)
		two |= (uint64_t)v[at / 32 + 1][lane] << 32;
	return (uint32_t)(two >> (at % 32)) & ((1u << bits) - 1);
}

static uint32_t to_wide(double x, enum wide type)
{
	uint32_t sign = (uint32_t)(sg_bits64(x) >> 63);

	switch (type) {
	case W_F32:
		return x != x ? sign << 31 | 0x7fc00000u : sg_bits32((float)x);
	case W_F16:
		return x != x ? sign << 15 | 0x7e00u : sg_double_to_half(x);
	default:
		/* Exact as a float wherever bf16's rounding could see a difference. */
		return x != x ? sign << 15 | 0x7fc0u : sg_float_to_brain((float)x);
	}
}

static void widen(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned n = ELEMENTS(in->op->arg), bits, size, from, to, i;
	const struct sg_small_format *f = sg_small_format(SMALL(in->op->arg));
	enum wide type = WIDE(in->op->arg);
	unsigned source = selector(f, n, 0), result = n == 1 && type == W_F16 ? 8 : 0;
	uint64_t m;

	bits = sg_small_bits(f);
	size = type == W_F32 ? n : (n + 1) / 2;
	/* LLVM: the third bit is ignored where two choose a byte. */
	if (!form_ok(wave, in, 3, source | result | (source == 3 ? 4 : 0)))
		return;
	if (in->o[0].count != size || !vector(&in->o[1], n == 32 ? 6 : 1) || in->o[1].neg ||
	    in->o[1].abs || !vector(&in->o[2], 1) ||
	    (type == W_F16 && wave->mode & SG_MODE_FP16_OVFL)) {
		sg_unsupported(wave, in, "operands of a conversion with scale");
		return;
	}
	from = source ? part(in, source) : 0;
	to = result ? part(in, result) : 0;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		double scale = scale_of(wave, &in->o[2], l);
		uint32_t x[MOST], (*d)[SG_LANES] = &wave->v[in->o[0].index];

		for (i = 0; i < n; i++) {
			uint32_t code = n == 32
					    ? narrow_bits(&wave->v[in->o[1].index], l, 6 * i, 6)
					    : sg_lane32(wave, &in->o[1], l) >> (from + bits * i);
			double value = sg_small_value(code, f);

			x[i] = to_wide(value != value ? value : value * scale, type);
		}
		for (i = 0; i < n; i++)
			if (type == W_F32)
				d[i][l] = x[i];
			else if (n == 1)
				d[0][l] = (d[0][l] & ~(0xffffu << to)) | x[0] << to;
			else if (i % 2)
				d[i / 2][l] = x[i - 1] | x[i] << 16;
	}
}

static double from_wide(uint32_t bits, enum wide type)
{
	switch (type) {
	case W_F32:
		return sg_float(bits);
	case W_F16:
		return sg_half_to_float(bits);
	default:
		return sg_brain_to_float(bits & 0xffff);
	}
}

/* Element `i` of a source of one type; a packed one has half of them in each register. */
static double element(const struct sg_wave *wave, const struct sg_operand *o, unsigned lane,
		      unsigned i, enum wide type)
{
	uint32_t bits = o->kind == SG_K_VECTOR
			    ? wave->v[o->index + (type == W_F32 ? i : i / 2)][lane]
			    : sg_read32(wave, o);
	uint32_t sign = type == W_F32 ? 0x80000000u : 0x8000u;

	if (type != W_F32)
		bits = bits >> (16 * (i % 2)) & 0xffff;
	if (o->abs)
		bits &= ~sign;
	return from_wide(o->neg ? bits ^ sign : bits, type);
}

static void store_codes(uint32_t (*d)[SG_LANES], unsigned lane, const uint32_t *code, unsigned n,
			unsigned bits, unsigned to)
{
	uint32_t words[6] = { 0 }, mask;
	unsigned i;

	for (i = 0; i < n; i++) {
		unsigned at = bits * i;

		words[at / 32] |= code[i] << (at % 32);
		if (at % 32 + bits > 32)
			words[at / 32 + 1] |= code[i] >> (32 - at % 32);
	}
	if (bits * n < 32) {
		mask = ((1u << bits * n) - 1) << to;
		d[0][lane] = (d[0][lane] & ~mask) | words[0] << to;
		return;
	}
	for (i = 0; i < bits * n / 32; i++)
		d[i][lane] = words[i];
}

/* Stores the registers of a source, and how many sources there are before the random number or
 * scale. */
static void sources(unsigned arg, unsigned *count, unsigned *registers)
{
	unsigned n = ELEMENTS(arg);
	bool two = arg & INTERLEAVED || (n == 2 && WIDE(arg) == W_F32 && !(arg & RANDOM));

	*count = two ? 2 : 1;
	*registers = n / *count;
	if (WIDE(arg) != W_F32)
		*registers = (*registers + 1) / 2;
}

static void narrow(struct sg_wave *wave, const struct sg_insn *in)
{
	static const unsigned mantissas[] = { [W_F32] = 23, [W_F16] = 10, [W_BF16] = 7 };
	unsigned arg = in->op->arg, n = ELEMENTS(arg), bits, count, registers, i, next;
	const struct sg_small_format *f = sg_small_format(SMALL(arg));
	enum wide type = WIDE(arg);
	unsigned result = selector(f, n, 2);
	bool ok, saturate = wave->mode & SG_MODE_FP16_OVFL;
	struct sg_small_rounding rounding = { .how = arg & RANDOM ? SG_SMALL_STOCHASTIC
								  : SG_SMALL_NEAREST,
					      .mantissa = mantissas[type] };
	uint64_t m;

	bits = sg_small_bits(f);
	sources(arg, &count, &registers);
	next = count + 1;
	if (!form_ok(wave, in, next + (arg & RANDOM ? 2 : 1), result))
		return;
	ok = in->o[0].count == (n == 32 ? 6 : 1) && vector(&in->o[next], 1) &&
	     vector(&in->o[in->nops - 1], 1);
	for (i = 1; i <= count; i++) {
		const struct sg_operand *o = &in->o[i];

		ok &= vector(o, registers) || (o->kind != SG_K_VECTOR && registers == 1);
		/* It is not documented for which of several elements a sign would be. */
		ok &= !(o->neg || o->abs) || n / count == 1;
		ok &= type == W_F32 || !o->is_float;
	}
	if (!ok) {
		sg_unsupported(wave, in, "operands of a conversion with scale");
		return;
	}
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		double scale = scale_of(wave, &in->o[in->nops - 1], l);
		uint32_t code[MOST];

		rounding.random = sg_lane32(wave, &in->o[next], l);
		for (i = 0; i < n; i++) {
			double x = element(wave, &in->o[1 + i % count], l, i / count, type);
			double nan = __builtin_copysign(scale, x);

			code[i] = sg_small_code(x != x           ? x
						: scale != scale ? nan
								 : x / scale,
						f, saturate, &rounding);
			rounding.random = sg_prng(rounding.random);
		}
		store_codes(&wave->v[in->o[0].index], l, code, n, bits,
			    result ? part(in, result) : 0);
	}
}

#define WIDEN(text, small, wide, n)                                                       \
	{                                                                                 \
		.name = "v_cvt_scalef32_" text, .exec = widen, .arg = ARG(small, wide, n) \
	}
#define NARROW(text, small, wide, n, how)                                                          \
	{                                                                                          \
		.name = "v_cvt_scalef32_" text, .exec = narrow, .arg = ARG(small, wide, n) | (how) \
	}
#define FROM_PAIR(name, small)                                                          \
	WIDEN("pk_f32_" name, small, W_F32, 2), WIDEN("pk_f16_" name, small, W_F16, 2), \
	    WIDEN("pk_bf16_" name, small, W_BF16, 2)
#define TO_PAIR(name, small)                               \
	NARROW("pk_" name "_f32", small, W_F32, 2, 0),     \
	    NARROW("pk_" name "_f16", small, W_F16, 2, 0), \
	    NARROW("pk_" name "_bf16", small, W_BF16, 2, 0)
#define EIGHT(name, small)                                                        \
	WIDEN("f32_" name, small, W_F32, 1), WIDEN("f16_" name, small, W_F16, 1), \
	    NARROW("sr_" name "_f32", small, W_F32, 1, RANDOM),                   \
	    NARROW("sr_" name "_f16", small, W_F16, 1, RANDOM),                   \
	    NARROW("sr_" name "_bf16", small, W_BF16, 1, RANDOM)
#define SIX(name, small)                                                                      \
	WIDEN("pk32_f32_" name, small, W_F32, 32), WIDEN("pk32_f16_" name, small, W_F16, 32), \
	    WIDEN("pk32_bf16_" name, small, W_BF16, 32),                                      \
	    NARROW("2xpk16_" name "_f32", small, W_F32, 32, INTERLEAVED),                     \
	    NARROW("pk32_" name "_f16", small, W_F16, 32, 0),                                 \
	    NARROW("pk32_" name "_bf16", small, W_BF16, 32, 0),                               \
	    NARROW("sr_pk32_" name "_f32", small, W_F32, 32, RANDOM),                         \
	    NARROW("sr_pk32_" name "_f16", small, W_F16, 32, RANDOM),                         \
	    NARROW("sr_pk32_" name "_bf16", small, W_BF16, 32, RANDOM)

const struct sg_op sg_table_scale[] = {
	FROM_PAIR("fp8", SG_FP8),
	FROM_PAIR("bf8", SG_BF8),
	FROM_PAIR("fp4", SG_FP4),
	TO_PAIR("fp8", SG_FP8),
	TO_PAIR("bf8", SG_BF8),
	TO_PAIR("fp4", SG_FP4),
	EIGHT("fp8", SG_FP8),
	EIGHT("bf8", SG_BF8),
	SIX("fp6", SG_FP6),
	SIX("bf6", SG_BF6),
	NARROW("sr_pk_fp4_f32", SG_FP4, W_F32, 2, RANDOM),
	NARROW("sr_pk_fp4_f16", SG_FP4, W_F16, 2, RANDOM),
	NARROW("sr_pk_fp4_bf16", SG_FP4, W_BF16, 2, RANDOM),
	{ .name = NULL },
};
