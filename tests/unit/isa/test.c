/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/isa against kernels.hip: every variant's kernels must come out as their comments say.
 *
 * Usage: test SOURCE SMALL VARIANT...; all but the source are offload bundles, SMALL is the one to
 * damage.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/arch.h"
#include "analyzer/isa/decode.h"
#include "analyzer/isa/disasm.h"
#include "analyzer/isa/filter.h"
#include "analyzer/isa/insn.h"
#include "analyzer/isa/isa.h"
#include "analyzer/isa/state.h"
#include "tests/unit/isa/expect.h"

static struct expectations expectations;
static struct variant variants[16], small;
static size_t variant_count;

static void check_variant(void **state)
{
	assert_true(expect_compare(&expectations, *state) >= 58);
}

static void source_lines_and_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < variant_count; i++) {
		const struct isa_kernel *kernel = isa_find_kernel(variants[i].object, "add_direct");

		assert_non_null(kernel);
		assert_int_equal(kernel->arg_count, 2);
		assert_string_equal(kernel->args[0].name, "a");
		assert_string_equal(kernel->args[1].name, "n");
		assert_true(kernel->args[0].pointer);
		assert_int_equal(kernel->args[1].offset, 8);
		for (size_t k = 0; k < kernel->atomic_count; k++) {
			const struct isa_atomic *atomic = &kernel->atomics[k];
			const struct isa_frame *last;

			assert_int_equal(atomic->line, expectations.add_direct_line);
			assert_true(atomic->frame_count > 0);
			last = &atomic->frames[atomic->frame_count - 1];
			/* Without optimisation it stands in atomicAdd(), which is not inlined. */
			if (atomic->function)
				continue;
			assert_true(atomic->frame_count > 1);
			assert_string_equal(last->function, "add_direct");
			assert_int_equal(last->line, expectations.add_direct_line);
			assert_non_null(strstr(atomic->frames[0].function, "tomicAdd"));
		}
	}
}

static void one_kernel_only(void **state)
{
	struct isa_options options = { .only_symbol = "copy" };
	struct isa_code_object *object;

	(void)state;
	assert_int_equal(
	    isa_analyze(variants[0].elf, variants[0].elf_size, &options, &object, NULL), 0);
	assert_int_equal(object->kernel_count, 1);
	assert_string_equal(object->arch, "gfx90a");
	assert_int_equal(strlen(object->sha256), 64);
	isa_code_object_free(object);
}

/* Skipping by encodings and working in parallel must lose nothing. */
static void shortcuts(void **state)
{
	(void)state;
	for (size_t i = 0; i < variant_count; i++) {
		struct isa_options options = { .atomics_only = true, .jobs = 3 };
		struct isa_code_object *object;
		size_t skipped = 0;

		assert_int_equal(
		    isa_analyze(variants[i].elf, variants[i].elf_size, &options, &object, NULL), 0);
		assert_int_equal(object->kernel_count, variants[i].object->kernel_count);
		for (size_t k = 0; k < object->kernel_count; k++) {
			const struct isa_kernel *a = &object->kernels[k];
			const struct isa_kernel *b = &variants[i].object->kernels[k];

			assert_string_equal(a->symbol, b->symbol);
			assert_int_equal(a->atomic_count, b->atomic_count);
			for (size_t n = 0; n < a->atomic_count; n++) {
				assert_int_equal(a->atomics[n].kernel_offset,
						 b->atomics[n].kernel_offset);
				assert_int_equal(a->atomics[n].origin.kind,
						 b->atomics[n].origin.kind);
			}
			skipped += a->skipped;
			assert_false(a->skipped && !b->uses_complete);
			assert_false(b->skipped);
		}
		/* `copy` has none; without optimisation it calls. */
		assert_true(skipped >= 1 || strstr(variants[i].name, "O0"));
		isa_code_object_free(object);
	}
}

/* The filter's idea of where instructions begin, against the disassembler's. */
static void lengths(void **state)
{
	const char *why;
	struct isa_disasm *disasm = isa_disasm_create("gfx90a", 64, NULL, &why);
	unsigned compared = 0;

	(void)state;
	assert_non_null(disasm);
	for (size_t i = 0; i < variant_count; i++) {
		struct codeobj_section text;
		const uint8_t *code;

		assert_int_equal(codeobj_elf_section(variants[i].elf, variants[i].elf_size, ".text",
						     &text, NULL),
				 0);
		assert_int_equal(codeobj_elf_defines(variants[i].elf, variants[i].elf_size,
						     "not_defined_anywhere"),
				 0);
		code = variants[i].elf + text.offset;
		for (size_t at = 0, length; at < text.size; at += length ? length : 4) {
			char line[256];
			uint32_t word;

			length =
			    isa_disasm_one(disasm, code + at, text.size - at, line, sizeof(line));
			memcpy(&word, code + at, sizeof(word));
			/* Between functions lies padding. */
			if (!length)
				continue;
			if (length != filter_length(word))
				print_message("# %s: %zu bytes, not %zu\n", line, length,
					      filter_length(word));
			assert_int_equal(length, filter_length(word));
			compared++;
		}
	}
	assert_true(compared > 10000);
	isa_disasm_destroy(disasm);
}

