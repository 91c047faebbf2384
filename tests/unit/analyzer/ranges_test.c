/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges: nesting, sources, started ones, and how many names are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/replay/process_state.h"
#include "analyzer/replay/ranges.h"
#include "analyzer/rules/engine/finding_ranges.h"
#include "tracer/events/ev_range.h"

static int64_t now;

static void apply(struct process *process, int32_t tid, uint8_t source, uint8_t kind, uint64_t id,
		  const char *name)
{
	struct hg_event event = { .type = HG_EVENT_range, .pid = 1, .tid = tid, .ns = ++now };

	event.range = &(struct hg_ev_range){ source, kind, id, 0, name };
	ranges_apply(process, &event);
}

static void push(struct process *process, const char *name)
{
	apply(process, 1, HG_RANGE_ROCTX, HG_RANGE_PUSH, 0, name);
}

static void pop(struct process *process)
{
	apply(process, 1, HG_RANGE_ROCTX, HG_RANGE_POP, 0, "");
}

static void expect(const struct process *process, int32_t tid, const char *path)
{
	char *text = range_path_text(ranges_of_thread(process, tid).path);

	assert_string_equal(text, path);
	g_free(text);
}

static void test_nesting(void **state)
{
	struct process *process = process_new(1);

	(void)state;
	expect(process, 1, "");
	push(process, "step 1");
	push(process, "forward");
	expect(process, 1, "step 1 / forward");
	expect(process, 2, "");
	/* Another source's pop ends its own range. */
	apply(process, 1, HG_RANGE_NVTX, HG_RANGE_PUSH, 0, "nvtx");
	pop(process);
	expect(process, 1, "step 1 / nvtx");
	apply(process, 1, HG_RANGE_NVTX, HG_RANGE_POP, 0, "");
	expect(process, 1, "step 1");
	pop(process);
	assert_int_equal(ranges_unbalanced(process), 0);
	pop(process);
	assert_int_equal(ranges_unbalanced(process), 1);
	expect(process, 1, "");
	process_free(process);
}

static void test_started(void **state)
{
	struct process *process = process_new(1);

	(void)state;
	push(process, "main");
	apply(process, 1, HG_RANGE_ROCTX, HG_RANGE_START, 5, "a");
	apply(process, 1, HG_RANGE_ROCTX, HG_RANGE_START, 6, "b");
	expect(process, 1, "a / b / main");
	expect(process, 9, "a / b");
	apply(process, 9, HG_RANGE_NVTX, HG_RANGE_STOP, 5, "");
	apply(process, 9, HG_RANGE_ROCTX, HG_RANGE_STOP, 5, "");
	expect(process, 1, "b / main");
	process_free(process);
}

/* What is too deep is counted, so that the pops fit again. */
static void test_depth(void **state)
{
	struct process *process = process_new(1);

	(void)state;
	push(process, "outer");
	for (unsigned i = 0; i < 100000; i++)
		push(process, "deeper");
	assert_int_equal(ranges_of_thread(process, 1).path->depth, RANGE_DEPTH_MOST);
	for (unsigned i = 0; i < 100000; i++)
		pop(process);
	expect(process, 1, "outer");
	process_free(process);
}

/* Each name is another one: after so many numbers are left out, then names. */
static void test_many(void **state)
{
	struct process *process = process_new(1);
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		snprintf(name, sizeof(name), "step %u", i);
		push(process, name);
		if (i == 60000)
			expect(process, 1, "step 60000");
		ranges_of_thread(process, 1);
		pop(process);
	}
	assert_true(ranges_too_many(process));
	push(process, "step 7000000");
	expect(process, 1, "step *");
	pop(process);
	for (unsigned i = 0; i < 300000; i++) {
		for (unsigned k = 0; k < 20; k++)
			name[k] = (char)('a' + (i >> k & 1));
		name[20] = 0;
		push(process, name);
		ranges_of_thread(process, 1);
		pop(process);
	}
	push(process, "unheard of");
	expect(process, 1, "");
	process_free(process);
}

static void hit(struct finding *finding, const char *name)
{
	struct hg_event event = { .type = HG_EVENT_launch, .pid = 1, .tid = 1 };

	push(finding->process, name);
	push(finding->process, "forward");
	event.ns = ++now;
	ranges_note(finding->process, &event);
	finding_in_range(finding, event.ns);
	pop(finding->process);
	pop(finding->process);
}

