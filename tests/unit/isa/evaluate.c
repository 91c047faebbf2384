/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/isa/evaluate.c against evaluate.hip; and what analyzer/isa/alu.c makes of the
 * interpreter's rows. Usage: evaluate SOURCE VARIANT...
 */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/alu.h"
#include "analyzer/isa/isa.h"
#include "tests/unit/isa/expect.h"

static struct expectations expectations;

#define ADDRESSES 0x7f0000000000u
#define NUMBERS   (ADDRESSES + 0x10000)

/* Arguments as a line gives them. */
struct words {
	uint32_t word[16];
	bool known[16];
	unsigned count;
};

static const char *read_words(const char *text, struct words *words)
{
	char *end;

	words->count = 0;
	while (*text != ':') {
		unsigned i = words->count++;

		assert_true(i < 16);
		words->known[i] = *text != '-' || text[1] != ':';
		words->word[i] = words->known[i] ? (uint32_t)strtol(text, &end, 0) : 0;
		if (words->known[i] && text[0] == '0' && text[1] == 'x')
			words->word[i] = (uint32_t)strtoul(text, &end, 0);
		text = words->known[i] ? end : text + 1;
		text += strspn(text, " ");
	}
	return text + 1 + strspn(text + 1, " ");
}

static bool read_argument(void *user, uint32_t offset, unsigned size, uint64_t *value)
{
	const struct words *words = user;

	*value = 0;
	for (unsigned i = 0; i < size / 4; i++) {
		if (offset / 4 + i >= words->count || !words->known[offset / 4 + i])
			return false;
		*value |= (uint64_t)words->word[offset / 4 + i] << 32 * i;
	}
	return true;
}

static bool is_address(void *user, uint64_t word)
{
	(void)user;
	return word >= ADDRESSES;
}

static bool read_memory(void *user, uint64_t address, unsigned size, uint32_t *number)
{
	(void)user;
	*number = (uint32_t)(address - NUMBERS) / 4;
	return size == 4 && address >= NUMBERS && address < NUMBERS + 64;
}

static size_t describe_step(const struct isa_step *step, char *text, size_t size)
{
	if (step->exact)
		return (size_t)snprintf(text, size, "%lld", (long long)step->offset);
	if (step->bounded)
		return (size_t)snprintf(text, size, "%lld..%lld", (long long)step->first,
					(long long)step->last);
	return (size_t)snprintf(text, size, "any");
}

static void describe_one(const struct isa_evaluated *atomic, char *text, size_t size)
{
	const struct isa_origin *origin = &atomic->origin;
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; i < origin->paths.count; i++) {
		const struct isa_path *path = &origin->paths.path[i];

		used += (size_t)snprintf(text + used, size - used, "%s%u->", i ? "," : "",
					 path->kernarg);
		used += describe_step(&path->step[0], text + used, size - used);
	}
	for (size_t i = 0; !origin->paths.count && i < origin->kernarg_count; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%u", i ? "," : "",
					 origin->kernarg[i]);
	if (origin->kind == ISA_ORIGIN_UNKNOWN || !used)
		used += (size_t)snprintf(text + used, size - used, "? (%s)",
					 origin->why ? origin->why : "");
	snprintf(text + used, size - used, "%s%s", atomic->executes ? "!" : "",
		 atomic->every ? "*" : "");
}

/* What several instructions do to the same is written once. */
static void describe(const struct isa_evaluation *evaluation, char *text, size_t size)
{
	char one[512];
	size_t used = 0;

	snprintf(text, size, evaluation->why ? "given up" : "none");
	for (size_t i = 0; i < evaluation->atomic_count; i++) {
		describe_one(&evaluation->atomics[i], one, sizeof(one));
		if (!used || strcmp(text, one) != 0)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
						 one);
	}
}

static bool compare(const struct variant *variant, struct isa_session *session,
		    const struct expectation *expectation)
{
	struct isa_launch launch = { .groups = { 2, 1, 1 },
				     .items = { 64, 1, 1 },
				     .argument = read_argument,
				     .is_address = is_address,
				     .memory = read_memory };
	struct isa_evaluation *evaluation = NULL;
	char actual[1024], *error = NULL;
	struct words words;
	const char *wanted = read_words(expectation->spec, &words);
	bool right;

	launch.user = &words;
	assert_int_equal(
	    isa_session_evaluate(session, expectation->kernel, &launch, &evaluation, &error), 0);
	describe(evaluation, actual, sizeof(actual));
	right = strcmp(wanted, actual) == 0;
	if (!right)
		print_error("%s: %s %s: '%s'\n", variant->name, expectation->kernel,
			    expectation->spec, actual);
	isa_evaluation_free(evaluation);
	return right;
}