/* Found by fuzzing: the disassembler ends the process where selections of SDWA do not exist. */
static void impossible_selections(void **state)
{
	static const struct {
		uint8_t code[8];
		bool sound;
	} cases[] = {
		{ { 0xf9, 0x1c, 0x1c, 0x2a, 0x0e, 0x06, 0x05, 0x04 }, true },
		{ { 0xf9, 0x1c, 0x1c, 0x2a, 0x0e, 0x06, 0x05, 0x07 }, false }, /* second source */
		{ { 0xf9, 0x1c, 0x1c, 0x2a, 0x0e, 0x06, 0x07, 0x04 }, false }, /* first source */
		{ { 0xf9, 0x1c, 0x1c, 0x2a, 0x0e, 0x07, 0x05, 0x04 }, false }, /* destination */
		{ { 0xf9, 0x1c, 0x1c, 0x2a, 0x0e, 0x1e, 0x05, 0x04 },
		  false }, /* what is left of it */
		{ { 0xf9, 0x04, 0x82, 0x7d, 0x01, 0x1f, 0x05, 0x04 }, true }, /* a comparison */
	};
	const char *why;
	struct decoder *decoder = decoder_get(arch_find("gfx90a"), 64, NULL, &why);
	struct insn insn;

	(void)state;
	assert_non_null(decoder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(decoder_insn(decoder, cases[i].code, 8, &insn), cases[i].sound);
		if (cases[i].sound)
			assert_int_equal(insn.length, 8);
	}
	decoder_put(decoder);
}

/* No atomic of any encoding passes the filter; only to be read as plain is much of the rest. */
static void filter_rows(void **state)
{
	static const char *const processors[] = { "gfx906", "gfx908", "gfx90a", "gfx940" };
	/* Bits 31 to 26, place of the opcode, segment bits of FLAT. */
	static const struct {
		uint32_t major, shift, segments;
	} encodings[] = {
		{ 0x37, 18, 3 }, { 0x38, 18, 1 }, { 0x3c, 18, 1 }, { 0x30, 18, 1 }, { 0x36, 17, 1 },
	};
	unsigned atomics = 0, plain = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
		const char *why;
		struct isa_disasm *disasm = isa_disasm_create(processors[i], 64, NULL, &why);

		assert_non_null(disasm);
		for (unsigned n = 0; n < 5 * 256 * 3; n++) {
			uint32_t at = n / 768, op = n / 3 % 256, segment = n % 3;
			uint32_t code[2] = { encodings[at].major << 26 | op << encodings[at].shift |
						 segment << 14,
					     0 };
			struct insn insn = { 0 };
			char text[256];

			if (segment >= encodings[at].segments || op << encodings[at].shift >> 26 ||
			    !isa_disasm_one(disasm, (uint8_t *)code, 8, text, sizeof(text)))
				continue;
			insn_parse(&insn, text);
			if (insn.atomic && !filter_interesting(ARCH_GFX9, (uint8_t *)code, 8))
				fail_msg("%s is passed over on %s", text, processors[i]);
			atomics += insn.atomic;
			plain += !filter_interesting(ARCH_GFX9, (uint8_t *)code, 8);
		}
		isa_disasm_destroy(disasm);
	}
	assert_true(atomics > 400);
	assert_true(plain > 400);
}

/* Two ways through an if that switch lanes off at sites of their own meet in either order. */
static void sites_of_two_ways(void **state)
{
	static const uint32_t site[2] = { 20, 30 };
	struct value_store store;
	struct state way[2], met[2];

	(void)state;
	assert_int_equal(value_init(&store), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(state_init(&way[i], NULL), 0);
		assert_int_equal(state_shrink(&store, &way[i], 10, NULL), 0);
		assert_int_equal(state_set(&store, &way[i], REG_VECTOR, VALUE_NUMBER), 0);
		assert_int_equal(state_shrink(&store, &way[i], site[i], NULL), 0);
	}
	for (int i = 0; i < 2; i++) {
		state_copy(&met[i], &way[i]);
		assert_int_equal(state_join(&store, &met[i], &way[!i], NULL, false, false), 1);
		assert_int_equal(met[i].aside_count, 3);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(met[i].aside[k].name, 10 + 10 * k);
	}
	assert_true(state_equal(&met[0], &met[1]));
	/* Where these meet, who is active is still known. */
	assert_int_equal(state_join(&store, &met[0], &met[1], NULL, false, false), 0);
	assert_int_equal(met[0].aside[0].name, 10);
	for (int i = 0; i < 2; i++) {
		state_clear(&way[i]);
		state_clear(&met[i]);
	}
	value_free(&store);
}

