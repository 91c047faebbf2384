/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that read the same in the source are one: with stacks of this very program. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/analyze.h"
#include "analyzer/report/selection.h"

/* Two places on one line, as of an unrolled loop, and one on another. */
static uint64_t same[2], other;

__attribute__((noinline)) static void places(void)
{
	/* clang-format off */
	__asm__ volatile("lea 1f(%%rip), %0\n nop\n 1: nop\n lea 2f(%%rip), %1\n nop\n 2: nop" : "=r"(same[0]), "=r"(same[1]));
	__asm__ volatile("lea 1f(%%rip), %0\n nop\n 1: nop" : "=r"(other));
	/* clang-format on */
}

static int own_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the executable comes first */
}

static struct analysis analysis;
static struct process *process;

static void apply(struct hg_event event)
{
	event.pid = event.tid = 1;
	process = replay_apply(&analysis.replay, &event);
}

static void stack(uint32_t id, uint64_t frame)
{
	apply((struct hg_event){ .type = HG_EVENT_stack,
				 .stack = { .stack_id = id, .depth = 1, .frames = &frame } });
}

enum { FIRST = 1, SECOND, ELSEWHERE };

static int setup(void **state)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	uint64_t bias = 0;

	(void)state;
	assert_true(length > 0);
	path[length] = 0;
	places();
	dl_iterate_phdr(own_bias, &bias);
	memset(&analysis, 0, sizeof(analysis));
	replay_init(&analysis.replay);
	findings_init(&analysis.findings);
	analysis.symbolizer = symbolizer_new(NULL);
	apply((struct hg_event){
	    .type = HG_EVENT_module,
	    .module = {
		.bias = bias, .start = bias, .size = 1 << 24, .path = path, .build_id = "" } });
	stack(FIRST, same[0]);
	stack(SECOND, same[1]);
	stack(ELSEWHERE, other);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	findings_destroy(&analysis.findings);
	symbolizer_free(analysis.symbolizer);
	replay_destroy(&analysis.replay);
	return 0;
}

static struct finding *call_at(enum rule_id rule, uint32_t stack_id, uint64_t count)
{
	bool is_new;
	struct finding *finding =
	    findings_get(&analysis.findings, rule, process, &is_new, "%u", stack_id);

	for (uint64_t i = 0; i < count; i++) {
		finding_hit(finding, 10 + (int64_t)i, stack_id);
	}
	return finding;
}

static unsigned united(void)
{
	unite_alike(&analysis);
	return analysis.findings.list->len;
}

static void copies_of_a_call_are_one(void **state)
{
	const struct finding *finding = call_at(RULE_HG501, FIRST, 3);

	(void)state;
	call_at(RULE_HG501, SECOND, 4);
	assert_int_equal(united(), 1);
	assert_int_equal(finding->count, 7);
	assert_int_equal(finding->sites->len, 1);
	assert_int_equal(g_array_index(finding->sites, struct site, 0).count, 7);
}

static void numbers_of_one_are_not_said_of_all(void **state)
{
	struct finding *finding = call_at(RULE_HG704, FIRST, 3);

	(void)state;
	finding->message = g_strdup("it waited 3 times.");
	call_at(RULE_HG704, SECOND, 4)->message = g_strdup("it waited 4 times.");
	assert_int_equal(united(), 1);
	assert_non_null(strstr(finding->message, "waited 3 times. (The same line"));
	assert_non_null(strstr(finding->message, "more than once, as in an unrolled loop"));
}

static void one_sentence_for_all_stays(void **state)
{
	struct finding *finding = call_at(RULE_HG704, FIRST, 3);

	(void)state;
	finding->message = g_strdup("it waits.");
	call_at(RULE_HG704, SECOND, 4)->message = g_strdup("it waits.");
	assert_int_equal(united(), 1);
	assert_string_equal(finding->message, "it waits.");
}

static void another_line_is_another_call(void **state)
{
	(void)state;
	call_at(RULE_HG501, FIRST, 1);
	call_at(RULE_HG501, ELSEWHERE, 1);
	assert_int_equal(united(), 2);
}

static void another_rule_is_another_finding(void **state)
{
	(void)state;
	call_at(RULE_HG501, FIRST, 1);
	call_at(RULE_HG502, SECOND, 1);
	assert_int_equal(united(), 2);
}

/* Nothing is known of where these were called. */
static void lost_stacks_stay_apart(void **state)
{
	(void)state;
	call_at(RULE_HG501, 77, 1);
	call_at(RULE_HG501, 78, 1);
	assert_int_equal(united(), 2);
}

static void the_launches_of_a_kernel_are_its_sites(void **state)
{
	struct finding *finding = call_at(RULE_HG101, FIRST, 1);

	(void)state;
	finding->kernel = g_strdup("add");
	finding->kernel_symbol = g_strdup("add");
	finding_hit(finding, 20, SECOND);
	finding_hit(finding, 21, ELSEWHERE);
	assert_int_equal(united(), 1);
	assert_int_equal(finding->sites->len, 2);
	assert_int_equal(g_array_index(finding->sites, struct site, 0).count, 2);
	assert_int_equal(g_array_index(finding->sites, struct site, 1).stack_id, ELSEWHERE);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(copies_of_a_call_are_one),
		TEST(numbers_of_one_are_not_said_of_all),
		TEST(one_sentence_for_all_stays),
		TEST(another_line_is_another_call),
		TEST(another_rule_is_another_finding),
		TEST(lost_stacks_stay_apart),
		TEST(the_launches_of_a_kernel_are_its_sites),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
