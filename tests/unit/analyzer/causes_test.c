/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of one cause become one, and the causes come in the order of proof and cost. */
#include <glib.h>
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/report/causes.h"
#include "analyzer/report/json_values.h"
#include "analyzer/symbols/demangle.h"

/* What differs between the findings of these tests. */
struct with {
	const char *rule, *severity, *confidence, *kernel, *file, *function;
	int line, launches;
	const char *api; /* a call's, on that line; NULL: launches that use memory of that line */
	const char *fingerprint;
};

static struct json_object *stack_of(const struct with *with)
{
	struct json_object *stack = json_object_new_array(), *frame = json_object_new_object();

	put(frame, "function", text_or_null(with->function));
	put(frame, "file", text_or_null(with->file));
	put(frame, "line", with->line ? json_object_new_int(with->line) : NULL);
	put(frame, "module", text_value("/bin/app"));
	put(frame, "offset", text_value("0x10"));
	json_object_array_add(stack, frame);
	return stack;
}

static void add(struct json_object *list, struct with with)
{
	struct json_object *finding = json_object_new_object();
	struct json_object *memory = json_object_new_object();
	struct json_object *launches = json_object_new_object();

	put(finding, "rule", text_value(with.rule));
	put(finding, "severity", text_value(with.severity));
	put(finding, "confidence", text_value(with.confidence));
	put(finding, "kernel", text_or_null(with.kernel));
	put(finding, "fingerprint", text_or_null(with.fingerprint));
	put(finding, "pid", json_object_new_int(7));
	put(finding, "count", json_object_new_int(with.launches));
	put(finding, "api", text_or_null(with.api));
	put(memory, "api", text_value("hipMallocManaged"));
	put(memory, "stack", with.api ? NULL : stack_of(&with));
	put(memory, "size", json_object_new_int(64));
	put(finding, "allocation", memory);
	if (with.api) {
		put(finding, "call_stack", stack_of(&with));
		json_object_put(launches);
	} else {
		put(launches, "count", json_object_new_int(with.launches));
		put(launches, "work_items", json_object_new_int(1));
		put(finding, "launches", launches);
	}
	json_object_array_add(list, finding);
}

/* "a+b c": the kernels of each cause, or the calls. */
static void assert_causes(struct json_object *list, const char *expected)
{
	struct json_object *causes = causes_of(list, NULL);
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < array_length(causes); i++) {
		struct json_object *finding = json_object_array_get_idx(causes, i);
		struct json_object *others = get_array(finding, "others");

		g_string_append_printf(text, "%s%s", i ? " " : "", get_text(finding, "kernel"));
		for (size_t k = 0; k < array_length(others); k++) {
			struct json_object *other = json_object_array_get_idx(others, k);

			g_string_append_printf(text, "+%s", get_text(other, "kernel"));
			assert_string_equal(get_text(other, "cause"), get_text(finding, "cause"));
			assert_null(get_member(other, "others"));
		}
	}
	assert_string_equal(text->str, expected);
	g_string_free(text, TRUE);
	json_object_put(causes);
}

static const struct with lost = { "HG101", "error", "proven", "a",  "/src/x.hip",
				  "make",  12,      1,        NULL, "1" };

static struct with like(const struct with *with, const char *kernel, int line, int launches)
{
	struct with other = *with;

	other.kernel = kernel;
	other.line = line;
	other.launches = launches;
	return other;
}

static void what_one_line_allocates_is_one_cause(void **state)
{
	struct json_object *list = json_object_new_array();

	(void)state;
	add(list, like(&lost, "a", 12, 1));
	add(list, like(&lost, "b", 13, 1));
	add(list, like(&lost, "c", 12, 1));
	assert_causes(list, "a+c b");
	json_object_put(list);
}

static void another_rule_is_another_cause(void **state)
{
	struct json_object *list = json_object_new_array();
	struct with other = lost;

	(void)state;
	other.rule = "HG218";
	other.severity = "advice";
	other.kernel = "b";
	add(list, other);
	add(list, lost);
	assert_causes(list, "a b");
	json_object_put(list);
}

static void what_one_line_calls_is_one_cause(void **state)
{
	struct json_object *list = json_object_new_array();
	struct with call = lost;

	(void)state;
	call.rule = "HG606";
	call.api = "hipMemcpy";
	add(list, call);
	add(list, like(&call, "b", 12, 1));
	call.api = "hipMemcpyAsync";
	add(list, like(&call, "c", 12, 1));
	assert_causes(list, "a+b c");
	json_object_put(list);
}

