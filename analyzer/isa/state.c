/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

int state_init(struct state *state)
{
	memset(state, 0, sizeof(*state));
	state->active = lane_file_new();
	return state->active ? 0 : -ENOMEM;
}

void state_clear(struct state *state)
{
	unsigned i;

	lane_file_put(state->active);
	for (i = 0; i < state->aside_count; i++)
		lane_file_put(state->aside[i].file);
	state->active = NULL;
	state->aside_count = 0;
}

void state_copy(struct state *to, const struct state *from)
{
	unsigned i;

	*to = *from;
	to->active->refs++;
	for (i = 0; i < to->aside_count; i++)
		to->aside[i].file->refs++;
}

bool state_equal(const struct state *a, const struct state *b)
{
	unsigned i;

	if (a->mode != b->mode || a->index_mode != b->index_mode || a->floor != b->floor ||
	    a->aside_count != b->aside_count || memcmp(a->scalar, b->scalar, sizeof(a->scalar)) ||
	    !lane_file_equal(a->active, b->active))
		return false;
	for (i = 0; i < a->aside_count; i++)
		if (a->aside[i].name != b->aside[i].name ||
		    !lane_file_equal(a->aside[i].file, b->aside[i].file))
			return false;
	return true;
}

static int aside_insert(struct state *state, unsigned at, uint32_t name, struct lane_file *file)
{
	if (state->aside_count == ASIDE_MAX)
		return -ENOSPC;
	memmove(&state->aside[at + 1], &state->aside[at],
		(state->aside_count - at) * sizeof(state->aside[0]));
	state->aside[at].name = name;
	state->aside[at].file = file;
	state->aside[at].grown = false;
	file->refs++;
	state->aside_count++;
	return 0;
}

/* Whether no two names that both have stand in a different order. */
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

/* How many different names both have together. */
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

/* Whether all names of `part` occur in `whole`. */
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

/* Place of a name among the files set aside: 0 the root, -1 absent. */
static int place_of(const struct state *state, uint32_t name)
{
	unsigned i;

	for (i = 0; i < state->aside_count; i++)
		if (state->aside[i].name == name)
			return (int)i + 1;
	return name == SITE_ROOT ? 0 : -1;
}

/*
 * Whether mask `inner`, of state `more`, names the same lanes that mask `outer` names in `less`: it
 * does if `less` has not yet passed the shrink sites in between, for then they hold no lanes there.
 * So it is at the head of a loop whose lanes leave one by one.
 */
static bool same_lanes(const struct state *more, uint32_t inner, const struct state *less,
		       uint32_t outer)
{
	int from, to, i;

	if (BASE_KIND(inner) != BASE_KIND(outer))
		return false;
	from = place_of(more, BASE_PAYLOAD(outer));
	to = place_of(more, BASE_PAYLOAD(inner));
	if (from < 0 || to <= from)
		return false;
	for (i = from; i < to; i++)
		if (place_of(less, more->aside[i].name) >= 0)
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
	/* Which of several masks it is cannot be told any more. */
	if (mask_only && a != VALUE_BOTTOM && b != VALUE_BOTTOM)
		return VALUE_NUMBER;
	return widen ? value_widen(store, a, b) : value_join(store, a, b);
}

/*
 * Forget masks of sites that this state has not passed, or has left: elsewhere their names may come
 * to stand for other lanes. And those of site `renewed`, which now stands for others (SITE_ROOT:
 * none).
 */
static int forget_masks(struct value_store *store, struct state *state, uint32_t renewed)
{
	int changed = 0;
	unsigned i;

	for (i = 0; i < REG_VECTOR; i++) {
		uint32_t base = value_sole_base(store, state->scalar[i]);

		if (BASE_IS_MASK(base) &&
		    (place_of(state, BASE_PAYLOAD(base)) < 0 ||
		     (renewed != SITE_ROOT && BASE_PAYLOAD(base) == renewed))) {
			state->scalar[i] = VALUE_NUMBER;
			changed = 1;
		}
	}
	return changed;
}

