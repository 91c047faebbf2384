/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, wrapped text and source lines of the text format. */
#include "printer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "analyzer/output.h"
#include "codeobj/text.h"
#include "json_values.h"
#include "place.h"
#include "source_files.h"

#define LABEL_WIDTH   12
#define DEFAULT_WIDTH 100

/* Returns the width for text by COLUMNS, or by the terminal's width, or by what fits everywhere. */
static size_t text_width(FILE *stream)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long width = columns ? strtol(columns, NULL, 10) : 0;

	if (width <= 0 && ioctl(output_descriptor(stream), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width <= 0)
		width = DEFAULT_WIDTH;
	return (size_t)(width > 60 ? width : 60) - LABEL_WIDTH - 4;
}

void printer_init(struct printer *printer, const struct analysis *analysis, unsigned style,
		  FILE *stream)
{
	*printer = (struct printer){
		.analysis = analysis,
		.symbolizer = analysis ? analysis->symbolizer : NULL,
		.stream = stream,
		.color = style & REPORT_COLOR,
		.verbose = style & REPORT_VERBOSE,
		.worth = analysis ? analysis->worth : 0,
		.width = text_width(stream),
	};
}

const char *paint(const struct printer *printer, const char *code)
{
	return printer->color ? code : "";
}

static void put_line(const struct printer *printer, const char *label, const char *text, int length)
{
	fprintf(printer->stream, "  %-*s %.*s\n", LABEL_WIDTH, label, length, text);
}

void put_row(const struct printer *printer, const char *label, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		size_t cut = length;

		while (cut > printer->width) {
			size_t blank = cut - 1;

			while (blank > 0 && text[blank] != ' ')
				blank--;
			if (blank == 0)
				break;
			cut = blank;
		}
		put_line(printer, label, text, (int)cut);
		label = "";
		text += cut;
		text += *text == '\n' || *text == ' ';
	}
}

void put_row_owned(const struct printer *printer, const char *label, char *text)
{
	put_row(printer, label, text);
	g_free(text);
}

void put_words(const struct printer *printer, const char *label, const char *text)
{
	char *line = text_one_line(text);

	put_row(printer, label, line ? line : "?");
	free(line);
}

void put_words_owned(const struct printer *printer, const char *label, char *text)
{
	put_words(printer, label, text);
	g_free(text);
}

/* Start-up code says nothing about the program. */
static bool is_interesting(const char *function)
{
	static const char *const start_up[] = { "_start", "__libc_start_main",
						"__libc_start_main_impl",
						"__libc_start_call_main" };

	for (unsigned i = 0; i < G_N_ELEMENTS(start_up); i++)
		if (strncmp(function, start_up[i], strlen(start_up[i])) == 0)
			return false;
	return true;
}

#define FRAMES_SHOWN 10 /* of a call stack, unless all are requested; the JSON report has all */

/* "file.c:12 (function)", or "library.so+0x1234" without line tables; to be freed. */
static char *frame_text(struct json_object *frame)
{
	const char *file = get_text(frame, "file"), *function = get_text(frame, "function");
	const char *module = get_text(frame, "module");
	char *place =
	    *file ? g_strdup_printf("%s:%" G_GINT64_FORMAT, file, get_number(frame, "line"))
		  : g_strdup_printf("%s+%s", *module ? module : "?", get_text(frame, "offset"));
	char *text = *function ? g_strdup_printf("%s (%s)", place, function) : g_strdup(place);
	char *line = text_one_line(text), *copy = g_strdup(line ? line : "?");

	free(line);
	g_free(text);
	g_free(place);
	return copy;
}

static const char *quoted_line(const struct printer *printer, struct json_object *frame)
{
	const char *file = get_text(frame, "file");

	unsigned line = (unsigned)get_number(frame, "line");

	if (!*file)
		return NULL;
	return printer->symbolizer ? source_line(printer->symbolizer, file, line)
				   : json_source_line(printer->source_files, file, line);
}

void put_json_stack(const struct printer *printer, const char *label, struct json_object *stack)
{
	size_t count = json_object_is_type(stack, json_type_array) ? array_length(stack) : 0;
	bool first = true;
	unsigned shown = 0;

	for (size_t i = (size_t)MAX(place_index(stack), 0); i < count; i++) {
		struct json_object *frame = json_object_array_get_idx(stack, i);
		const char *function = get_text(frame, "function"), *quoted;

		if (!is_interesting(function))
			continue;
		if (shown++ == FRAMES_SHOWN && !printer->verbose) {
			put_row_owned(printer, "",
				      g_strdup_printf("... %zu more frames", count - i));
			break;
		}
		put_row_owned(printer, first ? label : "", frame_text(frame));
		quoted = first ? quoted_line(printer, frame) : NULL;
		if (quoted && *quoted) {
			fprintf(printer->stream, "  %-12s     %s%s%s\n", "",
				paint(printer, OUTPUT_COLOR "[2m"), quoted,
				paint(printer, OUTPUT_COLOR "[0m"));
		}
		first = false;
		if (strcmp(function, "main") == 0)
			break; /* the callers of main have names on some systems only */
	}
	if (first)
		put_row(printer, label, "(call stack not recorded)");
}

void put_stack(const struct printer *printer, const char *label, const struct process *process,
	       uint32_t stack_id)
{
	struct json_object *stack = json_stack(printer->analysis, process, stack_id);

	put_json_stack(printer, label, stack);
	json_object_put(stack);
}
