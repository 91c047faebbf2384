/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions from f32 to eight-bit floating point, which keep the rest of the destination (CDNA4
 * ISA guide, "BF8 / FP8 and Smaller Formats and Conversions": where results go, MODE.FP16_OVFL, and
 * which bits of the random number stochastic rounding takes). The other direction is in
 * valu_convert.def, conversions with a scale in scale.c.
 */
#include "small_float.h"

static float source(const struct sg_wave *wave, const struct sg_operand *o, unsigned lane)
{
	float f = sg_float(sg_lane32(wave, o, lane));

	if (o->abs)
		f = sg_float(sg_bits32(f) & 0x7fffffffu);
	return o->neg ? sg_float(sg_bits32(f) ^ 0x80000000u) : f;
}

static bool form_ok(struct sg_wave *wave, const struct sg_insn *in)
{
	if (in->nops == 3 && in->o[0].kind == SG_K_VECTOR && in->o[0].count == 1 && !in->clamp &&
	    !in->omod && !(wave->mode & SG_MODE_GPR_IDX))
		return true;
	sg_unsupported(wave, in, "form of a conversion to eight bits");
	return false;
}

/* Converts two values into the half of the destination that op_sel names. */
static void pack(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_small_format *format = sg_small_format(in->op->arg);
	const struct sg_small_rounding nearest = { .how = SG_SMALL_NEAREST };
	bool saturate = wave->mode & SG_MODE_FP16_OVFL;
	unsigned shift = in->op_sel >> 3 & 1 ? 16 : 0;
	uint32_t *d = wave->v[in->o[0].index];
	uint64_t m;

	if (!form_ok(wave, in))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint32_t low =
		    sg_small_code(source(wave, &in->o[1], l), format, saturate, &nearest);
		uint32_t high =
		    sg_small_code(source(wave, &in->o[2], l), format, saturate, &nearest);

		d[l] = (d[l] & ~(0xffffu << shift)) | (low | high << 8) << shift;
	}
}

/* The upper bits of the random number are added to the bits of the mantissa that will be cut off,
 * before the value is aligned for a denormal result. */
static double stir(float f, uint32_t random, const struct sg_small_format *format)
{
	uint32_t bits = sg_bits32(f);
	int exponent = (int)(bits >> 23 & 0xff);
	uint32_t mantissa = (bits & 0x7fffffu) | 0x800000u;
	double size;

	if (exponent == 255 || !exponent) /* f32 denormals are far below the least value */
		return exponent ? f : __builtin_copysign(0, f);
	mantissa += random >> (32 - (23 - format->mantissa));
	size = __builtin_ldexp(mantissa, exponent - 127 - 23);
	return f < 0 ? -size : size;
}

/* Converts a value into the byte that op_sel names, rounded with the random number of the second
 * source. */
static void stochastic(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_small_format *format = sg_small_format(in->op->arg);
	const struct sg_small_rounding cut = { .how = SG_SMALL_CUT };
	bool saturate = wave->mode & SG_MODE_FP16_OVFL;
	unsigned shift = 8 * (in->op_sel >> 2 & 3u);
	uint32_t *d = wave->v[in->o[0].index];
	uint64_t m;

	if (!form_ok(wave, in))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		double stirred =
		    stir(source(wave, &in->o[1], l), sg_lane32(wave, &in->o[2], l), format);
		uint32_t x = sg_small_code(stirred, format, saturate, &cut);

		d[l] = (d[l] & ~(0xffu << shift)) | x << shift;
	}
}

const struct sg_op sg_table_fp8[] = {
	{ .name = "v_cvt_pk_fp8_f32", .exec = pack, .arg = SG_FP8 },
	{ .name = "v_cvt_pk_bf8_f32", .exec = pack, .arg = SG_BF8 },
	{ .name = "v_cvt_sr_fp8_f32", .exec = stochastic, .arg = SG_FP8 },
	{ .name = "v_cvt_sr_bf8_f32", .exec = stochastic, .arg = SG_BF8 },
	{ .name = NULL },
};
