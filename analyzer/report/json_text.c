/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a finding of a JSON report as rows of text. */
#include "json_text.h"

#include <glib.h>
#include <stdlib.h>

#include "analyzer/symbols/demangle.h"
#include "codeobj/text.h"
#include "json_values.h"

static void print_words(FILE *stream, const char *text)
{
	char *line = text_one_line(text);

	fputs(line ? line : "?", stream);
	free(line);
}

/* Prints file and line, if they are known, after `before`. */
static void print_place(FILE *stream, const char *before, const struct source_place *place)
{
	if (!place->file)
		return;
	fputs(before, stream);
	print_words(stream, place->file);
	if (place->line > 0)
		fprintf(stream, ":%" G_GINT64_FORMAT, place->line);
}

void json_text_place(FILE *stream, const char *label, struct source_place place)
{
	if (!place.file && !place.function)
		return;
	fprintf(stream, "  %-11s ", label);
	print_place(stream, "", &place);
	if (place.function) {
		fputs(place.file ? " (" : "", stream);
		print_words(stream, place.function);
		fputs(place.file ? ")" : "", stream);
	}
	fputc('\n', stream);
}

void json_text_instruction(FILE *stream, struct json_object *finding)
{
	const struct source_place place = place_of_instruction(finding);

	if (!*get_text(finding, "instruction"))
		return;
	fputs("  instruction ", stream);
	print_words(stream, get_text(finding, "instruction"));
	print_place(stream, " at ", &place);
	fputc('\n', stream);
}

void json_text_others(FILE *stream, struct json_object *finding)
{
	struct json_object *others = get_array(finding, "others");

	for (size_t i = 0; i < array_length(others); i++) {
		struct json_object *other = json_object_array_get_idx(others, i);
		char *name = get_member(other, "launches") ? short_name(get_text(other, "kernel"))
							   : g_strdup(get_text(other, "api"));
		struct source_place place = place_of_instruction(other);

		fputs("  also        ", stream);
		print_words(stream, name);
		g_free(name);
		if (!place.file)
			place = place_of_call(other);
		print_place(stream, " at ", &place);
		fputc('\n', stream);
	}
}

void json_text_call(FILE *stream, struct json_object *finding)
{
	json_text_place(stream, get_member(finding, "launches") ? "launched" : "called",
			place_of_call(finding));
}