static void keep_scalars(struct state *state, const struct state_live *live)
{
	for (unsigned i = 0; live && i < REG_VECTOR; i++)
		state->scalar[i] = reg_in(live->active, i) ? state->scalar[i] : VALUE_BOTTOM;
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

int state_join(struct value_store *store, struct state *into, const struct state *from,
	       const struct state_live *live, bool inner, bool widen)
{
	const struct reg_set *live_active = live ? live->active : NULL;
	const struct reg_set *live_aside = live ? live->aside : NULL;
	struct state other;
	int status, changed = 0;
	unsigned i, k;

	state_copy(&other, from);
	keep_scalars(&other, live);
	/* Where files are joined across, none may bring what is not live. */
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
		changed |= forget_masks(store, into, SITE_ROOT);
		forget_masks(store, &other, SITE_ROOT);
	}
	if (into->aside_count && into->aside[0].name == SITE_LOST && other.aside_count &&
	    other.aside[0].name != SITE_LOST) {
		status = state_lose(store, &other);
		if (status)
			goto out;
	}
	status = -ENOMEM;
	for (i = 0; i < REG_VECTOR; i++) {
		value_id joined;

		if (into->scalar[i] == other.scalar[i])
			continue;
		joined = join_scalar(store, into, &other, i, live && reg_in(live->mask, i), widen);
		if (joined != into->scalar[i]) {
			into->scalar[i] = joined;
			changed = 1;
		}
	}
	into->conditions |= other.conditions;
	if (other.index_mode & ~into->index_mode) {
		into->index_mode |= other.index_mode;
		changed = 1;
	}
	if (other.floor < into->floor)
		into->floor = other.floor;
	status = lane_file_join(store, &into->active, other.active, live_active, widen);
	if (status < 0)
		goto out;
	changed |= status;
	for (i = 0, k = 0; k < other.aside_count; k++) {
		unsigned at;

		for (at = i; at < into->aside_count && into->aside[at].name != other.aside[k].name;
		     at++)
			;
		if (at < into->aside_count) {
			status = lane_file_join(store, &into->aside[at].file, other.aside[k].file,
						live_aside, widen);
			if (status < 0)
				goto out;
			changed |= status;
			into->aside[at].grown &= other.aside[k].grown;
			i = at + 1;
		} else {
			/*
			 * What a loop switched off lies within what was off when it began. Sites
			 * of different ways stand by address, so that it is the same order
			 * wherever, and in whatever order, these ways meet.
			 */
			while (i < into->aside_count && place_of(&other, into->aside[i].name) < 0 &&
			       (inner || into->aside[i].name < other.aside[k].name))
				i++;
			status = aside_insert(into, i, other.aside[k].name, other.aside[k].file);
			if (!status && live)
				status = lane_file_keep(&into->aside[i].file, live_aside);
			if (status)
				goto out;
			into->aside[i].grown = other.aside[k].grown;
			changed = 1;
			i++;
		}
	}
	status = store->failed ? -ENOMEM : changed;
out:
	state_clear(&other);
	return status;
}

/* ---- registers ---- */

value_id state_get_any(struct value_store *store, const struct state *state, unsigned reg)
{
	value_id value;
	unsigned i;

	if (reg < REG_VECTOR)
		return state->scalar[reg];
	value = state->active->reg[reg - REG_VECTOR];
	for (i = 0; i < state->aside_count; i++)
		value = value_join(store, value, state->aside[i].file->reg[reg - REG_VECTOR]);
	return value;
}

value_id state_get(struct value_store *store, const struct state *state, unsigned reg)
{
	if (reg >= REG_COUNT)
		return value_unknown(store, "a register that does not exist");
	if (reg < REG_VECTOR)
		return state->scalar[reg];
	if (state->mode == EXEC_ALL)
		return state_get_any(store, state, reg);
	if (state->mode == EXEC_BOTH && state->aside_count)
		return value_join(store, state->active->reg[reg - REG_VECTOR],
				  state->aside[state->aside_count - 1].file->reg[reg - REG_VECTOR]);
	return state->active->reg[reg - REG_VECTOR];
}

