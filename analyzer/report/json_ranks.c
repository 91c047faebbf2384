/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of parallel jobs in JSON reports. */
#include "json_ranks.h"

#include "analyzer/ranks.h"
#include "json_values.h"

#include <inttypes.h>

#define NUMBERS_NAMED 12u

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	return *(const int *)a - *(const int *)b;
}

static void add_once(GArray *ranks, int rank)
{
	for (unsigned i = 0; i < ranks->len; i++)
		if (g_array_index(ranks, int, i) == rank)
			return;
	g_array_append_val(ranks, rank);
}

GArray *json_report_ranks(struct json_object *report)
{
	struct json_object *processes = get_array(report, "processes");
	GArray *ranks = g_array_new(FALSE, FALSE, sizeof(int));

	for (size_t i = 0; i < array_length(processes); i++) {
		struct json_object *process = json_object_array_get_idx(processes, i);

		if (get_member(process, "rank") && get_member(process, "runtime"))
			add_once(ranks, (int)get_number(process, "rank"));
	}
	g_array_sort(ranks, compare_numbers);
	return ranks;
}

GArray *json_finding_ranks(struct json_object *finding)
{
	struct json_object *entries = get_array(finding, "ranks");
	GArray *ranks;

	if (!entries)
		return NULL;
	ranks = g_array_new(FALSE, FALSE, sizeof(int));
	for (size_t i = 0; i < array_length(entries); i++)
		add_once(ranks, (int)get_number(json_object_array_get_idx(entries, i), "rank"));
	g_array_sort(ranks, compare_numbers);
	return ranks;
}

char *json_numbers_text(struct json_object *numbers)
{
	size_t count = array_length(numbers);
	GString *text;

	if (!count)
		return NULL;
	text = g_string_new(NULL);
	g_string_printf(text, "%zu: ", count);
	for (size_t i = 0; i < count && i < NUMBERS_NAMED; i++)
		g_string_append_printf(
		    text, "%s%" PRId64, i ? ", " : "",
		    json_object_get_int64(json_object_array_get_idx(numbers, i)));
	if (count > NUMBERS_NAMED)
		g_string_append_printf(text, " and %zu more", count - NUMBERS_NAMED);
	return g_string_free(text, FALSE);
}

char *json_processes_text(struct json_object *finding)
{
	return json_numbers_text(get_array(finding, "pids"));
}

char *json_ranks_text(struct json_object *finding, const GArray *all, uint64_t unrecorded)
{
	GArray *ranks = json_finding_ranks(finding);
	char *text = ranks ? ranks_text(ranks, all, unrecorded) : NULL;

	if (ranks)
		g_array_free(ranks, TRUE);
	return text;
}