static void without_a_stack_each_stands_alone(void **state)
{
	struct json_object *list = json_object_new_array();

	(void)state;
	add(list, lost);
	add(list, like(&lost, "b", 12, 1));
	for (size_t i = 0; i < 2; i++)
		put(get_member(json_object_array_get_idx(list, i), "allocation"), "stack",
		    json_object_new_array());
	assert_causes(list, "a b");
	json_object_put(list);
}

static void a_possible_race_comes_behind_what_is_proven(void **state)
{
	struct json_object *list = json_object_new_array();
	struct with race = lost, slow = lost;

	(void)state;
	race.rule = "HG601";
	race.confidence = "possible";
	race.kernel = "race";
	slow.rule = "HG103";
	slow.severity = "warning";
	slow.kernel = "warning";
	add(list, race);
	add(list, slow);
	add(list, lost);
	assert_causes(list, "a warning race");
	json_object_put(list);
}

static void of_equal_proof_the_dearer_comes_first(void **state)
{
	struct json_object *list = json_object_new_array();

	(void)state;
	add(list, like(&lost, "few", 12, 10));
	add(list, like(&lost, "one", 13, 6));
	add(list, like(&lost, "other", 13, 5));
	assert_causes(list, "one+other few");
	json_object_put(list);
}

/* A list that was grouped, as merged reports have it, makes the same causes. */
static void causes_can_be_taken_apart(void **state)
{
	struct json_object *list = json_object_new_array(), *causes, *every;

	(void)state;
	add(list, like(&lost, "a", 12, 1));
	add(list, like(&lost, "b", 13, 1));
	add(list, like(&lost, "c", 12, 1));
	causes = causes_of(list, NULL);
	every = causes_findings(causes);
	assert_int_equal(array_length(every), 3);
	assert_causes(every, "a+c b");
	json_object_put(every);
	json_object_put(causes);
	json_object_put(list);
}

static char *cause_at(struct json_object *list, const char *kernel)
{
	struct json_object *causes = causes_of(list, NULL);
	char *name = NULL;

	for (size_t i = 0; i < array_length(causes); i++) {
		struct json_object *finding = json_object_array_get_idx(causes, i);

		if (strcmp(get_text(finding, "kernel"), kernel) == 0)
			name = g_strdup(get_text(finding, "cause"));
	}
	json_object_put(causes);
	return name;
}

/* A file with another name, moved lines, another kernel that comes first. */
static void a_cause_keeps_its_name(void **state)
{
	struct json_object *before = json_object_new_array(), *after = json_object_new_array();
	struct with moved = lost;
	char *one, *other;

	(void)state;
	add(before, like(&lost, "a", 12, 1));
	add(before, like(&lost, "b", 20, 9));
	moved.file = "/src/renamed.hip";
	add(after, like(&moved, "b", 40, 1));
	add(after, like(&moved, "c", 32, 8));
	add(after, like(&moved, "a", 32, 2));
	one = cause_at(before, "a");
	other = cause_at(after, "c");
	assert_string_equal(one, other);
	g_free(one);
	g_free(other);
	one = cause_at(before, "b");
	other = cause_at(after, "b");
	assert_string_equal(one, other);
	assert_true(g_str_has_suffix(one, "-2")); /* the second line of one function */
	g_free(one);
	g_free(other);
	json_object_put(before);
	json_object_put(after);
}

/* ---- fixes ---- */

static const struct fixes {
	const char *fix[3], *expected;
} fixes[] = {
	{ { "allocate it otherwise", "allocate it otherwise" }, "allocate it otherwise" },
	{ { "insert after x.hip:1: f();", "insert after x.hip:2: f();",
	    "insert after x.hip:3: f();" },
	  "insert after x.hip:1, x.hip:2 and x.hip:3: f();" },
	{ { "reduce first;\nor write a at x.hip:1, or b",
	    "reduce first;\nor write a at x.hip:9, or b" },
	  "reduce first;\nor write a at x.hip:1 and x.hip:9, or b" },
	{ { "write a;\nor b", "write a" }, "write a;\nor b" },
	{ { "write a at x.hip:1", "write b at x.hip:2" },
	  "write a at x.hip:1 (the fixes of others differ in this)" },
	{ { "pass 8 bytes", "pass 9 bytes" }, "pass 8 bytes (the fixes of others differ in this)" },
};