struct listing {
	unsigned lines, atomics, functions;
};

static void count_line(void *user, int64_t offset, const char *text,
		       const struct isa_atomic *atomic)
{
	struct listing *listing = user;

	assert_true(text[0]);
	listing->functions += offset == INT64_MIN;
	listing->atomics += atomic != NULL;
	assert_true(!atomic || strstr(text, atomic->mnemonic));
	listing->lines++;
}

/* The kernel, and the function that has its atomic unless that was inlined. */
static void listings(void **state)
{
	(void)state;
	for (size_t i = 0; i < variant_count; i++) {
		const struct isa_kernel *kernel =
		    isa_find_kernel(variants[i].object, "through_call");
		struct listing listing = { 0 };

		assert_non_null(kernel);
		assert_int_equal(isa_disassemble(variants[i].elf, variants[i].elf_size, kernel,
						 count_line, &listing, NULL),
				 0);
		assert_int_equal(listing.functions, kernel->atomics[0].function ? 2 : 1);
		assert_int_equal(listing.atomics, 1);
		assert_true(listing.lines > 10);
	}
}

/* Whatever the damage: an object or an error with a message, never a crash. */
static void try_bytes(const uint8_t *bytes, size_t size, const char *kernel, bool must_fail)
{
	struct isa_options options = { .only_symbol = kernel };
	struct isa_code_object *object = NULL;
	char *error = NULL;
	uint8_t *exact = malloc(size ? size : 1);
	int status;

	memcpy(exact, bytes, size);
	status = isa_analyze(exact, size, &options, &object, &error);
	if (must_fail)
		assert_true(status < 0);
	if (status) {
		assert_null(object);
		assert_non_null(error);
		assert_null(strchr(error, '\n'));
	}
	isa_code_object_free(object);
	free(error);
	free(exact);
}

static void truncated(void **state)
{
	const struct variant *variant = &small;

	(void)state;
	/* Section headers come last: everything shorter has to be refused. */
	for (size_t size = 0; size < variant->elf_size; size++)
		try_bytes(variant->elf, size, "small", true);
}

static void damage(const struct variant *variant, const char *kernel, int rounds)
{
	uint8_t *bytes = malloc(variant->elf_size);
	uint32_t seed = 12345;

	for (int round = 0; round < rounds; round++) {
		memcpy(bytes, variant->elf, variant->elf_size);
		for (int k = 0; k < 8; k++) {
			size_t at;

			seed = seed * 1664525 + 1013904223;
			at = seed >> 4;
			/* Half of them where headers, notes and descriptors are. */
			at %= round & 1 ? variant->elf_size / 3 : variant->elf_size;
			seed = seed * 1664525 + 1013904223;
			bytes[at] = (uint8_t)(seed >> 24);
		}
		try_bytes(bytes, variant->elf_size, kernel, false);
	}
	memset(bytes, 0xa5, variant->elf_size);
	try_bytes(bytes, variant->elf_size, kernel, true);
	free(bytes);
}

static void damaged(void **state)
{
	(void)state;
	damage(&small, "small", 1500);
	/* With debug information, calls and private memory. */
	damage(&variants[0], "both_branches", 100);
}

static void unknown_processor(void **state)
{
	const struct variant *variant = &small;
	uint8_t *bytes = malloc(variant->elf_size);
	struct isa_code_object *object;
	char *error = NULL;

	(void)state;
	memcpy(bytes, variant->elf, variant->elf_size);
	bytes[48] = 0x5d; /* e_flags: gfx1170 */
	assert_int_equal(isa_analyze(bytes, variant->elf_size, NULL, &object, &error), -ENOTSUP);
	assert_non_null(strstr(error, "gfx1170"));
	free(error);
	free(bytes);
}

