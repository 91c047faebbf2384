/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that move single lanes between vector and scalar registers or swap registers. */
#include "lanes.h"

static void readfirstlane(struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t exec = sg_exec(wave);

	sg_write32(wave, &in->o[0],
		   sg_lane32(wave, &in->o[1], exec ? (unsigned)__builtin_ctzll(exec) : 0));
}

static void readlane(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_write32(wave, &in->o[0],
		   sg_lane32(wave, &in->o[1], sg_read32(wave, &in->o[2]) % SG_LANES));
}

static void writelane(struct sg_wave *wave, const struct sg_insn *in)
{
	wave->v[in->o[0].index][sg_read32(wave, &in->o[2]) % SG_LANES] = sg_read32(wave, &in->o[1]);
}

/* Counts the bits set in the mask below this lane, within the low or the high half of the wave. */
static void mbcnt(struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t exec = sg_exec(wave);
	uint32_t *d = wave->v[in->o[0].index];
	unsigned l, first = in->op->arg;

	for (l = 0; l < SG_LANES; l++) {
		unsigned n = l <= first ? 0 : l - first;
		uint32_t below = n >= 32 ? ~0u : (1u << n) - 1;
		uint32_t mask = sg_lane32(wave, &in->o[1], l), add = sg_lane32(wave, &in->o[2], l);

		if (exec >> l & 1)
			d[l] = (uint32_t)__builtin_popcount(mask & below) + add;
	}
}

static void swap(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t *a = wave->v[in->o[0].index], *b = wave->v[in->o[1].index];
	uint64_t m;

	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint32_t x = a[l];

		a[l] = b[l];
		b[l] = x;
	}
}

/* Four masked sums of absolute differences, of bytes 0 ... 3 and so on up to 3 ... 6. */
static void mqsad(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_operand *d = &in->o[0], *a = &in->o[1], *c = &in->o[3];
	uint64_t m;

	if (in->clamp || in->nops != 4 || d->kind != SG_K_VECTOR || d->count != 4 ||
	    a->kind != SG_K_VECTOR || a->count != 2 || c->kind != SG_K_VECTOR || c->count != 4) {
		sg_unsupported(wave, in, "operands of v_mqsad_u32_u8");
		return;
	}
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m), i;
		uint64_t bytes = (uint64_t)wave->v[a->index + 1][l] << 32 | wave->v[a->index][l];
		uint32_t reference = sg_lane32(wave, &in->o[2], l), sum[4];

		for (i = 0; i < 4; i++)
			sum[i] = sg_sad_u8((uint32_t)(bytes >> (8 * i)), reference, true) +
				 wave->v[c->index + i][l];
		for (i = 0; i < 4; i++)
			wave->v[d->index + i][l] = sum[i];
	}
}

const struct sg_op sg_table_lane[] = {
	{ .name = "v_readfirstlane_b32", .exec = readfirstlane },
	{ .name = "v_readlane_b32", .exec = readlane },
	{ .name = "v_writelane_b32", .exec = writelane },
	{ .name = "v_mbcnt_lo_u32_b32", .exec = mbcnt, .arg = 0 },
	{ .name = "v_mbcnt_hi_u32_b32", .exec = mbcnt, .arg = 32 },
	{ .name = "v_swap_b32", .exec = swap },
	{ .name = "v_mqsad_u32_u8", .exec = mqsad },
	{ .name = NULL },
};
