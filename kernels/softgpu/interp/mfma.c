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
 * In a sparse A (SMFMAC) two of four elements along k are there, and the last operand holds two
 * bits for each that say which of the four it is: in a lane those of its elements in their order,
 * from bit 0 of the part that abid selects. gfx950's, twice as deep, have half of a lane's elements
 * of B in each half of k (CDNA4 ISA guide, "Sparse Matrix Index Layout").
 *
 * cbsz and abid let 2^cbsz neighbouring blocks use the A of the abid-th of them; blgp moves groups
 * of B's lanes (AMD Matrix Instruction Calculator, "Examples of Setting Modifiers on AMD CDNA").
 */
#include "small_float.h"

enum input { IN_F32, IN_F64, IN_F16, IN_BF16, IN_I8, IN_XF32, IN_FP8, IN_BF8 };

static const struct shape {
	uint8_t m, k, blocks; /* n is m */
	enum input a, b;
	bool sparse, halves; /* halves: B has one half of k after the other */
} shapes[] = {
#define MFMA(name, mm, kk, bb, ta, tb) { mm, kk, bb, ta, tb, false, false },
#define SMFMAC(name, mm, kk, ta, tb)   { mm, kk, 1, ta, tb, true, false },
#define SMFMAC2(name, mm, kk, ta, tb)  { mm, kk, 1, ta, tb, true, true },
#include "mfma.def"
#undef MFMA
#undef SMFMAC
#undef SMFMAC2
};

#define MAX_MN 32
#define MAX_K  128

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

/* Returns the elements of B that a lane holds; of A they are as many unless A is sparse. */
static unsigned elements_per_lane(const struct shape *s)
{
	return (unsigned)(s->k * s->m * s->blocks) / SG_LANES;
}

/* Returns the lane and number of element k of column `column` of B. */
static struct place source_place(const struct shape *s, unsigned column, unsigned k, unsigned block)
{
	unsigned per_lane = elements_per_lane(s), half = s->k / 2u;

	if (s->halves)
		return (struct place){
			k / half * (per_lane / 2) + k % half % (per_lane / 2),
			column + s->m * (k % half / (per_lane / 2)),
		};
	return (struct place){ k % per_lane, column + s->m * (block + s->blocks * (k / per_lane)) };
}

/*
 * gfx90a's matrix units take f16 and bf16 denormals, and results of these, for 0; gfx942's do not
 * (PyTorch, "Numerical accuracy", "Reduced Precision FP16 and BF16 GEMMs on AMD Instinct MI200").
 */
static bool flushes(const struct shape *s)
{
	return softgpu_config.processor == SOFTGPU_GFX90A && (s->a == IN_F16 || s->a == IN_BF16);
}

static float flushed(float f)
{
	return sg_bits32(f) & 0x7f800000u ? f : sg_float(sg_bits32(f) & 0x80000000u);
}

/* Rounds to 10 bits of mantissa, to nearest even, as rocBLAS's reference does
 * (rocblas_xfloat32.h). */
static float to_xf32(float f)
{
	uint32_t bits = sg_bits32(f);

	return f - f != 0 ? f : sg_float((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u);
}

/* Returns element `n` of a lane's input, of those types that f32 holds. */
static float float_input(uint32_t (*v)[SG_LANES], unsigned lane, unsigned n, enum input type,
			 bool flush)
{
	float f;

	switch (type) {
	case IN_F32:
		return sg_float(v[n][lane]);
	case IN_XF32:
		return to_xf32(sg_float(v[n][lane]));
	case IN_FP8:
		return sg_fp8_to_float(v[n / 4][lane] >> (8 * (n % 4)), SG_FP8);
	case IN_BF8:
		return sg_fp8_to_float(v[n / 4][lane] >> (8 * (n % 4)), SG_BF8);
	case IN_BF16:
		f = sg_float(v[n / 2][lane] >> (16 * (n % 2)) << 16);
		return flush ? flushed(f) : f;
	default: {
		uint32_t half = v[n / 2][lane] >> (16 * (n % 2)) & 0xffff;

		return flush && !(half & 0x7c00) ? sg_half_to_float(half & 0x8000)
						 : sg_half_to_float(half);
	}
	}
}

/* Element n of row i of a sparse A: which element of which lane it is, and its place along k. */
struct pick {
	unsigned lane, element, k;
};

static struct pick picked(const struct shape *s, const uint32_t *index, unsigned i, unsigned n)
{
	unsigned per_lane = elements_per_lane(s) / 2, group = n / per_lane, e = n % per_lane;
	unsigned lane = i + s->m * group;

	return (struct pick){ lane, e, 4 * (n / 2) + (index[lane] >> (2 * e) & 3) };
}

/* Multiplies with one rounding per product, in the order of k. */
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

/* Multiplies a block. `source` is the block whose A is used. */
static void block_f32(const struct shape *s, uint32_t (*va)[SG_LANES], uint32_t (*vb)[SG_LANES],
		      const uint32_t *index, unsigned block, unsigned source,
		      uint32_t (*acc)[SG_LANES])
{
	float a[MAX_MN][MAX_K], b[MAX_K][MAX_MN], d[MAX_MN][MAX_MN];
	unsigned per_lane = elements_per_lane(s), i, j, k;
	bool flush = flushes(s);

	for (i = 0; i < s->m; i++)
		for (k = 0; k < s->k; k++) {
			struct place at = source_place(s, i, k, block);
			unsigned from = i + s->m * (source + s->blocks * (k / per_lane));

			if (!s->sparse)
				a[i][k] = float_input(va, from, k % per_lane, s->a, flush);
			b[k][i] = float_input(vb, at.lane, at.item, s->b, flush);
		}
	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 4, i, j, block);

			d[i][j] = sg_float(acc[p.item][p.lane]);
			if (flush)
				d[i][j] = flushed(d[i][j]);
		}
	if (s->sparse)
		for (i = 0; i < s->m; i++)
			for (k = 0; k < s->k / 2u; k++) {
				struct pick p = picked(s, index, i, k);
				float x = float_input(va, p.lane, p.element, s->a, flush);

				for (j = 0; j < s->m; j++)
					d[i][j] = __builtin_fmaf(x, b[p.k][j], d[i][j]);
			}
	else
		multiply32(s->m, s->k, (const float(*)[MAX_K])a, (const float(*)[MAX_MN])b, d);
	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 4, i, j, block);
			float f = flush ? flushed(d[i][j]) : d[i][j];

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