static void check(void **state)
{
	struct variant *variant = *state;
	unsigned compared = 0, wrong = 0;
	struct isa_session *session;
	char *error = NULL;

	assert_int_equal(isa_session_open(variant->elf, variant->elf_size, NULL, &session, &error),
			 0);
	for (size_t i = 0; i < expectations.count; i++) {
		const struct expectation *expectation = &expectations.row[i];

		if (fnmatch(expectation->variants, variant->name, 0))
			continue;
		compared++;
		wrong += !compare(variant, session, expectation);
	}
	assert_int_equal(wrong, 0);
	assert_true(compared >= 20);
	isa_session_close(session);
}

/* Stores are those of the rounds that are made, of any where their number is not known. */
static void stores(void **state)
{
	const struct variant *variant = *state;
	struct words words = { .word = { 0, 0x7f01, 2 },
			       .known = { true, true, true },
			       .count = 3 };
	struct isa_launch launch = { .argument = read_argument,
				     .is_address = is_address,
				     .memory = read_memory,
				     .user = &words };
	struct isa_evaluation *evaluation = NULL;
	struct isa_session *session;
	char *error = NULL;

	assert_int_equal(isa_session_open(variant->elf, variant->elf_size, NULL, &session, &error),
			 0);
	assert_int_equal(isa_session_evaluate(session, "rounds", &launch, &evaluation, &error), 0);
	assert_true(evaluation->stores_complete);
	assert_int_equal(evaluation->store_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(evaluation->stores[i].path.step_count, 2);
		assert_true(evaluation->stores[i].path.step[0].exact);
		assert_int_equal(evaluation->stores[i].path.step[0].offset, 8 * i);
	}
	isa_evaluation_free(evaluation);
	isa_session_close(session);
}

/* What cannot be evaluated in its budget is unknown, and the budget is named. */
static void budget(void **state)
{
	const struct variant *variant = *state;
	struct words words = { .count = 0 };
	struct isa_launch launch = { .argument = read_argument,
				     .is_address = is_address,
				     .memory = read_memory,
				     .user = &words,
				     .steps = 3 };
	struct isa_evaluation *evaluation = NULL;
	struct isa_session *session;
	char *error = NULL;

	assert_int_equal(isa_session_open(variant->elf, variant->elf_size, NULL, &session, &error),
			 0);
	assert_int_equal(isa_session_evaluate(session, "choice", &launch, &evaluation, &error), 0);
	assert_string_equal(evaluation->why, "its evaluation was given up after 3 instructions");
	assert_int_equal(evaluation->atomic_count, 0);
	isa_evaluation_free(evaluation);
	isa_session_close(session);
}

/* Rows compute as the interpreter does; what is done to exec is none of them. */
static void rows(void **state)
{
	const struct alu_row *row = alu_row("s_addc_u32");
	struct alu_in in = { .a = UINT32_MAX, .b = 0, .scc = 1 };
	struct alu_out out;

	(void)state;
	assert_non_null(row);
	row->compute(&in, &out);
	assert_int_equal(out.d, 0);
	assert_int_equal(out.scc, 1);
	row = alu_row("v_add_co_ci_u32"); /* of gfx10; v_addc_co_u32 before */
	assert_non_null(row);
	assert_true(row->carries && row->takes_carry && !row->compares);
	in = (struct alu_in){ .a = UINT32_MAX, .b = 1, .carry = 1 };
	row->compute(&in, &out);
	assert_int_equal(out.d, 1);
	assert_int_equal(out.carry, 1);
	row = alu_row("v_cmp_lt_i64");
	assert_non_null(row);
	assert_true(row->compares && row->dwords[1] == 2);
	in = (struct alu_in){ .a = (uint64_t)-1, .b = 0 };
	row->compute(&in, &out);
	assert_int_equal(out.d, 1);
	assert_null(alu_row("s_and_saveexec_b64"));
	assert_null(alu_row("v_cmpx_lt_i32"));
	assert_null(alu_row("v_no_such_thing"));
}

int main(int argc, char **argv)
{
	static struct variant variants[16];
	struct CMUnitTest tests[19] = { cmocka_unit_test(rows),
					cmocka_unit_test_prestate(budget, &variants[0]),
					cmocka_unit_test_prestate(stores, &variants[0]) };
	size_t count = 0;

	if (argc < 3 || argc > 18)
		return 99;
	expect_read(&expectations, argv[1]);
	for (int i = 2; i < argc; i++, count++) {
		variant_load(&variants[count], argv[i]);
		tests[count + 3] = (struct CMUnitTest){ variants[count].name, check, NULL, NULL,
							&variants[count] };
	}
	return _cmocka_run_group_tests("evaluate", tests, count + 3, NULL, NULL);
}
