/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the other findings of a cause, and what a text report begins with. */
#include "printer.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/symbols/demangle.h"
#include "codeobj/text.h"
#include "json_ranks.h"
#include "json_values.h"
#include "place.h"

#define ROWS_SHOWN 10u /* of a table, unless all are requested; the JSON report has all */

/* Kernel or call, argument, line, how often, and what differs from the finding that has the table.
 */
enum column { COLUMN_NAME, COLUMN_ARGUMENT, COLUMN_LINE, COLUMN_COUNT, COLUMN_REST, COLUMNS };

struct table_row {
	char *text[COLUMNS];
	int64_t count;
	bool launches;
};

static void free_row(gpointer data)
{
	struct table_row *row = data;

	for (unsigned i = 0; i < COLUMNS; i++)
		g_free(row->text[i]);
	g_free(row);
}

/* Frees the text, which may be of a report that somebody else wrote. */
static char *one_line(char *text)
{
	char *line = text_one_line(text), *copy = g_strdup(line ? line : "?");

	free(line);
	g_free(text);
	return copy;
}

/* Returns "file.c:12", without line tables the function, or "" if neither is known. */
static char *place_words(struct source_place place)
{
	return place.file ? g_strdup_printf("%s:%" G_GINT64_FORMAT, place.file, place.line)
			  : g_strdup(place.function ? place.function : "");
}

static char *name_words(struct json_object *finding)
{
	return get_member(finding, "launches") ? short_name(get_text(finding, "kernel"))
	       : get_member(finding, "api")    ? g_strdup(get_text(finding, "api"))
					       : short_name(get_text(finding, "kernel"));
}

static char *argument_words(struct json_object *finding)
{
	if (get_member(finding, "path"))
		return g_strdup(get_text(finding, "path"));
	if (get_member(finding, "argument"))
		return g_strdup(get_text(finding, "argument"));
	return get_member(finding, "argument_index")
		   ? g_strdup_printf("argument %" G_GINT64_FORMAT,
				     get_number(finding, "argument_index"))
		   : g_strdup("");
}

static bool is_same_place(struct source_place one, struct source_place other)
{
	return g_strcmp0(one.file, other.file) == 0 && one.line == other.line &&
	       g_strcmp0(one.function, other.function) == 0;
}

/* Returns the kernel's line, or that of the call, or its caller's if one line calls for both. */
static char *line_words(struct json_object *finding, struct json_object *lead)
{
	if (get_member(finding, "device_file"))
		return place_words(place_of_instruction(finding));
	return place_words(is_same_place(place_of_call(finding), place_of_call(lead))
			       ? place_of_caller(finding)
			       : place_of_call(finding));
}

/* Returns where the memory comes from, or its owner if one line allocates both. */
static char *memory_words(struct json_object *finding, struct json_object *lead)
{
	return place_words(is_same_place(place_of_allocation(finding), place_of_allocation(lead))
			       ? place_of_owner(finding)
			       : place_of_allocation(finding));
}

static char *ranks_words(struct json_object *finding)
{
	GArray *ranks = json_finding_ranks(finding);
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; ranks && i < ranks->len; i++)
		g_string_append_printf(text, "%s%d", i ? "," : "", g_array_index(ranks, int, i));
	if (ranks)
		g_array_free(ranks, TRUE);
	return g_string_free(text, FALSE);
}

/* Returns the process of a finding without ranks. */
static char *process_words(struct json_object *finding)
{
	return get_member(finding, "ranks")
		   ? g_strdup("")
		   : g_strdup_printf("%" G_GINT64_FORMAT, get_number(finding, "pid"));
}

static void add_different(GString *text, const char *before, char *words, char *lead)
{
	if (*words && strcmp(words, lead) != 0)
		g_string_append_printf(text, "%s%s%s", text->len ? ", " : "", before, words);
	g_free(words);
	g_free(lead);
}

/* Returns confidence, memory, ranks and process, if they are not those of the finding above. */
static char *rest_words(struct json_object *finding, struct json_object *lead)
{
	GString *text = g_string_new(NULL);

	add_different(text, "", g_strdup(get_text(finding, "confidence")),
		      g_strdup(get_text(lead, "confidence")));
	add_different(text, "memory of ", memory_words(finding, lead), memory_words(lead, finding));
	add_different(text, "rank ", ranks_words(finding), ranks_words(lead));
	add_different(text, "process ", process_words(finding), process_words(lead));
	return g_string_free(text, FALSE);
}

static struct table_row *row_of(struct json_object *finding, struct json_object *lead)
{
	struct json_object *launches = get_member(finding, "launches");
	struct table_row *row = g_new0(struct table_row, 1);

	row->text[COLUMN_NAME] = one_line(name_words(finding));
	row->text[COLUMN_ARGUMENT] = one_line(argument_words(finding));
	row->text[COLUMN_LINE] = one_line(line_words(finding, lead));
	row->text[COLUMN_REST] = one_line(rest_words(finding, lead));
	row->launches = launches != NULL;
	row->count = launches ? get_number(launches, "count") : get_number(finding, "count");
	return row;
}

