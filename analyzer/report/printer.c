/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, wrapped text and source lines of the text format. */
#include "printer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "analyzer/output.h"

#define LABEL_WIDTH   12
#define DEFAULT_WIDTH 100

/* COLUMNS, or the terminal's width, or what fits everywhere. */
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
		.stream = stream,
		.color = style & REPORT_COLOR,
		.verbose = style & REPORT_VERBOSE,
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

/* Start-up code says nothing about the program. */
static bool is_interesting(const struct source_frame *frame)
{
	static const char *const start_up[] = { "_start", "__libc_start_main",
						"__libc_start_main_impl",
						"__libc_start_call_main" };

	for (unsigned i = 0; frame->function && i < G_N_ELEMENTS(start_up); i++)
		if (strncmp(frame->function, start_up[i], strlen(start_up[i])) == 0)
			return false;
	return true;
}

#define FRAMES_SHOWN 10 /* of a call stack, unless all are requested; the JSON report has all */

void put_stack(const struct printer *printer, const char *label, const struct process *process,
	       uint32_t stack_id)
{
	const GPtrArray *frames = symbolize_stack(printer->analysis->symbolizer, process, stack_id);
	bool first = true;
	unsigned shown = 0;

	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];
		const char *quoted;

		if (!is_interesting(frame) || (first && is_wrapping_frame(frame)))
			continue;
		if (shown++ == FRAMES_SHOWN && !printer->verbose) {
			put_row_owned(printer, "",
				      g_strdup_printf("... %u more frames", frames->len - i));
			break;
		}
		put_row_owned(printer, first ? label : "", source_frame_text(frame));
		quoted = first && frame->file
			     ? source_line(printer->analysis->symbolizer, frame->file, frame->line)
			     : NULL;
		if (quoted && *quoted) {
			fprintf(printer->stream, "  %-12s     %s%s%s\n", "",
				paint(printer, OUTPUT_COLOR "[2m"), quoted,
				paint(printer, OUTPUT_COLOR "[0m"));
		}
		first = false;
		if (frame->function && strcmp(frame->function, "main") == 0)
			break; /* what called main has names on some systems only */
	}
	if (first)
		put_row(printer, label, "(call stack not recorded)");
}
