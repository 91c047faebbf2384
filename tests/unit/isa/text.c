/* SPDX-License-Identifier: Apache-2.0 */
/* Operands as any release of LLVM prints them, from text: no compiler or disassembler takes part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/insn.h"

static struct insn parse(const char *text)
{
	static char line[128];
	struct insn insn;

	memset(&insn, 0, sizeof(insn));
	strcpy(line, text);
	insn_parse(&insn, line);
	return insn;
}

static void constants(void **state)
{
	static const struct {
		const char *text;
		unsigned operand;
		int64_t value;
	} cases[] = {
		{ "s_add_u32 s0, s1, -1", 2, -1 },
		{ "s_add_u32 s0, s1, lit(0xffffffff)", 2, -1 },
		{ "s_add_u32 s0, s1, lit(0xfffffff0)", 2, -16 },
		{ "s_add_u32 s0, s1, 0xffffffef", 2, 0xffffffef },
		{ "s_ashr_i32 s0, s2, lit(0x1)", 2, 1 },
		{ "v_add_f32_e32 v0, lit(0x3f800000), v1", 1, 0x3f800000 },
		{ "v_add_f16_e32 v0, lit(0x3c00), v1", 1, 0x3c00 },
		{ "s_mov_b64 s[0:1], lit(0x1)", 1, 1 },
		{ "s_mov_b64 s[0:1], lit64(0x1)", 1, 1 },
		{ "s_mov_b64 s[0:1], 0xffffffff", 1, 0xffffffff },
		{ "s_mov_b64 s[0:1], lit64(0x123456789abcdef0)", 1, 0x123456789abcdef0 },
		{ "s_mov_b64 s[0:1], 0xfedcba9876543210", 1, (int64_t)0xfedcba9876543210 },
		{ "s_mov_b64 s[0:1], lit64(0xfedcba9876543210)", 1, (int64_t)0xfedcba9876543210 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn insn = parse(cases[i].text);
		const struct operand *operand = &insn.operand[cases[i].operand];

		if (operand->kind != OPERAND_CONST || operand->value != cases[i].value)
			fail_msg("%s: operand %u is of kind %d, value %llx", cases[i].text,
				 cases[i].operand, operand->kind,
				 (unsigned long long)operand->value);
	}
}

static void no_constants(void **state)
{
	static const char *const texts[] = {
		"s_mov_b32 s0, lit()",         "s_mov_b32 s0, lit(x)",
		"s_mov_b32 s0, lit(1",         "s_mov_b64 s[0:1], lit64()",
		"s_mov_b64 s[0:1], lit64(1)1", "s_mov_b64 s[0:1], literal(1)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct insn insn = parse(texts[i]);

		if (insn.operand[1].kind != OPERAND_OTHER)
			fail_msg("%s: operand of kind %d", texts[i], insn.operand[1].kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(no_constants),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
