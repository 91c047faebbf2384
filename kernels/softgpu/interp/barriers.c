/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers that not all work-items reach. A barrier waits for the waves that live (MI200 ISA,
 * S_BARRIER), whatever lanes are enabled, and whichever s_barrier each has reached. So waves that
 * end before a barrier are right, as are lanes that a wave passes a barrier without and that then
 * do nothing more: they have returned. Wrong are lanes that do go on, and waves that met at
 * different barriers, of which one ends while another still has a barrier to pass.
 */
#include <string.h>

#include "check.h"

/* Returns the first work-item of the wave that is in `lanes`, counted in the group. */
static unsigned first_item(const struct sg_wave *wave, uint64_t lanes)
{
	return wave->index * SG_LANES + (lanes ? (unsigned)__builtin_ctzll(lanes) : 0);
}

/* Lanes in `late`, which the wave has passed a barrier without, execute `in`. */
static void report_lanes(struct sg_wave *wave, const struct sg_insn *in, uint64_t late,
			 bool doubtful)
{
	unsigned lane = (unsigned)__builtin_ctzll(late);
	struct sg_touched touched = { .size = (unsigned)__builtin_popcountll(late) };

	sg_check_report(wave, in->op->name, in->pc, &touched,
			&(struct sg_suspicion){
			    .kind = SOFTGPU_CHECK_BARRIER_LANES,
			    .lane = lane,
			    .other_offset = (int64_t)(wave->passed_pc[lane] - wave->run->entry),
			    .other_item = first_item(wave, late),
			    .doubtful = doubtful });
	wave->passed_by &= ~late;
}

static void checked_barrier(struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t exec = sg_exec(wave), late = wave->passed_by & exec, missing;

	if (late)
		report_lanes(wave, in, late, false);
	missing = exec ? wave->lanes & ~exec & ~wave->passed_by : 0;
	for (uint64_t m = missing; m; m &= m - 1)
		wave->passed_pc[__builtin_ctzll(m)] = in->pc;
	wave->passed_by |= missing;
	wave->barrier_pc = in->pc;
	wave->barriers++;
	in->op->exec(wave, in);
}

void sg_barrier_prepare(struct sg_insn *in)
{
	if (strcmp(in->op->name, "s_barrier") == 0)
		in->exec = checked_barrier;
}

/* A lane that has returned may store all the same: compilers merge the last stores of two ways. */
void sg_barrier_touch(struct sg_wave *wave, const struct sg_insn *in,
		      const struct sg_touched *touched)
{
	uint64_t late = wave->passed_by & touched->active;

	if (touched->kind == SG_READ)
		return;
	for (uint64_t m = late; m && touched->flat; m &= m - 1)
		if (touched->address[0][__builtin_ctzll(m)] >> 32 == SG_PRIVATE_BASE_HI)
			late &= ~(m & -m);
	if (late)
		report_lanes(wave, in, late, true);
}

static void report_waves(struct sg_group *group, unsigned ended, unsigned goes_on)
{
	const struct sg_apart *apart = &group->apart;
	struct sg_wave *first = group->waves[apart->wave[0]];
	struct sg_touched touched = { .size = group->waves[ended]->barriers };

	sg_check_report(
	    first, "s_barrier", apart->pc[0], &touched,
	    &(struct sg_suspicion){ .kind = SOFTGPU_CHECK_BARRIER_WAVES,
				    .address = group->waves[goes_on]->barriers,
				    .other_offset = (int64_t)(apart->pc[1] - first->run->entry),
				    .other_item = apart->wave[1] * SG_LANES,
				    .doubtful = true });
}

void sg_barrier_meet(struct sg_group *group)
{
	struct sg_apart *apart = &group->apart;
	unsigned first = group->nwaves, i;

	for (i = 0; i < group->nwaves; i++) {
		const struct sg_wave *wave = group->waves[i];

		if (wave->stop != SG_BARRIER)
			continue;
		if (first == group->nwaves)
			first = i;
		else if (!apart->barriers && wave->barrier_pc != group->waves[first]->barrier_pc)
			*apart = (struct sg_apart){ wave->barriers,
						    { first, i },
						    { group->waves[first]->barrier_pc,
						      wave->barrier_pc } };
	}
	for (i = 0; apart->barriers && i < group->nwaves; i++) {
		const struct sg_wave *wave = group->waves[i];

		if (wave->stop == SG_ENDED && wave->barriers >= apart->barriers) {
			report_waves(group, i, first);
			apart->barriers = 0;
		}
	}
}
