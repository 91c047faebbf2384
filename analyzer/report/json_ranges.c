/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of a finding, those with the most occurrences first. */
#include "json_ranges.h"

#include "analyzer/rules/engine/finding_ranges.h"
#include "json_values.h"

/* So many are named in the text. */
#define NAMED_MOST 3u

static int by_hits(gconstpointer a, gconstpointer b)
{
	const struct finding_range *x = a, *y = b;

	return x->hits == y->hits ? 0 : x->hits < y->hits ? 1 : -1;
}

static struct json_object *range_object(const struct finding_range *range)
{
	struct json_object *object = json_object_new_object();
	char *path = finding_range_text(range), *first = range_path_text(range->first);

	put(object, "path", text_value(path));
	put(object, "first", text_value(first));
	put(object, "ranges", json_object_new_int64((int64_t)range->ranges));
	put(object, "count", json_object_new_int64((int64_t)range->hits));
	g_free(path);
	g_free(first);
	return object;
}

static void add_text(GString *text, const struct finding_range *range)
{
	char *path = finding_range_text(range), *first = range_path_text(range->first);

	g_string_append_printf(text, "%s%s", text->len ? "; " : "", path);
	if (range->ranges > 1)
		g_string_append_printf(text, " (%" G_GUINT64_FORMAT " ranges", range->ranges);
	if (range->varies)
		g_string_append_printf(text, ", first %s", first);
	if (range->ranges > 1)
		g_string_append_c(text, ')');
	g_free(path);
	g_free(first);
}

void put_ranges(struct json_object *object, const struct finding *finding)
{
	struct json_object *list = NULL;
	GString *text = g_string_new(NULL);
	uint64_t more = 0;

	if (finding->ranges) {
		g_array_sort(finding->ranges, by_hits);
		list = json_object_new_array();
	}
	for (unsigned i = 0; finding->ranges && i < finding->ranges->len; i++) {
		const struct finding_range *range =
		    &g_array_index(finding->ranges, struct finding_range, i);

		json_object_array_add(list, range_object(range));
		if (i < NAMED_MOST)
			add_text(text, range);
		else
			more += range->ranges;
	}
	if (more || finding->ranges_left_out)
		g_string_append_printf(text, "; and %s%" G_GUINT64_FORMAT " more ranges",
				       finding->ranges_left_out ? "at least " : "",
				       more + (finding->ranges_left_out != 0));
	put(object, "ranges", list);
	put(object, "in_ranges", list ? text_value(text->str) : NULL);
	g_string_free(text, TRUE);
}
