/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken from the results of `hipgrain probe`, and what is not. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/model/measured.h"
#include "tracer/api.h"

#define ROW(call, flags, advice, results)                                     \
	"{\"call\": \"" call "\", \"flags\": " #flags ", \"advice\": " advice \
	", \"results\": [" results "]}"
#define RESULT(what, seen) "{\"what\": \"" what "\", \"measured\": \"" seen "\"}"
#define MODE(target, xnack, rows) \
	"{\"target\": \"" target "\", \"xnack\": " xnack ", \"memory\": [" rows "]}"
#define PROBE(version, modes)                                               \
	"{\"schema\": \"hipgrain-probe/1\", \"runtime_version\": " #version \
	", \"gpus\": [{\"modes\": [" modes "]}]}"

static const struct measured_key key = { "gfx90a:sramecc+:xnack-", 0, 50200000 };
static const struct measured_memory pinned = { HG_API_hipHostMalloc, 0, false };
static const struct measured_memory managed = { HG_API_hipMallocManaged, 1, false };

/* The result of measured_add() on a file with that text, which must agree with `why`. */
static int add(struct measured *measured, const char *text)
{
	char path[] = "/tmp/measured-XXXXXX", *why = NULL;
	int fd = g_mkstemp(path), result;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	result = measured_add(measured, path, &why);
	assert_int_equal(result != 0, why != NULL);
	if (why)
		assert_non_null(strstr(why, path));
	g_free(why);
	unlink(path);
	return result;
}

static void what_was_measured(void **state)
{
	struct measured *measured = measured_new();
	struct measured_key other = key;
	struct measured_memory advised = managed;

	(void)state;
	assert_false(measured_any(measured, &key));
	assert_int_equal(
	    add(measured,
		PROBE(
		    50200000,
		    MODE(
			"gfx90a:sramecc+:xnack-", "false",
			ROW("hipHostMalloc", 0, "null",
			    RESULT("granularity", "fine-grained") "," RESULT("f32_add", "lost") "," RESULT("f64_min", "lost") "," RESULT("f64_max", "works") "," RESULT(
				"u32_add",
				"works") "," RESULT("u32_cas",
						    "no instruction") "," RESULT("u32_xor",
										 "wrong result") "," RESULT("f32_add_system",
													    "works")) "," ROW("hipMallocManaged",
															      1,
															      "100",
															      RESULT(
																  "granularity",
																  "coarse-grained"))))),
	    0);
	assert_true(measured_any(measured, &key));
	assert_int_equal(measured_granularity(measured, &key, &pinned), GRAIN_FINE);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_F32_ADD, false),
			 OUTCOME_LOST);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_F32_ADD, true),
			 OUTCOME_WORKS);
	/* Two instructions of a kind of which one is lost say nothing of the kind. */
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_F64_MINMAX, false),
			 OUTCOME_UNKNOWN);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_INT_PCIE, false),
			 OUTCOME_WORKS);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_INT_OTHER, false),
			 OUTCOME_UNKNOWN);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_PK_F16_ADD, false),
			 OUTCOME_UNKNOWN);
	/* Memory is what it was when it was measured: advised as a whole. */
	advised.advised = true;
	assert_int_equal(measured_granularity(measured, &key, &managed), GRAIN_UNKNOWN);
	assert_int_equal(measured_granularity(measured, &key, &advised), GRAIN_COARSE);
	/* Another mode, release, GPU. */
	other.xnack = 1;
	assert_int_equal(measured_granularity(measured, &other, &pinned), GRAIN_UNKNOWN);
	other.xnack = -1;
	assert_false(measured_any(measured, &other));
	other = key;
	other.runtime_version++;
	assert_int_equal(measured_granularity(measured, &other, &pinned), GRAIN_UNKNOWN);
	other = key;
	other.arch = "gfx90";
	assert_int_equal(measured_granularity(measured, &other, &pinned), GRAIN_UNKNOWN);
	other.arch = "gfx90a";
	assert_int_equal(measured_granularity(measured, &other, &pinned), GRAIN_FINE);
	measured_free(measured);
}

