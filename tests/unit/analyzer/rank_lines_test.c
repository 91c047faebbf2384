/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and notes of parallel jobs name ranks, and the same of several ranks is one line. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analyzer/rank_lines.h"
#include "analyzer/ranks.h"

/* Processes 100 to 163 are the ranks 0 to 63. */
static int rank_of(int pid, void *data)
{
	(void)data;
	return pid >= 100 && pid < 164 ? pid - 100 : -1;
}

static GArray *numbers(int first, int end)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(int));

	for (int i = first; i < end; i++)
		g_array_append_val(list, i);
	return list;
}

static void assert_lines(struct rank_lines *lines, const char *expected)
{
	GArray *all = numbers(0, 64);
	GPtrArray *texts = rank_lines_finish(lines, all);
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < texts->len; i++)
		g_string_append_printf(text, "%s\n", (const char *)texts->pdata[i]);
	assert_string_equal(text->str, expected);
	g_string_free(text, TRUE);
	g_ptr_array_free(texts, TRUE);
	g_array_free(all, TRUE);
}

static void a_line_of_one_rank_names_it(void **state)
{
	struct rank_lines *lines = rank_lines_new();

	(void)state;
	rank_lines_add(lines, "process 103: it left", NULL, rank_of, NULL);
	rank_lines_add(lines, "process 104 (app): was killed", NULL, rank_of, NULL);
	rank_lines_add(lines, "process 7: it has no rank", NULL, rank_of, NULL);
	rank_lines_add(lines, "events are missing", NULL, rank_of, NULL);
	assert_lines(lines, "rank 3 (process 103): it left\n"
			    "rank 4 (process 104): was killed\n"
			    "process 7: it has no rank\n"
			    "events are missing\n");
}

static void the_same_of_64_ranks_is_one_line(void **state)
{
	struct rank_lines *lines = rank_lines_new();

	(void)state;
	for (int pid = 100; pid < 164; pid++) {
		char *text = g_strdup_printf("process %d: recording began late", pid);

		rank_lines_add(lines, text, NULL, rank_of, NULL);
		g_free(text);
		text = g_strdup_printf("process %d: began after %d.5 s", pid, pid % 3);
		rank_lines_add(lines, text, NULL, rank_of, NULL);
		g_free(text);
	}
	assert_lines(lines, "ranks 0-63: recording began late\n"
			    "ranks 0-63: began after 1.5 s (the numbers are those of rank 0)\n");
}

static void a_kernel_of_some_ranks_has_their_names_behind_it(void **state)
{
	struct rank_lines *lines = rank_lines_new();
	GArray *some = numbers(2, 5), *all = numbers(0, 64), *one = numbers(9, 10);

	(void)state;
	rank_lines_add(lines, "kernel a: unknown", some, rank_of, NULL);
	rank_lines_add(lines, "kernel b: unknown", all, rank_of, NULL);
	rank_lines_add(lines, "kernel c2: unknown", one, rank_of, NULL);
	rank_lines_add(lines, "kernel c3: unknown", one, rank_of, NULL);
	assert_lines(lines, "kernel a: unknown (ranks 2-4)\n"
			    "kernel b: unknown\n"
			    "kernel c2: unknown (rank 9)\n"
			    "kernel c3: unknown (rank 9)\n");
	g_array_free(some, TRUE);
	g_array_free(all, TRUE);
	g_array_free(one, TRUE);
}

/* Lines of reports that are merged: each names the ranks of one node. */
static void lines_of_several_reports_are_united(void **state)
{
	struct rank_lines *lines = rank_lines_new();
	GArray *node = numbers(0, 4), *other = numbers(4, 8);

	(void)state;
	rank_lines_add(lines, "ranks 0-2: late by 1 s (the numbers are those of rank 0)", node,
		       NULL, NULL);
	rank_lines_add(lines, "rank 4 (process 9): late by 2 s", other, NULL, NULL);
	rank_lines_add(lines, "kernel a: unknown (ranks 0,2)", node, NULL, NULL);
	rank_lines_add(lines, "kernel a: unknown (rank 5)", other, NULL, NULL);
	rank_lines_add(lines, "kernel b: unknown", node, NULL, NULL);
	rank_lines_add(lines, "rank 3 launched 80 kernels, the median of 4 ranks is 8", node, NULL,
		       NULL);
	assert_lines(lines, "ranks 0-2,4: late by 1 s (the numbers are those of rank 0)\n"
			    "kernel a: unknown (ranks 0,2,5)\n"
			    "kernel b: unknown (ranks 0-3)\n"
			    "rank 3 launched 80 kernels, the median of 4 ranks is 8\n");
	g_array_free(node, TRUE);
	g_array_free(other, TRUE);
}

/* A few ranks have a line each; many, above or below the median, share one. */
static void ranks_with_other_amounts_are_named(void **state)
{
	GArray *all = numbers(0, 32), *launches = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	GPtrArray *notes = g_ptr_array_new_with_free_func(g_free);

	(void)state;
	for (uint64_t i = 0; i < 32; i++) {
		uint64_t amount = i < 6 ? 500 + i : i == 31 ? 3 : 100;

		g_array_append_val(launches, amount);
	}
	ranks_note_amounts(all, launches, notes);
	assert_int_equal(notes->len, 2);
	assert_string_equal(notes->pdata[0],
			    "rank 31 launched 3 kernels, the median of 32 ranks is 100");
	assert_string_equal(notes->pdata[1],
			    "ranks 0-5 launched 500 to 505 kernels, the median of 32 ranks is 100");
	for (unsigned i = 0; i < notes->len; i++)
		assert_true(ranks_is_amount_note(notes->pdata[i]));
	assert_false(ranks_is_amount_note("rank 3 (process 9): launched nothing"));
	g_ptr_array_free(notes, TRUE);
	g_array_free(launches, TRUE);
	g_array_free(all, TRUE);
}

/* A report may have been written by somebody else. */
static void odd_lines_stay_as_they_are(void **state)
{
	static const char *const odd[] = {
		"ranks : x",   "ranks 3-: x",  "ranks 5-2: x", "rank -1: x", "ranks 0-99999999: x",
		"process : x", "process x: y", "(ranks",       "x (rank )",  "",
		"process 103"
	};
	struct rank_lines *lines = rank_lines_new();
	GString *expected = g_string_new(NULL);

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(odd); i++) {
		rank_lines_add(lines, odd[i], NULL, rank_of, NULL);
		g_string_append_printf(expected, "%s\n", odd[i]);
	}
	assert_lines(lines, expected->str);
	g_string_free(expected, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_one_rank_names_it),
		cmocka_unit_test(the_same_of_64_ranks_is_one_line),
		cmocka_unit_test(a_kernel_of_some_ranks_has_their_names_behind_it),
		cmocka_unit_test(lines_of_several_reports_are_united),
		cmocka_unit_test(ranks_with_other_amounts_are_named),
		cmocka_unit_test(odd_lines_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
