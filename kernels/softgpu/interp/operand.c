/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar and single-lane access to operands. */
#include "interp.h"

uint64_t sg_read_condition(const struct sg_wave *wave, const struct sg_operand *o)
{
	switch (o->kind) {
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

void sg_make_lane_mask(struct sg_wave *wave, uint64_t exec)
{
	unsigned l, i;

	/* Eight lanes a step: a byte's bits, picked out of eight copies of it. */
	for (l = 0; l < SG_LANES; l += 8)
		for (i = 0; i < 8; i++)
			wave->lane_mask[l + i] = (exec >> l & 0xff & 1u << i) ? ~0u : 0;
	wave->lane_mask_of = exec;
}
