/* SPDX-License-Identifier: Apache-2.0 */
/* Values lie in this store, which has one copy of each. */
#include "value_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More than the most alternatives, or lanes, of one value. */
#define CHUNK_BYTES 16384u
_Static_assert(VALUE_ALTS * sizeof(struct alt) <= CHUNK_BYTES &&
		   (VALUE_LANES + 1) * sizeof(struct lane) <= CHUNK_BYTES,
	       "any value fits");

int value_init(struct value_store *store)
{
	struct alt number = { .flags = ALT_OPAQUE };

	memset(store, 0, sizeof(*store));
	store->table_size = 1024;
	store->room = 512;
	store->table = calloc(store->table_size, sizeof(*store->table));
	store->value = reallocarray(NULL, store->room, sizeof(*store->value));
	store->join_cache = calloc(JOIN_CACHE, sizeof(*store->join_cache));
	store->widen_cache = calloc(JOIN_CACHE, sizeof(*store->widen_cache));
	store->sum_cache = calloc(SUM_CACHE, sizeof(*store->sum_cache));
	if (!store->table || !store->value || !store->join_cache || !store->widen_cache ||
	    !store->sum_cache) {
		value_free(store);
		return -ENOMEM;
	}
	memset(store->value, 0, sizeof(*store->value));
	store->count = 1; /* bottom */
	store->reason[0] = "not followed";
	store->reason_count = 1;
	value_alts(store, &number, 1);
	return store->failed ? -ENOMEM : 0;
}

/* Room that value_free() frees; NULL: out of memory. */
static void *take(struct value_store *store, size_t size)
{
	struct value_chunk *chunk;

	size = (size + 7) / 8 * 8;
	if (size > store->chunk_left) {
		chunk = malloc(sizeof(*chunk) + CHUNK_BYTES);
		if (!chunk)
			return NULL;
		chunk->next = store->chunk;
		store->chunk = chunk;
		store->chunk_left = CHUNK_BYTES;
	}
	store->chunk_left -= size;
	return (char *)store->chunk->bytes + store->chunk_left;
}

void value_free(struct value_store *store)
{
	size_t i;

	while (store->chunk) {
		struct value_chunk *next = store->chunk->next;

		free(store->chunk);
		store->chunk = next;
	}
	for (i = 0; i < store->reason_count; i++)
		free(store->owned[i]);
	free(store->value);
	free(store->table);
	free(store->join_cache);
	free(store->widen_cache);
	free(store->sum_cache);
	free(store->mixed);
	memset(store, 0, sizeof(*store));
}

uint16_t value_reason(struct value_store *store, const char *text)
{
	unsigned i;

	for (i = 0; i < store->reason_count; i++)
		if (!strcmp(store->reason[i], text))
			return (uint16_t)i;
	if (store->reason_count == 256)
		return 0;
	store->owned[i] = strdup(text);
	if (!store->owned[i])
		return 0;
	store->reason[i] = store->owned[i];
	store->reason_count++;
	return (uint16_t)i;
}

static uint64_t hash_of(const struct value *value)
{
	uint64_t hash = value_mix(17, value->alt_count | (uint64_t)value->lane_count << 32);
	uint32_t i, k;

	for (i = 0; i < value->alt_count; i++) {
		const struct alt *alt = &value->alt[i];

		hash = value_mix(hash, alt->flags | (uint64_t)alt->term_count << 8 |
					   (uint64_t)alt->why << 16 |
					   (uint64_t)(uint32_t)alt->constant << 32);
		hash = value_mix(hash, alt->stride | (uint64_t)alt->bound << 32);
		for (k = 0; k < alt->term_count; k++)
			hash = value_mix(hash, alt->term[k].base |
						   (uint64_t)(uint32_t)alt->term[k].sign << 32);
	}
	for (i = 0; i < value->lane_count; i++)
		hash = value_mix(hash, value->lane[i].lane | (uint64_t)value->lane[i].value << 32);
	return value_mix(hash, value->rest);
}

static bool equal(const struct value *a, const struct value *b)
{
	uint32_t i;

	if (a->hash != b->hash || a->alt_count != b->alt_count || a->lane_count != b->lane_count ||
	    a->rest != b->rest)
		return false;
	for (i = 0; i < a->alt_count; i++) {
		const struct alt *x = &a->alt[i], *y = &b->alt[i];

		if (x->flags != y->flags || x->why != y->why || x->constant != y->constant ||
		    x->stride != y->stride || x->bound != y->bound || !value_same_terms(x, y))
			return false;
	}
	return !a->lane_count || !memcmp(a->lane, b->lane, a->lane_count * sizeof(*a->lane));
}

static int rehash(struct value_store *store)
{
	size_t size = store->table_size * 2, i, slot;
	value_id *table = calloc(size, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (i = 1; i < store->count; i++) {
		slot = (size_t)store->value[i].hash & (size - 1);
		while (table[slot])
			slot = (slot + 1) & (size - 1);
		table[slot] = (value_id)i;
	}
	free(store->table);
	store->table = table;
	store->table_size = size;
	return 0;
}

static uint32_t sole_base(const struct value *value)
{
	const struct alt *alt = value->alt;

	return value->alt_count == 1 && alt->term_count == 1 && !alt->flags && !alt->constant &&
		       alt->term[0].sign == SIGN_WHOLE
		   ? alt->term[0].base
		   : 0;
}

value_id value_intern(struct value_store *store, struct value *value)
{
	struct value copy = *value;
	size_t slot;

	copy.hash = hash_of(value);
	if (store->failed)
		return VALUE_BOTTOM;
	for (slot = (size_t)copy.hash & (store->table_size - 1); store->table[slot];
	     slot = (slot + 1) & (store->table_size - 1))
		if (equal(&store->value[store->table[slot]], &copy))
			return store->table[slot];
	if (store->count == store->room) {
		struct value *grown = reallocarray(store->value, store->room * 2, sizeof(*grown));

		if (!grown)
			goto fail;
		store->value = grown;
		store->room *= 2;
	}
	copy.alt = NULL;
	copy.lane = NULL;
	if (value->alt_count) {
		copy.alt = take(store, value->alt_count * sizeof(*copy.alt));
		if (!copy.alt)
			goto fail;
		memcpy(copy.alt, value->alt, value->alt_count * sizeof(*copy.alt));
	}
	if (value->lane_count) {
		copy.lane = take(store, value->lane_count * sizeof(*copy.lane));
		if (!copy.lane)
			goto fail;
		memcpy(copy.lane, value->lane, value->lane_count * sizeof(*copy.lane));
	}
	copy.sole = sole_base(&copy);
	store->value[store->count] = copy;
	store->table[slot] = (value_id)store->count++;
	if (store->count * 2 > store->table_size && rehash(store))
		goto fail;
	return (value_id)(store->count - 1);
fail:
	store->failed = true;
	return VALUE_BOTTOM;
}
