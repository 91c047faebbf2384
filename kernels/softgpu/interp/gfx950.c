/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector instructions that gfx950 has beyond gfx942. Source: LLVM's AMDGPUUsage (swaps of rows)
 * [LUG], VOP3Instructions.td (where the table of BITOP3 is in the encoding). What is not here is
 * refused by name: ../README.md, "Not modelled".
 */
#include "fp8.h"

static float source(const struct sg_wave *wave, const struct sg_operand *o, unsigned lane)
{
	float f = sg_float(sg_lane32(wave, o, lane));

	if (o->abs)
		f = sg_float(sg_bits32(f) & 0x7fffffffu);
	return o->neg ? sg_float(sg_bits32(f) ^ 0x80000000u) : f;
}

static bool form_ok(struct sg_wave *wave, const struct sg_insn *in, unsigned operands)
{
	if (in->nops == operands && in->o[0].kind == SG_K_VECTOR && in->o[0].count == 1 &&
	    !in->clamp && !in->omod && !in->op_sel && !in->dpp && !in->sdwa &&
	    !(wave->mode & SG_MODE_GPR_IDX))
		return true;
	sg_unsupported(wave, in, "form of an instruction of gfx950");
	return false;
}

/* Each bit of the result is the table's, at the three bits of the sources; the first is the highest
 * one. The table is in the fields for neg, abs and omod. */
static void bitop3(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t table =
	    in->raw[1] >> 29 | (in->raw[0] >> 8 & 7) << 3 | (in->raw[1] >> 27 & 3) << 6;
	uint64_t m;

	if (!form_ok(wave, in, 4))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m), i;
		uint32_t a = sg_lane32(wave, &in->o[1], l), b = sg_lane32(wave, &in->o[2], l);
		uint32_t c = sg_lane32(wave, &in->o[3], l), d = 0;

		for (i = 0; i < 8; i++)
			if (table >> i & 1)
				d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
		wave->v[in->o[0].index][l] = d;
	}
}

/* Odd rows of the first register and the even ones of the second that are before them; arg: lanes
 * of a row. */
static void swap_rows(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t *a = wave->v[in->o[0].index], *b = wave->v[in->o[1].index];
	unsigned row = in->op->arg, l;

	if (!form_ok(wave, in, 2) || in->o[1].kind != SG_K_VECTOR)
		return;
	if (sg_exec(wave) != ~(uint64_t)0) {
		sg_unsupported(wave, in, "swap of rows with lanes that are switched off");
		return;
	}
	for (l = 0; l < SG_LANES; l++)
		if (l & row) {
			uint32_t x = a[l];

			a[l] = b[l - row];
			b[l - row] = x;
		}
}

/* To nearest even; NaN stays one, quiet. */
static uint32_t brain(float f)
{
	uint32_t bits = sg_bits32(f);

	return f != f ? (bits >> 16 | 0x40) & 0xffff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static void pack_brain(struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t m;

	if (!form_ok(wave, in, 3))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);

		wave->v[in->o[0].index][l] =
		    brain(source(wave, &in->o[1], l)) | brain(source(wave, &in->o[2], l)) << 16;
	}
}

/* IEEE 754-2019 minimum and maximum: NaN wins, -0 is below 0. */
static float least(float a, float b, bool greatest)
{
	if (a != a || b != b)
		return sg_float(sg_bits32(a != a ? a : b) | 0x400000u);
	if (a == 0 && b == 0)
		return sg_float(greatest ? sg_bits32(a) & sg_bits32(b)
					 : sg_bits32(a) | sg_bits32(b));
	return (a < b) != greatest ? a : b;
}

static void least3(struct sg_wave *wave, const struct sg_insn *in)
{
	bool greatest = in->op->arg;
	uint64_t m;

	if (!form_ok(wave, in, 4))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		float x = least(source(wave, &in->o[1], l), source(wave, &in->o[2], l), greatest);

		wave->v[in->o[0].index][l] =
		    sg_bits32(least(x, source(wave, &in->o[3], l), greatest));
	}
}

const struct sg_op sg_table_gfx950[] = {
	{ .name = "v_bitop3_b32", .exec = bitop3 },
	{ .name = "v_permlane16_swap_b32", .exec = swap_rows, .arg = 16 },
	{ .name = "v_permlane32_swap_b32", .exec = swap_rows, .arg = 32 },
	{ .name = "v_cvt_pk_bf16_f32", .exec = pack_brain },
	{ .name = "v_minimum3_f32", .exec = least3, .arg = 0 },
	{ .name = "v_maximum3_f32", .exec = least3, .arg = 1 },
	{ .name = NULL },
};
