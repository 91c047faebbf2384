/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line for each finding, as compilers print theirs (GNU Coding Standards, "Formatting Error
 * Messages"), for editors and logs of continuous integration.
 */
#include "report.h"

#include <stdlib.h>

#include "codeobj/text.h"
#include "place.h"

/* Compilers know no advice. */
static const char *const words[] = {
	[SEVERITY_NOTE] = "note",
	[SEVERITY_ADVICE] = "note",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

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
	if (place->line)
		fprintf(stream, ":%u", place->line);
	fputs(": ", stream);
}

int report_line(const struct analysis *analysis, unsigned style, FILE *stream)
{
	const struct findings *findings = &analysis->findings;

	(void)style;
	for (unsigned i = 0; i < findings->list->len; i++) {
		const struct finding *finding = findings->list->pdata[i];
		const struct source_place place = place_of_finding(analysis, finding);

		put_place(stream, &place);
		fprintf(stream, "%s: ", words[finding->rule->severity]);
		put_text(stream, finding->message);
		fprintf(stream, " [%s]\n", finding->rule->id);
	}
	/* An empty output must not look like a clean result. */
	for (unsigned i = 0; i < findings->limits->len; i++) {
		fputs("hipgrain: note: not analysed: ", stream);
		put_text(stream, findings->limits->pdata[i]);
		fputc('\n', stream);
	}
	return 0;
}
