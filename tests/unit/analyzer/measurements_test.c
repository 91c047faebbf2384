/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which measurements of `hipgrain probe` hold for a launch's memory, and what they change. */
#include <glib.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/model/measured.h"
#include "analyzer/rules/engine/measurements.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_device.h"

#define ROW(call, advice, granularity, outcome)                                    \
	"{\"call\": \"" call "\", \"flags\": 0, \"advice\": " advice               \
	", \"results\": [{\"what\": \"granularity\", \"measured\": \"" granularity \
	"\"}, {\"what\": \"f32_add\", \"measured\": \"" outcome "\"}]}"
#define PROBE                                                                          \
	"{\"schema\": \"hipgrain-probe/1\", \"runtime_version\": 50200000, \"gpus\": " \
	"[{\"modes\": [{\"target\": \"gfx90a\", \"xnack\": false, \"memory\": [" ROW(  \
	    "hipHostMalloc", "null", "fine-grained",                                   \
	    "works") "," ROW("hipHostMalloc", "100", "coarse-grained",                 \
			     "lost") "," ROW("malloc", "null", "fine-grained", "lost") "]}]}]}"

static struct measured *measured;
static struct replay replay;
static struct process *process;
static struct allocation pinned;
static struct place place;
static struct launch launch;
static struct grain grain;
static struct model_atomic_use use;
static char *folder;

static void write_file(const char *name, const char *text)
{
	char *path = g_build_filename(folder, name, NULL);

	assert_true(g_file_set_contents(path, text, -1, NULL));
	g_free(path);
}

static void remove_file(const char *name)
{
	char *path = g_build_filename(folder, name, NULL);

	g_unlink(path);
	g_free(path);
}

