/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps which lanes are active: what changes of exec do to the files of lanes (state.h). */
#include "state_internal.h"

#include <errno.h>

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
	return status ? status : state_aside_insert(state, 0, SITE_LOST, state->active);
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
	if (state->mode != EXEC_NORMAL)
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
		state_forget_masks(store, state, name);
		return status < 0 ? status : 0;
	}
	*before = state_exec_name(state);
	if (state->aside_count == ASIDE_MAX)
		return state_lose(store, state);
	return state_aside_insert(state, state->aside_count, name, state->active);
}

/* Returns the index after the file named `name`; -1 if there is none. */
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

void state_off(struct state *state)
{
	state->mode = EXEC_OFF;
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
	if (from < 0 || (unsigned)from >= state->aside_count || state->aside[0].name == SITE_LOST)
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
	empty = lane_file_new(state->active->pool);
	if (!empty)
		return -ENOMEM;
	empty->empty = true;
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
