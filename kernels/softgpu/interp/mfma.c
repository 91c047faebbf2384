/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix multiply-add, D = A * B + C, for one or more blocks at once (CDNA ISA guides, "Matrix
 * Arithmetic Instructions"). All lanes take part, whatever EXEC says.
 *
 * Where elements are, for M x N x K with B blocks on 64 lanes (the guides' layout formulas):
 *
 *   A[i][k] of block b: lane i + M * (b + B * (k / L)), element k % L, with L = K * M * B / 64
 *   B[k][j] of block b: lane j + N * (b + B * (k / L)), element k % L
 *   D[i][j] of block b: see result_place()
 *
 * cbsz and abid let 2^cbsz neighbouring blocks use the A of the abid-th of them; blgp moves groups
 * of B's lanes (AMD Matrix Instruction Calculator, "Examples of Setting Modifiers on AMD CDNA").
 */
#include "lanes.h"

enum input { IN_F32, IN_F64, IN_F16, IN_BF16, IN_I8 };

static const struct shape {
	uint8_t m, k, blocks; /* n is m */
	enum input input;
} shapes[] = {
#define MFMA(name, mm, kk, bb, type) { mm, kk, bb, type },
#include "mfma.def"
#undef MFMA
};

#define MAX_MN 32
#define MAX_K  16

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define CLONES
#endif

struct place {
	unsigned item, lane;
};

/* Element (i, j) of block b; `group` rows are next to each other in a lane: 4, for f64 1. */
static struct place result_place(const struct shape *s, unsigned group, unsigned i, unsigned j,
				 unsigned b)
{
	unsigned n = s->m, per_block = n * s->m / group;
	unsigned blocks = per_block < SG_LANES ? SG_LANES / per_block : 1; /* side by side */
	unsigned rows = SG_LANES / blocks / n;                             /* groups side by side */
	unsigned steps = s->m / (group * rows);

	return (struct place){
		i % group + group * (i / (group * rows) % steps + steps * (b / blocks)),
		j + n * (i / group % rows + rows * (b % blocks)),
	};
}

/* Of A, and as many of B. */
static unsigned elements_per_lane(const struct shape *s)
{
	return (unsigned)(s->k * s->m * s->blocks) / SG_LANES;
}

/* This chip's matrix units take f16 and bf16 denormals, and results of these, for 0. */
static float flushed(float f)
{
	return sg_bits32(f) & 0x7f800000u ? f : sg_float(sg_bits32(f) & 0x80000000u);
}

/* Element `n` of a lane's input, of those types that f32 holds. */
static float float_input(uint32_t (*v)[SG_LANES], unsigned lane, unsigned n, enum input type)
{
	uint32_t half;

	if (type == IN_F32)
		return sg_float(v[n][lane]);
	half = v[n / 2][lane] >> (16 * (n % 2)) & 0xffff;
	if (type == IN_BF16)
		return flushed(sg_float(half << 16));
	return half & 0x7c00 ? sg_half_to_float(half) : sg_half_to_float(half & 0x8000);
}

/* One rounding per product, in the order of k. */
CLONES static void multiply32(unsigned m, unsigned k, const float (*a)[MAX_K],
			      const float (*b)[MAX_MN], float (*d)[MAX_MN])
{
	unsigned i, j, l;

	for (i = 0; i < m; i++)
		for (l = 0; l < k; l++)
			for (j = 0; j < m; j++)
				d[i][j] = __builtin_fmaf(a[i][l], b[l][j], d[i][j]);
}

CLONES static void multiply64(unsigned m, unsigned k, const double (*a)[MAX_K],
			      const double (*b)[MAX_MN], double (*d)[MAX_MN])
{
	unsigned i, j, l;

	for (i = 0; i < m; i++)
		for (l = 0; l < k; l++)
			for (j = 0; j < m; j++)
				d[i][j] = __builtin_fma(a[i][l], b[l][j], d[i][j]);
}

/* `source`: the block whose A is used. */
static void block_f32(const struct shape *s, uint32_t (*va)[SG_LANES], uint32_t (*vb)[SG_LANES],
		      unsigned block, unsigned source, uint32_t (*acc)[SG_LANES])
{
	float a[MAX_MN][MAX_K], b[MAX_K][MAX_MN], d[MAX_MN][MAX_MN];
	unsigned per_lane = elements_per_lane(s), i, j, k;

	for (i = 0; i < s->m; i++)
		for (k = 0; k < s->k; k++) {
			unsigned lane = i + s->m * (block + s->blocks * (k / per_lane));
			unsigned from = i + s->m * (source + s->blocks * (k / per_lane));

			a[i][k] = float_input(va, from, k % per_lane, s->input);
			b[k][i] = float_input(vb, lane, k % per_lane, s->input);
		}
	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 4, i, j, block);

			d[i][j] = sg_float(acc[p.item][p.lane]);
			if (s->input != IN_F32)
				d[i][j] = flushed(d[i][j]);
		}
	multiply32(s->m, s->k, (const float(*)[MAX_K])a, (const float(*)[MAX_MN])b, d);
	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 4, i, j, block);
			float f = s->input == IN_F32 ? d[i][j] : flushed(d[i][j]);

			acc[p.item][p.lane] = f != f ? 0x7fc00000u : sg_bits32(f);
		}
}

