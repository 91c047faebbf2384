/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodings [LUG, "Instructions" of GFX9, GFX90a, GFX940, GFX10, GFX11, GFX12; the numbers as their
 * assembler encodes them]. A row that is too wide costs time only; one that is too narrow would
 * lose an atomic: a test decodes every opcode.
 */
#include "filter.h"

#include <pthread.h>
#include <string.h>

/* In encoding `major` (the word's upper six bits), the field of `width` bits at `shift`. */
static const struct row {
	uint8_t generation, major, shift, width;
	uint16_t from, to; /* interesting ones */
} rows[] = {
	{ ARCH_GFX9, 0x37, 18, 7, 64, 127 },  /* FLAT, GLOBAL: from swap on */
	{ ARCH_GFX9, 0x38, 18, 7, 64, 127 },  /* MUBUF: the same */
	{ ARCH_GFX9, 0x3c, 18, 7, 16, 31 },   /* MIMG: image_atomic_* */
	{ ARCH_GFX9, 0x30, 18, 8, 64, 255 },  /* SMEM: s_buffer_atomic_*, s_atomic_* */
	{ ARCH_GFX9, 0x36, 17, 8, 0, 12 },    /* DS: up to max_u32 */
	{ ARCH_GFX9, 0x36, 17, 8, 16, 19 },   /* DS: cmpst, min, max; ahead of nop */
	{ ARCH_GFX9, 0x36, 17, 8, 21, 29 },   /* DS: f32, packed; ahead of write_b8 */
	{ ARCH_GFX9, 0x36, 17, 8, 32, 53 },   /* DS: the same, returning; ahead of read_b32 */
	{ ARCH_GFX9, 0x36, 17, 8, 64, 76 },   /* DS: 64 bits; ahead of write_b64 */
	{ ARCH_GFX9, 0x36, 17, 8, 80, 83 },   /* DS: 64 bits, compare, f64; ahead of write_b8_d16_hi
					       */
	{ ARCH_GFX9, 0x36, 17, 8, 92, 117 },  /* DS: 64 bits, returning; ahead of read_b64 */
	{ ARCH_GFX9, 0x36, 17, 8, 121, 221 }, /* DS: append, consume, counters, src2; ahead of
						 write_b96 */
	{ ARCH_GFX9, 0x36, 17, 8, 224, 253 }, /* DS: ahead of read_b96 */

	{ ARCH_GFX10, 0x37, 18, 7, 38, 127 },  /* FLAT: behind loads of 16 bits */
	{ ARCH_GFX10, 0x38, 18, 7, 40, 112 },  /* MUBUF: the same, ahead of gl0_inv */
	{ ARCH_GFX10, 0x38, 18, 7, 115, 127 }, /* MUBUF: behind gl1_inv */
	{ ARCH_GFX10, 0x3c, 18, 7, 0, 127 },   /* MIMG */
	{ ARCH_GFX10, 0x3d, 18, 8, 64, 255 },  /* SMEM */

	{ ARCH_GFX11, 0x37, 18, 7, 42, 127 },
	{ ARCH_GFX11, 0x38, 18, 8, 51, 255 },
	{ ARCH_GFX11, 0x3c, 18, 7, 0, 127 },
	{ ARCH_GFX11, 0x3d, 18, 8, 64, 255 },

	{ ARCH_GFX12, 0x3b, 14, 8, 51, 78 }, /* VFLAT, VSCRATCH, VGLOBAL: ahead of wbinv */
	{ ARCH_GFX12, 0x3b, 14, 8, 80, 86 }, /* ahead of load_tr */
	{ ARCH_GFX12, 0x3b, 14, 8, 89, 255 },
	{ ARCH_GFX12, 0x31, 14, 8, 51, 255 }, /* VBUFFER */
	{ ARCH_GFX12, 0x34, 14, 8, 0, 255 },  /* VIMAGE */

	/* The same, with more loads between: all of them count. */
	{ ARCH_GFX12_5, 0x3b, 14, 8, 51, 78 },
	{ ARCH_GFX12_5, 0x3b, 14, 8, 80, 255 },
	{ ARCH_GFX12_5, 0x31, 14, 8, 51, 255 },
	{ ARCH_GFX12_5, 0x34, 14, 8, 0, 255 },
};

/* DS of gfx10 and later, eight bits from bit 18 on. */
static const struct {
	uint8_t from, to;
} later_ds[] = {
	{ 0, 12 },   { 16, 19 },   { 21, 29 },   { 32, 53 },   { 64, 76 },   { 80, 85 },
	{ 92, 117 }, { 121, 159 }, { 168, 175 }, { 180, 221 }, { 224, 253 },
};