static int setup(void **state)
{
	GPtrArray *problems = g_ptr_array_new();
	struct hg_event device = { .type = HG_EVENT_device,
				   .pid = 1,
				   .device =
				       &(struct hg_ev_device){ .name = "", .arch = "gfx90a" } };

	(void)state;
	folder = g_dir_make_tmp("measurements-XXXXXX", NULL);
	assert_non_null(folder);
	write_file("a.json", PROBE);
	measured = measured_new();
	assert_int_equal(measured_add_directory(measured, folder, "", problems), 1);
	assert_int_equal(problems->len, 0);
	g_ptr_array_free(problems, TRUE);
	replay_init(&replay);
	process = replay_apply(&replay, &device);
	process->runtime_version = 50200000;
	process->measured = measured;
	pinned =
	    (struct allocation){ .api = HG_API_hipHostMalloc, .layer = LAYER_HIP, .size = 4096 };
	place = (struct place){ .kind = PLACE_ALLOCATION, .allocation = &pinned };
	launch = (struct launch){ .device = process_device(process, 0), .arch = "gfx90a" };
	grain = (struct grain){ .granularity = GRAIN_FINE, .location = LOCATION_HOST };
	use = (struct model_atomic_use){ .arch = "gfx90a",
					 .kind = ATOMIC_F32_ADD,
					 .granularity = GRAIN_FINE,
					 .location = LOCATION_HOST,
					 .link = LINK_PCIE,
					 .pcie_atomics = 1 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	replay_destroy(&replay);
	measured_free(measured);
	remove_file("a.json");
	g_rmdir(folder);
	g_free(folder);
	return 0;
}

static struct atomic_effect effect(void)
{
	return atomic_effect(process, &launch, &place, &grain, &use);
}

static void a_measurement_goes_before_the_model(void **state)
{
	struct atomic_effect got;

	(void)state;
	got = effect();
	assert_true(got.measured);
	assert_true(got.differs);
	assert_true(got.outcome.certain);
	assert_null(got.outcome.doubt);
	assert_int_equal(got.outcome.outcome, OUTCOME_WORKS);
	process->measured = NULL;
	got = effect();
	assert_false(got.measured);
	assert_int_equal(got.outcome.outcome, OUTCOME_LOST);
	assert_int_equal(measured_grain(process, &place), GRAIN_UNKNOWN);
}

static void what_agrees_does_not_differ(void **state)
{
	struct atomic_effect got;

	(void)state;
	pinned = (struct allocation){ .api = HG_API_malloc, .layer = LAYER_HOST };
	got = effect();
	assert_true(got.measured);
	assert_false(got.differs);
	assert_int_equal(got.outcome.outcome, OUTCOME_LOST);
	/* The model expects nothing of another instruction set. */
	use.arch = "gfx1";
	got = effect();
	assert_true(got.measured);
	assert_false(got.differs);
}

static void only_memory_as_it_was_measured(void **state)
{
	(void)state;
	grain.mixed = true;
	assert_false(effect().measured);
	grain.mixed = false;
	grain.how = GRAIN_BY_RUNTIME;
	assert_false(effect().measured);
	grain.how = 0;
	pinned.prefetched_to_gpu = true;
	assert_false(effect().measured);
	pinned.prefetched_to_gpu = false;
	pinned.symbol = (char *)"variable";
	assert_false(effect().measured);
	assert_int_equal(measured_grain(process, &place), GRAIN_UNKNOWN);
	pinned.symbol = NULL;
	pinned.layer = LAYER_MAPPING;
	assert_false(effect().measured);
	pinned.layer = LAYER_HIP;
	pinned.flags = 1;
	assert_false(effect().measured);
	pinned.flags = 0;
	assert_true(effect().measured);
	launch.device = NULL; /* XNACK is not known */
	assert_false(effect().measured);
}

static void advice_is_measured_as_such(void **state)
{
	struct atomic_effect got;

	(void)state;
	grain.how = GRAIN_BY_ADVICE;
	grain.granularity = GRAIN_COARSE;
	got = effect();
	assert_true(got.measured);
	assert_int_equal(got.outcome.outcome, OUTCOME_LOST);
	/* Advised to what it was before. */
	grain.granularity = GRAIN_FINE;
	assert_int_equal(effect().outcome.outcome, OUTCOME_WORKS);
	grain.how = 0;
	grain.granularity = GRAIN_COARSE;
	assert_int_equal(effect().outcome.outcome, OUTCOME_WORKS);
	assert_int_equal(measured_grain(process, &place), GRAIN_FINE);
}

static void blocks_of_the_c_library_are_alike(void **state)
{
	(void)state;
	pinned = (struct allocation){ .api = HG_API_calloc, .layer = LAYER_HOST, .flags = 7 };
	assert_int_equal(effect().outcome.outcome, OUTCOME_LOST);
	assert_true(effect().measured);
	place = (struct place){ .kind = PLACE_HEAP };
	assert_true(effect().measured);
	assert_int_equal(measured_grain(process, &place), GRAIN_FINE);
	place.kind = PLACE_STACK;
	assert_false(effect().measured);
	assert_int_equal(measured_grain(process, &place), GRAIN_UNKNOWN);
}

static void findings_say_that_it_was_measured(void **state)
{
	struct finding finding = { .process = process, .confidence = CONFIDENCE_PROVEN };
	struct atomic_effect of = { .outcome.outcome = OUTCOME_LOST };
	char *first;

	(void)state;
	finding_set_measured(&finding, &launch, &of);
	assert_null(finding.measured);
	assert_int_equal(finding.confidence, CONFIDENCE_PROVEN);
	of.measured = true;
	finding_set_measured(&finding, &launch, &of);
	first = finding.measured;
	assert_non_null(first);
	assert_non_null(strstr(first, "gfx90a, HIP 5.2"));
	assert_non_null(strstr(first, "is lost in"));
	assert_null(strstr(first, "otherwise"));
	assert_int_equal(finding.confidence, CONFIDENCE_MEASURED);
	/* The first one stays. */
	of.outcome.outcome = OUTCOME_WORKS;
	of.differs = true;
	finding_set_measured(&finding, &launch, &of);
	assert_ptr_equal(finding.measured, first);
	/* What was not proven is not more certain. */
	finding = (struct finding){ .process = process, .confidence = CONFIDENCE_LIKELY };
	finding_set_measured(&finding, &launch, &of);
	assert_non_null(strstr(finding.measured, "is performed in"));
	assert_non_null(strstr(finding.measured, "expects otherwise"));
	assert_int_equal(finding.confidence, CONFIDENCE_LIKELY);
	g_free(first);
	g_free(finding.measured);
}

static void a_note_says_why_there_is_no_finding(void **state)
{
	struct isa_kernel code = { .name = (char *)"sums" };
	struct findings findings;
	struct rules_context context = { .findings = &findings, .process = process };
	struct atomic_effect of = { .outcome.outcome = OUTCOME_WORKS };

	(void)state;
	launch.code = &code;
	findings_init(&findings);
	note_measured(&context, &launch, &place, "global_atomic_add_f32", &of);
	of.differs = true;
	note_measured(&context, &launch, &place, "global_atomic_add_f32", &of);
	of.differs = false;
	of.measured = true;
	note_measured(&context, &launch, &place, "global_atomic_add_f32", &of);
	assert_int_equal(findings.notes->len, 0);
	of.differs = true;
	note_measured(&context, &launch, &place, "global_atomic_add_f32", &of);
	assert_int_equal(findings.notes->len, 1);
	assert_non_null(strstr(findings.notes->pdata[0], "sums with global_atomic_add_f32 on"));
	place = (struct place){ .kind = PLACE_HEAP };
	note_measured(&context, &launch, &place, "global_atomic_add_f32", &of);
	assert_non_null(strstr(findings.notes->pdata[1], "the host's heap"));
	findings_destroy(&findings);
}

static void a_directory_of_results(void **state)
{
	GPtrArray *problems = g_ptr_array_new_with_free_func(g_free);

	(void)state;
	write_file("b.json", "{\"schema\": \"hipgrain-probe/9\"}");
	write_file("c.text", PROBE);
	assert_int_equal(measured_add_directory(measured, folder, "", problems), 1);
	assert_int_equal(problems->len, 1);
	assert_non_null(strstr(problems->pdata[0], "its schema is 'hipgrain-probe/9'"));
	assert_int_equal(measured_add_directory(measured, folder, "a", problems), 1);
	assert_int_equal(measured_add_directory(measured, folder, "c", problems), 0);
	assert_int_equal(problems->len, 1);
	assert_int_equal(measured_add_directory(measured, "/nonexistent", "", problems), 0);
	assert_int_equal(problems->len, 1);
	remove_file("b.json");
	remove_file("c.text");
	g_ptr_array_free(problems, TRUE);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_measurement_goes_before_the_model), TEST(what_agrees_does_not_differ),
		TEST(only_memory_as_it_was_measured),      TEST(advice_is_measured_as_such),
		TEST(blocks_of_the_c_library_are_alike),   TEST(findings_say_that_it_was_measured),
		TEST(a_note_says_why_there_is_no_finding), TEST(a_directory_of_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