static void one_fix_names_the_lines_of_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(fixes); i++) {
		struct json_object *finding = json_object_new_object();
		struct json_object *others = json_object_new_array();
		char *fix;

		put(finding, "fix", text_value(fixes[i].fix[0]));
		for (size_t k = 1; k < 3 && fixes[i].fix[k]; k++) {
			struct json_object *other = json_object_new_object();

			put(other, "fix", text_value(fixes[i].fix[k]));
			json_object_array_add(others, other);
		}
		put(finding, "others", others);
		fix = cause_fix(finding);
		assert_string_equal(fix, fixes[i].expected);
		g_free(fix);
		json_object_put(finding);
	}
}

/* ---- names ---- */

static const char *const names[][2] = {
	{ "kernel", "kernel" },
	{ "kernel(float*, int)", "kernel" },
	{ "void ns::scale<float>(float*, float)", "ns::scale<float>" },
	{ "void scale<float, 3, unsigned long>(float*)", "scale<...>" },
	{ "void scale<>(float*)", "scale<>" },
	{ "(anonymous namespace)::kernel(int)", "(anonymous namespace)::kernel" },
	{ "main(int, char**)::{lambda(int)#1}::operator()(int) const",
	  "main::{lambda#1}::operator()" },
	{ "void forall_kernel<256, main::{lambda(int)#2}>(int, main::{lambda(int)#2})",
	  "main::{lambda#2} in forall_kernel<...>" },
	{ "void for_each<run(double*)::'lambda'(int)>(int, run(double*)::'lambda'(int))",
	  "run::'lambda' in for_each<...>" },
	{ "void RAJA::launch<RAJA::x::{lambda(int)#1}, run(A<int>)::{lambda(int)#3}>(int)",
	  "run::{lambda#3} in RAJA::launch<...>" },
	{ "std::ostream& operator<< <int>(std::ostream&, int)", "operator<<<int>" },
	{ "bool operator<(A const&, A const&)", "operator<" },
	{ "A::operator->() const", "A::operator->" },
	{ "unsigned long count<A<B<int>>, (C)1, 0>(A<B<int>>)", "count<...>" },
	{ "a<(b", "a" },
	{ "", "" },
};

static void names_are_as_short_as_they_can_be(void **state)
{
	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *name = short_name(names[i][0]);

		assert_string_equal(name, names[i][1]);
		g_free(name);
	}
}

static void sentences_have_short_names(void **state)
{
	static const char name[] = "void forall_kernel<256, main::{lambda(int)#2}>(int)";
	static const char *const limits[][2] = {
		{ "kernel void forall_kernel<256, main::{lambda(int)#2}>(int): unknown: why",
		  "kernel main::{lambda#2} in forall_kernel<...>: unknown: why" },
		{ "kernel add(float*): unknown", "kernel add(float*): unknown" },
		{ "kernel a<b: unknown", "kernel a<b: unknown" },
		{ "no kernel void f<256, 256, 256, 256>(): x",
		  "no kernel void f<256, 256, 256, 256>(): x" },
	};
	char *text = with_short_name(
	    "void forall_kernel<256, main::{lambda(int)#2}>(int) does its addition", name);

	(void)state;
	assert_string_equal(text, "main::{lambda#2} in forall_kernel<...> does its addition");
	g_free(text);
	text = with_short_name("add(float*) reads", "add(float*)");
	assert_string_equal(text, "add(float*) reads");
	g_free(text);
	for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
		text = limit_with_short_name(limits[i][0]);
		assert_string_equal(text, limits[i][1]);
		g_free(text);
	}
}

static void long_names_lose_their_outer_scopes(void **state)
{
	char *name = short_name("void first_project::second_part_of_it::third_part_of_that::"
				"class_of_a_name::kernel_of_it(int)");

	(void)state;
	assert_string_equal(name, "...third_part_of_that::class_of_a_name::kernel_of_it");
	g_free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_line_allocates_is_one_cause),
		cmocka_unit_test(another_rule_is_another_cause),
		cmocka_unit_test(what_one_line_calls_is_one_cause),
		cmocka_unit_test(without_a_stack_each_stands_alone),
		cmocka_unit_test(a_possible_race_comes_behind_what_is_proven),
		cmocka_unit_test(of_equal_proof_the_dearer_comes_first),
		cmocka_unit_test(causes_can_be_taken_apart),
		cmocka_unit_test(a_cause_keeps_its_name),
		cmocka_unit_test(one_fix_names_the_lines_of_all),
		cmocka_unit_test(names_are_as_short_as_they_can_be),
		cmocka_unit_test(sentences_have_short_names),
		cmocka_unit_test(long_names_lose_their_outer_scopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