static void block_f64(const struct shape *s, uint32_t (*va)[SG_LANES], uint32_t (*vb)[SG_LANES],
		      unsigned block, uint32_t (*acc)[SG_LANES])
{
	double a[MAX_MN][MAX_K], b[MAX_K][MAX_MN], d[MAX_MN][MAX_MN];
	unsigned i, j, k;

	for (i = 0; i < s->m; i++)
		for (k = 0; k < s->k; k++) {
			unsigned lane = i + s->m * (block + s->blocks * k);

			a[i][k] = sg_double((uint64_t)va[1][lane] << 32 | va[0][lane]);
			b[k][i] = sg_double((uint64_t)vb[1][lane] << 32 | vb[0][lane]);
		}
	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 1, i, j, block);

			d[i][j] = sg_double((uint64_t)acc[2 * p.item + 1][p.lane] << 32 |
					    acc[2 * p.item][p.lane]);
		}
	multiply64(s->m, s->k, (const double(*)[MAX_K])a, (const double(*)[MAX_MN])b, d);
	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 1, i, j, block);
			uint64_t u = d[i][j] != d[i][j] ? 0x7ff8000000000000u : sg_bits64(d[i][j]);

			acc[2 * p.item][p.lane] = (uint32_t)u;
			acc[2 * p.item + 1][p.lane] = (uint32_t)(u >> 32);
		}
}

static void block_i8(const struct shape *s, uint32_t (*va)[SG_LANES], uint32_t (*vb)[SG_LANES],
		     unsigned block, unsigned source, uint32_t (*acc)[SG_LANES])
{
	unsigned i, j, k;

	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 4, i, j, block);
			uint32_t sum = acc[p.item][p.lane];

			for (k = 0; k < s->k; k++) {
				unsigned ka = s->m * (source + s->blocks * (k / 4));
				unsigned kb = s->m * (block + s->blocks * (k / 4));
				int8_t x = (int8_t)(va[0][i + ka] >> (8 * (k % 4)));
				int8_t y = (int8_t)(vb[0][j + kb] >> (8 * (k % 4)));

				sum += (uint32_t)(x * y);
			}
			acc[p.item][p.lane] = sum;
		}
}

static unsigned input_registers(const struct shape *s)
{
	unsigned elements = elements_per_lane(s);

	return s->input == IN_F64   ? 2
	       : s->input == IN_F32 ? elements
	       : s->input == IN_I8  ? 1
				    : elements / 2;
}

/* From which group of 16 lanes each group of B's lanes comes, by blgp. */
static const uint8_t lane_groups[8][4] = {
	{ 0, 1, 2, 3 }, { 0, 1, 0, 1 }, { 2, 3, 2, 3 }, { 1, 2, 3, 0 },
	{ 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 2, 2, 2 }, { 3, 3, 3, 3 },
};

