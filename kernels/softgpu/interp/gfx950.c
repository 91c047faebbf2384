/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector instructions of gfx950 beyond gfx942 that no row of valu_*.def can do: they read a table
 * from the encoding, or more than one lane. Source: the pseudocode of AMD's CDNA4 ISA guide; LLVM's
 * AMDGPUUsage (swaps of rows) [LUG].
 */
#include "lanes.h"

static bool form_ok(struct sg_wave *wave, const struct sg_insn *in, unsigned operands, bool halves)
{
	if (in->nops == operands && in->o[0].kind == SG_K_VECTOR && in->o[0].count == 1 &&
	    !in->clamp && !in->omod && (halves || !in->op_sel) && !in->dpp && !in->sdwa &&
	    !(wave->mode & SG_MODE_GPR_IDX))
		return true;
	sg_unsupported(wave, in, "form of an instruction of gfx950");
	return false;
}

/*
 * Each bit of the result is the table's, at the three bits of the sources; the first is the highest
 * one. The table is in the fields for neg, abs and omod. With 16 bits, op_sel chooses halves, and
 * the rest of the destination stays.
 */
static void bitop3(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t table =
	    in->raw[1] >> 29 | (in->raw[0] >> 8 & 7) << 3 | (in->raw[1] >> 27 & 3) << 6;
	bool half = in->op->arg == 16;
	unsigned select = half ? in->op_sel : 0, to = select >> 3 & 1 ? 16 : 0, i;
	uint32_t keep = half ? ~(0xffffu << to) : 0;
	uint64_t m;

	for (i = 1; i < 4; i++)
		if (half && in->o[i].is_float) {
			sg_unsupported(wave, in, "floating-point constant of 16 bits");
			return;
		}
	if (!form_ok(wave, in, 4, half))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint32_t a = sg_lane32(wave, &in->o[1], l) >> (select & 1 ? 16 : 0);
		uint32_t b = sg_lane32(wave, &in->o[2], l) >> (select & 2 ? 16 : 0);
		uint32_t c = sg_lane32(wave, &in->o[3], l) >> (select & 4 ? 16 : 0), d = 0;
		uint32_t *result = &wave->v[in->o[0].index][l];

		for (i = 0; i < 8; i++)
			if (table >> i & 1)
				d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
		*result = half ? (*result & keep) | (d & 0xffff) << to : d;
	}
}

/* Swaps odd rows of the first register and the even ones of the second that are before them; arg:
 * lanes of a row. */
static void swap_rows(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t *a = wave->v[in->o[0].index], *b = wave->v[in->o[1].index];
	unsigned row = in->op->arg, l;

	if (!form_ok(wave, in, 2, false) || in->o[1].kind != SG_K_VECTOR)
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

const struct sg_op sg_table_gfx950[] = {
	{ .name = "v_bitop3_b32", .exec = bitop3, .arg = 32 },
	{ .name = "v_bitop3_b16", .exec = bitop3, .arg = 16 },
	{ .name = "v_permlane16_swap_b32", .exec = swap_rows, .arg = 16 },
	{ .name = "v_permlane32_swap_b32", .exec = swap_rows, .arg = 32 },
	{ .name = NULL },
};
