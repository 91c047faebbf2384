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
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "analyzer/rules/ids/hg5xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_objects.h"
#include "tracer/events/ev_module.h"
#include "tracer/events/ev_stack.h"

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
	apply((struct hg_event){
	    .type = HG_EVENT_stack,
	    .stack = &(struct hg_ev_stack){ .stack_id = id, .depth = 1, .frames = &frame } });
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
	    .module = &(struct hg_ev_module){
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

	for (uint64_t i = 0; i < count; i++)
		finding_hit(finding, 10 + (int64_t)i, stack_id);
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

/* What stands on a line is one thing, whoever calls its function. */
static void a_line_is_one(void **state)
{
	const struct finding *finding;
	uint64_t frames[][2] = { { same[0], other }, { same[1], same[0] } };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		apply((struct hg_event){ .type = HG_EVENT_stack,
					 .stack = &(struct hg_ev_stack){ .stack_id = 10 + i,
									 .depth = 2,
									 .frames = frames[i] } });
	}
	finding = call_at(RULE_HG804, 10, 3);
	call_at(RULE_HG804, 11, 4);
	assert_int_equal(united(), 2);
	for (unsigned i = 0; i < 2; i++)
		((struct finding *)analysis.findings.list->pdata[i])->of_line = true;
	assert_int_equal(united(), 1);
	assert_int_equal(finding->count, 7);
	assert_int_equal(finding->sites->len, 2);
}

static struct finding *waited(uint32_t stack_id, uint64_t count)
{
	struct finding *finding = call_at(RULE_HG704, stack_id, count);

	finding_figure(finding, 0, FIGURE_SUM, count);
	finding_figure(finding, 1, FIGURE_RANGE, 8 * count);
	finding->message = g_strdup("it waited " FIGURE(0) " times for " FIGURE(1) " bytes.");
	finding_render(finding);
	return finding;
}

/* A total in a sentence is that of all, and what differs is given as a range. */
static void numbers_in_sentences_are_joined(void **state)
{
	const struct finding *finding = waited(FIRST, 3);

	(void)state;
	assert_string_equal(finding->message, "it waited 3 times for 24 bytes.");
	waited(SECOND, 4);
	assert_int_equal(united(), 1);
	assert_int_equal(finding->count, 7);
	assert_string_equal(finding->message, "it waited 7 times for 24 to 32 bytes.");
}

static void what_is_said_of_one_is_not_said_of_the_other(void **state)
{
	(void)state;
	call_at(RULE_HG704, FIRST, 3)->message = g_strdup("it waits for 3 kernels.");
	call_at(RULE_HG704, SECOND, 4)->message = g_strdup("it waits for 4 kernels.");
	assert_int_equal(united(), 2);
}

static void what_is_doubted_of_one_is_not_proven(void **state)
{
	(void)state;
	call_at(RULE_HG704, FIRST, 3);
	finding_at_most(call_at(RULE_HG704, SECOND, 4), CONFIDENCE_LIKELY, "who knows");
	assert_int_equal(united(), 2);
}

static struct finding *of_memory(uint32_t stack_id, uint64_t size, uint64_t flags)
{
	struct finding *finding = call_at(RULE_HG501, stack_id, 1);
	struct allocation *allocation = g_new0(struct allocation, 1);

	allocation->api = HG_API_hipHostMalloc;
	allocation->ptr = 0x1000 * stack_id;
	allocation->size = size;
	allocation->flags = flags;
	allocation->stack_id = stack_id;
	finding_set_place(finding,
			  &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation }, 0);
	return finding;
}

static void memory_of_other_flags_is_other_memory(void **state)
{
	const struct finding *finding = of_memory(FIRST, 64, 0);

	(void)state;
	of_memory(SECOND, 64, 0x40000000);
	assert_int_equal(united(), 2);
	assert_false(finding->met.several);
}

/* Each handle has a number, which stands in the flags of what it opens. */
static void memory_of_other_handles_is_of_the_same_call(void **state)
{
	of_memory(FIRST, 64, UINT64_C(7) << 32)->allocation->api = HG_API_hipIpcOpenMemHandle;
	(void)state;
	of_memory(SECOND, 64, UINT64_C(8) << 32)->allocation->api = HG_API_hipIpcOpenMemHandle;
	assert_int_equal(united(), 1);
}

static void sizes_of_memory_are_a_range(void **state)
{
	const struct finding *finding = of_memory(FIRST, 64, 0);

	(void)state;
	of_memory(SECOND, 16, 0);
	assert_int_equal(united(), 1);
	assert_true(finding->met.several);
	assert_int_equal(finding->met.least, 16);
	assert_int_equal(finding->met.most, 64);
}

static void instructions_of_both_are_kept(void **state)
{
	struct finding *one = call_at(RULE_HG101, FIRST, 1);
	struct finding *second = call_at(RULE_HG101, SECOND, 1);
	const struct code_site sites[] = { { .instruction = (char *)"a", .code_offset = 8 },
					   { .instruction = (char *)"a", .code_offset = 16 } };

	(void)state;
	finding_add_instruction(one, &sites[0]);
	finding_add_instruction(second, &sites[0]);
	finding_add_instruction(second, &sites[1]);
	finding_add_instruction(second, &sites[1]);
	assert_int_equal(united(), 1);
	assert_int_equal(one->instructions->len, 2);
	assert_int_equal(one->code_offset, 8);
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
		TEST(a_line_is_one),
		TEST(numbers_in_sentences_are_joined),
		TEST(what_is_said_of_one_is_not_said_of_the_other),
		TEST(what_is_doubted_of_one_is_not_proven),
		TEST(memory_of_other_flags_is_other_memory),
		TEST(memory_of_other_handles_is_of_the_same_call),
		TEST(sizes_of_memory_are_a_range),
		TEST(instructions_of_both_are_kept),
		TEST(another_line_is_another_call),
		TEST(another_rule_is_another_finding),
		TEST(lost_stacks_stay_apart),
		TEST(the_launches_of_a_kernel_are_its_sites),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
