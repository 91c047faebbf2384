/* SPDX-License-Identifier: Apache-2.0 */
/* This finds what is known on all ways through a kernel that meet. */
#include "state_internal.h"

#include <errno.h>
#include <string.h>

/* Returns true if no two names that both have stand in a different order. */
static bool same_order(const struct state *a, const struct state *b)
{
	unsigned i, k, from = 0;

	for (i = 0; i < a->aside_count; i++) {
		for (k = 0; k < b->aside_count && b->aside[k].name != a->aside[i].name; k++)
			;
		if (k == b->aside_count)
			continue;
		if (k < from)
			return false;
		from = k + 1;
	}
	return true;
}

/* Returns how many different names both have together. */
static unsigned together(const struct state *a, const struct state *b)
{
	unsigned count = a->aside_count, i, k;

	for (i = 0; i < b->aside_count; i++) {
		for (k = 0; k < a->aside_count && a->aside[k].name != b->aside[i].name; k++)
			;
		count += k == a->aside_count;
	}
	return count;
}

/* Returns true if all names of `part` occur in `whole`. */
static bool names_within(const struct state *part, const struct state *whole)
{
	unsigned i, k;

	for (i = 0; i < part->aside_count; i++) {
		for (k = 0; k < whole->aside_count && whole->aside[k].name != part->aside[i].name;
		     k++)
			;
		if (k == whole->aside_count)
			return false;
	}
	return true;
}

/*
 * Returns true if mask `inner`, of state `more`, names the same lanes that mask `outer` names in
 * `less`: it does if `less` has not yet passed the shrink sites in between, for then they hold no
 * lanes there. So it is at the head of a loop whose lanes leave one by one.
 */
static bool same_lanes(const struct state *more, uint32_t inner, const struct state *less,
		       uint32_t outer)
{
	int from, to, i;

	if (BASE_KIND(inner) != BASE_KIND(outer))
		return false;
	from = state_place_of(more, BASE_PAYLOAD(outer));
	to = state_place_of(more, BASE_PAYLOAD(inner));
	if (from < 0 || to <= from)
		return false;
	for (i = from; i < to; i++)
		if (state_place_of(less, more->aside[i].name) >= 0)
			return false;
	return true;
}

static value_id join_scalar(struct value_store *store, const struct state *into,
			    const struct state *other, unsigned reg, bool mask_only, bool widen)
{
	value_id a = into->scalar[reg], b = other->scalar[reg];
	uint32_t x = value_sole_base(store, a), y = value_sole_base(store, b);

	if (x != y && BASE_IS_MASK(x) && BASE_IS_MASK(y)) {
		if (same_lanes(into, x, other, y))
			return a;
		if (same_lanes(other, y, into, x))
			return b;
	}
	/* It cannot be determined any more which of several masks it is. */
	if (mask_only && a != VALUE_BOTTOM && b != VALUE_BOTTOM)
		return VALUE_NUMBER;
	return widen ? value_widen(store, a, b) : value_join(store, a, b);
}

static void keep_scalars(struct state *state, const struct state_live *live)
{
	for (unsigned w = 0; live && w < REG_VECTOR / 64; w++)
		for (uint64_t dead = ~live->active->word[w]; dead; dead &= dead - 1)
			state->scalar[w * 64 + (unsigned)__builtin_ctzll(dead)] = VALUE_BOTTOM;
}

/* Returns which of 64 values are not the same in both: a bit for each. Most are, by eights. */
static uint64_t differences(const value_id *a, const value_id *b)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t x[4], y[4];

		memcpy(x, a + i, sizeof(x));
		memcpy(y, b + i, sizeof(y));
		if (!((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])))
			continue;
		for (unsigned k = i; k < i + 8; k++)
			found |= (uint64_t)(a[k] != b[k]) << k;
	}
	return found;
}

/* Joins live scalar registers of `other` into those of `into`; returns true if that changed any. */
static bool join_scalars(struct value_store *store, struct state *into, const struct state *other,
			 const struct state_live *live, bool widen)
{
	bool changed = false;

	for (unsigned w = 0; w < REG_VECTOR / 64; w++) {
		uint64_t lives = live ? live->active->word[w] : UINT64_MAX;

		lives &= differences(into->scalar + w * 64, other->scalar + w * 64);
		for (; lives; lives &= lives - 1) {
			unsigned i = w * 64 + (unsigned)__builtin_ctzll(lives);
			value_id joined;

			joined = join_scalar(store, into, other, i, live && reg_in(live->mask, i),
					     widen);
			changed |= joined != into->scalar[i];
			into->scalar[i] = joined;
		}
	}
	return changed;
}

/*
 * Returns true if both are in the same lanes, but for sites that one of them has passed and the
 * other not: nothing of either is to be forgotten first.
 */
