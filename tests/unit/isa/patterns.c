/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is decoded by patterns is what the disassembler says of the same bytes: for made-up
 * instructions of every gfx9 and gfx10 encoding, by groups that differ in what is not their opcode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/decode.h"
#include "analyzer/isa/disasm.h"
#include "analyzer/isa/insn.h"
#include "tests/unit/isa/readable.h"

#define OPCODES 400u /* of each encoding, at random */
#define OTHERS  8u   /* instructions with each */

/* The bits that make an encoding, and those of its opcode, in the first word. */
struct encoding {
	uint32_t value, mask, opcode;
	uint64_t zero; /* rarely used bits of the second word, mostly left alone */
};

static const struct encoding gfx9[] = {
	{ 0x7e000000, 0xfe000000, 0x0001fe00, UINT64_MAX << 32 },               /* VOP1 */
	{ 0x7c000000, 0xfe000000, 0x01fe0000, UINT64_MAX << 32 },               /* VOPC */
	{ 0x00000000, 0x80000000, 0x7e000000, UINT64_MAX << 32 },               /* VOP2 */
	{ 0x7e0000f9, 0xfe0001ff, 0x0001fe00, 0x7979ff00ull << 32 },            /* VOP1, SDWA */
	{ 0x000000fa, 0x800001ff, 0x7e000000, 0x00ffff00ull << 32 },            /* VOP2, DPP */
	{ 0xbe800000, 0xff800000, 0x0000ff00, UINT64_MAX << 32 },               /* SOP1 */
	{ 0xbf000000, 0xff800000, 0x007f0000, UINT64_MAX << 32 },               /* SOPC */
	{ 0xbf800000, 0xff800000, 0x007f0000, UINT64_MAX << 32 },               /* SOPP */
	{ 0xb0000000, 0xf0000000, 0x0f800000, UINT64_MAX << 32 },               /* SOPK */
	{ 0x80000000, 0xc0000000, 0x3f800000, UINT64_MAX << 32 },               /* SOP2 */
	{ 0xd0000000, 0xfc000000, 0x03ff0000, 0xf800000000000000ull | 0xff00 }, /* VOP3 */
	{ 0xd3800000, 0xff800000, 0x007f0000, 0x4000 },                         /* VOP3P */
	{ 0xc0020000, 0xfc020000, 0x03fc0000, 0x0001c000ull | 0xffe0000000000000ull }, /* SMEM */
	{ 0xd8000000, 0xfc000000, 0x03fe0000, 0 },                                     /* DS */
	{ 0xdc008000, 0xfc00c000, 0x03fc0000, 0x007f000000000000ull },                 /* GLOBAL */
	{ 0xdc000000, 0xfc00f000, 0x03fc0000, 0x007f000000000000ull },                 /* FLAT */
	{ 0xe0000000, 0xfc000000, 0x03fc0000, 0x00e0000000000000ull | 0xc000 },        /* MUBUF */
};

static const struct encoding gfx10[] = {
	{ 0x7e000000, 0xfe000000, 0x0001fe00, UINT64_MAX << 32 },               /* VOP1 */
	{ 0x7c000000, 0xfe000000, 0x01fe0000, UINT64_MAX << 32 },               /* VOPC */
	{ 0x00000000, 0x80000000, 0x7e000000, UINT64_MAX << 32 },               /* VOP2 */
	{ 0x7e0000f9, 0xfe0001ff, 0x0001fe00, 0x7979ff00ull << 32 },            /* VOP1, SDWA */
	{ 0x000000fa, 0x800001ff, 0x7e000000, 0x00ffff00ull << 32 },            /* VOP2, DPP */
	{ 0x000000e9, 0x800001ff, 0x7e000000, 0 },                              /* VOP2, DPP8 */
	{ 0xbe800000, 0xff800000, 0x0000ff00, UINT64_MAX << 32 },               /* SOP1 */
	{ 0xbf000000, 0xff800000, 0x007f0000, UINT64_MAX << 32 },               /* SOPC */
	{ 0xbf800000, 0xff800000, 0x007f0000, UINT64_MAX << 32 },               /* SOPP */
	{ 0xb0000000, 0xf0000000, 0x0f800000, UINT64_MAX << 32 },               /* SOPK */
	{ 0x80000000, 0xc0000000, 0x3f800000, UINT64_MAX << 32 },               /* SOP2 */
	{ 0xd4000000, 0xfc000000, 0x03ff0000, 0xf800000000000000ull | 0xff00 }, /* VOP3 */
	{ 0xcc000000, 0xfc000000, 0x007f0000, 0x03804000 },                     /* VOP3P */
	{ 0xf4000000, 0xfc000000, 0x03fc0000, 0x0001c000ull | 0x01e0000000000000ull }, /* SMEM */
	{ 0xd8000000, 0xfc000000, 0x03fc0000, 0 },                                     /* DS */
	{ 0xdc008000, 0xfc00c000, 0x03fc0000, 0x007f000000000000ull },                 /* GLOBAL */
	{ 0xdc000000, 0xfc00f000, 0x03fc0000, 0x007f000000000000ull },                 /* FLAT */
	{ 0xe0000000, 0xfc000000, 0x03fc0000, 0x00e0000000000000ull | 0xc000 },        /* MUBUF */
};

