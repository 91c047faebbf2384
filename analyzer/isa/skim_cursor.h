/* SPDX-License-Identifier: Apache-2.0 */
/* Reading DWARF's numbers, shared by skim_*.c. */
#ifndef HIPGRAIN_ISA_SKIM_CURSOR_H
#define HIPGRAIN_ISA_SKIM_CURSOR_H

#include <string.h>

#include "skim.h"

struct cursor {
	const uint8_t *at, *end;
	bool bad; /* more was read than there is; everything read since is 0 */
};

static inline uint64_t take(struct cursor *cursor, unsigned bytes)
{
	uint64_t value = 0;

	if ((size_t)(cursor->end - cursor->at) < bytes) {
		cursor->bad = true;
		cursor->at = cursor->end;
		return 0;
	}
	memcpy(&value, cursor->at, bytes);
	cursor->at += bytes;
	return value;
}

static inline void skip(struct cursor *cursor, uint64_t bytes)
{
	if ((uint64_t)(cursor->end - cursor->at) < bytes) {
		cursor->bad = true;
		bytes = (uint64_t)(cursor->end - cursor->at);
	}
	cursor->at += bytes;
}

/* LEB128 [DWARF 5, 7.6]; bits beyond 64 are dropped. */
static inline uint64_t take_unsigned(struct cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte = 0x80;

	while (byte & 0x80 && cursor->at < cursor->end) {
		byte = *cursor->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	}
	cursor->bad |= byte & 0x80;
	return value;
}

static inline int64_t take_signed(struct cursor *cursor)
{
	const uint8_t *start = cursor->at;
	uint64_t value = take_unsigned(cursor);
	size_t bits = (size_t)(cursor->at - start) * 7;

	if (bits && bits < 64 && cursor->at[-1] & 0x40)
		value |= ~UINT64_C(0) << bits;
	return (int64_t)value;
}

/* Returns a string in place; NULL if it does not end. */
static inline const char *take_string(struct cursor *cursor)
{
	const uint8_t *start = cursor->at;
	const uint8_t *end = memchr(start, 0, (size_t)(cursor->end - start));

	if (!end) {
		cursor->bad = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at = end + 1;
	return (const char *)start;
}

/* Begin to read a section at an offset. */
static inline struct cursor cursor_at(const struct skim_section *section, uint64_t offset)
{
	bool inside = section->data && offset < section->size;

	return (struct cursor){ inside ? section->data + offset : NULL,
				inside ? section->data + section->size : NULL, !inside };
}

#endif