/* A step that reached the time limit measured nothing, also not of the kind it belongs to. */
static void steps_without_a_result(void **state)
{
	static const char *const unknown[] = { "unknown (time limit)", "unknown (killed)",
					       "unknown (not tried)", "skipped", "not measured" };

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(unknown); i++) {
		struct measured *measured = measured_new();
		char *text = g_strdup_printf(
		    "{\"schema\": \"hipgrain-probe/1\", \"runtime_version\": 50200000, "
		    "\"gpus\": [{\"modes\": [{\"target\": \"gfx90a\", \"xnack\": false, "
		    "\"memory\": [{\"call\": \"hipHostMalloc\", \"flags\": 0, \"advice\": null, "
		    "\"results\": [{\"what\": \"granularity\", \"measured\": \"%1$s\"}, "
		    "{\"what\": \"f32_add\", \"measured\": \"%1$s\"}, "
		    "{\"what\": \"u32_add\", \"measured\": \"works\"}, "
		    "{\"what\": \"u64_add\", \"measured\": \"%1$s\"}, "
		    "{\"what\": \"s32_min\", \"measured\": \"lost\"}]}]}]}]}",
		    unknown[i]);

		assert_int_equal(add(measured, text), 0);
		assert_int_equal(measured_granularity(measured, &key, &pinned), GRAIN_UNKNOWN);
		assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_F32_ADD, false),
				 OUTCOME_UNKNOWN);
		assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_INT_PCIE, false),
				 OUTCOME_UNKNOWN);
		assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_INT_MINMAX, false),
				 OUTCOME_LOST);
		g_free(text);
		measured_free(measured);
	}
}

static void gpus_that_differ_say_nothing(void **state)
{
	struct measured *measured = measured_new();

	(void)state;
#define ONE(granularity, outcome)            \
	MODE("gfx90a", "false",              \
	     ROW("hipHostMalloc", 0, "null", \
		 RESULT("granularity", granularity) "," RESULT("f32_add", outcome)))
	assert_int_equal(add(measured, PROBE(50200000, ONE("fine-grained", "lost"))), 0);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_F32_ADD, false),
			 OUTCOME_LOST);
	assert_int_equal(add(measured, PROBE(50200000, ONE("coarse-grained", "works"))), 0);
	assert_int_equal(measured_granularity(measured, &key, &pinned), GRAIN_UNKNOWN);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_F32_ADD, false),
			 OUTCOME_UNKNOWN);
	measured_free(measured);
}

static void other_files(void **state)
{
	static const char *const refused[] = {
		"",
		"{",
		"[]",
		"null",
		"{}",
		"{\"schema\": \"hipgrain-probe/2\", \"runtime_version\": 1, \"gpus\": []}",
		"{\"schema\": \"hipgrain-probe/1\", \"runtime_version\": \"1\", \"gpus\": []}",
		"{\"schema\": \"hipgrain-probe/1\", \"runtime_version\": 1, \"gpus\": {}}",
	};
	static const char *const empty[] = {
		"{\"schema\": \"hipgrain-probe/1\", \"runtime_version\": 50200000, \"gpus\": [1, "
		"null, [], {\"modes\": 1}, {\"modes\": [1, null, {\"target\": 1}]}]}",
		PROBE(50200000, MODE("gfx90a", "null", ROW("hipHostMalloc", 0, "null", ""))),
		PROBE(50200000, MODE("", "false", ROW("hipHostMalloc", 0, "null", ""))),
		PROBE(50200000, MODE("gfx90a", "false", "1, null, [], {}")) /* no memory in it */,
		PROBE(50200000, MODE("gfx90a", "false",
				     "{\"call\": \"hipHostMalloc\", \"flags\": 0, \"peer\": true, "
				     "\"advice\": null, \"results\": [" RESULT(
					 "granularity", "fine-grained") "]}")),
		PROBE(50200000,
		      MODE("gfx90a", "false",
			   ROW("hipNoSuchCall", 0, "null", RESULT("granularity", "fine-grained")))),
		PROBE(50200000,
		      MODE("gfx90a", "false",
			   ROW("hipHostMalloc", 0, "null",
			       "1, {}, {\"what\": 3}," RESULT("granularity", "hot") "," RESULT(
				   "f32_add_systems", "lost")))),
	};
	struct measured *measured = measured_new();
	char *why = NULL;

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(refused); i++)
		assert_int_equal(add(measured, refused[i]), -1);
	for (unsigned i = 0; i < G_N_ELEMENTS(empty); i++)
		assert_int_equal(add(measured, empty[i]), 0);
	assert_int_equal(measured_granularity(measured, &key, &pinned), GRAIN_UNKNOWN);
	assert_int_equal(measured_atomic(measured, &key, &pinned, ATOMIC_F32_ADD, true),
			 OUTCOME_UNKNOWN);
	assert_int_equal(measured_add(measured, "/dev/zero", &why), -1);
	g_free(why);
	measured_free(measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_measured),
		cmocka_unit_test(steps_without_a_result),
		cmocka_unit_test(gpus_that_differ_say_nothing),
		cmocka_unit_test(other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
