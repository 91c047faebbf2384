/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gfx950's matrix multiply-add of eight, six and four bits, V_MFMA_F32_*_F8F6F4, alone and with a
 * scale for each 32 elements along k, V_MFMA_SCALE_F32_*_F8F6F4. cbsz and blgp say the formats of A
 * and B. Source: AMD's CDNA4 ISA guide, "Matrix Layouts: 8-bit and Smaller" and "Block Scaled
 * Matrices".
 *
 * Where elements are, for M x M x K: a lane has 32 of a row of A or a column of B,
 *
 *   of six and four bits: element k is number k % 32 in lane row + M * (k / 32),
 *   of eight bits: 16 of each half of k: with h = k % (K / 2), it is number h % 16 + 16 * (k / (K /
 * 2)) in lane row + M * (h / 16).
 *
 * The scale of elements 32 * n ... 32 * n + 31 is a byte, which op_sel chooses, of lane row + M *
 * n.
 */
#include "small_float.h"

#define BLOCK 32 /* elements with one scale */
#define MOST  32 /* rows */
#define DEEP  128

static bool format_ok(unsigned code, const struct sg_operand *o)
{
	static const uint8_t registers[] = {
		[SG_FP8] = 8, [SG_BF8] = 8, [SG_FP6] = 6, [SG_BF6] = 6, [SG_FP4] = 4
	};

	return code <= SG_FP4 && o->kind == SG_K_VECTOR && o->count == registers[code];
}

static uint32_t element(uint32_t (*v)[SG_LANES], unsigned lane, unsigned n, unsigned bits)
{
	unsigned at = n * bits;
	uint64_t two = v[at / 32][lane];

	if (at % 32 + bits > 32)
		two |= (uint64_t)v[at / 32 + 1][lane] << 32;
	return (uint32_t)(two >> (at % 32)) & ((1u << bits) - 1);
}

/* Unpacks rows of A or columns of B. */
static void unpack(const struct sg_wave *wave, const struct sg_operand *o, enum sg_small format,
		   unsigned m, unsigned depth, double (*to)[DEEP])
{
	const struct sg_small_format *f = sg_small_format(format);
	unsigned bits = sg_small_bits(f), row, k;

	for (row = 0; row < m; row++)
		for (k = 0; k < depth; k++) {
			unsigned h = k % (depth / 2), lane = row + m * (k / BLOCK), n = k % BLOCK;

			if (bits == 8) {
				lane = row + m * (h / 16);
				n = h % 16 + 16 * (k / (depth / 2));
			}
			to[row][k] = sg_small_value(element(&wave->v[o->index], lane, n, bits), f);
		}
}

/* Unpacks scales: powers of two, or NaN. Without an operand they are 1. */
static void unpack_scales(const struct sg_wave *wave, const struct sg_operand *o, unsigned byte,
			  unsigned m, unsigned blocks, double (*to)[DEEP / BLOCK])
{
	unsigned row, n;

	for (row = 0; row < m; row++)
		for (n = 0; n < blocks; n++) {
			uint32_t e = 127;

			if (o && o->kind == SG_K_VECTOR)
				e = wave->v[o->index][row + m * n] >> (8 * byte) & 0xff;
			else if (o)
				e = (uint32_t)(o->value >> 23) & 0xff;
			to[row][n] = e == 255 ? sg_double(0x7ff8000000000000u)
					      : __builtin_ldexp(1, (int)e - 127);
		}
}

static bool scale_ok(const struct sg_operand *o)
{
	return (o->kind == SG_K_VECTOR && o->count == 1) || (o->kind == SG_K_CONST && o->is_float);
}

/* Register and lane of element (i, j) of C and D. */
static uint32_t *result(uint32_t (*acc)[SG_LANES], unsigned m, unsigned i, unsigned j)
{
	unsigned rows = SG_LANES / m; /* groups of four rows side by side */

	return &acc[i % 4 + 4 * (i / (4 * rows))][j + m * (i / 4 % rows)];
}

