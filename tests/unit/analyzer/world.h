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

void isa_code_object_free(struct isa_code_object *unused)
{
	(void)unused;
}

const struct isa_kernel *isa_find_kernel(const struct isa_code_object *unused, const char *symbol)
{
	(void)unused;
	for (size_t i = 0; i < world_kernel_count; i++) {
		if (world_kernel_count == 1 || strcmp(world_kernels[i].symbol, symbol) == 0) {
			return &world_kernels[i];
		}
	}
	return NULL;
}

/* ---- the trace ---- */

static struct replay replay;
static struct findings findings;
static struct rules_engine *engine;
static char *folder;
static int64_t clock_ns;
static int32_t tid_now;

static void apply(struct hg_event event)
{
	event.pid = 1;
	event.tid = tid_now;
	event.ns = clock_ns++;
	rules_engine_before(engine, replay_process(&replay, 1), &event);
	rules_engine_event(engine, replay_apply(&replay, &event), &event);
}

/* The code object of the world, and a kernel of it. */
static void code_object_event(void)
{
	apply((struct hg_event){ .type = HG_EVENT_code_object,
				 .code_object = { .code_object_id = 1,
						  .sha256 = "abc",
						  .target = "gfx90a",
						  .path = "",
						  .problem = "" } });
}

static void kernel_event(uint32_t id, const char *symbol)
{
	apply((struct hg_event){
	    .type = HG_EVENT_kernel,
	    .kernel = { .kernel_id = id, .code_object_id = 1, .symbol = symbol } });
}

/* An empty trace, and kernels that stay the caller's. */
static void world_begin(struct isa_kernel *kernels, size_t count)
{
	char *file;

	world_kernels = kernels;
	world_kernel_count = count;
	object = (struct isa_code_object){ .arch = (char *)"gfx90a" };
	clock_ns = 1000;
	tid_now = 1;
	folder = g_dir_make_tmp("hipgrain-rules-XXXXXX", NULL);
	file = g_build_filename(folder, "abc", NULL);
	g_file_set_contents(file, "x", 1, NULL);
	g_free(file);
	replay_init(&replay);
	findings_init(&findings);
	engine = rules_engine_new(folder, &findings);
}

static int teardown(void **state)
{
	char *file = g_build_filename(folder, "abc", NULL);

	(void)state;
	rules_engine_free(engine);
	findings_destroy(&findings);
	replay_destroy(&replay);
	g_unlink(file);
	g_rmdir(folder);
	g_free(file);
	g_free(folder);
	return 0;
}

/* ---- what was found ---- */

/*
 * The rules' names in the order of the report, separated by blanks; static. Findings that are not
 * reported (too few launches or work-items) are gone then: what leads to them again is not allowed.
 */
static const char *found(void)
{
	static char text[256];

	rules_engine_finish(engine, &replay);
	text[0] = 0;
	for (unsigned i = 0; i < findings.list->len; i++) {
		const struct finding *finding = findings.list->pdata[i];

		g_strlcat(text, i ? " " : "", sizeof(text));
		g_strlcat(text, finding->rule->id, sizeof(text));
	}
	return text;
}

static const struct finding *finding(unsigned index)
{
	return findings.list->pdata[index];
}

/* ---- claims ---- */

/*
 * FINDS(HG101, test): at the end of the test HG101 is found. With events lost it would be at most
 * likely, or not told at all.
 * SILENT(HG101, test): something like it that is right, and HG101 is not found.
 * DOUBTS(HG101, test): a link of the evidence is missing, and HG101 is at most likely, or not
 * found.
 * tests/unit/analyzer/coverage demands a FINDS and a SILENT for each rule.
 */
enum claim_kind { CLAIM_FINDS, CLAIM_SILENT, CLAIM_DOUBTS };

struct claim {
	const char *rule;
	enum claim_kind kind;
	void (*test)(void **state);
};

/* The best confidence that the rule is found with, -1 if it is not found. */
static int claim_confidence(const char *rule)
{
	int best = -1;

	for (unsigned i = 0; i < findings.list->len; i++) {
		const struct finding *finding = findings.list->pdata[i];

		if (strcmp(finding->rule->id, rule) == 0) {
			best = MAX(best, (int)finding->confidence);
		}
	}
	return best;
}

static bool claim_holds(const struct claim *claim)
{
	int confidence;

	rules_engine_finish(engine, &replay);
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

static void claim_test(void **state)
{
	const struct claim *claim = *state;

	claim->test(state);
	if (!claim_holds(claim)) {
		fail_msg("the claim about %s does not hold", claim->rule);
	}
}

/* Entries of a table of tests; a program with a setup or teardown of its own redefines these. */
#define CLAIM_SETUP    setup
#define CLAIM_TEARDOWN teardown
#define CLAIM(rule, kind, test)                                                      \
	{                                                                            \
#rule " " #kind ": " #test, claim_test, CLAIM_SETUP, CLAIM_TEARDOWN, \
		    &(struct claim)                                                  \
		{                                                                    \
#rule, CLAIM_##kind, test                                    \
		}                                                                    \
	}
#define FINDS(rule, test)  CLAIM(rule, FINDS, test)
#define SILENT(rule, test) CLAIM(rule, SILENT, test)
#define DOUBTS(rule, test) CLAIM(rule, DOUBTS, test)

#endif
