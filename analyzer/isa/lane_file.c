/* SPDX-License-Identifier: Apache-2.0 */
/* Vector registers and private memory of a group of lanes: shared, copied when written. */
#include "lane_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Registers that are not in `used` are zero, also in files of a pool. */
static struct lane_file *take(struct lane_pool *pool)
{
	struct lane_file *file = pool ? pool->released : NULL;

	if (!file)
		return calloc(1, sizeof(*file));
	pool->released = file->next;
	return file;
}

static void put_back(struct lane_pool *pool, struct lane_file *file)
{
	if (!pool) {
		free(file);
		return;
	}
	file->next = pool->released;
	pool->released = file;
}

void lane_pool_free(struct lane_pool *pool)
{
	while (pool->released) {
		struct lane_file *next = pool->released->next;

		free(pool->released);
		pool->released = next;
	}
}

static void forget_groups(struct lane_file *file, uint32_t groups)
{
	for (; groups; groups &= groups - 1)
		memset(file->reg + (unsigned)__builtin_ctz(groups) * LANE_GROUP, 0,
		       LANE_GROUP * sizeof(file->reg[0]));
}

static void copy_groups(struct lane_file *to, const struct lane_file *from)
{
	forget_groups(to, to->used & ~from->used);
	for (uint32_t used = from->used; used; used &= used - 1) {
		unsigned first = (unsigned)__builtin_ctz(used) * LANE_GROUP;

		memcpy(to->reg + first, from->reg + first, LANE_GROUP * sizeof(to->reg[0]));
	}
}

struct lane_file *lane_file_new(struct lane_pool *pool)
{
	struct lane_file *file = take(pool);

	if (!file)
		return NULL;
	forget_groups(file, file->used);
	memset(file, 0, offsetof(struct lane_file, reg));
	file->pool = pool;
	file->refs = 1;
	return file;
}

void lane_file_put(struct lane_file *file)
{
	if (!file || --file->refs)
		return;
	free(file->private);
	put_back(file->pool, file);
}

static int file_copy(struct lane_file **file)
{
	struct lane_file *old = *file, *copy = take(old->pool);

	if (!copy)
		return -ENOMEM;
	copy_groups(copy, old);
	memcpy(copy, old, offsetof(struct lane_file, reg));
	copy->refs = 1;
	copy->private = NULL;
	if (old->private_count) {
		copy->private = malloc(old->private_count * sizeof(*copy->private));
		if (!copy->private) {
			put_back(old->pool, copy);
			return -ENOMEM;
		}
		memcpy(copy->private, old->private, old->private_count * sizeof(*copy->private));
	}
	old->refs--;
	*file = copy;
	return 0;
}

/* Make *file writable. */
static inline int file_own(struct lane_file **file)
{
	return (*file)->refs == 1 ? 0 : file_copy(file);
}

static int file_grow(struct lane_file *file, uint32_t count)
{
	uint32_t room = file->private_count ? file->private_count : 32;
	value_id *grown;

	if (count <= file->private_count)
		return 0;
	while (room < count)
		room *= 2;
	grown = reallocarray(file->private, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + file->private_count, 0, (room - file->private_count) * sizeof(*grown));
	file->private = grown;
	file->private_count = room;
	return 0;
}

static bool same_group(const value_id *a, const value_id *b)
{
	uint64_t differ = 0, x, y;
	unsigned i;

	for (i = 0; i < LANE_GROUP; i += 2) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		differ |= x ^ y;
	}
	return !differ;
}

/* Returns the registers of the group that begins with `first` that are live: a bit for each. */
static uint32_t live_of(const struct reg_set *live, uint32_t first)
{
	const uint32_t all = (1u << LANE_GROUP) - 1;

	if (!live)
		return all;
	return (uint32_t)(live->word[(REG_VECTOR + first) / 64] >> (REG_VECTOR + first) % 64) & all;
}

/* Does (*file)->*member |= value. Returns 1 if it changed, 0 if not, -ENOMEM. */
static int join_one(struct value_store *store, struct lane_file **file, value_id *member,
		    value_id value, bool widen)
{
	size_t place = (size_t)((char *)member - (char *)*file);
	value_id joined;

	if (*member == value || value == VALUE_BOTTOM)
		return 0;
	joined = widen ? value_widen(store, *member, value) : value_join(store, *member, value);
	if (joined == *member)
		return 0;
	if (file_own(file))
		return -ENOMEM;
	memcpy((char *)*file + place, &joined, sizeof(joined));
	return 1;
}

/* Returns true if a place that holds this may be part of what a program indexes: the compiler's own
 * for scalar registers is none. */
static bool is_indexed(const struct value_store *store, value_id value)
{
	return value != VALUE_BOTTOM && !value_holds_lanes(store, value);
}

/* Keeps what the lanes of both have stored to. Returns 1 if that changed *into, 0 if not, -ENOMEM.
 */
static int join_stored(struct lane_file **into, const struct lane_file *from)
{
	struct lane_file *own = *into;
	uint32_t i, kept = 0;

	if (from->empty)
		return 0;
	for (i = 0; !own->empty && i < own->stored_count; i++)
		kept += lane_file_noted(from, own->stored[i]);
	if (!own->empty && kept == own->stored_count)
		return 0;
	if (file_own(into))
		return -ENOMEM;
	own = *into;
	if (own->empty) {
		own->empty = false;
		own->stored_count = from->stored_count;
		memcpy(own->stored, from->stored, sizeof(own->stored));
		return 1;
	}
	for (i = kept = 0; i < own->stored_count; i++)
		if (lane_file_noted(from, own->stored[i]))
			own->stored[kept++] = own->stored[i];
	own->stored_count = kept;
	return 1;
}

