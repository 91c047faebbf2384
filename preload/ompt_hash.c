/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash for what transfers carry: four lanes of multiply and fold, 32 bytes a step, so that it
 * costs less than reading the memory does.
 */
#include <string.h>

#include "ompt.h"

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
