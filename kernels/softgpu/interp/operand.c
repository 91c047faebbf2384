/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar and single-lane access to operands. */
#include "interp.h"

uint64_t sg_read64(const struct sg_wave *wave, const struct sg_operand *o)
{
	switch (o->kind) {
	case SG_K_SCALAR:
		return sg_pair(wave, o->index);
	case SG_K_CONST:
		return o->value;
	case SG_K_SCC:
		return wave->scc;
	case SG_K_VCCZ:
		return sg_pair(wave, SG_VCC) == 0;
	case SG_K_EXECZ:
		return sg_exec(wave) == 0;
	default:
		return 0;
	}
}

uint32_t sg_read32(const struct sg_wave *wave, const struct sg_operand *o)
{
	if (o->kind == SG_K_SCALAR)
		return wave->s[o->index];
	return (uint32_t)sg_read64(wave, o);
}

void sg_write32(struct sg_wave *wave, const struct sg_operand *o, uint32_t value)
{
	if (o->kind == SG_K_SCALAR)
		wave->s[o->index] = value;
}

void sg_write64(struct sg_wave *wave, const struct sg_operand *o, uint64_t value)
{
	if (o->kind == SG_K_SCALAR)
		sg_set_pair(wave, o->index, value);
}

uint32_t sg_lane32(const struct sg_wave *wave, const struct sg_operand *o, unsigned lane)
{
	if (o->kind == SG_K_VECTOR)
		return wave->v[o->index][lane];
	return sg_read32(wave, o);
}

void sg_make_lane_mask(struct sg_wave *wave, uint64_t exec)
{
	unsigned l, i;

	/* Eight lanes a step: a byte's bits, picked out of eight copies of it. */
	for (l = 0; l < SG_LANES; l += 8)
		for (i = 0; i < 8; i++)
			wave->lane_mask[l + i] = (exec >> l & 0xff & 1u << i) ? ~0u : 0;
	wave->lane_mask_of = exec;
}