/* Each block's products are added up in double, scaled, and added to C with one rounding. */
static void multiply(unsigned m, unsigned depth, const double (*a)[DEEP], const double (*b)[DEEP],
		     const double (*sa)[DEEP / BLOCK], const double (*sb)[DEEP / BLOCK],
		     uint32_t (*acc)[SG_LANES])
{
	unsigned i, j, n, k;

	for (i = 0; i < m; i++)
		for (j = 0; j < m; j++) {
			uint32_t *at = result(acc, m, i, j);
			float d = sg_float(*at);

			for (n = 0; n < depth / BLOCK; n++) {
				double sum = 0;

				for (k = BLOCK * n; k < BLOCK * (n + 1); k++)
					sum += a[i][k] * b[j][k];
				d = (float)((double)d + sum * sa[i][n] * sb[j][n]);
			}
			*at = d != d ? 0x7fc00000u : sg_bits32(d);
		}
}

/* Row's arg: M, and whether there are scales. */
#define SCALED 0x100u

static void mfma(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned m = in->op->arg & 0xff, depth = m == 16 ? 128 : 64, rows = m * m / SG_LANES, i, l;
	bool scaled = in->op->arg & SCALED;
	const uint32_t *raw = &in->raw[scaled ? 2 : 0];
	unsigned format_a = raw[0] >> 8 & 7, format_b = raw[1] >> 29;
	unsigned byte_a = (in->raw[0] >> 11 & 1) | (in->raw[1] >> 27 & 1) << 1;
	unsigned byte_b = (in->raw[0] >> 12 & 1) | (in->raw[1] >> 28 & 1) << 1;
	const struct sg_operand *c = &in->o[3];
	double a[MOST][DEEP], b[MOST][DEEP], sa[MOST][DEEP / BLOCK], sb[MOST][DEEP / BLOCK];
	uint32_t acc[MOST][SG_LANES];

	if (in->nops != (scaled ? 6 : 4) || in->o[0].kind != SG_K_VECTOR ||
	    in->o[0].count != rows || !format_ok(format_a, &in->o[1]) ||
	    !format_ok(format_b, &in->o[2]) ||
	    !(c->kind == SG_K_CONST || (c->kind == SG_K_VECTOR && c->count == rows)) || c->neg ||
	    c->abs || in->neg_lo || in->neg_hi) {
		sg_unsupported(wave, in, "operands of a matrix operation");
		return;
	}
	if (scaled && (!scale_ok(&in->o[4]) || !scale_ok(&in->o[5]))) {
		sg_unsupported(wave, in,
			       "scale that is neither a vector register nor a "
			       "floating-point constant");
		return;
	}
	if (wave->mode & (0xf | SG_MODE_FP16_OVFL)) {
		sg_unsupported(wave, in, "rounding or overflow mode of a matrix operation");
		return;
	}
	for (i = 0; i < rows; i++)
		for (l = 0; l < SG_LANES; l++)
			acc[i][l] =
			    c->kind == SG_K_VECTOR ? wave->v[c->index + i][l] : (uint32_t)c->value;
	unpack(wave, &in->o[1], format_a, m, depth, a);
	unpack(wave, &in->o[2], format_b, m, depth, b);
	unpack_scales(wave, scaled ? &in->o[4] : NULL, byte_a, m, depth / BLOCK, sa);
	unpack_scales(wave, scaled ? &in->o[5] : NULL, byte_b, m, depth / BLOCK, sb);
	multiply(m, depth, (const double(*)[DEEP])a, (const double(*)[DEEP])b,
		 (const double(*)[DEEP / BLOCK]) sa, (const double(*)[DEEP / BLOCK]) sb, acc);
	memcpy(wave->v[in->o[0].index], acc, rows * sizeof(acc[0]));
}

/* The scales are part of a matrix operation of 16 bytes, which is decoded as one instruction. */
static void alone(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_unsupported(wave, in, "scales without the matrix operation that uses them");
}

const struct sg_op sg_table_block_scale[] = {
	{ .name = "v_mfma_f32_16x16x128_f8f6f4", .exec = mfma, .arg = 16 },
	{ .name = "v_mfma_f32_32x32x64_f8f6f4", .exec = mfma, .arg = 32 },
	{ .name = "v_mfma_scale_f32_16x16x128_f8f6f4", .exec = mfma, .arg = 16 | SCALED },
	{ .name = "v_mfma_scale_f32_32x32x64_f8f6f4", .exec = mfma, .arg = 32 | SCALED },
	{ .name = "v_mfma_ld_scale_b32", .exec = alone },
	{ .name = NULL },
};
