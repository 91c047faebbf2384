/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line for each finding, as compilers print theirs (GNU Coding Standards, "Formatting Error
 * Messages"), for editors and logs of continuous integration.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/symbols/demangle.h"
#include "codeobj/text.h"
#include "json_ranks.h"
#include "json_values.h"
#include "place.h"

/* Returns the word that compilers know for a severity: they know no advice. */
static const char *word(const char *severity)
{
	return strcmp(severity, "error") == 0 || strcmp(severity, "warning") == 0 ? severity
										  : "note";
}

static void put_text(FILE *stream, const char *text)
{
	char *line = text_one_line(text);

	fputs(line ? line : "?", stream);
	free(line);
}

static void put_place(FILE *stream, const struct source_place *place)
{
	if (!place->file) {
		fputs("hipgrain: ", stream);
		return;
	}
	put_text(stream, place->file);
	if (place->line > 0)
		fprintf(stream, ":%" PRId64, place->line);
	fputs(": ", stream);
}

static void put_notes(FILE *stream, const char *before, struct json_object *texts)
{
	for (size_t i = 0; i < array_length(texts); i++) {
		fputs(before, stream);
		put_text(stream, json_object_get_string(json_object_array_get_idx(texts, i)));
		fputc('\n', stream);
	}
}

/* Puts a note for each of the others of its cause, where it is. */
static void put_others(FILE *stream, struct json_object *finding)
{
	struct json_object *others = get_array(finding, "others");

	for (size_t i = 0; i < array_length(others); i++) {
		struct json_object *other = json_object_array_get_idx(others, i);
		struct source_place place = place_of_instruction(other);
		char *name = get_member(other, "launches") ? short_name(get_text(other, "kernel"))
							   : g_strdup(get_text(other, "api"));

		if (!place.file)
			place = place_of_call(other);
		put_place(stream, &place);
		fputs("note: of the same cause: ", stream);
		put_text(stream, name);
		fputs(" [", stream);
		put_text(stream, get_text(other, "rule"));
		fputs("]\n", stream);
		g_free(name);
	}
}

int json_as_line(struct json_object *report, FILE *stream)
{
	struct json_object *findings = get_array(report, "findings");
	struct json_object *limits = get_array(report, "limits");
	struct json_object *end = get_array(get_member(report, "end"), "text");
	GArray *ranks = json_report_ranks(report);
	uint64_t unrecorded =
	    (uint64_t)MAX(get_number(get_member(report, "recording"), "unrecorded_processes"), 0);

	for (size_t i = 0; i < array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);
		const struct source_place place = place_of_finding(finding);
		char *on = json_ranks_text(finding, ranks, unrecorded);
		char *in = json_processes_text(finding);
		char *seeds = json_numbers_text(get_array(finding, "seeds"));
		char *text;

		put_place(stream, &place);
		fprintf(stream, "%s: ", word(get_text(finding, "severity")));
		text = with_short_name(get_text(finding, "message"), get_text(finding, "kernel"));
		put_text(stream, text);
		g_free(text);
		if (get_member(finding, "in_ranges")) {
			fputs("; in ", stream);
			put_text(stream, get_text(finding, "in_ranges"));
		}
		if (on)
			fprintf(stream, "; ranks: %s", on);
		if (in)
			fprintf(stream, "; processes: %s", in);
		if (seeds)
			fprintf(stream, "; seeds: %s", seeds);
		fputs(" [", stream);
		put_text(stream, get_text(finding, "rule"));
		fputs("]\n", stream);
		put_others(stream, finding);
		g_free(seeds);
		g_free(in);
		g_free(on);
	}
	g_array_free(ranks, TRUE);
	/* An empty output must not look like a clean result. */
	put_notes(stream, "hipgrain: note: ", end);
	put_notes(stream, "hipgrain: note: not analysed: ", limits);
	return 0;
}