static bool meet(const struct state *into, const struct state *from)
{
	bool same = into->aside_count == from->aside_count;

	if (into->mode != from->mode)
		return false;
	for (unsigned i = 0; same && i < into->aside_count; i++)
		same = into->aside[i].name == from->aside[i].name;
	if (same)
		return true;
	return same_order(into, from) && together(into, from) <= ASIDE_MAX &&
	       (names_within(into, from) || names_within(from, into)) &&
	       !(into->aside_count && into->aside[0].name == SITE_LOST);
}

int state_keep(struct state *state, const struct state_live *live)
{
	int status;

	if (!live)
		return 0;
	keep_scalars(state, live);
	status = lane_file_keep(&state->active, live->active);
	for (unsigned i = 0; !status && i < state->aside_count; i++)
		status = lane_file_keep(&state->aside[i].file, live->aside);
	return status;
}

/*
 * Joins the files that `other` set aside into those of `into`; state_join() saw to it that there is
 * room for all. Returns 1 if that changed anything, 0 if not, or a negative errno.
 */
static int join_asides(struct value_store *store, struct state *into, const struct state *other,
		       const struct reg_set *live, bool inner, bool widen)
{
	int status, changed = 0;
	unsigned i = 0, k, at;

	for (k = 0; k < other->aside_count; k++) {
		const struct aside *from = &other->aside[k];

		for (at = i; at < into->aside_count && into->aside[at].name != from->name; at++)
			;
		if (at < into->aside_count) {
			status =
			    lane_file_join(store, &into->aside[at].file, from->file, live, widen);
			if (status < 0)
				return status;
			changed |= status;
			into->aside[at].grown &= from->grown;
			i = at + 1;
			continue;
		}
		/*
		 * The lanes that a loop switched off lie within those that were off when it began.
		 * Sites of different ways are kept by address, so that it is the same order
		 * wherever, and in whatever order, these ways meet.
		 */
		while (i < into->aside_count && state_place_of(other, into->aside[i].name) < 0 &&
		       (inner || into->aside[i].name < from->name))
			i++;
		status = state_aside_insert(into, i, from->name, from->file);
		if (!status && live)
			status = lane_file_keep(&into->aside[i].file, live);
		if (status)
			return status;
		into->aside[i].grown = from->grown;
		changed = 1;
		i++;
	}
	return changed;
}

/* All but which lanes are active; those agree. */
static int join_contents(struct value_store *store, struct state *into, const struct state *other,
			 const struct state_live *live, bool inner, bool widen)
{
	int status, changed = join_scalars(store, into, other, live, widen);

	into->conditions |= other->conditions;
	if (other->index_mode & ~into->index_mode) {
		into->index_mode |= other->index_mode;
		changed = 1;
	}
	if (other->floor < into->floor)
		into->floor = other->floor;
	status =
	    lane_file_join(store, &into->active, other->active, live ? live->active : NULL, widen);
	if (status < 0)
		return status;
	changed |= status;
	status = join_asides(store, into, other, live ? live->aside : NULL, inner, widen);
	if (status < 0)
		return status;
	return store->failed ? -ENOMEM : changed | status;
}

int state_join(struct value_store *store, struct state *into, const struct state *from,
	       const struct state_live *live, bool inner, bool widen)
{
	struct state other;
	int status, changed = 0;

	if (meet(into, from))
		return join_contents(store, into, from, live, inner, widen);
	state_copy(&other, from);
	keep_scalars(&other, live);
	/* If files are joined across, none may bring what is not live. */
	if (into->mode != other.mode || !same_order(into, &other) ||
	    (into->aside_count && into->aside[0].name == SITE_LOST)) {
		status = state_keep(&other, live);
		if (status)
			goto out;
	}
	/* Meeting halfway through a change of exec: give up on who is active. */
	if (into->mode != other.mode || !same_order(into, &other) ||
	    together(into, &other) > ASIDE_MAX) {
		status = state_lose(store, into);
		if (!status)
			status = state_lose(store, &other);
		if (status)
			goto out;
		changed = 1;
	} else if (!names_within(into, &other) && !names_within(&other, into)) {
		changed |= state_forget_masks(store, into, SITE_ROOT);
		state_forget_masks(store, &other, SITE_ROOT);
	}
	if (into->aside_count && into->aside[0].name == SITE_LOST && other.aside_count &&
	    other.aside[0].name != SITE_LOST) {
		status = state_lose(store, &other);
		if (status)
			goto out;
	}
	status = join_contents(store, into, &other, live, inner, widen);
	changed |= status > 0;
	status = status < 0 ? status : changed;
out:
	state_clear(&other);
	return status;
}
