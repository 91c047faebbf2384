/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash for what transfers carry: four lanes of multiply and fold, 32 bytes a step, so that it
 * costs less than reading the memory does. And how much of it is worth it.
 */
#include <string.h>

#include "preload/core/id_table.h"
#include "preload/ompt/ompt.h"

#define LANES 4

static inline uint64_t fold(uint64_t hash, uint64_t word, uint64_t key)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ word) * key;

	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ word;
}

uint64_t hg_ompt_hash(const void *data, size_t size)
{
	static const uint64_t keys[LANES] = { 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u,
					      0xc2b2ae3d27d4eb4fu, 0xa0761d6478bd642fu };
	uint64_t lanes[LANES] = { keys[1], keys[2], keys[3], keys[0] }, words[LANES], hash;
	const uint8_t *at = data, *end = at + size;

	for (; end - at >= (ptrdiff_t)sizeof(words); at += sizeof(words)) {
		memcpy(words, at, sizeof(words));
		for (unsigned lane = 0; lane < LANES; lane++)
			lanes[lane] = fold(lanes[lane], words[lane], keys[lane]);
	}
	memset(words, 0, sizeof(words));
	memcpy(words, at, (size_t)(end - at));
	hash = size;
	for (unsigned lane = 0; lane < LANES; lane++)
		hash = hg_mix(hash, fold(lanes[lane], words[lane], keys[lane]));
	return hash ? hash : 1;
}

/* ---- the share of the time ---- */

#define FREE_BYTES ((uint64_t)64 << 20)
#define SHARE      32u

bool hg_ompt_may_read(struct hg_ompt_reading *reading, size_t size, uint64_t age)
{
	uint64_t spent = __atomic_load_n(&reading->ns, __ATOMIC_RELAXED);

	if (__atomic_load_n(&reading->bytes, __ATOMIC_RELAXED) + size <= FREE_BYTES)
		return true;
	if (spent > age / SHARE)
		__atomic_store_n(&reading->resting, true, __ATOMIC_RELAXED);
	else if (spent <= age / SHARE / 2)
		__atomic_store_n(&reading->resting, false, __ATOMIC_RELAXED);
	return !__atomic_load_n(&reading->resting, __ATOMIC_RELAXED);
}

void hg_ompt_has_read(struct hg_ompt_reading *reading, size_t size, uint64_t ns)
{
	__atomic_fetch_add(&reading->bytes, size, __ATOMIC_RELAXED);
	__atomic_fetch_add(&reading->ns, ns, __ATOMIC_RELAXED);
}
