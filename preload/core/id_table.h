/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for contents that are recorded once: a hash-consing without locks. */
#ifndef HIPGRAIN_PRELOAD_CORE_ID_TABLE_H
#define HIPGRAIN_PRELOAD_CORE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of 64-bit content hashes with ids from 1; lock-free, memory by the page as it fills. */
#define HG_ID_TABLE_LEVELS 4u
struct hg_id_table {
	struct hg_id_table_slot *levels[HG_ID_TABLE_LEVELS]; /* atomic; NULL: not needed yet */
	uint32_t overflow;   /* ids handed out beyond the slots, atomically */
	uint32_t generation; /* of definitions; atomic */
};

int hg_id_table_init(struct hg_id_table *set);
/* The id of a hash. *fresh: it is not defined yet; define it, then hg_id_table_defined(). */
uint32_t hg_id_table_id(struct hg_id_table *set, uint64_t hash, bool *fresh);
void hg_id_table_defined(struct hg_id_table *set, uint32_t id);
void hg_id_table_reset(struct hg_id_table *set);  /* in a forked child: nothing is defined there */
void hg_id_table_forget(struct hg_id_table *set); /* all must be defined again; ids stay */
bool hg_id_table_is_defined(const struct hg_id_table *set, uint32_t id); /* of an id with a word */
/* A word of the owner's at an id, 0 at first; NULL: this id has none. */
_Atomic uint32_t *hg_id_table_kept(struct hg_id_table *set, uint32_t id);
uint64_t hg_hash(uint64_t seed, const void *data, size_t size);

/* Multiply and fold to 64 bits; good enough spread over all bits for the table. */
static inline uint64_t hg_mix(uint64_t hash, uint64_t word)
{
	unsigned __int128 product =
	    (unsigned __int128)(hash ^ word ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (hash << 23 | hash >> 41);
}

/*
 * Of a sum that is the hash of a sequence: a word by its place. None waits for another. The factor
 * is another at each place, and so is what is added to the word, which gives each product 128 bits:
 * of small words, as addresses of a program that is not relocatable are, and of words that differ
 * in little, as return addresses in one function do, terms would else cancel each other.
 */
static inline uint64_t hg_term(uint32_t place, uint64_t word)
{
	uint64_t factor = 0xd6e8feb86659fd93u + place * 0x3c6ef372fe94f82au;
	unsigned __int128 product = (unsigned __int128)(word + factor) * factor;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
