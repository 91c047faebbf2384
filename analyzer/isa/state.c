/* SPDX-License-Identifier: Apache-2.0 */
/* This is what registers and memory of a wave hold at a place in the code. */
#include "state_internal.h"

#include <errno.h>
#include <string.h>

/* ---- states ---- */

int state_init(struct state *state, struct lane_pool *pool)
{
	memset(state, 0, sizeof(*state));
	state->active = lane_file_new(pool);
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

	memcpy(to, from,
	       offsetof(struct state, aside) + from->aside_count * sizeof(from->aside[0]));
	to->active->refs++;
	for (i = 0; i < to->aside_count; i++)
		to->aside[i].file->refs++;
}

bool state_equal(const struct state *a, const struct state *b)
{
	unsigned i;

	if (a->mode != b->mode || a->index_mode != b->index_mode || a->dead != b->dead ||
	    a->floor != b->floor || a->aside_count != b->aside_count ||
	    memcmp(a->scalar, b->scalar, sizeof(a->scalar)) ||
	    !lane_file_equal(a->active, b->active))
		return false;
	for (i = 0; i < a->aside_count; i++)
		if (a->aside[i].name != b->aside[i].name ||
		    !lane_file_equal(a->aside[i].file, b->aside[i].file))
			return false;
	return true;
}

int state_aside_insert(struct state *state, unsigned at, uint32_t name, struct lane_file *file)
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

int state_place_of(const struct state *state, uint32_t name)
{
	unsigned i;

	for (i = 0; i < state->aside_count; i++)
		if (state->aside[i].name == name)
			return (int)i + 1;
	return name == SITE_ROOT ? 0 : -1;
}

int state_forget_masks(struct value_store *store, struct state *state, uint32_t renewed)
{
	int changed = 0;
	unsigned i;

	for (i = 0; i < REG_VECTOR; i++) {
		uint32_t base = value_sole_base(store, state->scalar[i]);

		if (BASE_IS_MASK(base) &&
		    (state_place_of(state, BASE_PAYLOAD(base)) < 0 ||
		     (renewed != SITE_ROOT && BASE_PAYLOAD(base) == renewed))) {
			state->scalar[i] = VALUE_NUMBER;
			changed = 1;
		}
	}
	return changed;
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
	if (state->mode == EXEC_OFF) {
		value_id value = VALUE_BOTTOM;

		for (unsigned i = 0; i < state->aside_count; i++)
			value =
			    value_join(store, value, state->aside[i].file->reg[reg - REG_VECTOR]);
		return value;
	}
	if (state->mode == EXEC_BOTH && state->aside_count)
		return value_join(store, state->active->reg[reg - REG_VECTOR],
				  state->aside[state->aside_count - 1].file->reg[reg - REG_VECTOR]);
	return state->active->reg[reg - REG_VECTOR];
}

/* Returns the first file set aside that vector instructions write as well. */
static unsigned first_written(const struct state *state)
{
	if (state->mode == EXEC_ALL || state->mode == EXEC_OFF)
		return 0;
	if (state->mode == EXEC_BOTH && state->aside_count)
		return state->aside_count - 1;
	return state->aside_count;
}

int state_set(struct value_store *store, struct state *state, unsigned reg, value_id value)
{
	unsigned i;
	int status = 0;

	(void)store;
	if (reg >= REG_COUNT)
		return 0;
	if (reg < REG_VECTOR) {
		state->scalar[reg] = value;
		return 0;
	}
	if (state->mode != EXEC_OFF)
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
	value_id value = state->mode == EXEC_OFF
			     ? VALUE_BOTTOM
			     : lane_file_load(store, state->active, dword, flat);
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
	int status = 0;

	if (dword >= PRIVATE_LIMIT / 4)
		return state_private_store_any(store, state, value, false);
	if (state->mode != EXEC_OFF)
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

	/* It is not known which file has such a lane: each is set as if it were its own. */
	for (unsigned i = 0; !status && i < state->aside_count; i++)
		status =
		    private_some(store, &state->aside[i].file, dword, index, state->some, load);
	return status;
}

value_id state_private_load_any(struct value_store *store, const struct state *state)
{
	value_id value =
	    state->mode == EXEC_OFF ? VALUE_BOTTOM : lane_file_load_any(store, state->active);
	unsigned i;

	for (i = first_written(state); i < state->aside_count; i++)
		value = value_join(store, value, lane_file_load_any(store, state->aside[i].file));
	return value;
}

int state_private_store_any(struct value_store *store, struct state *state, value_id value,
			    bool stray)
{
	unsigned i;
	int status = 0;

	value = value_plain(store, value);
	if (state->mode != EXEC_OFF)
		status = lane_file_store_any(store, &state->active, value, stray);
	for (i = first_written(state); !status && i < state->aside_count; i++)
		status = lane_file_store_any(store, &state->aside[i].file, value, stray);
	return status;
}

int state_note_stored(struct state *state, struct stored_dword dword)
{
	int status = 0;

	if (state->mode == EXEC_SOME)
		return 0;
	if (state->mode != EXEC_OFF)
		status = lane_file_note(&state->active, dword);
	for (unsigned i = first_written(state); !status && i < state->aside_count; i++)
		status = lane_file_note(&state->aside[i].file, dword);
	return status;
}

bool state_has_stored(const struct state *state, struct stored_dword dword)
{
	bool all = state->mode != EXEC_SOME &&
		   (state->mode == EXEC_OFF || lane_file_noted(state->active, dword));

	for (unsigned i = first_written(state); all && i < state->aside_count; i++)
		all = lane_file_noted(state->aside[i].file, dword);
	return all;
}

/* Returns true if a callee preserves the register [LUG, "Non-Kernel Functions"]. */
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