/* Scalar instructions after which control is elsewhere: the upper nine bits. */
static const struct {
	uint8_t generation;
	uint8_t from, to; /* SOP1: s_setpc, s_swappc, s_rfe; s_add_pc */
	uint16_t call;    /* SOPK: s_call */
} scalars[] = {
	{ ARCH_GFX9, 0x1d, 0x1f, 0x175 },    { ARCH_GFX10, 0x20, 0x22, 0x176 },
	{ ARCH_GFX11, 0x48, 0x4a, 0x174 },   { ARCH_GFX12, 0x48, 0x4a, 0x174 },
	{ ARCH_GFX12_5, 0x48, 0x4b, 0x174 },
};

/* By major encoding: where its opcode is, and which opcodes are interesting. */
static struct major {
	uint8_t shift, mask;
	uint64_t bits[4];
} majors[ARCH_GENERATIONS][64];

static void fill(const struct row *row)
{
	struct major *major = &majors[row->generation][row->major];

	major->shift = row->shift;
	major->mask = (uint8_t)((1u << row->width) - 1);
	for (unsigned op = row->from; op <= row->to; op++)
		major->bits[op / 64] |= UINT64_C(1) << op % 64;
}

static void fill_majors(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fill(&rows[i]);
	for (uint8_t g = ARCH_GFX10; g < ARCH_GENERATIONS; g++)
		for (size_t i = 0; i < sizeof(later_ds) / sizeof(later_ds[0]); i++)
			fill(&(struct row){ g, 0x36, 18, 8, later_ds[i].from, later_ds[i].to });
}

static bool scalar_interesting(enum arch_generation generation, uint32_t word)
{
	uint32_t op = word >> 23, unary = word >> 8 & 0xff;

	if (op == 0x17d)
		return unary >= scalars[generation].from && unary <= scalars[generation].to;
	/* s_cbranch_g_fork, s_cbranch_i_fork */
	if (generation == ARCH_GFX9 && (op == 0x129 || op == 0x170))
		return true;
	return op == scalars[generation].call;
}

static bool interesting(enum arch_generation generation, uint32_t word)
{
	const struct major *major = &majors[generation][word >> 26];
	uint32_t op;

	/* Vector ALU, most of all code. */
	if (!(word >> 31))
		return false;
	if (word >> 30 == 2)
		return scalar_interesting(generation, word);
	op = word >> major->shift & major->mask;
	return major->bits[op / 64] >> op % 64 & 1;
}

/* Tells if a literal follows this source, or SDWA or DPP controls in vector instructions. */
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

/* Tells if a literal follows this source of gfx10, or SDWA or DPP in vector instructions. */
static bool extended10(uint32_t source)
{
	return source == 0xff || source == 0xf9 || source == 0xfa || source == 0xe9 ||
	       source == 0xea;
}

size_t filter_length10(uint32_t word, uint32_t next)
{
	uint32_t op;

	if (!(word >> 31)) { /* VOP1, VOP2, VOPC */
		op = word >> 25 & 0x3f;
		if (op == 0x20 || op == 0x21 || op == 0x2c || op == 0x2d || op == 0x37 ||
		    op == 0x38)
			return 8; /* v_madmk, v_madak, v_fmamk, v_fmaak: always with a literal */
		return extended10(word & 0x1ff) ? 8 : 4;
	}
	if (word >> 30 == 2 && word >> 28 == 0xb && word >> 23 < 0x17d) /* SOPK */
		return (word >> 23 & 0x1f) == 21 ? 8 : 4;               /* s_setreg_imm32 */
	if (word >> 30 == 2)
		return filter_length(word);
	switch (word >> 26) {
	case 0x33: /* VOP3P */
	case 0x35: /* VOP3 */
		return (next & 0x1ff) == 0xff || (next >> 9 & 0x1ff) == 0xff ||
			       (next >> 18 & 0x1ff) == 0xff
			   ? 12
			   : 8;
	case 0x36: /* DS */
	case 0x37: /* FLAT */
	case 0x38: /* MUBUF */
	case 0x3a: /* MTBUF */
	case 0x3d: /* SMEM */
	case 0x3e: /* EXP */
		return 8;
	case 0x3c: /* MIMG, with further addresses */
		return 8 + 4 * (word >> 1 & 3);
	case 0x32: /* VINTRP */
		return 4;
	default:
		return 0;
	}
}

bool filter_interesting(enum arch_generation generation, const uint8_t *code, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t at = 0;

	pthread_once(&once, fill_majors);
	while (at + 4 <= size) {
		uint32_t word, next = 0;
		size_t length = 4;

		memcpy(&word, code + at, sizeof(word));
		if (size - at >= 8)
			memcpy(&next, code + at + 4, sizeof(next));
		if (generation == ARCH_GFX9)
			length = filter_length(word);
		else if (generation == ARCH_GFX10)
			length = filter_length10(word, next);
		if (!length || interesting(generation, word))
			return true;
		at += length;
	}
	return false;
}
