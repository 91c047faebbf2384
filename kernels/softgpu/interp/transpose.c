/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gfx950's reads of LDS that transpose: in each 16 lanes the elements that these read are the rows
 * of a matrix with 16 columns, one after the other; lane i receives column i. So
 *
 *   element k of lane i is element i % n of lane k * 16 / n + i / n, where a lane reads n elements.
 *
 * Sources: AMD's CDNA4 ISA guide ("MFMA Transpose Load from LDS": EXEC, alignment, which rows and
 * columns); rocRoller's tests TransposeInstructionsTest, which check the places of all elements.
 */
#include "interp.h"

#define GROUP 16

static uint32_t get(const uint8_t *bytes, unsigned at, unsigned bits)
{
	uint32_t x = 0;
	unsigned i;

	for (i = 0; i < bits; i++, at++)
		x |= (uint32_t)(bytes[at / 8] >> (at % 8) & 1) << i;
	return x;
}

/* Row's arg: bits of an element; a lane reads 64 bits, or 16 elements of 6 bits. */
static void read_transposed(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned bits = in->op->arg, size = bits == 6 ? 12 : 8, n = 8 * size / bits, l, k, i;
	uint32_t offset = in->raw[0] & 0xffff, words[3][SG_LANES] = { { 0 } };
	uint8_t rows[SG_LANES][12] = { { 0 } };
	const char *problem = NULL;

	if (in->gds || in->nops != 2 || in->o[0].kind != SG_K_VECTOR || in->o[0].count != size / 4)
		problem = "operands of a read that transposes";
	else if (sg_exec(wave) != ~(uint64_t)0)
		problem = "read that transposes, with lanes that are switched off";
	for (l = 0; !problem && l < SG_LANES; l++) {
		uint32_t address = wave->v[in->o[1].index][l] + offset;
		const uint8_t *p = sg_lds(wave, address, size);

		if (address % (bits == 6 ? 16 : 8))
			problem = "read that transposes, of an address that is not aligned";
		if (p)
			memcpy(rows[l], p, size);
	}
	if (problem) {
		sg_unsupported(wave, in, problem);
		return;
	}
	for (l = 0; l < SG_LANES; l++)
		for (k = 0; k < n; k++) {
			unsigned column = l % GROUP;
			unsigned from = l - column + k * GROUP / n + column / n;
			uint32_t x = get(rows[from], column % n * bits, bits);
			unsigned at = k * bits;

			words[at / 32][l] |= x << (at % 32);
			if (at % 32 + bits > 32)
				words[at / 32 + 1][l] |= x >> (32 - at % 32);
		}
	for (i = 0; i < size / 4; i++)
		memcpy(wave->v[in->o[0].index + i], words[i], sizeof(words[i]));
}

const struct sg_op sg_table_transpose[] = {
	{ .name = "ds_read_b64_tr_b4", .exec = read_transposed, .arg = 4 },
	{ .name = "ds_read_b96_tr_b6", .exec = read_transposed, .arg = 6 },
	{ .name = "ds_read_b64_tr_b8", .exec = read_transposed, .arg = 8 },
	{ .name = "ds_read_b64_tr_b16", .exec = read_transposed, .arg = 16 },
	{ .name = NULL },
};
