/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every test of rules needs: a trace that is written event by event, kernels whose
 * machine-code facts are a table, what was found, and claims: which rule a test is about, and in
 * what way. trace.h, rules_world.h and order_world.h each add the events and kernels of a family
 * of rules. Included once by each test program.
 */
#ifndef HIPGRAIN_TEST_WORLD_H
#define HIPGRAIN_TEST_WORLD_H

/* No test program needs every kind of event. */
#pragma GCC diagnostic ignored "-Wunused-function"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/isa.h"
#include "analyzer/rules/rules.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_kernel.h"

/* ---- the machine code ---- */

static struct isa_code_object object;
/* By symbol; the first one answers to every name while there is one alone. */
static struct isa_kernel *world_kernels;
static size_t world_kernel_count;

int isa_analyze(const void *elf, size_t size, const struct isa_options *options,
		struct isa_code_object **out, char **error)
{
	(void)elf;
	(void)size;
	(void)options;
	if (!object.arch) {
		*error = strdup("not a code object");
		return -1;
	}
	*out = &object;
	return 0;
}

#include "tests/unit/analyzer/isa_session_stub.h"

const struct isa_kernel *isa_find_kernel(const struct isa_code_object *unused, const char *symbol)
{
	(void)unused;
	for (size_t i = 0; i < world_kernel_count; i++)
		if (world_kernel_count == 1 || strcmp(world_kernels[i].symbol, symbol) == 0)
			return &world_kernels[i];
	return NULL;
}

/* ---- evidence that is left out ---- */

/* The type of event that the trace lacks, -1: none. What a test expects of a whole one is not
 * checked then. */
static int left_out = -1;

#define IF_WHOLE(assertion)        \
	do {                       \
		if (left_out < 0)  \
			assertion; \
	} while (0)

static void whole_equal_string(const char *got, const char *expected, const char *file, int line)
{
	if (left_out < 0)
		_assert_string_equal(got, expected, file, line);
}

/* Version 1 of cmocka takes unsigned numbers, version 2 signed ones. */
static void whole_equal_int(intmax_t got, intmax_t expected, const char *file, int line)
{
	if (got != expected) {
		print_error("%jd != %jd\n", got, expected);
		_fail(file, line);
	}
}

#undef assert_string_equal
#define assert_string_equal(a, b) whole_equal_string(a, b, __FILE__, __LINE__)
#undef assert_true
#define assert_true(c) IF_WHOLE(_assert_true((c) ? 1u : 0u, #c, __FILE__, __LINE__))
#undef assert_false
#define assert_false(c) IF_WHOLE(_assert_true((c) ? 0u : 1u, #c, __FILE__, __LINE__))
#undef assert_non_null
#define assert_non_null(c) assert_true((c) != NULL)
#undef assert_null
#define assert_null(c) assert_true((c) == NULL)
#undef assert_int_equal
#define assert_int_equal(a, b) \
	IF_WHOLE(whole_equal_int((intmax_t)(a), (intmax_t)(b), __FILE__, __LINE__))

/* ---- the trace ---- */

static struct replay replay;
static struct findings findings;
/* Frees findings: launches may lead to one again that found() dropped, as events may follow. */
static struct findings owner;
static struct rules_engine *engine;
static char *folder;
static int64_t clock_ns;
static int32_t pid_now, tid_now;

static void apply(struct hg_event event)
{
	if ((int)event.type == left_out)
		return;
	event.pid = pid_now;
	event.tid = tid_now;
	event.ns = clock_ns++;
	rules_engine_before(engine, replay_process(&replay, pid_now), &event);
	rules_engine_event(engine, replay_apply(&replay, &event), &event);
}

/* The code object of the world, and a kernel of it. */
static void code_object_event(void)
{
	apply((struct hg_event){ .type = HG_EVENT_code_object,
				 .code_object = &(struct hg_ev_code_object){ .code_object_id = 1,
									     .sha256 = "abc",
									     .target = "gfx90a",
									     .path = "",
									     .problem = "" } });
}