static void test_findings(void **state)
{
	struct finding finding = { .process = process_new(1) };
	const struct finding_range *range;
	char *text;

	(void)state;
	hit(&finding, "layer 2");
	range = &g_array_index(finding.ranges, struct finding_range, 0);
	text = finding_range_text(range);
	assert_string_equal(text, "layer 2 / forward");
	g_free(text);
	hit(&finding, "layer 17");
	hit(&finding, "layer 17");
	hit(&finding, "warm-up");
	assert_int_equal(finding.ranges->len, 2);
	range = &g_array_index(finding.ranges, struct finding_range, 0);
	text = finding_range_text(range);
	assert_string_equal(text, "layer * / forward");
	g_free(text);
	assert_int_equal(range->ranges, 3);
	/* What is not known of a time is no range. */
	finding_in_range(&finding, 123456789);
	assert_int_equal(range->hits, 3);
	for (unsigned i = 0; i < 30; i++)
		hit(&finding, (char[]){ (char)('a' + i % 26), (char)('a' + i / 26), 0 });
	assert_int_equal(finding.ranges->len, FINDING_RANGES_MOST);
	assert_int_equal(finding.ranges_left_out, 30 + 2 - FINDING_RANGES_MOST);
	g_array_free(finding.ranges, TRUE);
	process_free(finding.process);
}

/* Returns true if a finding that occurred in these ranges, one after the other, is one of the
 * pattern's. */
static bool is_selected(const char *pattern, const char *const *names)
{
	struct finding finding = { .process = process_new(1) };
	bool selected;

	finding_ranges_select(pattern);
	for (; *names; names++)
		hit(&finding, *names);
	selected = finding_in_selected_range(&finding);
	finding_ranges_select(NULL);
	g_array_free(finding.ranges, TRUE);
	process_free(finding.process);
	return selected;
}

static void test_selected(void **state)
{
	const char *const layers[] = { "layer 2", "layer 17", "layer 17", NULL };
	const char *const one[] = { "layer 2", "layer 2", NULL };
	const char *many[30] = { NULL };
	char names[29][3];

	(void)state;
	assert_true(is_selected("layer 2", layers));
	assert_true(is_selected("layer 17", layers));
	assert_false(is_selected("layer 3", layers));
	assert_true(is_selected(NULL, layers));
	assert_true(is_selected("layer 2", one));
	for (int i = 0; i < 29; i++) {
		snprintf(names[i], sizeof(names[i]), "%c%c", 'a' + i % 26, 'a' + i / 26);
		many[i] = names[i];
	}
	/* It is not kept in which ranges the last ones were, but that one is selected. */
	assert_true(is_selected("cb", many));
	assert_false(is_selected("other", many));
}

static void test_joined(void **state)
{
	struct finding one = { .process = process_new(1) }, other = { .process = one.process };

	(void)state;
	hit(&one, "layer 2");
	finding_ranges_select("warm-up");
	hit(&other, "layer 17");
	hit(&other, "warm-up");
	finding_ranges_select(NULL);
	finding_ranges_join(&one, &other);
	assert_int_equal(one.ranges->len, 2);
	assert_int_equal(one.ranges_left_out, 0);
	assert_int_equal(g_array_index(one.ranges, struct finding_range, 0).hits, 2);
	assert_true(g_array_index(one.ranges, struct finding_range, 0).varies);
	assert_false(g_array_index(one.ranges, struct finding_range, 0).selected);
	assert_true(g_array_index(one.ranges, struct finding_range, 1).selected);
	/* There is no room for more kinds, so that one of those stands for the rest. */
	for (unsigned i = 2; i < FINDING_RANGES_MOST; i++)
		hit(&one, (char[]){ (char)('a' + i), 0 });
	g_array_set_size(other.ranges, 0);
	finding_ranges_select("zz");
	hit(&other, "zz");
	finding_ranges_select(NULL);
	finding_ranges_join(&one, &other);
	assert_int_equal(one.ranges->len, FINDING_RANGES_MOST);
	assert_int_equal(one.ranges_left_out, 1);
	assert_true(g_array_index(one.ranges, struct finding_range, 0).selected);
	finding_ranges_join(&one, &(struct finding){ .process = one.process }); /* it has none */
	g_array_free(one.ranges, TRUE);
	g_array_free(other.ranges, TRUE);
	process_free(one.process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nesting),  cmocka_unit_test(test_started),
		cmocka_unit_test(test_depth),    cmocka_unit_test(test_many),
		cmocka_unit_test(test_findings), cmocka_unit_test(test_selected),
		cmocka_unit_test(test_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