/* The first file set aside that vector instructions write as well. */
static unsigned first_written(const struct state *state)
{
	if (state->mode == EXEC_ALL)
		return 0;
	if (state->mode == EXEC_BOTH && state->aside_count)
		return state->aside_count - 1;
	return state->aside_count;
}

int state_set(struct value_store *store, struct state *state, unsigned reg, value_id value)
{
	unsigned i;
	int status;

	(void)store;
	if (reg >= REG_COUNT)
		return 0;
	if (reg < REG_VECTOR) {
		state->scalar[reg] = value;
		return 0;
	}
	status = lane_file_set(&state->active, reg - REG_VECTOR, value);
	for (i = first_written(state); !status && i < state->aside_count; i++)
		status = lane_file_set(&state->aside[i].file, reg - REG_VECTOR, value);
	return status;
}

int state_write_lane(struct value_store *store, struct state *state, unsigned reg, uint32_t lane,
		     value_id value)
{
	unsigned i, index = reg - REG_VECTOR;
	int status;

	if (reg < REG_VECTOR || reg >= REG_COUNT)
		return 0;
	status = lane_file_set(&state->active, index,
			       value_lane_write(store, state->active->reg[index], lane, value));
	for (i = 0; !status && i < state->aside_count; i++)
		status = lane_file_set(
		    &state->aside[i].file, index,
		    value_lane_write(store, state->aside[i].file->reg[index], lane, value));
	return status;
}

/* ---- private memory ---- */

value_id state_private_load(struct value_store *store, const struct state *state, uint32_t dword,
			    bool flat)
{
	value_id value = lane_file_load(store, state->active, dword, flat);
	unsigned i;

	for (i = first_written(state); i < state->aside_count; i++)
		value = value_join(store, value,
				   lane_file_load(store, state->aside[i].file, dword, flat));
	return value;
}

int state_private_store(struct value_store *store, struct state *state, uint32_t dword,
			value_id value)
{
	unsigned i;
	int status;

	if (dword >= PRIVATE_LIMIT / 4)
		return state_private_store_any(store, state, value, false);
	status = lane_file_store(&state->active, dword, value);
	for (i = first_written(state); !status && i < state->aside_count; i++)
		status = lane_file_store(&state->aside[i].file, dword, value);
	return status;
}

static int private_some(struct value_store *store, struct lane_file **file, uint32_t dword,
			unsigned index, uint32_t lanes, bool load)
{
	value_id reg = (*file)->reg[index];
	value_id slot = dword < (*file)->private_count ? (*file)->private[dword] : VALUE_BOTTOM;
	value_id from = load ? slot : reg;
	value_id to = load ? reg : slot;

	if (load && slot == VALUE_BOTTOM)
		from = lane_file_load(store, *file, dword, false);
	for (uint32_t lane = 0; lanes >> lane; lane++)
		if (lanes >> lane & 1)
			to = value_lane_write(store, to, lane, value_lane_read(store, from, lane));
	return load ? lane_file_set(file, index, to) : lane_file_store(file, dword, to);
}

int state_private_some(struct value_store *store, struct state *state, uint32_t dword, unsigned reg,
		       bool load)
{
	unsigned index = reg - REG_VECTOR;
	int status = private_some(store, &state->active, dword, index, state->some, load);

	/* Which of the files has such a lane is not known: each as if it were its own. */
	for (unsigned i = 0; !status && i < state->aside_count; i++)
		status =
		    private_some(store, &state->aside[i].file, dword, index, state->some, load);
	return status;
}

value_id state_private_load_any(struct value_store *store, const struct state *state)
{
	value_id value = lane_file_load_any(store, state->active);
	unsigned i;

	for (i = first_written(state); i < state->aside_count; i++)
		value = value_join(store, value, lane_file_load_any(store, state->aside[i].file));
	return value;
}