static bool is_same_row(const struct table_row *one, const struct table_row *other)
{
	for (unsigned i = 0; i < COLUMNS; i++)
		if (i != COLUMN_COUNT && strcmp(one->text[i], other->text[i]) != 0)
			return false;
	return one->launches == other->launches;
}

static void add_row(GPtrArray *rows, struct table_row *row)
{
	for (unsigned i = 0; i < rows->len; i++) {
		struct table_row *before = rows->pdata[i];

		if (is_same_row(before, row)) {
			before->count += row->count;
			free_row(row);
			return;
		}
	}
	g_ptr_array_add(rows, row);
}

static void count_rows(GPtrArray *rows)
{
	for (unsigned i = 0; i < rows->len; i++) {
		struct table_row *row = rows->pdata[i];

		row->text[COLUMN_COUNT] = g_strdup_printf("%" G_GINT64_FORMAT " %s%s", row->count,
							  row->launches ? "launch" : "time",
							  row->count == 1 ? ""
							  : row->launches ? "es"
									  : "s");
	}
}

static void put_rows(const struct printer *printer, const GPtrArray *rows, unsigned shown)
{
	size_t width[COLUMNS] = { 0 };

	for (unsigned i = 0; i < shown; i++)
		for (unsigned k = 0; k < COLUMNS; k++)
			width[k] =
			    MAX(width[k], strlen(((struct table_row *)rows->pdata[i])->text[k]));
	for (unsigned i = 0; i < shown; i++) {
		const struct table_row *row = rows->pdata[i];
		GString *line = g_string_new(NULL);

		for (unsigned k = 0; k < COLUMNS; k++)
			if (width[k])
				g_string_append_printf(line, "%s%-*s", line->len ? "  " : "",
						       (int)width[k], row->text[k]);
		put_row(printer, "", g_strchomp(line->str));
		g_string_free(line, TRUE);
	}
	if (shown < rows->len)
		put_row_owned(printer, "",
			      g_strdup_printf("... and %u more: 'report --verbose' shows all",
					      rows->len - shown));
}

#define FIRST_SHOWN 3u /* causes that a report begins with */

/* Returns the first line of the first alternative, without what separates it from the next. */
static char *first_fix(struct json_object *finding)
{
	const char *fix = get_text(finding, get_member(finding, "cause_fix") ? "cause_fix" : "fix");
	size_t length = strcspn(fix, "\n");

	return g_strndup(fix,
			 length && fix[length] && fix[length - 1] == ';' ? length - 1 : length);
}

/* "error HG101 at x.hip:9, proven, and 3 more: what to change"; the fix may name the place itself.
 */
static void put_first_one(const struct printer *printer, const char *label,
			  struct json_object *finding)
{
	const struct rule *rule = rule_by_name(get_text(finding, "rule"));
	size_t others = array_length(get_array(finding, "others"));
	char *place = place_words(place_of_finding(finding)), *fix = first_fix(finding);
	char *more = others ? g_strdup_printf(", and %zu more", others) : g_strdup("");
	bool named = !*place || strstr(fix, place);

	put_words_owned(printer, label,
			g_strdup_printf("%s %s%s%s, %s%s: %s", get_text(finding, "severity"),
					get_text(finding, "rule"), named ? "" : " at ",
					named ? "" : place, get_text(finding, "confidence"), more,
					*fix   ? fix
					: rule ? rule->title
					       : ""));
	g_free(more);
	g_free(fix);
	g_free(place);
}

void put_first(const struct printer *printer, struct json_object *causes)
{
	size_t count = array_length(causes);
	/* A change that mends several causes is named once. */
	GHashTable *fixes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < count && count > 1 && g_hash_table_size(fixes) < FIRST_SHOWN; i++) {
		struct json_object *finding = json_object_array_get_idx(causes, i);
		bool first = g_hash_table_size(fixes) == 0;

		if (severity_by_name(get_text(finding, "severity")) > SEVERITY_NOTE &&
		    g_hash_table_add(fixes, first_fix(finding)))
			put_first_one(printer, first ? "do first" : "then", finding);
	}
	if (g_hash_table_size(fixes))
		fputc('\n', printer->stream);
	g_hash_table_destroy(fixes);
}

void put_others(const struct printer *printer, struct json_object *finding)
{
	struct json_object *others = get_array(finding, "others");
	size_t count = array_length(others);
	GPtrArray *rows = g_ptr_array_new_with_free_func(free_row);

	for (size_t i = 0; i < count; i++)
		add_row(rows, row_of(json_object_array_get_idx(others, i), finding));
	count_rows(rows);
	if (count) {
		put_row_owned(printer, "same cause",
			      g_strdup_printf("%zu more finding%s", count, count == 1 ? "" : "s"));
		put_rows(printer, rows, printer->verbose ? rows->len : MIN(rows->len, ROWS_SHOWN));
	}
	g_ptr_array_free(rows, TRUE);
}
