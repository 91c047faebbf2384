/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings as a table, a row each, for spreadsheets (RFC 4180); those of one cause have the same
 * value in that column. Fields that do not apply are empty.
 * Columns are only ever added, at the end.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/text.h"
#include "causes.h"
#include "csv_field.h"
#include "json_values.h"
#include "place.h"

/* Names come from programs: a line feed in one of them must not look like a new row. */
static void text_field(FILE *stream, const char *text)
{
	char *line = text && *text ? text_one_line(text) : NULL;

	putc(',', stream);
	csv_field(stream, line);
	free(line);
}

static void member_field(FILE *stream, struct json_object *object, const char *name)
{
	text_field(stream, get_text(object, name));
}

static void number_field(FILE *stream, struct json_object *object, const char *name)
{
	putc(',', stream);
	if (get_member(object, name))
		fprintf(stream, "%" PRId64, get_number(object, name));
}

/* Prints two columns, file and line. */
static void place_fields(FILE *stream, struct source_place place)
{
	text_field(stream, place.file);
	putc(',', stream);
	if (place.file && place.line > 0)
		fprintf(stream, "%" PRId64, place.line);
}

/* Prints "0 1 5": each once, in order. */
static void ranks_field(FILE *stream, struct json_object *finding)
{
	struct json_object *ranks = get_array(finding, "ranks");
	GString *text = g_string_new(NULL);
	int64_t last = -1;

	for (size_t i = 0; i < array_length(ranks); i++) {
		int64_t rank = get_number(json_object_array_get_idx(ranks, i), "rank");

		if (i == 0 || rank != last)
			g_string_append_printf(text, "%s%" PRId64, text->len ? " " : "", rank);
		last = rank;
	}
	text_field(stream, text->str);
	g_string_free(text, TRUE);
}

static void put_row(struct json_object *finding, FILE *stream)
{
	static const char *const first[] = { "severity", "confidence", "slug", "message", "fix" };
	struct json_object *allocation = get_member(finding, "allocation");
	struct json_object *piece = get_member(allocation, "piece");
	char *rule = text_one_line(get_text(finding, "rule"));

	csv_field(stream, rule);
	free(rule);
	for (unsigned i = 0; i < G_N_ELEMENTS(first); i++)
		member_field(stream, finding, first[i]);
	number_field(stream, finding, "pid");
	ranks_field(stream, finding);
	member_field(stream, finding, "kernel");
	member_field(stream, finding, "instruction");
	place_fields(stream, place_of_instruction(finding));
	member_field(stream, finding, "argument");
	member_field(stream, finding, "path");
	member_field(stream, allocation, "api");
	number_field(stream, allocation, "size");
	member_field(stream, allocation, "granularity");
	place_fields(stream, place_of_allocation(finding));
	member_field(stream, finding, "api");
	place_fields(stream, place_of_call(finding));
	number_field(stream, get_member(finding, "launches"), "count");
	number_field(stream, finding, "count");
	member_field(stream, finding, "fingerprint");
	member_field(stream, finding, "cause");
	member_field(stream, finding, "in_ranges");
	member_field(stream, piece, "pool");
	member_field(stream, piece, "name");
	place_fields(stream, place_of_stack(get_member(piece, "stack")));
	member_field(stream, allocation, "label");
	fputs("\r\n", stream);
}

#define COLUMNS_BEHIND_MESSAGE 27u

/* Adds rows without a rule: a table without findings must not look like a clean result. */
static void put_notes(const char *before, struct json_object *texts, FILE *stream)
{
	for (size_t i = 0; i < array_length(texts); i++) {
		struct json_object *text = json_object_array_get_idx(texts, i);
		char *line = g_strconcat(before, json_object_get_string(text), NULL);

		fputs(",note,,", stream);
		text_field(stream, line);
		for (unsigned column = 0; column < COLUMNS_BEHIND_MESSAGE; column++)
			putc(',', stream);
		fputs("\r\n", stream);
		g_free(line);
	}
}

int json_as_csv(struct json_object *report, FILE *stream)
{
	struct json_object *findings = causes_findings(get_array(report, "findings"));

	fputs("rule,severity,confidence,slug,message,fix,pid,ranks,kernel,instruction,"
	      "instruction_file,instruction_line,argument,path,memory_api,memory_bytes,granularity,"
	      "memory_file,memory_line,call,call_file,call_line,launches,count,fingerprint,cause,"
	      "ranges,pool,piece,piece_file,piece_line,label\r\n",
	      stream);
	for (size_t i = 0; i < array_length(findings); i++)
		put_row(json_object_array_get_idx(findings, i), stream);
	json_object_put(findings);
	put_notes("", get_array(get_member(report, "end"), "text"), stream);
	put_notes("not analysed: ", get_array(report, "limits"), stream);
	return 0;
}
