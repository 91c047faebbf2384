/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodings of gfx9 [LUG, "Instructions" of GFX9, GFX90a, GFX940; the numbers as their assembler
 * encodes them]. A row that is too wide costs time only; one that is too narrow would lose an
 * atomic.
 */
#include "filter.h"

#include <string.h>

/* word & mask == value, and the field of `width` bits at `shift` is at least `from`, at most `to`.
 */
static const struct row {
	uint32_t mask, value;
	uint8_t shift, width;
	uint16_t from, to;
} rows[] = {
	{ 0xfc000000, 0xdc000000, 18, 7, 64, 127 },  /* FLAT, GLOBAL: from swap on */
	{ 0xfc000000, 0xe0000000, 18, 7, 64, 127 },  /* MUBUF: the same */
	{ 0xfc000000, 0xf0000000, 18, 7, 16, 31 },   /* MIMG: image_atomic_* */
	{ 0xfc000000, 0xc0000000, 18, 8, 64, 255 },  /* SMEM: s_buffer_atomic_*, s_atomic_* */
	{ 0xfc000000, 0xd8000000, 17, 8, 0, 12 },    /* DS: up to max_u32, cmpst, min, max */
	{ 0xfc000000, 0xd8000000, 17, 8, 16, 29 },   /* DS: cmpst, f32, packed; ahead of write_b8 */
	{ 0xfc000000, 0xd8000000, 17, 8, 32, 53 },   /* DS: the same, returning */
	{ 0xfc000000, 0xd8000000, 17, 8, 64, 76 },   /* DS: 64 bits */
	{ 0xfc000000, 0xd8000000, 17, 8, 80, 83 },   /* DS: 64 bits, compare, f64 */
	{ 0xfc000000, 0xd8000000, 17, 8, 85, 117 },  /* DS: 64 bits, returning */
	{ 0xfc000000, 0xd8000000, 17, 8, 120, 181 }, /* DS: append, consume, counters, src2 */
	{ 0xfc000000, 0xd8000000, 17, 8, 183, 221 }, /* DS: whatever else is no plain access */
	{ 0xff800000, 0xbe800000, 8, 8, 0x1d, 0x1f }, /* SOP1: s_setpc, s_swappc, s_rfe */
	{ 0xf0000000, 0xb0000000, 23, 5, 16, 16 },    /* SOPK: s_cbranch_i_fork */
	{ 0xf0000000, 0xb0000000, 23, 5, 21, 21 },    /* SOPK: s_call */
	{ 0xff800000, 0x94800000, 0, 0, 0, 0 },       /* SOP2: s_cbranch_g_fork */
};

static bool interesting(uint32_t word)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		uint32_t field = word >> row->shift & ((1u << row->width) - 1);

		if ((word & row->mask) == row->value && field >= row->from && field <= row->to)
			return true;
	}
	return false;
}

bool filter_interesting(const uint8_t *code, size_t size)
{
	/* By the upper byte: most words need no look at the rows. */
	static const uint8_t upper[256 / 8] = {
		[0x94 / 8] = 1u << (0x94 % 8),
		[0xb0 / 8] = 0xff,
		[0xb8 / 8] = 0xff, /* SOPK, SOP1 */
		[0xc0 / 8] = 0x0f,
		[0xd8 / 8] = 0xff,
		[0xe0 / 8] = 0x0f,
		[0xf0 / 8] = 0x0f,
	};

	for (size_t at = 0; at + 4 <= size; at += 4) {
		uint32_t word;

		memcpy(&word, code + at, sizeof(word));
		if (upper[word >> 27] >> (word >> 24 & 7) & 1 && interesting(word))
			return true;
	}
	return false;
}
