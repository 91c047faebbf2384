/* SPDX-License-Identifier: Apache-2.0 */
/* Constants as any release of LLVM prints them, from text: no compiler or disassembler takes part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/softgpu/interp/parse.h"

static void constants(void **state)
{
	/* What the operand is worth to the instruction. */
	static const struct {
		const char *text;
		unsigned operand;
		uint64_t value;
	} cases[] = {
		{ "s_mov_b32 s0, 0x12345678", 1, 0x12345678 },
		{ "s_mov_b32 s0, lit(0x1)", 1, 1 },
		{ "s_add_u32 s0, s1, lit(0xffffffff)", 2, 0xffffffff },
		{ "s_mov_b64 s[0:1], lit(0x1)", 1, 1 },
		{ "s_mov_b64 s[0:1], lit64(0x123456789abcdef0)", 1, 0x123456789abcdef0 },
		{ "s_ashr_i32 s0, s2, lit(0x1)", 2, 1 },
		{ "v_mov_b32_e32 v0, lit(0x1)", 1, 1 },
		{ "v_add_f32_e32 v0, lit(0x3f800000), v1", 1, 0x3f800000 },
		{ "v_add_f32_e32 v0, 1.0, v1", 1, 0x3f800000 },
		{ "v_add_f16_e32 v0, lit(0x3c00), v1", 1, 0x3c00 },
		{ "v_add_f64 v[0:1], v[2:3], 1.0", 2, 0x3ff0000000000000 },
		{ "v_ceil_f64_e32 v[0:1], 0x3ff80000", 1, 0x3ff8000000000000 },
		{ "v_ceil_f64_e32 v[0:1], lit64(0x3ff8000000000001)", 1, 0x3ff8000000000001 },
		{ "v_cmp_lt_i64_e32 vcc, 0xffffffff, v[0:1]", 1, 0xffffffffffffffff },
		{ "v_cmp_lt_i64_e32 vcc, lit(0x1), v[0:1]", 1, 1 },
		{ "v_cmp_lt_u64_e32 vcc, 0xffffffff, v[0:1]", 1, 0xffffffff },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sg_insn insn;
		const struct sg_operand *operand = &insn.o[cases[i].operand];
		const char *problem;

		memset(&insn, 0, sizeof(insn));
		problem = sg_parse(cases[i].text, &insn);
		if (problem || !insn.op)
			fail_msg("%s: %s", cases[i].text, problem ? problem : "not known");
		if (operand->kind != SG_K_CONST || operand->value != cases[i].value)
			fail_msg("%s: operand %u is of kind %d, value %llx", cases[i].text,
				 cases[i].operand, operand->kind,
				 (unsigned long long)operand->value);
	}
}

static void no_constants(void **state)
{
	static const char *const texts[] = {
		"s_mov_b32 s0, lit()",
		"s_mov_b32 s0, lit(x)",
		"s_mov_b32 s0, lit(1",
		"s_mov_b64 s[0:1], lit64(1)1",
		"s_mov_b32 s0, lit(0x11111111111111111111111111111111111111111111)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sg_insn insn;

		memset(&insn, 0, sizeof(insn));
		if (!sg_parse(texts[i], &insn))
			fail_msg("%s is an instruction", texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(no_constants),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
