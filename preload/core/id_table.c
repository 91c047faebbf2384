/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash-consing without locks. Only the 64-bit hash is kept: with a million contents the chance that
 * any two of them collide is about 3e-8.
 *
 * An id is the slot's number plus one, so two threads that add the same new hash get the same id.
 * Both may then record the definition (twice the same, which a reader must tolerate): the
 * alternative is that one waits for the other inside malloc().
 *
 * A few contents must not be spread over megabytes, of which each would make a page resident. So
 * there are levels, each several times as large as the one before. A content has one cache line in
 * each level, and is stored in the first level that has room there. As slots are never emptied,
 * every search for it passes the same full slots.
 */
#include "preload/core/id_table.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"

static const struct level {
	uint32_t first, slots; /* powers of two */
	uint32_t probes;       /* from the first slot of a line on */
} levels[HG_ID_TABLE_LEVELS] = {
	{ 0x00000, 1u << 10, 4 },
	{ 0x00400, 1u << 13, 4 },
	{ 0x02400, 1u << 16, 4 },
	{ 0x12400, 1u << 20, 64 },
};

#define SLOTS 0x112400u

struct hg_id_table_slot {
	_Atomic uint64_t hash;    /* 0: free */
	_Atomic uint32_t defined; /* in which generation */
	_Atomic uint32_t kept;    /* the owner's: 0 at first */
};

/* Addresses, too, are taken only as they are needed: a process may be limited to few. */
static struct hg_id_table_slot *map_level(struct hg_id_table *set, size_t number)
{
	size_t size = levels[number].slots * sizeof(struct hg_id_table_slot);
	struct hg_id_table_slot *none = NULL,
				*slots = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE,
						      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
						      -1, 0);

	if (slots == MAP_FAILED)
		return NULL;
	if (__atomic_compare_exchange_n(&set->levels[number], &none, slots, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return slots;
	hg_libc.munmap(slots, size);
	return none;
}

int hg_id_table_init(struct hg_id_table *set)
{
	set->generation = 1;
	set->overflow = 0;
	return map_level(set, 0) ? 0 : -ENOMEM;
}

/* Returns its slot in a level, and in *id the slot's id; NULL if there is no room. */
static struct hg_id_table_slot *find(struct hg_id_table *set, size_t number, uint64_t hash,
				     uint32_t *id)
{
	const struct level *level = &levels[number];
	struct hg_id_table_slot *slots = __atomic_load_n(&set->levels[number], __ATOMIC_ACQUIRE);
	uint32_t start = (uint32_t)(hash >> 40) & (level->slots - 1) & ~3u;

	if (HG_UNLIKELY(!slots) && !(slots = map_level(set, number)))
		return NULL;
	for (uint32_t probe = 0; probe < level->probes; probe++) {
		uint32_t at = (start + probe) & (level->slots - 1);
		uint64_t found = atomic_load_explicit(&slots[at].hash, memory_order_relaxed);

		if (!found && atomic_compare_exchange_strong(&slots[at].hash, &found, hash))
			found = hash;
		if (found == hash) {
			*id = level->first + at + 1;
			return &slots[at];
		}
	}
	return NULL;
}

/* Returns the slot of an id that find() gave, or NULL if the id has none. */
static struct hg_id_table_slot *slot_of(const struct hg_id_table *set, uint32_t id)
{
	size_t number = HG_ID_TABLE_LEVELS - 1;
	struct hg_id_table_slot *slots;

	if (!id || id > SLOTS)
		return NULL;
	while (id - 1 < levels[number].first)
		number--;
	slots = __atomic_load_n(&set->levels[number], __ATOMIC_ACQUIRE);
	return slots ? &slots[id - 1 - levels[number].first] : NULL;
}

uint32_t hg_id_table_id(struct hg_id_table *set, uint64_t hash, bool *fresh)
{
	struct hg_id_table_slot *slot = NULL;
	uint32_t id;

	hash += !hash;
	for (size_t i = 0; !slot && i < HG_COUNT(levels); i++)
		slot = find(set, i, hash, &id);
	if (HG_LIKELY(slot != NULL)) {
		*fresh = atomic_load_explicit(&slot->defined, memory_order_acquire) !=
			 __atomic_load_n(&set->generation, __ATOMIC_RELAXED);
		return id;
	}
	/* Full hereabouts: an id of its own for each use is larger in the trace, not wrong. */
	*fresh = true;
	return SLOTS + 1 + __atomic_fetch_add(&set->overflow, 1, __ATOMIC_RELAXED);
}

void hg_id_table_defined(struct hg_id_table *set, uint32_t id)
{
	struct hg_id_table_slot *slot = slot_of(set, id);

	if (slot)
		atomic_store_explicit(&slot->defined,
				      __atomic_load_n(&set->generation, __ATOMIC_RELAXED),
				      memory_order_release);
}

void hg_id_table_forget(struct hg_id_table *set)
{
	__atomic_fetch_add(&set->generation, 1, __ATOMIC_RELAXED);
}

bool hg_id_table_is_defined(const struct hg_id_table *set, uint32_t id)
{
	const struct hg_id_table_slot *slot = slot_of(set, id);

	return slot && atomic_load_explicit(&slot->defined, memory_order_acquire) ==
			   __atomic_load_n(&set->generation, __ATOMIC_RELAXED);
}

_Atomic uint32_t *hg_id_table_kept(struct hg_id_table *set, uint32_t id)
{
	struct hg_id_table_slot *slot = slot_of(set, id);

	return slot ? &slot->kept : NULL;
}

void hg_id_table_reset(struct hg_id_table *set)
{
	for (size_t i = 0; i < HG_ID_TABLE_LEVELS; i++) {
		if (set->levels[i])
			hg_libc.madvise(set->levels[i],
					levels[i].slots * sizeof(struct hg_id_table_slot),
					MADV_DONTNEED);
	}
}

uint64_t hg_hash(uint64_t seed, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint64_t hash = hg_mix(seed, size), word;

	for (; size >= 8; size -= 8, bytes += 8) {
		memcpy(&word, bytes, 8);
		hash = hg_mix(hash, word);
	}
	word = 0;
	memcpy(&word, bytes, size);
	return hg_mix(hg_mix(hash, word), seed);
}