struct processor {
	const char *name;
	unsigned lanes;
};

/* The same numbers on every machine [Knuth, MMIX]. */
static uint64_t number(void)
{
	static uint64_t seed = 1;
	uint64_t high;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	high = seed >> 32 << 32;
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return high | seed >> 32;
}

static bool same_insn(const struct insn *a, const struct insn *b)
{
	struct insn x = *a, y = *b;

	x.mnemonic = y.mnemonic = NULL;
	x.hash = y.hash = 0;
	return !strcmp(a->mnemonic, b->mnemonic) && !memcmp(&x, &y, sizeof(x));
}

/* Whether it is an instruction; then it must be the one that the disassembler prints. */
static bool check(struct decoder *decoder, struct isa_disasm *disasm, uint64_t word)
{
	struct insn found, expected;
	char text[256], line[256];
	uint8_t bytes[20] = { 0 };
	size_t length;

	memcpy(bytes, &word, sizeof(word));
	memset(&found, 0, sizeof(found));
	if (!decoder_insn(decoder, bytes, 8, &found))
		return false;
	length = isa_disasm_one(disasm, bytes, 8, text, sizeof(text));
	memset(&expected, 0, sizeof(expected));
	expected.length = (uint8_t)length;
	strcpy(line, text);
	insn_parse(&expected, line);
	if (!length || !same_insn(&found, &expected))
		fail_msg("%016llx: \"%s\" is decoded as something else", (unsigned long long)word,
			 text);
	return true;
}

static void made_up(void **state)
{
	const char *why;
	const struct processor *processor = *state;
	const struct arch *arch = arch_find(processor->name);
	struct decoder *decoder = decoder_get(arch, processor->lanes, NULL, &why);
	struct isa_disasm *disasm = isa_disasm_create(arch->name, processor->lanes, NULL, &why);
	const struct encoding *encodings = arch->generation == ARCH_GFX10 ? gfx10 : gfx9;
	size_t count = arch->generation == ARCH_GFX10 ? sizeof(gfx10) / sizeof(gfx10[0])
						      : sizeof(gfx9) / sizeof(gfx9[0]);
	unsigned sound = 0;

	if (!decoder || !disasm)
		fail_msg("no disassembler: %s", why);
	for (size_t i = 0; i < count; i++) {
		for (unsigned n = 0; n < OPCODES; n++) {
			uint64_t opcode = number() & encodings[i].opcode;

			for (unsigned k = 0; k < OTHERS; k++) {
				uint64_t word = number();

				if (k)
					word &= ~encodings[i].zero;
				/* Small numbers are used most. */
				if (k & 1)
					word &= number() & number();
				word &= ~(uint64_t)(encodings[i].mask | encodings[i].opcode);
				sound += check(decoder, disasm, word | encodings[i].value | opcode);
			}
		}
	}
	assert_true(sound > 5000);
	isa_disasm_destroy(disasm);
	decoder_put(decoder);
}

#define TEST(name, lanes)                                                 \
	{                                                                 \
		name " " #lanes, made_up, NULL, NULL, &(struct processor) \
		{                                                         \
			name, lanes                                       \
		}                                                         \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("gfx906", 64),  TEST("gfx908", 64),  TEST("gfx90a", 64),  TEST("gfx942", 64),
		TEST("gfx1010", 32), TEST("gfx1030", 32), TEST("gfx1030", 64), TEST("gfx950", 64),
	};
	size_t count = sizeof(tests) / sizeof(tests[0]) - !is_readable("gfx950", NULL);

	return _cmocka_run_group_tests("patterns", tests, count, NULL, NULL);
}
