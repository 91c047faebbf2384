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

/* Instructions of gfx125x, as LLVM 22 prints them. */
static void news_of_gfx125x(void **state)
{
	enum { LOAD = 1, STORE = 2, ATOMIC = 4, LDS = 8 };
	static const struct {
		const char *text;
		uint8_t class, family, how;
		uint8_t operands;
		int8_t partial; /* operand that is a number made of the register, or -1 */
	} cases[] = {
		{ "cluster_load_b64 v[2:3], v4, s[6:7] offset:16", OP_MEMORY, MEM_GLOBAL, LOAD, 3,
		  -1 },
		{ "cluster_load_async_to_lds_b128 v2, v4, s[6:7]", OP_MEMORY, MEM_GLOBAL,
		  LOAD | LDS, 2, -1 },
		{ "global_load_async_to_lds_b32 v1, v2, s[6:7] scale_offset", OP_MEMORY, MEM_GLOBAL,
		  LOAD | LDS, 2, 0 },
		{ "global_store_async_from_lds_b64 v[4:5], v2, off", OP_MEMORY, MEM_GLOBAL,
		  STORE | LDS, 3, -1 },
		{ "flat_load_monitor_b128 v[2:5], v[4:5]", OP_MEMORY, MEM_FLAT, LOAD, 2, -1 },
		{ "tensor_load_to_lds s[0:3], s[4:11]", OP_MEMORY, MEM_IMAGE, LOAD | LDS, 2, -1 },
		{ "tensor_store_from_lds s[0:3], s[4:11]", OP_MEMORY, MEM_IMAGE, STORE | LDS, 2,
		  -1 },
		{ "ds_atomic_async_barrier_arrive_b64 v1", OP_NOTHING, MEM_NONE, 0, 1, -1 },
		{ "ds_atomic_barrier_arrive_rtn_b64 v[2:3], v1, v[4:5]", OP_MEMORY, MEM_DS, 0, 3,
		  -1 },
		{ "global_atomic_add_f64 v[4:5], v[2:3], off", OP_MEMORY, MEM_GLOBAL, ATOMIC, 3,
		  -1 },
		{ "flat_atomic_add_u32 v1, v2, v3, s[6:7] scale_offset th:TH_ATOMIC_RETURN",
		  OP_MEMORY, MEM_FLAT, ATOMIC, 4, 1 },
		{ "flat_store_b32 v2, v3, s[6:7] scale_offset", OP_MEMORY, MEM_FLAT, STORE, 3, 0 },
		{ "s_load_b32 s1, s[2:3], s5 scale_offset", OP_MEMORY, MEM_SCALAR, LOAD, 3, 2 },
		{ "s_set_vgpr_msb 0", OP_NOTHING, MEM_NONE, 0, 1, -1 },
		{ "s_set_vgpr_msb 0x4100", OP_NOTHING, MEM_NONE, 0, 1, -1 },
		{ "s_set_vgpr_msb 0x41", OP_ODD, MEM_NONE, 0, 1, -1 },
		{ "v_mad_nc_u64_u32 v[2:3], v4, v5, v[6:7]", OP_LAST_PLUS64, MEM_NONE, 0, 5, -1 },
		{ "s_add_pc_i64 s[2:3]", OP_ODD, MEM_NONE, 0, 1, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn insn = parse(cases[i].text);
		unsigned how =
		    insn.load * LOAD | insn.store * STORE | insn.atomic * ATOMIC | insn.lds * LDS;

		if (insn.class != cases[i].class || insn.family != cases[i].family ||
		    how != cases[i].how || insn.operand_count != cases[i].operands)
			fail_msg("%s: class %d, family %d, %x, %d operands", cases[i].text,
				 insn.class, insn.family, how, insn.operand_count);
		for (int k = 0; k < insn.operand_count; k++)
			if (insn.operand[k].half != (k == cases[i].partial))
				fail_msg("%s: operand %d", cases[i].text, k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(no_constants),
		cmocka_unit_test(news_of_gfx125x),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