int lane_file_join(struct value_store *store, struct lane_file **into, const struct lane_file *from,
		   const struct reg_set *live, bool widen)
{
	int status, changed = 0;
	uint32_t i, used;

	if (*into == from)
		return 0;
	changed = join_stored(into, from);
	if (changed < 0)
		return changed;
	for (used = from->used; used; used &= used - 1) {
		uint32_t first = (uint32_t)__builtin_ctz(used) * LANE_GROUP;
		uint32_t lives = live_of(live, first);

		if (!lives || same_group((*into)->reg + first, from->reg + first))
			continue;
		for (; lives; lives &= lives - 1) {
			i = first + (uint32_t)__builtin_ctz(lives);
			if ((*into)->reg[i] == from->reg[i])
				continue;
			status = join_one(store, into, &(*into)->reg[i], from->reg[i], widen);
			if (status < 0)
				return status;
			if (status)
				(*into)->used |= used & -used;
			changed |= status;
		}
	}
	if (from->private_count > (*into)->private_count) {
		if (file_own(into) || file_grow(*into, from->private_count))
			return -ENOMEM;
	}
	for (i = 0; i < (*into)->private_count; i++) {
		value_id joined, old = (*into)->private[i], other;

		other = i < from->private_count ? from->private[i] : VALUE_BOTTOM;
		if (old == other)
			continue;
		if (other == VALUE_BOTTOM && !is_indexed(store, old))
			continue;
		if (other == VALUE_BOTTOM)
			other = from->wild;
		if (old == VALUE_BOTTOM && is_indexed(store, other))
			old = (*into)->wild;
		joined = widen ? value_widen(store, old, other) : value_join(store, old, other);
		if (joined == (*into)->private[i])
			continue;
		if (file_own(into))
			return -ENOMEM;
		(*into)->private[i] = joined;
		changed = 1;
	}
	status = join_one(store, into, &(*into)->wild, from->wild, widen);
	if (status >= 0) {
		changed |= status;
		status = join_one(store, into, &(*into)->stray, from->stray, widen);
	}
	return status < 0 ? status : changed | status;
}

int lane_file_keep(struct lane_file **file, const struct reg_set *live)
{
	uint32_t i, used;

	for (used = (*file)->used; used; used &= used - 1) {
		uint32_t first = (uint32_t)__builtin_ctz(used) * LANE_GROUP;
		uint32_t dead = ~live_of(live, first) & ((1u << LANE_GROUP) - 1);

		for (; dead; dead &= dead - 1) {
			i = first + (uint32_t)__builtin_ctz(dead);
			if (!(*file)->reg[i])
				continue;
			if (file_own(file))
				return -ENOMEM;
			(*file)->reg[i] = VALUE_BOTTOM;
		}
	}
	return 0;
}

bool lane_file_equal(const struct lane_file *a, const struct lane_file *b)
{
	uint32_t i;

	if (a == b)
		return true;
	if (a->wild != b->wild || a->stray != b->stray || a->empty != b->empty ||
	    a->stored_count != b->stored_count ||
	    memcmp(a->stored, b->stored, a->stored_count * sizeof(a->stored[0])) ||
	    memcmp(a->reg, b->reg, sizeof(a->reg)))
		return false;
	for (i = 0; i < a->private_count || i < b->private_count; i++)
		if ((i < a->private_count ? a->private[i] : 0) !=
		    (i < b->private_count ? b->private[i] : 0))
			return false;
	return true;
}

int lane_file_set(struct lane_file **file, unsigned index, value_id value)
{
	if ((*file)->reg[index] == value)
		return 0;
	if (file_own(file))
		return -ENOMEM;
	(*file)->reg[index] = value;
	(*file)->used |= 1u << index / LANE_GROUP;
	return 0;
}

value_id lane_file_load(struct value_store *store, const struct lane_file *file, uint32_t dword,
			bool flat)
{
	value_id value = dword < file->private_count ? file->private[dword] : VALUE_BOTTOM;

	if (value == VALUE_BOTTOM)
		value = file->wild;
	return flat ? value_join(store, value, file->stray) : value;
}

int lane_file_store(struct lane_file **file, uint32_t dword, value_id value)
{
	if (file_own(file) || file_grow(*file, dword + 1))
		return -ENOMEM;
	(*file)->private[dword] = value;
	return 0;
}

value_id lane_file_load_any(struct value_store *store, const struct lane_file *file)
{
	value_id value = value_join(store, file->wild, file->stray);
	uint32_t i;

	for (i = 0; i < file->private_count; i++)
		if (is_indexed(store, file->private[i]))
			value = value_join(store, value, file->private[i]);
	return value;
}

int lane_file_store_any(struct value_store *store, struct lane_file **file, value_id value,
			bool stray)
{
	value_id *to;

	if (file_own(file))
		return -ENOMEM;
	to = stray ? &(*file)->stray : &(*file)->wild;
	*to = value_join(store, *to, value);
	if (stray)
		return 0;
	for (uint32_t i = 0; i < (*file)->private_count; i++) {
		value_id *slot = &(*file)->private[i];

		if (is_indexed(store, *slot))
			*slot = value_join(store, *slot, value);
	}
	return 0;
}

bool lane_file_noted(const struct lane_file *file, struct stored_dword dword)
{
	for (uint32_t i = 0; i < file->stored_count; i++)
		if (file->stored[i].base == dword.base &&
		    file->stored[i].distance == dword.distance)
			return true;
	return file->empty;
}

int lane_file_note(struct lane_file **file, struct stored_dword dword)
{
	if (lane_file_noted(*file, dword) || (*file)->stored_count == LANE_STORED)
		return 0;
	if (file_own(file))
		return -ENOMEM;
	(*file)->stored[(*file)->stored_count++] = dword;
	return 0;
}