static int8_t byte_input(uint32_t (*v)[SG_LANES], unsigned lane, unsigned n)
{
	return (int8_t)(v[n / 4][lane] >> (8 * (n % 4)));
}

static void block_i8(const struct shape *s, uint32_t (*va)[SG_LANES], uint32_t (*vb)[SG_LANES],
		     const uint32_t *index, unsigned block, unsigned source,
		     uint32_t (*acc)[SG_LANES])
{
	unsigned per_lane = elements_per_lane(s), i, j, k;

	for (i = 0; i < s->m; i++)
		for (j = 0; j < s->m; j++) {
			struct place p = result_place(s, 4, i, j, block);
			uint32_t sum = acc[p.item][p.lane];

			for (k = 0; k < s->k / (s->sparse ? 2u : 1u); k++) {
				struct pick from = { i + s->m *
							     (source + s->blocks * (k / per_lane)),
						     k % per_lane, k };
				struct place at;
				int8_t x, y;

				if (s->sparse)
					from = picked(s, index, i, k);
				at = source_place(s, j, from.k, block);
				x = byte_input(va, from.lane, from.element);
				y = byte_input(vb, at.lane, at.item);
				sum += (uint32_t)(x * y);
			}
			acc[p.item][p.lane] = sum;
		}
}

static unsigned registers(enum input type, unsigned elements)
{
	switch (type) {
	case IN_F64:
		return 2 * elements;
	case IN_F32:
	case IN_XF32:
		return elements;
	case IN_F16:
	case IN_BF16:
		return elements / 2;
	default:
		return elements / 4;
	}
}

/* The group of 16 lanes that each group of B's lanes comes from, by blgp. */
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

/* Reads the fields as encoded (VOP3P-MAI). Returns false if the instruction does not have what they
 * request. */
static bool broadcasts(const struct sg_insn *in, const struct shape *s, unsigned *cbsz,
		       unsigned *abid, unsigned *blgp)
{
	*cbsz = in->raw[0] >> 8 & 7;
	*abid = in->raw[0] >> 11 & 15;
	*blgp = in->raw[1] >> 29;
	if (s->a == IN_F64) /* gfx942: blgp negates A, B and C */
		return !*cbsz && !*abid && (!*blgp || softgpu_config.processor != SOFTGPU_GFX90A);
	/* On gfx942, only the operations of f32 among those with one block move lane groups. */
	if (softgpu_config.processor != SOFTGPU_GFX90A && s->blocks == 1 && s->a != IN_F32 && *blgp)
		return false;
	return 1u << *cbsz <= s->blocks && *abid < 1u << *cbsz;
}

static void negate(uint32_t (*to)[SG_LANES], uint32_t (*from)[SG_LANES], unsigned doubles)
{
	unsigned i, l;

	for (i = 0; i < doubles; i++)
		for (l = 0; l < SG_LANES; l++) {
			to[2 * i][l] = from[2 * i][l];
			to[2 * i + 1][l] = from[2 * i + 1][l] ^ 0x80000000u;
		}
}

