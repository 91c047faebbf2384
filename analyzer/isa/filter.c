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
	/* Vector ALU, most of all code. */
	if (!(word >> 31) || word >> 26 == 0x34)
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		uint32_t field = word >> row->shift & ((1u << row->width) - 1);

		if ((word & row->mask) == row->value && field >= row->from && field <= row->to)
			return true;
	}
	return false;
}

/* Sources that are followed by a literal; in vector instructions also by SDWA and DPP controls. */
static bool extended(uint32_t source, bool vector)
{
	return source == 0xff || (vector && (source == 0xf9 || source == 0xfa));
}

size_t filter_length(uint32_t word)
{
	uint32_t op;

	if (!(word >> 31)) { /* VOP1, VOP2, VOPC */
		op = word >> 25 & 0x3f;
		if (op == 0x17 || op == 0x18 || op == 0x24 || op == 0x25)
			return 8; /* v_madmk, v_madak: always with a literal */
		return extended(word & 0x1ff, true) ? 8 : 4;
	}
	if (word >> 30 == 2) {
		switch (word >> 23) {
		case 0x17d: /* SOP1 */
			return extended(word & 0xff, false) ? 8 : 4;
		case 0x17f: /* SOPP */
			return 4;
		default:
			break;
		}
		if (word >> 28 == 0xb && word >> 23 != 0x17e)     /* SOPK */
			return (word >> 23 & 0x1f) == 20 ? 8 : 4; /* s_setreg_imm32 */
		return extended(word & 0xff, false) || extended(word >> 8 & 0xff, false) ? 8 : 4;
	}
	switch (word >> 26) {
	case 0x30: /* SMEM */
	case 0x31: /* EXP */
	case 0x34: /* VOP3, VOP3P */
	case 0x36: /* DS */
	case 0x37: /* FLAT */
	case 0x38: /* MUBUF */
	case 0x3a: /* MTBUF */
	case 0x3c: /* MIMG */
		return 8;
	case 0x35: /* VINTRP */
		return 4;
	default:
		return 0;
	}
}

bool filter_interesting(const uint8_t *code, size_t size)
{
	size_t at = 0;

	while (at + 4 <= size) {
		uint32_t word;
		size_t length;

		memcpy(&word, code + at, sizeof(word));
		length = filter_length(word);
		if (!length || interesting(word))
			return true;
		at += length;
	}
	return false;
}
