/* SPDX-License-Identifier: Apache-2.0 */
/* Undefined bits of a wave's registers, and the loads that they came by. */
#include <stdlib.h>

#include "undefined.h"

void sg_follow_start(struct sg_wave *wave)
{
	struct sg_undefined *u = wave->undefined;

	if (u && wave->followed) {
		for (unsigned r = 0; r < SG_VECTORS; r++)
			if (sg_bit(u->rows, r))
				memset(u->v[r], 0, sizeof(u->v[r]));
		memset(u->rows, 0, sizeof(u->rows));
		memset(u->scalars, 0, sizeof(u->scalars));
		memset(u->s, 0, sizeof(u->s));
		u->scc = false;
	}
	if (u)
		u->nloads = 0;
	wave->followed = false;
}

void sg_follow_free(struct sg_wave *wave)
{
	if (wave->undefined)
		free(wave->undefined->v);
	free(wave->undefined);
}

void sg_follow_group(struct sg_group *group)
{
	if (!(softgpu_config.check & SOFTGPU_INITCHECK) || !group->lds_size)
		return;
	if (!group->lds_written)
		group->lds_written = malloc(group->lds_size);
	if (group->lds_written)
		memset(group->lds_written, SG_UNWRITTEN, group->lds_size);
}

struct sg_undefined *sg_undefined_of(struct sg_wave *wave)
{
	if (!wave->undefined) {
		struct sg_undefined *u = calloc(1, sizeof(*u));

		if (u)
			u->v = calloc(SG_VECTORS, sizeof(u->v[0]));
		if (u && !u->v) {
			free(u);
			u = NULL;
		}
		wave->undefined = u;
	}
	return wave->undefined;
}

void sg_undefined_settle(struct sg_wave *wave)
{
	struct sg_undefined *u = wave->undefined;
	uint64_t any = u->scc;

	for (unsigned i = 0; i < SG_VECTORS / 64; i++)
		any |= u->rows[i];
	for (unsigned i = 0; i < SG_SCALARS / 64; i++)
		any |= u->scalars[i];
	wave->followed = any != 0;
}

void sg_undefined_settle_row(struct sg_undefined *u, unsigned r)
{
	uint32_t any = 0;

	for (unsigned l = 0; l < SG_LANES; l++)
		any |= u->v[r][l];
	sg_set_bit(u->rows, r, any != 0);
}

void sg_undefined_clear(struct sg_undefined *u, const struct sg_operand *o)
{
	for (unsigned i = 0; i < (o->count ? o->count : 1u); i++) {
		unsigned r = o->index + i;

		if (o->kind == SG_K_VECTOR && r < SG_VECTORS && sg_bit(u->rows, r)) {
			memset(u->v[r], 0, sizeof(u->v[r]));
			sg_set_bit(u->rows, r, false);
		} else if (o->kind == SG_K_SCALAR && r < SG_SCALARS) {
			u->s[r] = 0;
			sg_set_bit(u->scalars, r, false);
		}
	}
}

bool sg_is_undefined(const struct sg_undefined *u, const struct sg_operand *o, uint32_t *load)
{
	for (unsigned i = 0; i < (o->count ? o->count : 1u); i++) {
		unsigned r = o->index + i;

		if (o->kind == SG_K_VECTOR && r < SG_VECTORS && sg_bit(u->rows, r)) {
			*load = u->load[r];
			return true;
		}
		if (o->kind == SG_K_SCALAR && r < SG_SCALARS && sg_bit(u->scalars, r)) {
			*load = u->sload[r];
			return true;
		}
	}
	if (o->kind == SG_K_SCC && u->scc) {
		*load = u->scc_load;
		return true;
	}
	return false;
}

/* The runtime's own kernels copy and fill memory for the program. */
static bool is_runtimes(const struct softgpu_run *run)
{
	static const char prefix[] = "__amd_rocclr_";

	return run->dispatch.kernel_name &&
	       strncmp(run->dispatch.kernel_name, prefix, sizeof(prefix) - 1) == 0;
}

void sg_undefined_report(struct sg_wave *wave, const struct sg_insn *in, uint32_t number,
			 enum softgpu_check_kind kind)
{
	const struct sg_unwritten_load *load = &wave->undefined->loads[number % SG_UNWRITTEN_LOADS];
	uint64_t lanes = load->lanes & sg_exec(wave) ? load->lanes & sg_exec(wave) : load->lanes;
	unsigned lane;

	/* Another load may have taken its place. */
	if (load->number != number || !lanes || is_runtimes(wave->run))
		return;
	lane = (unsigned)__builtin_ctzll(lanes);
	sg_check_use(wave, &(struct sg_use){ load->name, load->pc, in->pc, load->size[lane] },
		     &(struct sg_suspicion){ .kind = kind,
					     .lane = lane,
					     .address = load->address[lane],
					     .doubtful = kind == SOFTGPU_CHECK_UNWRITTEN_RESULT });
}
