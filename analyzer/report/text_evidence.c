/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the text report about what a finding unites: instructions, memory, pages, candidates. */
#include "printer.h"

#include <string.h>

#include "json_values.h"

/* ---- instructions ---- */

static bool same_text(struct json_object *a, struct json_object *b, const char *name)
{
	return strcmp(get_text(a, name), get_text(b, name)) == 0;
}

static bool is_same_line(struct json_object *a, struct json_object *b)
{
	return get_number(a, "line") == get_number(b, "line") && same_text(a, b, "file") &&
	       same_text(a, b, "function") && same_text(a, b, "instruction");
}

/* Prints one row for each line of the source: unrolled loops have many instructions on one. */
void put_instructions(const struct printer *printer, struct json_object *finding)
{
	struct json_object *sites = get_array(finding, "instructions");
	size_t count = array_length(sites);
	bool *done = g_new0(bool, count + 1);
	const char *label = count > 1 ? "instructions" : "instruction";

	for (size_t i = 0; i < count; i++) {
		struct json_object *site = json_object_array_get_idx(sites, i);
		GString *row;

		if (done[i])
			continue;
		row = g_string_new(get_text(site, "instruction"));
		g_string_append_printf(row, " at +0x%" G_GINT64_MODIFIER "x",
				       get_number(site, "code_offset"));
		for (size_t k = i + 1; k < count; k++) {
			struct json_object *other = json_object_array_get_idx(sites, k);

			if (!done[k] && get_member(site, "file") && is_same_line(site, other)) {
				g_string_append_printf(row, ", +0x%" G_GINT64_MODIFIER "x",
						       get_number(other, "code_offset"));
				done[k] = true;
			}
		}
		if (get_member(site, "function"))
			g_string_append_printf(row, " of %s", get_text(site, "function"));
		if (get_member(site, "file")) {
			g_string_append_printf(row, " (%s:%" G_GINT64_FORMAT ")",
					       get_text(site, "file"), get_number(site, "line"));
		}
		put_words(printer, label, row->str);
		label = "";
		g_string_free(row, TRUE);
	}
	g_free(done);
}

/* ---- memory ---- */

