/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash-consing without locks. Only the 64-bit hash is kept: with a million contents the chance
 * that any two of them collide is about 3e-8.
 *
 * An id is the slot's number plus one, so two threads that meet on a new hash agree on it. Both
 * may then define it (the same definition twice, which a reader must tolerate): the alternative
 * is to wait for one another inside malloc().
 *
 * A few contents must not be spread over megabytes, of which each would make a page resident. So
 * there are levels, each several times as large as the one before; a content has a line of the
 * cache's in each, and goes into the first of them that has room. As slots are never emptied,
 * everybody who looks for it passes the same full slots on the way.
 */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload.h"

static const struct level {
	uint32_t first, slots; /* powers of two */
	uint32_t probes;       /* from the first slot of a line on */
} levels[] = {
	{ 0x00000, 1u << 10, 4 },
	{ 0x00400, 1u << 13, 4 },
	{ 0x02400, 1u << 16, 4 },
	{ 0x12400, 1u << 20, 64 },
};

#define SLOTS 0x112400u

struct hg_intern_slot {
	_Atomic uint64_t hash;    /* 0: free */
	_Atomic uint32_t defined; /* in which generation */
	_Atomic uint32_t kept;    /* the owner's: 0 at first */
};

int hg_intern_init(struct hg_intern *set)
{
	/* Anonymous memory costs what is touched of it, not its 17 MiB of addresses. */
	void *slots =
	    hg_libc.mmap(NULL, SLOTS * sizeof(struct hg_intern_slot), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (slots == MAP_FAILED)
		return -ENOMEM;
	set->slots = slots;
	set->generation = 1;
	set->overflow = 0;
	return 0;
}

/* Its slot's number in a level, or SLOTS: there is no room. */
static uint32_t find(const struct hg_intern *set, const struct level *level, uint64_t hash)
{
	uint32_t start = (uint32_t)(hash >> 40) & (level->slots - 1) & ~3u;

	for (uint32_t probe = 0; probe < level->probes; probe++) {
		uint32_t at = level->first + ((start + probe) & (level->slots - 1));
		struct hg_intern_slot *slot = &set->slots[at];
		uint64_t found = atomic_load_explicit(&slot->hash, memory_order_relaxed);

		if (!found && atomic_compare_exchange_strong(&slot->hash, &found, hash))
			found = hash;
		if (found == hash)
			return at;
	}
	return SLOTS;
}

uint32_t hg_intern_id(struct hg_intern *set, uint64_t hash, bool *fresh)
{
	uint32_t at = SLOTS;

	hash += !hash;
	for (size_t i = 0; at == SLOTS && i < HG_COUNT(levels); i++)
		at = find(set, &levels[i], hash);
	if (HG_LIKELY(at != SLOTS)) {
		*fresh = atomic_load_explicit(&set->slots[at].defined, memory_order_acquire) !=
			 __atomic_load_n(&set->generation, __ATOMIC_RELAXED);
		return at + 1;
	}
	/* Full hereabouts: an id of its own for each use is larger in the trace, not wrong. */
	*fresh = true;
	return SLOTS + 1 + __atomic_fetch_add(&set->overflow, 1, __ATOMIC_RELAXED);
}

void hg_intern_defined(struct hg_intern *set, uint32_t id)
{
	if (id <= SLOTS)
		atomic_store_explicit(&set->slots[id - 1].defined,
				      __atomic_load_n(&set->generation, __ATOMIC_RELAXED),
				      memory_order_release);
}

void hg_intern_forget(struct hg_intern *set)
{
	__atomic_fetch_add(&set->generation, 1, __ATOMIC_RELAXED);
}

bool hg_intern_is_defined(const struct hg_intern *set, uint32_t id)
{
	return atomic_load_explicit(&set->slots[id - 1].defined, memory_order_acquire) ==
	       __atomic_load_n(&set->generation, __ATOMIC_RELAXED);
}

_Atomic uint32_t *hg_intern_kept(struct hg_intern *set, uint32_t id)
{
	return id && id <= SLOTS ? &set->slots[id - 1].kept : NULL;
}

void hg_intern_reset(struct hg_intern *set)
{
	if (set->slots)
		madvise(set->slots, SLOTS * sizeof(struct hg_intern_slot), MADV_DONTNEED);
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