static void kernel_event(uint32_t id, const char *symbol)
{
	apply((struct hg_event){ .type = HG_EVENT_kernel,
				 .kernel = &(struct hg_ev_kernel){
				     .kernel_id = id, .code_object_id = 1, .symbol = symbol } });
}

/* An empty trace, and kernels that stay the caller's. */
static void world_begin(struct isa_kernel *kernels, size_t count)
{
	char *file;

	world_kernels = kernels;
	world_kernel_count = count;
	object = (struct isa_code_object){ .arch = (char *)"gfx90a" };
	clock_ns = 1000;
	pid_now = tid_now = 1;
	folder = g_dir_make_tmp("hipgrain-rules-XXXXXX", NULL);
	file = g_build_filename(folder, "abc", NULL);
	g_file_set_contents(file, "x", 1, NULL);
	g_free(file);
	replay_init(&replay);
	findings_init(&findings);
	findings_init(&owner);
	g_ptr_array_set_free_func(findings.list, NULL);
	engine = rules_engine_new(folder, &findings);
}

/* Has `owner` free what there is, and not the end of the engine, which drops findings. */
static void own_findings(void)
{
	for (unsigned i = 0; i < findings.list->len; i++)
		if (!g_ptr_array_find(owner.list, findings.list->pdata[i], NULL))
			g_ptr_array_add(owner.list, findings.list->pdata[i]);
}

static void finish(void)
{
	own_findings();
	rules_engine_finish(engine, &replay);
}

static int teardown(void **state)
{
	char *file = g_build_filename(folder, "abc", NULL);

	(void)state;
	own_findings();
	rules_engine_free(engine);
	findings_destroy(&findings);
	findings_destroy(&owner);
	replay_destroy(&replay);
	g_unlink(file);
	g_rmdir(folder);
	g_free(file);
	g_free(folder);
	return 0;
}

/* ---- what was found ---- */

/*
 * HG619 is found in most traces of tests, because they write nothing into the memory that they
 * allocate. A test looks at it if it sets this.
 */
static bool initialisation_matters;

static bool is_looked_at(const struct finding *finding)
{
	return initialisation_matters || strcmp(finding->rule->id, "HG619") != 0;
}

/*
 * The rules' names in the order of the report, separated by blanks; static. Findings that are not
 * reported (too few launches or work-items) are missing then, and stay so.
 */
static const char *found(void)
{
	static char text[256];

	finish();
	text[0] = 0;
	for (unsigned i = 0; i < findings.list->len; i++) {
		const struct finding *finding = findings.list->pdata[i];

		if (!finding->message)
			fail_msg("%s says nothing", finding->rule->id);
		if (!is_looked_at(finding))
			continue;
		g_strlcat(text, *text ? " " : "", sizeof(text));
		g_strlcat(text, finding->rule->id, sizeof(text));
	}
	return text;
}

/* Returns the finding at a place of found(), or NULL if there are fewer. */
static const struct finding *finding(unsigned index)
{
	for (unsigned i = 0; i < findings.list->len; i++)
		if (is_looked_at(findings.list->pdata[i]) && index-- == 0)
			return findings.list->pdata[i];
	return NULL;
}

/* ---- claims ---- */

/*
 * FINDS(HG101, test): at the end of the test HG101 is found. With events lost it would be at most
 * likely, or not reported at all.
 * SILENT(HG101, test): something like it that is right, and HG101 is not found.
 * DOUBTS(HG101, test): a link of the evidence is missing, and HG101 is at most likely, or not
 * found.
 * tests/unit/analyzer/coverage demands a FINDS and a SILENT for each rule. Each FINDS is run again
 * with every type of event left out in turn: see claim_rests_on().
 */
enum claim_kind { CLAIM_FINDS, CLAIM_SILENT, CLAIM_DOUBTS };

struct claim {
	const char *rule;
	enum claim_kind kind;
	void (*test)(void **state);
	int (*setup)(void **state);
	int (*teardown)(void **state);
};