char *memory_extent(struct json_object *allocation)
{
	int64_t first = get_number(allocation, "first_offset");
	int64_t last = get_number(allocation, "last_offset");

	return first == last
		   ? g_strdup_printf(" %" G_GINT64_FORMAT, get_number(allocation, "offset"))
		   : g_strdup_printf("s %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, first, last);
}

void put_several(const struct printer *printer, struct json_object *allocation)
{
	int64_t least = get_number(allocation, "least_size");
	int64_t most = get_number(allocation, "most_size");

	if (!get_flag(allocation, "several"))
		return;
	put_row_owned(printer, "",
		      least == most
			  ? g_strdup("the first of several allocations of that size")
			  : g_strdup_printf("the first of several allocations, "
					    "%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " bytes",
					    least, most));
}

/* Prints stretches of pages that are alike. */
static void put_offsets(const struct printer *printer, struct json_object *allocation)
{
	struct json_object *pages = get_array(allocation, "pages");
	GString *row = g_string_new(NULL);
	const char *last = "";
	int64_t start = 0;

	for (size_t i = 0; i < array_length(pages); i++) {
		struct json_object *stretch = json_object_array_get_idx(pages, i);
		struct json_object *next =
		    i + 1 < array_length(pages) ? json_object_array_get_idx(pages, i + 1) : NULL;
		int64_t offset = get_number(stretch, "offset");
		const char *granularity = get_text(stretch, "granularity");

		if (strcmp(granularity, last) != 0) {
			start = offset;
			last = granularity;
		}
		if (!next || strcmp(get_text(next, "granularity"), granularity) != 0) {
			g_string_append_printf(
			    row, "%soffsets %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " are %s",
			    row->len ? ", " : "", start, offset + get_number(stretch, "size") - 1,
			    last);
		}
	}
	if (row->len) {
		g_string_append(row, get_flag(allocation, "several") ? " (of the first allocation)"
								     : "");
		put_words(printer, "pages", row->str);
	}
	g_string_free(row, TRUE);
}

static uint64_t address_of(struct json_object *object)
{
	return g_ascii_strtoull(get_text(object, "address"), NULL, 16);
}

static void put_advice(const struct printer *printer, struct json_object *advice, uint64_t base)
{
	uint64_t ptr = address_of(advice);

	put_json_stack(printer, "advised", get_member(advice, "stack"));
	put_words_owned(
	    printer, "",
	    ptr >= base ? g_strdup_printf(
			      "%s, %" G_GINT64_FORMAT " bytes from offset %" G_GUINT64_FORMAT " on",
			      get_text(advice, "call"), get_number(advice, "size"), ptr - base)
			: g_strdup_printf("%s, %" G_GINT64_FORMAT " bytes from %" G_GUINT64_FORMAT
					  " bytes before the allocation on",
					  get_text(advice, "call"), get_number(advice, "size"),
					  base - ptr));
}

void put_pages(const struct printer *printer, struct json_object *allocation)
{
	struct json_object *pages = get_array(allocation, "pages");

	put_offsets(printer, allocation);
	for (size_t i = 0; i < array_length(pages); i++) {
		struct json_object *advice =
		    get_member(json_object_array_get_idx(pages, i), "advice");
		bool before = false;

		for (size_t k = 0; k < i && advice; k++) {
			struct json_object *earlier =
			    get_member(json_object_array_get_idx(pages, k), "advice");

			before |= earlier &&
				  get_number(earlier, "ns") == get_number(advice, "ns") &&
				  address_of(earlier) == address_of(advice);
		}
		if (advice && !before)
			put_advice(printer, advice, address_of(allocation));
	}
}

static void put_candidate(const struct printer *printer, struct json_object *candidate,
			  const char *name)
{
	GString *row = g_string_new(NULL);
	int64_t count = get_number(candidate, "count");
	int64_t least = get_number(candidate, "least_size");
	int64_t most = get_number(candidate, "most_size");
	const char *symbol = get_text(candidate, "symbol");

	if (count > 1)
		g_string_append_printf(row, "%" G_GINT64_FORMAT " allocations of ", count);
	g_string_append_printf(row, "%" G_GINT64_FORMAT, least);
	if (least != most)
		g_string_append_printf(row, " to %" G_GINT64_FORMAT, most);
	g_string_append_printf(
	    row, " bytes from %s%s%s, %s%s", get_text(candidate, "api"), *symbol ? " " : "", symbol,
	    get_flag(candidate, "mixed") ? "in part " : "", get_text(candidate, "granularity"));
	if (get_member(candidate, "kernarg_offset")) {
		g_string_append_printf(row,
				       ", passed at byte %" G_GINT64_FORMAT " of the arguments",
				       get_number(candidate, "kernarg_offset"));
	}
	put_words(printer, name, row->str);
	if (get_member(candidate, "why"))
		put_words(printer, "", get_text(candidate, "why"));
	if (!*symbol)
		put_json_stack(printer, "", get_member(candidate, "stack"));
	g_string_free(row, TRUE);
}

void put_candidates(const struct printer *printer, struct json_object *finding)
{
	struct json_object *candidates = get_array(finding, "candidates");
	struct json_object *holders = get_array(finding, "holders");

	for (size_t i = 0; i < array_length(candidates); i++)
		put_candidate(printer, json_object_array_get_idx(candidates, i), "candidate");
	for (size_t i = 0; i < array_length(holders); i++)
		put_candidate(printer, json_object_array_get_idx(holders, i), "held by");
	if (get_number(finding, "candidates_left_out")) {
		put_row_owned(printer, "",
			      g_strdup_printf("%" G_GINT64_FORMAT " more are not listed",
					      get_number(finding, "candidates_left_out")));
	}
}