/* Atomic mnemonics of every generation (docs/memory-model.md#mnemonics). */
static void mnemonics(void **state)
{
	static const struct {
		const char *mnemonic;
		enum isa_op op;
		enum isa_type type;
		bool fp;
	} rows[] = {
		{ "global_atomic_add_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
		{ "flat_atomic_add_f64", ISA_OP_ADD, ISA_TYPE_F64, true },
		{ "buffer_atomic_pk_add_f16", ISA_OP_ADD, ISA_TYPE_PK_F16, true },
		{ "global_atomic_pk_add_bf16", ISA_OP_ADD, ISA_TYPE_PK_BF16, true },
		{ "global_atomic_min_f64", ISA_OP_MIN, ISA_TYPE_F64, true },
		{ "global_atomic_fmin", ISA_OP_MIN, ISA_TYPE_F32, true },
		{ "flat_atomic_fmax_x2", ISA_OP_MAX, ISA_TYPE_F64, true },
		{ "global_atomic_ordered_add_b64", ISA_OP_ADD, ISA_TYPE_I64, false },
		{ "global_atomic_max_num_f32", ISA_OP_MAX, ISA_TYPE_F32, true },
		{ "global_atomic_cmpswap_f32", ISA_OP_CMPSWAP, ISA_TYPE_F32, true },
		{ "global_atomic_cmpswap", ISA_OP_CMPSWAP, ISA_TYPE_I32, false },
		{ "flat_atomic_cmpswap_x2", ISA_OP_CMPSWAP, ISA_TYPE_I64, false },
		{ "global_atomic_cmpswap_b64", ISA_OP_CMPSWAP, ISA_TYPE_I64, false },
		{ "global_atomic_smax", ISA_OP_MAX, ISA_TYPE_I32, false },
		{ "global_atomic_min_i32", ISA_OP_MIN, ISA_TYPE_I32, false },
		{ "global_atomic_swap_b32", ISA_OP_SWAP, ISA_TYPE_I32, false },
		{ "s_atomic_add", ISA_OP_ADD, ISA_TYPE_I32, false },
		{ "ds_add_u32", ISA_OP_ADD, ISA_TYPE_I32, false },
		{ "ds_add_rtn_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
		{ "ds_max_rtn_i64", ISA_OP_MAX, ISA_TYPE_I64, false },
		{ "ds_cmpst_rtn_b32", ISA_OP_CMPSWAP, ISA_TYPE_I32, false },
		{ "ds_wrxchg_rtn_b64", ISA_OP_SWAP, ISA_TYPE_I64, false },
	};
	static const char *const others[] = {
		"ds_read_b32",       "ds_write_b64",   "ds_bpermute_b32", "ds_swizzle_b32",
		"global_load_dword", "buffer_wbinvl1", "s_add_u32",       "v_add_f32",
	};
	enum isa_op op;
	enum isa_type type;
	bool fp;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(insn_atomic(rows[i].mnemonic, &op, &type, &fp));
		assert_int_equal(op, rows[i].op);
		assert_int_equal(type, rows[i].type);
		assert_int_equal(fp, rows[i].fp);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(insn_atomic(others[i], &op, &type, &fp));
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[32] = {
		cmocka_unit_test(mnemonics),
		cmocka_unit_test(one_kernel_only),
		cmocka_unit_test(source_lines_and_names),
		cmocka_unit_test(unknown_processor),
		cmocka_unit_test(sites_of_two_ways),
		cmocka_unit_test(truncated),
		cmocka_unit_test(damaged),
		cmocka_unit_test(shortcuts),
		cmocka_unit_test(listings),
		cmocka_unit_test(lengths),
		cmocka_unit_test(filter_rows),
		cmocka_unit_test(impossible_selections),
	};
	size_t count = 12, i;
	int status;

	if (argc < 4 || argc > 3 + (int)(sizeof(variants) / sizeof(variants[0])))
		return 99;
	expect_read(&expectations, argv[1]);
	variant_load(&small, argv[2]);
	for (i = 3; i < (size_t)argc; i++)
		variant_load(&variants[variant_count++], argv[i]);
	for (i = 0; i < variant_count; i++) {
		char *error = NULL;

		if (isa_analyze(variants[i].elf, variants[i].elf_size, NULL, &variants[i].object,
				&error)) {
			fprintf(stderr, "%s: %s\n", variants[i].name, error ? error : "?");
			return 1;
		}
		tests[count].name = variants[i].name;
		tests[count].test_func = check_variant;
		tests[count++].initial_state = &variants[i];
	}
	status = _cmocka_run_group_tests("isa", tests, count, NULL, NULL);
	for (i = 0; i < variant_count; i++) {
		isa_code_object_free(variants[i].object);
		free(variants[i].bytes);
	}
	free(small.bytes);
	return status;
}
