/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodings of gfx9 [LUG, "Instructions" of GFX9, GFX90a, GFX940; the numbers as their assembler
 * encodes them]. A row that is too wide costs time only; one that is too narrow would lose an
 * atomic.
 */
#include "filter.h"

#include <pthread.h>
#include <string.h>

/* In encoding `major` (the word's upper six bits), the field of `width` bits at `shift`. */
static const struct row {
	uint8_t major, shift, width;
	uint16_t from, to; /* interesting ones */
} rows[] = {
	{ 0x37, 18, 7, 64, 127 },  /* FLAT, GLOBAL: from swap on */
	{ 0x38, 18, 7, 64, 127 },  /* MUBUF: the same */
	{ 0x3c, 18, 7, 16, 31 },   /* MIMG: image_atomic_* */
	{ 0x30, 18, 8, 64, 255 },  /* SMEM: s_buffer_atomic_*, s_atomic_* */
	{ 0x36, 17, 8, 0, 12 },    /* DS: up to max_u32 */
	{ 0x36, 17, 8, 16, 19 },   /* DS: cmpst, min, max; ahead of nop */
	{ 0x36, 17, 8, 21, 29 },   /* DS: f32, packed; ahead of write_b8 */
	{ 0x36, 17, 8, 32, 53 },   /* DS: the same, returning; ahead of read_b32 */
	{ 0x36, 17, 8, 64, 76 },   /* DS: 64 bits; ahead of write_b64 */
	{ 0x36, 17, 8, 80, 83 },   /* DS: 64 bits, compare, f64; ahead of write_b8_d16_hi */
	{ 0x36, 17, 8, 92, 117 },  /* DS: 64 bits, returning; ahead of read_b64 */
	{ 0x36, 17, 8, 121, 221 }, /* DS: append, consume, counters, src2; ahead of write_b96 */
	{ 0x36, 17, 8, 224, 253 }, /* DS: ahead of read_b96 */
};

/* By major encoding: where its opcode is, and which opcodes are interesting. */
static struct major {
	uint8_t shift, mask;
	uint64_t bits[4];
} majors[64];

static void fill_majors(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct major *major = &majors[row->major];

		major->shift = row->shift;
		major->mask = (uint8_t)((1u << row->width) - 1);
		for (unsigned op = row->from; op <= row->to; op++)
			major->bits[op / 64] |= UINT64_C(1) << op % 64;
	}
}

/* Scalar instructions after which control is elsewhere. */
static bool scalar_interesting(uint32_t word)
{
	uint32_t op = word >> 23;

	switch (op) {
	case 0x17d: /* SOP1: s_setpc, s_swappc, s_rfe */
		return (word >> 8 & 0xff) - 0x1d <= 0x1f - 0x1d;
	case 0x129: /* SOP2: s_cbranch_g_fork */
	case 0x170: /* SOPK: s_cbranch_i_fork */
	case 0x175: /* SOPK: s_call */
		return true;
	default:
		return false;
	}
}

static bool interesting(uint32_t word)
{
	const struct major *major = &majors[word >> 26];
	uint32_t op;

	/* Vector ALU, most of all code. */
	if (!(word >> 31))
		return false;
	if (word >> 30 == 2)
		return scalar_interesting(word);
	op = word >> major->shift & major->mask;
	return major->bits[op / 64] >> op % 64 & 1;
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
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t at = 0;

	pthread_once(&once, fill_majors);
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