static bool operands_ok(struct sg_wave *wave, const struct sg_insn *in, const struct shape *s,
			unsigned rows)
{
	unsigned elements = elements_per_lane(s);
	const struct sg_operand *d = &in->o[0], *a = &in->o[1], *b = &in->o[2], *c = &in->o[3];

	if (in->nops != 4 || d->kind != SG_K_VECTOR || a->kind != SG_K_VECTOR ||
	    b->kind != SG_K_VECTOR || d->count != rows ||
	    a->count != registers(s->a, s->sparse ? elements / 2 : elements) ||
	    b->count != registers(s->b, elements) || (wave->mode & 0xf))
		return false;
	if (s->sparse)
		return c->kind == SG_K_VECTOR && c->count == 1;
	if (c->kind == SG_K_VECTOR)
		return c->count == rows;
	return c->kind == SG_K_CONST && (s->a != IN_F64 || c->is_float || !c->value);
}

static void mfma(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct shape *s = &shapes[in->op->arg];
	unsigned words = s->a == IN_F64 ? 2 : 1;
	unsigned rows = (unsigned)(s->m * s->m * s->blocks) / SG_LANES * words, i, l;
	const struct sg_operand *d = &in->o[0], *a = &in->o[1], *b = &in->o[2], *c = &in->o[3];
	uint32_t acc[MAX_MN][SG_LANES], moved[2][SG_LANES], other[2][SG_LANES];
	uint32_t(*va)[SG_LANES] = &wave->v[a->index], (*vb)[SG_LANES] = &wave->v[b->index];
	unsigned cbsz, abid, blgp;
	uint64_t x;

	if (!operands_ok(wave, in, s, rows)) {
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
	if (s->a == IN_F64) {
		if (blgp & 1)
			negate(other, va, 1), va = other;
		if (blgp & 2)
			negate(moved, vb, 1), vb = moved;
		if (blgp & 4)
			negate(acc, acc, rows / 2);
	} else if (blgp) {
		move_groups(moved, vb, registers(s->b, elements_per_lane(s)), blgp);
		vb = moved;
	}
	for (i = 0; i < s->blocks; i++) {
		unsigned source = (i & ~((1u << cbsz) - 1)) | abid;

		if (s->a == IN_F64)
			block_f64(s, va, vb, i, acc);
		else if (s->a == IN_I8)
			block_i8(s, va, vb, NULL, i, source, acc);
		else
			block_f32(s, va, vb, NULL, i, source, acc);
	}
	memcpy(wave->v[d->index], acc, rows * sizeof(acc[0]));
}

/* D += A * B with a sparse A; cbsz = 0: abid is the number of the index set in the last operand. */
static void smfmac(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct shape *s = &shapes[in->op->arg];
	unsigned rows = (unsigned)(s->m * s->m) / SG_LANES, bits = elements_per_lane(s), l;
	const struct sg_operand *d = &in->o[0], *a = &in->o[1], *b = &in->o[2];
	unsigned cbsz = in->raw[0] >> 8 & 7, abid = cbsz ? 0 : in->raw[0] >> 11 & 15;
	uint32_t acc[MAX_MN][SG_LANES], index[SG_LANES];

	if (!operands_ok(wave, in, s, rows)) {
		sg_unsupported(wave, in, "operands or rounding mode of a matrix operation");
		return;
	}
	if (bits == 32) /* there is one set, and the fields do not count (CDNA4 ISA guide) */
		abid = 0;
	/* Each of half as many elements has two bits. */
	if (abid >= 32 / bits || in->raw[1] >> 29) {
		sg_unsupported(wave, in,
			       "index set or lane group that this operation does not have");
		return;
	}
	for (l = 0; l < SG_LANES; l++)
		index[l] = wave->v[in->o[3].index][l] >> (abid * bits);
	memcpy(acc, wave->v[d->index], rows * sizeof(acc[0]));
	if (s->a == IN_I8)
		block_i8(s, &wave->v[a->index], &wave->v[b->index], index, 0, 0, acc);
	else
		block_f32(s, &wave->v[a->index], &wave->v[b->index], index, 0, 0, acc);
	memcpy(wave->v[d->index], acc, rows * sizeof(acc[0]));
}

enum {
#define MFMA(name, mm, kk, bb, ta, tb) INDEX_##name,
#define SMFMAC(name, mm, kk, ta, tb)   INDEX_S_##name,
#define SMFMAC2                        SMFMAC
#include "mfma.def"
#undef MFMA
#undef SMFMAC
};

const struct sg_op sg_table_mfma[] = {
#define MFMA(text, mm, kk, bb, ta, tb) \
	{ .name = "v_mfma_" #text, .exec = mfma, .arg = INDEX_##text },
#define SMFMAC(text, mm, kk, ta, tb) \
	{ .name = "v_smfmac_" #text, .exec = smfmac, .arg = INDEX_S_##text },
#include "mfma.def"
#undef MFMA
#undef SMFMAC
#undef SMFMAC2
	{ .name = NULL },
};
