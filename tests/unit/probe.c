/* SPDX-License-Identifier: Apache-2.0 */
/* What the end of a step's process says of the step, and how such a step is set beside the model.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/probe/print.h"

enum { PLACEMENT = 0 }; /* hipMalloc */

/* A probe of one GPU on which everything works. */
static struct probe *new_probe(void)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	struct probe_mode *mode;

	assert_non_null(probe);
	probe->gpus = 1;
	probe->gpu[0].modes = 1;
	probe->runtime_version = 50200000;
	mode = &probe->gpu[0].mode[0];
	snprintf(mode->arch, sizeof(mode->arch), "gfx90a:sramecc+:xnack-");
	mode->environment = (struct model_environment){ .hmm = 1, .runtime_version = 50200000 };
	for (unsigned i = 0; i < PROBE_PLACEMENTS; i++)
		for (int step = 0; step < PROBE_STEPS; step++)
			mode->memory[i].steps[step].state = PROBE_WORKS;
	return probe;
}

/* The step `step` on memory of hipMalloc had begun when the child ended, and no later one had. */
static struct probe_mode *end_in(struct probe *probe, int step, enum probe_ending ending,
				 int number)
{
	struct probe_mode *mode = &probe->gpu[0].mode[0];

	mode->memory[PLACEMENT].steps[step].state = PROBE_STARTED;
	for (int later = step + 1; later < PROBE_STEPS; later++)
		mode->memory[PLACEMENT].steps[later].state = PROBE_PENDING;
	assert_true(probe_settle(mode, (struct probe_outcome){ ending, number }));
	return mode;
}

static void assert_step(struct probe_mode *mode, int step, const char *measured,
			enum probe_verdict verdict)
{
	struct probe_comparison comparison = probe_compare(mode, PLACEMENT, step);

	assert_string_equal(comparison.measured, measured);
	assert_int_equal(comparison.verdict, verdict);
}

/* The model expects that the GPU loads memory of hipMalloc. */
static void a_crash_contradicts(void **state)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGSYS };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct probe *probe = new_probe();
		struct probe_mode *mode =
		    end_in(probe, PROBE_STEP_LOAD, PROBE_ENDED_BY_SIGNAL, signals[i]);

		assert_int_equal(probe_compare(mode, PLACEMENT, PROBE_STEP_LOAD).verdict,
				 VERDICT_DIFFER);
		assert_step(mode, PROBE_STEP_STORE, "skipped", VERDICT_NOT_MEASURED);
		free(probe);
	}
}

static void the_runtime_ends_the_process(void **state)
{
	struct probe *probe = new_probe();

	(void)state;
	assert_step(end_in(probe, PROBE_STEP_LOAD, PROBE_ENDED, 0), PROBE_STEP_LOAD,
		    "ends the process", VERDICT_DIFFER);
	free(probe);
}

static void a_time_limit_is_unknown(void **state)
{
	static const enum probe_ending endings[] = { PROBE_TIMED_OUT, PROBE_STUCK };

	(void)state;
	for (int step = 0; step < PROBE_STEPS; step++) {
		for (unsigned i = 0; i < 2; i++) {
			struct probe *probe = new_probe();

			assert_step(end_in(probe, step, endings[i], SIGKILL), step,
				    "unknown (time limit)", VERDICT_NOT_MEASURED);
			free(probe);
		}
	}
}

static void another_process_killed_it(void **state)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct probe *probe = new_probe();

		assert_step(end_in(probe, PROBE_STEP_LOAD, PROBE_ENDED_BY_SIGNAL, signals[i]),
			    PROBE_STEP_LOAD, "unknown (killed)", VERDICT_NOT_MEASURED);
		free(probe);
	}
}

