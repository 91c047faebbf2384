/* SPDX-License-Identifier: Apache-2.0 */
/* Between value.c and value_store.c. */
#ifndef HIPGRAIN_ISA_VALUE_INTERNAL_H
#define HIPGRAIN_ISA_VALUE_INTERNAL_H

#include "value.h"

#define JOIN_CACHE 1024u

static inline uint64_t value_mix(uint64_t hash, uint64_t x)
{
	hash = (hash ^ x) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static inline bool value_same_terms(const struct alt *a, const struct alt *b)
{
	uint32_t i;

	if (a->term_count != b->term_count)
		return false;
	for (i = 0; i < a->term_count; i++)
		if (a->term[i].base != b->term[i].base || a->term[i].sign != b->term[i].sign)
			return false;
	return true;
}

/* Returns the equal value, with copies of alternatives and lanes; bottom without memory. */
value_id value_intern(struct value_store *store, struct value *value);

#endif
