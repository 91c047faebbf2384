/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash-consing without locks. Only the 64-bit hash is kept: with a million contents the chance
 * that any two of them collide is about 3e-8.
 *
 * An id is the slot's number plus one, so two threads that meet on a new hash agree on it. Both
 * may then define it (the same definition twice, which a reader must tolerate): the alternative
 * is to wait for one another inside malloc().
 */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload.h"

#define SLOTS     (1u << 20)
#define MAX_PROBE 64u

struct hg_intern_slot {
	_Atomic uint64_t hash;    /* 0: free */
	_Atomic uint32_t defined; /* in which generation */
	_Atomic uint32_t kept;    /* the owner's: 0 at first */
};

int hg_intern_init(struct hg_intern *set)
{
	/* Anonymous memory costs what is touched of it, not its 16 MiB of addresses. */
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

uint32_t hg_intern_id(struct hg_intern *set, uint64_t hash, bool *fresh)
{
	uint32_t at;

	hash += !hash;
	at = (uint32_t)(hash >> 40) & (SLOTS - 1);
	for (unsigned probe = 0; probe < MAX_PROBE; probe++, at = (at + 1) & (SLOTS - 1)) {
		struct hg_intern_slot *slot = &set->slots[at];
		uint64_t found = atomic_load_explicit(&slot->hash, memory_order_relaxed);

		if (!found && atomic_compare_exchange_strong(&slot->hash, &found, hash))
			found = hash;
		if (found == hash) {
			*fresh = atomic_load_explicit(&slot->defined, memory_order_acquire) !=
				 __atomic_load_n(&set->generation, __ATOMIC_RELAXED);
			return at + 1;
		}
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
