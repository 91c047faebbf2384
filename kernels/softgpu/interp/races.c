/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races in LDS: two waves of a group access a byte between the same two barriers, and one stores.
 * Waves execute the same code at their own pace, so that only a barrier orders them, or a flag,
 * which they hand over by an atomic, or by a store that another wave loads: after such a load what
 * follows is doubtful. A load of what atomics update is no race here, since machine code does not
 * tell an atomic load from a plain one.
 */
#include <stdlib.h>

#include "check.h"

/*
 * The last accesses to a byte of LDS; that of an aligned word's first byte is the whole word's, as
 * long as none of less than a word came since the last barrier.
 */
struct sg_lds_byte {
	uint64_t write_pc, read_pc, other_pc;
	uint32_t apart_epoch; /* of a word's first byte: in it each byte has its own; 0: never */
	uint32_t write_epoch, read_epoch; /* of the group; 0: never */
	uint16_t write_item, read_item;   /* work-items, counted in the group */
	uint16_t other_item; /* the last one of another wave than read_item's that has read */
	bool atomic;         /* the write was a read-modify-write */
	bool several;        /* other_item has read it in read_epoch */
};

static bool same_wave(const struct sg_wave *wave, unsigned item)
{
	return item / SG_LANES == wave->index;
}

/* Fills in the other access, and returns true. */
static bool meets(struct sg_wave *wave, struct sg_suspicion *suspicion, uint64_t pc, unsigned item,
		  bool doubtful)
{
	*suspicion = (struct sg_suspicion){ .kind = SOFTGPU_CHECK_RACE,
					    .other_offset = (int64_t)(pc - wave->run->entry),
					    .other_item = item,
					    .doubtful = doubtful };
	return true;
}

static bool note_read(struct sg_wave *wave, struct sg_lds_byte *byte, uint64_t pc, unsigned item,
		      struct sg_suspicion *suspicion)
{
	struct sg_group *group = wave->group;
	bool race = byte->write_epoch == group->epoch && !same_wave(wave, byte->write_item) &&
		    !byte->atomic;

	if (race) {
		group->handed_over = group->epoch;
		meets(wave, suspicion, byte->write_pc, byte->write_item, true);
	}
	if (byte->read_epoch != group->epoch) {
		byte->several = false;
	} else if (!same_wave(wave, byte->read_item)) {
		byte->several = true;
		byte->other_item = byte->read_item;
		byte->other_pc = byte->read_pc;
	}
	byte->read_epoch = group->epoch;
	byte->read_item = (uint16_t)item;
	byte->read_pc = pc;
	return race;
}

static bool note_write(struct sg_wave *wave, struct sg_lds_byte *byte, uint64_t pc, unsigned item,
		       bool atomic, struct sg_suspicion *suspicion)
{
	struct sg_group *group = wave->group;
	bool doubtful = group->handed_over == group->epoch || atomic || byte->atomic, race = false;

	if (byte->write_epoch == group->epoch && !same_wave(wave, byte->write_item) &&
	    !(atomic && byte->atomic))
		race = meets(wave, suspicion, byte->write_pc, byte->write_item, doubtful);
	else if (byte->read_epoch == group->epoch && !atomic && !same_wave(wave, byte->read_item))
		race = meets(wave, suspicion, byte->read_pc, byte->read_item, doubtful);
	else if (byte->read_epoch == group->epoch && !atomic && byte->several)
		race = meets(wave, suspicion, byte->other_pc, byte->other_item, doubtful);
	if (atomic)
		group->handed_over = group->epoch;
	byte->write_epoch = group->epoch;
	byte->write_item = (uint16_t)item;
	byte->write_pc = pc;
	byte->atomic = atomic;
	return race;
}

#define WORD 4u

/* Says that the bytes of a word, of which `first` is one, have each their own from now on. */
static void set_apart(const struct sg_group *group, struct sg_lds_byte *first)
{
	if (first->apart_epoch == group->epoch)
		return;
	for (unsigned i = 1; i < WORD; i++)
		first[i] = *first;
	first->apart_epoch = group->epoch;
}

/* Returns of how many bytes at `at` the first one's accesses are those of all. */
static unsigned step_at(const struct sg_group *group, uint64_t at, uint64_t end)
{
	struct sg_lds_byte *first = &group->shadow[at / WORD * WORD];

	if (at % WORD == 0 && end - at >= WORD && first->apart_epoch != group->epoch)
		return WORD;
	set_apart(group, first);
	return 1;
}

/* Notes the access of a lane, and returns true if it races. */
static bool note_lane(struct sg_wave *wave, const struct sg_insn *in,
		      const struct sg_touched *touched, unsigned lane, uint64_t at,
		      struct sg_suspicion *suspicion)
{
	struct sg_group *group = wave->group;
	uint64_t end = at + touched->size < group->lds_size ? at + touched->size : group->lds_size;
	unsigned item = wave->index * SG_LANES + lane;
	bool found = false;

	for (unsigned step; at < end; at += step) {
		struct sg_lds_byte *byte = &group->shadow[at];
		struct sg_suspicion one;
		bool race;

		step = step_at(group, at, end);
		race = touched->kind == SG_READ
			   ? note_read(wave, byte, in->pc, item, &one)
			   : note_write(wave, byte, in->pc, item, touched->kind == SG_ATOMIC, &one);
		if (!race || found)
			continue;
		found = true;
		one.lane = lane;
		one.address = at;
		*suspicion = one;
	}
	return found;
}

bool sg_race_find(struct sg_wave *wave, const struct sg_insn *in, const struct sg_touched *touched,
		  struct sg_suspicion *suspicion)
{
	struct sg_group *group = wave->group;
	bool found = false;

	if (!group->shadow && group->lds_size)
		group->shadow =
		    calloc((group->lds_size + WORD - 1) / WORD * WORD, sizeof(*group->shadow));
	if (!group->shadow || group->nwaves < 2)
		return false;
	for (unsigned e = 0; e < touched->elements; e++) {
		uint64_t before = UINT64_MAX;

		for (uint64_t m = touched->active; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctzll(m);
			uint64_t at = touched->address[e][l];
			struct sg_suspicion one;

			/* The wave has just read these bytes. */
			if (at == before && touched->kind == SG_READ)
				continue;
			before = at;
			if (note_lane(wave, in, touched, l, at, &one) && !found) {
				found = true;
				*suspicion = one;
			}
		}
	}
	return found;
}