/* The best confidence that the rule is found with, -1 if it is not found. */
static int claim_confidence(const char *rule)
{
	int best = -1;

	for (unsigned i = 0; i < findings.list->len; i++) {
		const struct finding *finding = findings.list->pdata[i];

		if (strcmp(finding->rule->id, rule) == 0)
			best = MAX(best, (int)finding->confidence);
	}
	return best;
}

static bool claim_holds(const struct claim *claim)
{
	int confidence;

	finish();
	confidence = claim_confidence(claim->rule);
	switch (claim->kind) {
	case CLAIM_SILENT:
		return confidence < 0;
	case CLAIM_DOUBTS:
		return confidence < CONFIDENCE_PROVEN;
	case CLAIM_FINDS:
	default:
		findings_lost(&findings, 1);
		return confidence >= 0 && claim_confidence(claim->rule) < CONFIDENCE_PROVEN;
	}
}

/* The rules that are found with a confidence of at least `least`; after rules_engine_finish(). */
static void found_rules(bool rules_found[RULES], enum confidence least)
{
	memset(rules_found, 0, RULES * sizeof(*rules_found));
	for (unsigned i = 0; i < findings.list->len; i++) {
		const struct finding *finding = findings.list->pdata[i];

		rules_found[finding->rule - rules] |= finding->confidence >= least;
	}
}

/*
 * The test again with each type of event left out, as if nothing had recorded it. Nothing may be
 * reported then that the whole trace does not show, once losses are counted and what they may
 * refute is dropped (the rules that stay are at most likely). What the rule rests on, by the
 * numbers of the types, goes to the file that tests/unit/analyzer/evidence names.
 */
static void claim_rests_on(const struct claim *claim, void **state)
{
	const char *path = g_getenv("HIPGRAIN_TEST_EVIDENCE");
	GString *rests_on = g_string_new(claim->rule);
	int whole_confidence;
	bool whole[RULES], partly[RULES];

	claim->teardown(state);
	claim->setup(state);
	claim->test(state);
	finish();
	found_rules(whole, CONFIDENCE_POSSIBLE);
	whole_confidence = claim_confidence(claim->rule);
	for (int type = 0; type <= HG_EVENT_OPEN_CALL; type++) {
		if (type == HG_EVENT_TYPES)
			continue;
		claim->teardown(state);
		left_out = type;
		claim->setup(state);
		claim->test(state);
		left_out = -1;
		finish();
		if (claim_confidence(claim->rule) < whole_confidence)
			g_string_append_printf(rests_on, " %d", type);
		findings_lost(&findings, 1);
		found_rules(partly, CONFIDENCE_PROVEN);
		for (int rule = 0; rule < RULES; rule++) {
			if (partly[rule] && !whole[rule]) {
				fail_msg("without events of type %d %s is proven", type,
					 rules[rule].id);
			}
		}
	}
	if (path) {
		FILE *file = fopen(path, "a");

		assert_non_null(file);
		fprintf(file, "%s\n", rests_on->str);
		assert_int_equal(fclose(file), 0);
	}
	g_string_free(rests_on, TRUE);
}

static void claim_test(void **state)
{
	const struct claim *claim = *state;

	claim->test(state);
	if (!claim_holds(claim))
		fail_msg("the claim about %s does not hold", claim->rule);
	if (claim->kind == CLAIM_FINDS && !g_getenv("HIPGRAIN_TEST_WHOLE_ONLY"))
		claim_rests_on(claim, state);
}

/* Entries of a table of tests; a program with a setup or teardown of its own redefines these. */
#define CLAIM_SETUP    setup
#define CLAIM_TEARDOWN teardown
#define CLAIM(rule, kind, test)                                                      \
	{                                                                            \
#rule " " #kind ": " #test, claim_test, CLAIM_SETUP, CLAIM_TEARDOWN, \
		    &(struct claim)                                                  \
		{                                                                    \
#rule, CLAIM_##kind, test, CLAIM_SETUP, CLAIM_TEARDOWN       \
		}                                                                    \
	}
#define FINDS(rule, test)  CLAIM(rule, FINDS, test)
#define SILENT(rule, test) CLAIM(rule, SILENT, test)
#define DOUBTS(rule, test) CLAIM(rule, DOUBTS, test)

#endif