static void move_groups(uint32_t (*to)[SG_LANES], uint32_t (*from)[SG_LANES], unsigned rows,
			unsigned pattern)
{
	unsigned i, g;

	for (i = 0; i < rows; i++)
		for (g = 0; g < 4; g++)
			memcpy(&to[i][16 * g], &from[i][16 * lane_groups[pattern][g]],
			       16 * sizeof(to[i][0]));
}

/* The fields as encoded (VOP3P-MAI); false where the instruction does not have what they ask. */
static bool broadcasts(const struct sg_insn *in, const struct shape *s, unsigned *cbsz,
		       unsigned *abid, unsigned *blgp)
{
	*cbsz = in->raw[0] >> 8 & 7;
	*abid = in->raw[0] >> 11 & 15;
	*blgp = in->raw[1] >> 29;
	if (s->input == IN_F64)
		return !*cbsz && !*abid && !*blgp;
	return 1u << *cbsz <= s->blocks && *abid < 1u << *cbsz;
}

static void mfma(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct shape *s = &shapes[in->op->arg];
	unsigned words = s->input == IN_F64 ? 2 : 1, inputs = input_registers(s);
	unsigned rows = (unsigned)(s->m * s->m * s->blocks) / SG_LANES * words, i, l;
	const struct sg_operand *d = &in->o[0], *a = &in->o[1], *b = &in->o[2], *c = &in->o[3];
	uint32_t acc[MAX_MN][SG_LANES], moved[2][SG_LANES];
	uint32_t(*va)[SG_LANES] = &wave->v[a->index], (*vb)[SG_LANES] = &wave->v[b->index];
	unsigned cbsz, abid, blgp;
	uint64_t x;

	if (in->nops != 4 || d->kind != SG_K_VECTOR || a->kind != SG_K_VECTOR ||
	    b->kind != SG_K_VECTOR || d->count != rows || a->count != inputs ||
	    b->count != inputs || (c->kind == SG_K_VECTOR && c->count != rows) ||
	    (c->kind != SG_K_VECTOR && c->kind != SG_K_CONST) || (wave->mode & 0xf) ||
	    (c->kind == SG_K_CONST && words == 2 && !c->is_float && c->value)) {
		sg_unsupported(wave, in, "operands or rounding mode of a matrix operation");
		return;
	}
	if (!broadcasts(in, s, &cbsz, &abid, &blgp)) {
		sg_unsupported(wave, in, "broadcast that this matrix operation does not have");
		return;
	}
	for (i = 0; i < rows; i++) {
		if (c->kind == SG_K_VECTOR) {
			memcpy(acc[i], wave->v[c->index + i], sizeof(acc[i]));
			continue;
		}
		x = words == 2 && c->is_float ? sg_bits64(c->fvalue) >> (32 * (i % 2)) : c->value;
		for (l = 0; l < SG_LANES; l++)
			acc[i][l] = (uint32_t)x;
	}
	if (blgp) {
		move_groups(moved, vb, inputs, blgp);
		vb = moved;
	}
	for (i = 0; i < s->blocks; i++) {
		unsigned source = (i & ~((1u << cbsz) - 1)) | abid;

		if (s->input == IN_F64)
			block_f64(s, va, vb, i, acc);
		else if (s->input == IN_I8)
			block_i8(s, va, vb, i, source, acc);
		else
			block_f32(s, va, vb, i, source, acc);
	}
	memcpy(wave->v[d->index], acc, rows * sizeof(acc[0]));
}

enum {
#define MFMA(name, mm, kk, bb, type) INDEX_##name,
#include "mfma.def"
#undef MFMA
};

const struct sg_op sg_table_mfma[] = {
#define MFMA(text, mm, kk, bb, type) { .name = "v_mfma_" #text, .exec = mfma, .arg = INDEX_##text },
#include "mfma.def"
#undef MFMA
	{ .name = NULL },
};
