/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions from f32 to eight-bit floating point, which keep the rest of the destination. Where
 * results go is LLVM's syntax (op_sel); which bits of the random number stochastic rounding takes,
 * and saturation by MODE.FP16_OVFL, were not compared with AMD's guide or hardware. The other
 * direction is in valu_convert.def.
 */
#include "fp8.h"

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

/* Two values into the half of the destination that op_sel names. */
static void pack(struct sg_wave *wave, const struct sg_insn *in)
{
	enum sg_fp8 format = in->op->arg;
	bool saturate = wave->mode & SG_MODE_FP16_OVFL;
	unsigned shift = in->op_sel >> 2 & 1 ? 16 : 0;
	uint32_t *d = wave->v[in->o[0].index];
	uint64_t m;

	if (!form_ok(wave, in))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint32_t low = sg_float_to_fp8(source(wave, &in->o[1], l), format, NULL, saturate);
		uint32_t high = sg_float_to_fp8(source(wave, &in->o[2], l), format, NULL, saturate);

		d[l] = (d[l] & ~(0xffffu << shift)) | (low | high << 8) << shift;
	}
}

/* One value into the byte that op_sel names, rounded with the random number of the second source.
 */
static void stochastic(struct sg_wave *wave, const struct sg_insn *in)
{
	enum sg_fp8 format = in->op->arg;
	bool saturate = wave->mode & SG_MODE_FP16_OVFL;
	unsigned shift = 8 * (in->op_sel >> 2 & 3u);
	uint32_t *d = wave->v[in->o[0].index];
	uint64_t m;

	if (!form_ok(wave, in))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint32_t random = sg_lane32(wave, &in->o[2], l);
		uint32_t x = sg_float_to_fp8(source(wave, &in->o[1], l), format, &random, saturate);

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