int state_private_store_any(struct value_store *store, struct state *state, value_id value,
			    bool stray)
{
	unsigned i;
	int status;

	value = value_plain(store, value);
	status = lane_file_store_any(store, &state->active, value, stray);
	for (i = first_written(state); !status && i < state->aside_count; i++)
		status = lane_file_store_any(store, &state->aside[i].file, value, stray);
	return status;
}

/* ---- exec ---- */

uint32_t state_exec_name(const struct state *state)
{
	return state->aside_count ? state->aside[state->aside_count - 1].name : SITE_ROOT;
}

/* Join the files set aside from index `from` on into the active one, and drop them. */
static int fold(struct value_store *store, struct state *state, unsigned from)
{
	while (state->aside_count > from) {
		struct aside *last = &state->aside[state->aside_count - 1];
		int status = lane_file_join(store, &state->active, last->file, NULL, false);

		if (status < 0)
			return status;
		lane_file_put(last->file);
		state->aside_count--;
	}
	return 0;
}

int state_lose(struct value_store *store, struct state *state)
{
	int status = fold(store, state, 0);

	state->mode = EXEC_NORMAL;
	state->floor = 0;
	return status ? status : aside_insert(state, 0, SITE_LOST, state->active);
}

int state_end_both(struct value_store *store, struct state *state, bool swap)
{
	struct aside *last;
	struct lane_file *file;
	int status;

	if (state->mode != EXEC_BOTH || !state->aside_count) {
		state->mode = EXEC_NORMAL;
		return 0;
	}
	state->mode = EXEC_NORMAL;
	last = &state->aside[state->aside_count - 1];
	if (swap) {
		file = last->file;
		last->file = state->active;
		last->grown = false;
		state->active = file;
		return 0;
	}
	/* Both sides are active as one: nothing of this shrink is set aside any longer. */
	if (last->name != SITE_LOST)
		return fold(store, state, state->aside_count - 1);
	status = lane_file_join(store, &state->active, last->file, NULL, false);
	return status < 0 ? status : 0;
}

static int settle(struct value_store *store, struct state *state)
{
	if (state->mode == EXEC_BOTH)
		return state_end_both(store, state, false);
	if (state->mode == EXEC_ALL || state->mode == EXEC_SOME)
		return state_lose(store, state);
	return 0;
}

int state_shrink(struct value_store *store, struct state *state, uint32_t name, uint32_t *before)
{
	uint32_t ignored;
	unsigned i;
	int status = settle(store, state);

	if (!before)
		before = &ignored;
	if (status)
		return status;
	for (i = 0; i < state->aside_count; i++) {
		if (state->aside[i].name != name)
			continue;
		/*
		 * Again, in a loop: these lanes join those that left earlier, here and at sites
		 * since. What was exec is now only known to be within what was exec then.
		 */
		*before = i ? state->aside[i - 1].name : SITE_ROOT;
		status = lane_file_join(store, &state->aside[i].file, state->active, NULL, false);
		state->aside[i].grown = false;
		while (status >= 0 && state->aside_count > i + 1) {
			struct aside *last = &state->aside[state->aside_count - 1];

			status =
			    lane_file_join(store, &state->aside[i].file, last->file, NULL, false);
			if (status < 0)
				break;
			lane_file_put(last->file);
			state->aside_count--;
		}
		forget_masks(store, state, name);
		return status < 0 ? status : 0;
	}
	*before = state_exec_name(state);
	if (state->aside_count == ASIDE_MAX)
		return state_lose(store, state);
	return aside_insert(state, state->aside_count, name, state->active);
}

/* Index after the file named `name`; -1 if there is none. */
static int after_name(const struct state *state, uint32_t name)
{
	unsigned i;

	if (name == SITE_ROOT)
		return state->aside_count && state->aside[0].name == SITE_LOST ? 1 : 0;
	for (i = 0; i < state->aside_count; i++)
		if (state->aside[i].name == name)
			return (int)i + 1;
	return -1;
}

