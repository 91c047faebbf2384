/* SPDX-License-Identifier: Apache-2.0 */
/* This gives numbers to contents that are recorded once: a hash-consing without locks. */
#ifndef HIPGRAIN_PRELOAD_CORE_ID_TABLE_H
#define HIPGRAIN_PRELOAD_CORE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is a set of 64-bit content hashes with ids from 1. It is lock-free, and takes memory by the
 * page as it fills. */
#define HG_ID_TABLE_LEVELS 4u
struct hg_id_table {
	struct hg_id_table_slot *levels[HG_ID_TABLE_LEVELS]; /* atomic; NULL: not needed yet */
	uint32_t overflow;   /* ids handed out beyond the slots, atomically */
	uint32_t generation; /* of definitions; atomic */
};

int hg_id_table_init(struct hg_id_table *set);
/* Returns the id of a hash. If *fresh becomes true it is not defined yet: define it, then call
 * hg_id_table_defined(). */
uint32_t hg_id_table_id(struct hg_id_table *set, uint64_t hash, bool *fresh);
void hg_id_table_defined(struct hg_id_table *set, uint32_t id);
void hg_id_table_reset(struct hg_id_table *set);  /* in a forked child: nothing is defined there */
void hg_id_table_forget(struct hg_id_table *set); /* all must be defined again; ids stay */
bool hg_id_table_is_defined(const struct hg_id_table *set, uint32_t id); /* of an id with a word */
/* Returns a word of the owner's at an id, which is 0 at first, or NULL if this id has none. */
_Atomic uint32_t *hg_id_table_kept(struct hg_id_table *set, uint32_t id);
uint64_t hg_hash(uint64_t seed, const void *data, size_t size);

/* Multiplies and folds to 64 bits, which spreads well enough over all bits for the table. */
static inline uint64_t hg_mix(uint64_t hash, uint64_t word)
{
	unsigned __int128 product =
	    (unsigned __int128)(hash ^ word ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (hash << 23 | hash >> 41);
}

/*
 * Returns what a word at its place adds to a sum that is the hash of a sequence, so that no term
 * waits for another. The factor is another at each place, and so is what is added to the word,
 * which gives each product 128 bits: of small words, as addresses of a program that is not
 * relocatable are, and of words that differ in little, as return addresses in one function do,
 * terms would else cancel each other.
 */
static inline uint64_t hg_term(uint32_t place, uint64_t word)
{
	uint64_t factor = 0xd6e8feb86659fd93u + place * 0x3c6ef372fe94f82au;
	unsigned __int128 product = (unsigned __int128)(word + factor) * factor;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