static void what_needs_an_unknown_step(void **state)
{
	struct probe *probe = new_probe();
	struct probe_mode *mode = end_in(probe, PROBE_STEP_LOAD, PROBE_TIMED_OUT, SIGKILL);

	(void)state;
	assert_step(mode, PROBE_STEP_STORE, "unknown (not tried)", VERDICT_NOT_MEASURED);
	assert_step(mode, PROBE_STEP_ATOMIC, "unknown (not tried)", VERDICT_NOT_MEASURED);
	/* A fill needs no kernel of ours. */
	assert_step(mode, PROBE_STEP_FILL, "not measured", VERDICT_NOT_MEASURED);
	assert_int_equal(mode->memory[PLACEMENT].steps[PROBE_STEP_FILL].state, PROBE_PENDING);
	free(probe);
	probe = new_probe();
	mode = end_in(probe, PROBE_STEP_ALLOCATE, PROBE_TIMED_OUT, SIGKILL);
	for (int step = PROBE_STEP_GRANULARITY; step < PROBE_STEPS; step++)
		assert_step(mode, step, "unknown (not tried)", VERDICT_NOT_MEASURED);
	free(probe);
}

static void counts(void **state)
{
	struct probe *probe = new_probe();
	struct probe_counts before = probe_count(probe), after;

	(void)state;
	end_in(probe, PROBE_STEPS - 1, PROBE_TIMED_OUT, SIGKILL);
	after = probe_count(probe);
	assert_int_equal(before.time_limits, 0);
	assert_int_equal(after.time_limits, 1);
	assert_int_equal(after.killed, 0);
	assert_int_equal(after.of[VERDICT_DIFFER], before.of[VERDICT_DIFFER]);
	assert_int_equal(after.of[VERDICT_NOT_MEASURED], before.of[VERDICT_NOT_MEASURED] + 1);
	end_in(probe, PROBE_STEPS - 1, PROBE_ENDED_BY_SIGNAL, SIGKILL);
	assert_int_equal(probe_count(probe).killed, 1);
	free(probe);
}

/* The number of differences, and what was printed (to be freed). */
static int compare(struct probe *a, struct probe *b, char **text)
{
	struct json_object *probes[2] = { probe_to_json(a), probe_to_json(b) };
	size_t size = 0;
	FILE *stream = open_memstream(text, &size);
	int which = 0, differences;

	assert_non_null(stream);
	differences = probe_print_comparison(probes, stream, &which);
	fclose(stream);
	json_object_put(probes[0]);
	json_object_put(probes[1]);
	return differences;
}

static void two_probes(void **state)
{
	struct probe *a = new_probe(), *b = new_probe();
	char *text = NULL;

	(void)state;
	end_in(b, PROBE_STEP_LOAD, PROBE_TIMED_OUT, SIGKILL);
	assert_int_equal(compare(a, b, &text), 0);
	assert_non_null(strstr(text, "0 of "));
	assert_non_null(strstr(text, " are unknown in one of the files\n"));
	free(text);
	assert_int_equal(compare(b, a, &text), 0);
	free(text);
	b->gpu[0].mode[0].memory[PLACEMENT].steps[PROBE_STEP_STORE].state = PROBE_LOST;
	assert_int_equal(compare(a, b, &text), 1);
	assert_non_null(strstr(text, "hipMalloc(0): gpu_store: works, lost\n1 of "));
	free(text);
	free(a);
	free(b);
}

static void the_text(void **state)
{
	struct probe *probe = new_probe();
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	end_in(probe, PROBE_STEP_LOAD, PROBE_TIMED_OUT, SIGKILL);
	probe_print_text(probe, stream);
	fclose(stream);
	assert_non_null(
	    strstr(text, "\n  Unknown\n  hipMalloc: loads by the GPU: unknown (time limit)\n\n"));
	assert_null(strstr(text, "Differences\n  hipMalloc: loads"));
	free(text);
	free(probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash_contradicts),
		cmocka_unit_test(the_runtime_ends_the_process),
		cmocka_unit_test(a_time_limit_is_unknown),
		cmocka_unit_test(another_process_killed_it),
		cmocka_unit_test(what_needs_an_unknown_step),
		cmocka_unit_test(counts),
		cmocka_unit_test(two_probes),
		cmocka_unit_test(the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
