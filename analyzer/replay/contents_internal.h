/* SPDX-License-Identifier: Apache-2.0 */
/* The files that make up contents.h share this. */
#ifndef HIPGRAIN_CONTENTS_INTERNAL_H
#define HIPGRAIN_CONTENTS_INTERNAL_H

#include "contents.h"

#define WORD 8u

static inline struct content_word *content_word_at(const struct contents *contents, unsigned index)
{
	return &g_array_index(contents->words, struct content_word, index);
}

static inline struct content_range *content_range_at(const GArray *ranges, unsigned index)
{
	return &g_array_index(ranges, struct content_range, index);
}

/* Returns where size bytes end, not beyond the last address. */
static inline uint64_t content_end(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

/* Returns the index of the first word at or after an address. */
unsigned content_first_word(const struct contents *contents, uint64_t address);
/* Returns the index of the first range that ends after an address. */
unsigned content_first_range(const GArray *ranges, uint64_t address);
/* Remove [start, end) from the ranges. */
void content_cut(GArray *ranges, uint64_t start, uint64_t end);
/* All that is known of [start, start + size) from now on: pairs of offset and address. */
void contents_learn(struct contents *contents, uint64_t start, uint64_t size, const uint64_t *pairs,
		    uint64_t count, struct content_stamp stamp);

/* A fill wrote [start, end): the dwords from `start` on are the pattern. */
void contents_fill(struct contents *contents, uint64_t start, uint64_t end, uint32_t pattern,
		   struct content_stamp stamp);

/* Returns true if the word at an address is known to be one of these values, and nothing else. */
bool content_is_just(const struct contents *contents, uint64_t address,
		     const struct content_values *values);
/* Takes the word at an address to be one of these values. Returns false if it can't be kept. */
bool content_set(struct contents *contents, uint64_t address, const struct content_values *values,
		 int64_t ns);

/* Work begins: if it may not wait for what replaced words, nothing is known of these any more. */
void contents_begun(struct contents *contents, uint64_t stream, int32_t device, int32_t tid,
		    bool loose);

/* Unfinished work may store anywhere. */
bool contents_doubt_pending(const struct contents *contents);
/* Returns the first byte at or after `from` that unfinished work writes, or `end`; *past is where
 * that ends. */
uint64_t contents_next_pending(const struct contents *contents, uint64_t from, uint64_t end,
			       uint64_t *past);

#endif
