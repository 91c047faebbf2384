/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two disassemblers print the same for everything that the analysis reads, and the analysis says
 * the same with either. Usage: backends NAME NAME VARIANT...
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/disasm.h"
#include "analyzer/isa/insn.h"
#include "tests/unit/isa/readable.h"
#include "tests/unit/isa/variant.h"

static struct variant variants[64];
static size_t variant_count;
static const char *names[2];

/* An instruction that a name does not know must not be passed. */
static struct isa_disasm *open_disasm(const char *processor, unsigned lanes, const char *name)
{
	const char *why;
	struct isa_disasm *disasm = isa_disasm_create(processor, lanes, name, &why);

	if (!disasm)
		fail_msg("%s of %s: %s", name, processor, why);
	assert_string_equal(isa_disasm_name(disasm), name);
	return disasm;
}

static bool same_text(const char *a, const char *b)
{
	return (!a && !b) || (a && b && !strcmp(a, b));
}

static bool same_insn(const struct insn *a, const struct insn *b)
{
	struct insn x = *a, y = *b;

	x.mnemonic = y.mnemonic = NULL;
	return !strcmp(a->mnemonic, b->mnemonic) && !memcmp(&x, &y, sizeof(x));
}

/* Every word of code, decoded as the analysis does. */
static void instructions(void **state)
{
	const struct variant *variant = *state;
	struct codeobj_section text;
	struct codeobj_target target;
	struct isa_disasm *disasm[2];
	unsigned lanes, wrong = 0, count = 0;

	assert_int_equal(codeobj_elf_target(variant->elf, variant->elf_size, &target, NULL), 0);
	lanes = strncmp(target.processor, "gfx9", 4) ? 32 : 64;
	for (int i = 0; i < 2; i++)
		disasm[i] = open_disasm(target.processor, lanes, names[i]);
	assert_int_equal(codeobj_elf_section(variant->elf, variant->elf_size, ".text", &text, NULL),
			 0);
	for (uint64_t at = 0, length; at < text.size; at += length ? length : 4) {
		const uint8_t *code = variant->elf + text.offset + at;
		struct insn insn[2];
		char line[2][256], original[2][256];
		size_t lengths[2];

		memset(insn, 0, sizeof(insn));
		for (int i = 0; i < 2; i++) {
			lengths[i] = isa_disasm_one(disasm[i], code, (size_t)(text.size - at),
						    line[i], sizeof(line[i]));
			memcpy(original[i], line[i], sizeof(line[i]));
			if (lengths[i])
				insn_parse(&insn[i], line[i]);
		}
		length = lengths[0] > lengths[1] ? lengths[0] : lengths[1];
		count += length != 0;
		if (lengths[0] == lengths[1] && (!length || same_insn(&insn[0], &insn[1])))
			continue;
		if (wrong++ < 20)
			print_message("# %s: %zu %s | %zu %s\n", variant->name, lengths[0],
				      original[0], lengths[1], original[1]);
	}
	assert_int_equal(wrong, 0);
	assert_true(count > 100);
	isa_disasm_destroy(disasm[0]);
	isa_disasm_destroy(disasm[1]);
}

static unsigned compare_origin(const struct isa_origin *a, const struct isa_origin *b)
{
	return a->kind != b->kind || a->kernarg_count != b->kernarg_count ||
	       (a->kernarg_count &&
		memcmp(a->kernarg, b->kernarg, a->kernarg_count * sizeof(*a->kernarg))) ||
	       !same_text(a->symbol, b->symbol) || !same_text(a->why, b->why);
}

static unsigned compare_atomic(const struct isa_atomic *a, const struct isa_atomic *b)
{
	return !same_text(a->mnemonic, b->mnemonic) || a->offset != b->offset ||
	       a->kernel_offset != b->kernel_offset || !same_text(a->function, b->function) ||
	       a->space != b->space || a->op != b->op || a->type != b->type || a->fp != b->fp ||
	       a->native != b->native || a->cas_loop != b->cas_loop || a->lock != b->lock ||
	       a->loop_op != b->loop_op || a->returns != b->returns || a->scope != b->scope ||
	       a->cache != b->cache || a->certain != b->certain ||
	       !same_text(a->unsure, b->unsure) || a->by_word != b->by_word ||
	       a->choice_count != b->choice_count || a->frame_count != b->frame_count ||
	       !same_text(a->file, b->file) || a->line != b->line ||
	       compare_origin(&a->origin, &b->origin);
}