int state_restore(struct value_store *store, struct state *state, uint32_t name)
{
	int from = after_name(state, name), status;

	if (from < 0)
		return state_grow(store, state);
	if (state->mode == EXEC_BOTH) {
		status = state_end_both(store, state, false);
		if (status)
			return status;
	}
	state->mode = EXEC_NORMAL;
	status = (unsigned)from < state->aside_count ? fold(store, state, (unsigned)from) : 0;
	/* Lanes of unknown history may come back at any time. */
	if (!status && state->aside_count && state->aside[0].name == SITE_LOST) {
		status = lane_file_join(store, &state->active, state->aside[0].file, NULL, false);
		status = status < 0 ? status : 0;
	}
	return status;
}

int state_grow(struct value_store *store, struct state *state)
{
	unsigned i;
	int status = settle(store, state);

	for (i = state->floor; !status && i < state->aside_count; i++) {
		status = lane_file_join(store, &state->active, state->aside[i].file, NULL, false);
		status = status < 0 ? status : 0;
		state->aside[i].grown = true;
	}
	return status;
}

void state_all(struct state *state)
{
	state->mode = EXEC_ALL;
}

void state_some(struct state *state, uint32_t lanes)
{
	state->mode = EXEC_SOME;
	state->some = lanes;
}

int state_complement(struct value_store *store, struct state *state, uint32_t name, bool both)
{
	int from = after_name(state, name), status = settle(store, state);

	if (status)
		return status;
	if (from < 0 || (unsigned)from >= state->aside_count ||
	    (state->aside_count && state->aside[0].name == SITE_LOST))
		return state_lose(store, state);
	/* Everything switched off since then is one group. */
	while (state->aside_count > (unsigned)from + 1) {
		struct aside *last = &state->aside[state->aside_count - 1];

		status = lane_file_join(store, &state->aside[from].file, last->file, NULL, false);
		if (status < 0)
			return status;
		lane_file_put(last->file);
		state->aside_count--;
	}
	state->mode = EXEC_BOTH;
	return both ? 0 : state_end_both(store, state, true);
}

int state_none(struct state *state)
{
	struct lane_file *empty;

	if (state->mode != EXEC_NORMAL)
		return 0;
	empty = lane_file_new();
	if (!empty)
		return -ENOMEM;
	lane_file_put(state->active);
	state->active = empty;
	return 0;
}

void state_enter(struct state *state, unsigned *floor, unsigned *count)
{
	*floor = state->floor;
	*count = state->floor = state->aside_count;
}

int state_leave(struct value_store *store, struct state *state, unsigned floor, unsigned count)
{
	int status = settle(store, state);

	if (status)
		return status;
	/* The callee lost track, and with it of our own lanes. */
	if (state->floor < count || state->aside_count < count) {
		state->floor = 0;
		return 0;
	}
	while (state->aside_count > count) {
		struct aside *last = &state->aside[state->aside_count - 1];

		if (!last->grown) {
			status = lane_file_join(store, &state->active, last->file, NULL, false);
			if (status < 0)
				return status;
		}
		lane_file_put(last->file);
		state->aside_count--;
	}
	state->floor = floor;
	return 0;
}

void state_swap_both(struct state *state)
{
	struct aside *last = &state->aside[state->aside_count - 1];
	struct lane_file *file = last->file;

	last->file = state->active;
	state->active = file;
}

/* Registers that a callee preserves [LUG, "Non-Kernel Functions"]. */
static bool preserved(unsigned reg)
{
	if (reg < REG_VECTOR)
		return reg < 4 || (reg >= 30 && reg < 102);
	if (reg < REG_ACC)
		return reg - REG_VECTOR >= 40 && (reg - REG_VECTOR) % 16 >= 8;
	return false;
}

int state_clobber(struct value_store *store, struct state *state, const char *why)
{
	value_id unknown = value_unknown(store, why);
	unsigned i;
	int status = 0;

	for (i = 0; !status && i < REG_COUNT; i++)
		if (!preserved(i) && i != REG_EXEC && i != REG_EXEC + 1)
			status = state_set(store, state, i, unknown);
	return status ? status : state_private_store_any(store, state, unknown, true);
}
