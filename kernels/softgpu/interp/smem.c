/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar memory reads. */
#include "log.h"

/* Offset operand: immediate, scalar register, or both ("s4 offset:0x10"). */
static uint64_t scalar_offset(const struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t offset = (uint64_t)(int64_t)in->offset;

	if (in->nops > 2) {
		if (in->o[2].kind == SG_K_CONST)
			offset += (uint64_t)(int64_t)(int32_t)in->o[2].value;
		else
			offset += sg_read32(wave, &in->o[2]);
	}
	return offset;
}

static void load(struct sg_wave *wave, const struct sg_insn *in, uint64_t address)
{
	unsigned n = in->op->arg;
	const uint8_t *p = sg_global(wave, address & ~(uint64_t)3, 4 * n, NULL);

	if (!p)
		return;
	sg_note(wave, address, SG_READ);
	if (in->o[0].kind != SG_K_SCALAR || in->o[0].index + n > SG_SCALARS) {
		sg_unsupported(wave, in, "destination of scalar load");
		return;
	}
	memcpy(&wave->s[in->o[0].index], p, 4 * n);
}

static void s_load(struct sg_wave *wave, const struct sg_insn *in)
{
	load(wave, in, sg_read64(wave, &in->o[1]) + scalar_offset(wave, in));
}

static void s_buffer_load(struct sg_wave *wave, const struct sg_insn *in)
{
	const uint32_t *v = &wave->s[in->o[1].index];
	uint64_t base = (uint64_t)(v[1] & 0xffff) << 32 | v[0], offset = scalar_offset(wave, in);
	uint32_t stride = v[1] >> 16 & 0x3fff;
	uint64_t bytes = stride ? (uint64_t)stride * v[2] : v[2];
	unsigned i, n = in->op->arg;

	offset &= ~(uint64_t)3;
	if (offset + 4 * n <= bytes) {
		load(wave, in, base + offset);
		return;
	}
	/* Beyond num_records reads give 0, dword by dword. */
	for (i = 0; i < n; i++) {
		const uint8_t *p;

		wave->s[in->o[0].index + i] = 0;
		if (offset + 4 * i + 4 > bytes)
			continue;
		p = sg_global(wave, base + offset + 4 * i, 4, NULL);
		if (!p)
			return;
		memcpy(&wave->s[in->o[0].index + i], p, 4);
	}
}

#define LOADS(n, suffix)                                                              \
	{ .name = "s_load_dword" suffix, .exec = s_load, .arg = n },                  \
	{                                                                             \
		.name = "s_buffer_load_dword" suffix, .exec = s_buffer_load, .arg = n \
	}

const struct sg_op sg_table_smem[] = {
	LOADS(1, ""),   LOADS(2, "x2"),   LOADS(4, "x4"),
	LOADS(8, "x8"), LOADS(16, "x16"), { .name = NULL },
};