static unsigned compare_kernel(const struct isa_kernel *a, const struct isa_kernel *b)
{
	unsigned wrong = strcmp(a->symbol, b->symbol) || a->atomic_count != b->atomic_count ||
			 a->use_count != b->use_count || a->uses_complete != b->uses_complete ||
			 !same_text(a->incomplete, b->incomplete) || a->uses_lds != b->uses_lds ||
			 a->has_barrier != b->has_barrier || a->dynamic_stack != b->dynamic_stack ||
			 a->hostcall != b->hostcall || a->printf_buffer != b->printf_buffer ||
			 a->system_release != b->system_release ||
			 a->system_acquire != b->system_acquire || a->spin_count != b->spin_count;

	for (size_t i = 0; !wrong && i < a->atomic_count; i++)
		wrong += compare_atomic(&a->atomics[i], &b->atomics[i]);
	for (size_t i = 0; !wrong && i < a->use_count; i++)
		wrong += a->uses[i].kernarg != b->uses[i].kernarg ||
			 a->uses[i].access != b->uses[i].access ||
			 a->uses[i].certain != b->uses[i].certain;
	return wrong;
}

static void results(void **state)
{
	const struct variant *variant = *state;
	struct isa_code_object *object[2];
	struct codeobj_target target;
	unsigned wrong = 0;

	assert_int_equal(codeobj_elf_target(variant->elf, variant->elf_size, &target, NULL), 0);
	for (int i = 0; i < 2; i++)
		isa_disasm_destroy(open_disasm(
		    target.processor, strncmp(target.processor, "gfx9", 4) ? 32 : 64, names[i]));
	for (int i = 0; i < 2; i++) {
		struct isa_options options = { .disassembler = names[i] };

		assert_int_equal(
		    isa_analyze(variant->elf, variant->elf_size, &options, &object[i], NULL), 0);
	}
	assert_int_equal(object[0]->kernel_count, object[1]->kernel_count);
	assert_true(object[0]->kernel_count > 0);
	for (size_t i = 0; i < object[0]->kernel_count; i++) {
		if (!compare_kernel(&object[0]->kernels[i], &object[1]->kernels[i]))
			continue;
		print_message("# %s: %s differs\n", variant->name, object[0]->kernels[i].name);
		wrong++;
	}
	assert_int_equal(wrong, 0);
	isa_code_object_free(object[0]);
	isa_code_object_free(object[1]);
}

static void no_such_name(void **state)
{
	struct isa_options options = { .disassembler = "neither" };
	struct isa_code_object *object;
	char *error = NULL;

	(void)state;
	assert_int_not_equal(
	    isa_analyze(variants[0].elf, variants[0].elf_size, &options, &object, &error), 0);
	assert_non_null(strstr(error, "unknown disassembler"));
	free(error);
}

int main(int argc, char **argv)
{
	static char titles[128][96];
	static struct CMUnitTest tests[129] = { cmocka_unit_test(no_such_name) };
	size_t count = 1;
	int status;

	if (argc < 4 || argc > 3 + (int)(sizeof(variants) / sizeof(variants[0])))
		return 99;
	names[0] = argv[1];
	names[1] = argv[2];
	if (!is_readable("gfx90a", names[0]) || !is_readable("gfx90a", names[1])) {
		puts("1..0 # SKIP a library is not installed");
		return 0;
	}
	for (int i = 3; i < argc; i++) {
		struct variant *variant = &variants[variant_count++];

		variant_load(variant, argv[i]);
		snprintf(titles[count - 1], sizeof(titles[0]), "instructions of %s", variant->name);
		tests[count] =
		    (struct CMUnitTest){ titles[count - 1], instructions, NULL, NULL, variant };
		count++;
		snprintf(titles[count - 1], sizeof(titles[0]), "results for %s", variant->name);
		tests[count] =
		    (struct CMUnitTest){ titles[count - 1], results, NULL, NULL, variant };
		count++;
	}
	status = _cmocka_run_group_tests("backends", tests, count, NULL, NULL);
	for (size_t i = 0; i < variant_count; i++)
		free(variants[i].bytes);
	return status;
}
