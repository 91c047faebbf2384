// SPDX-License-Identifier: Apache-2.0
/* Reads the tables that hipgrain explain prints. */
#include "explained.h"

#include <stdio.h>
#include <string.h>

/* The layout of analyzer/explain/explain_memory.c. */
enum { TITLE_WIDTH = 29, CELL_WIDTH = 20, MOST_LINES = 128 };
#define CALLS "By call and flags"

static struct line {
	char text[256];
	bool call, asked;
} lines[MOST_LINES];
static unsigned count;

bool explained_read(const char *hipgrain)
{
	char command[4096];
	bool calls = false;
	FILE *output;

	snprintf(command, sizeof command, "'%s' explain memory", hipgrain);
	output = popen(command, "r");
	while (output && count < MOST_LINES && fgets(lines[count].text, 256, output)) {
		struct line *line = &lines[count++];

		line->text[strcspn(line->text, "\n")] = '\0';
		calls = calls || !strncmp(line->text, CALLS, sizeof CALLS - 1);
		line->call = calls && !strncmp(line->text, "  ", 2);
	}
	return output && !pclose(output) && calls;
}

/* Copies text without blanks at its end, and with one where there are several. */
static const char *tidy(const char *text, size_t length)
{
	static char copy[256];
	size_t used = 0;

	for (size_t i = 0; i < length && text[i]; i++)
		if (text[i] != ' ' || (used && copy[used - 1] != ' '))
			copy[used++] = text[i];
	while (used && copy[used - 1] == ' ')
		used--;
	copy[used] = '\0';
	return copy;
}

const char *explained_call(const char *name, const char *flags)
{
	char start[128];

	snprintf(start, sizeof start, "  %-23s %-31s ", name, flags);
	for (unsigned i = 0; i < count; i++)
		if (lines[i].call && !strncmp(lines[i].text, start, strlen(start))) {
			lines[i].asked = true;
			return tidy(lines[i].text + strlen(start), sizeof lines[i].text);
		}
	return NULL;
}

const char *explained_cell(const char *line, const char *column)
{
	const char *titles = NULL, *title;

	for (unsigned i = 0; i < count; i++) {
		char blanks[TITLE_WIDTH + 1];

		snprintf(blanks, sizeof blanks, "%*s", TITLE_WIDTH, "");
		if (!strncmp(lines[i].text, blanks, TITLE_WIDTH))
			titles = lines[i].text;
		if (!titles || strncmp(lines[i].text, line, strlen(line)))
			continue;
		for (title = titles + TITLE_WIDTH; *title; title += CELL_WIDTH) {
			size_t at = (size_t)(title - titles);

			if (!strcmp(tidy(title, CELL_WIDTH), column))
				return strlen(lines[i].text) > at
					   ? tidy(lines[i].text + at, CELL_WIDTH)
					   : NULL;
			if (strlen(title) < CELL_WIDTH)
				break;
		}
	}
	return NULL;
}

const char *explained_left(void)
{
	for (unsigned i = 0; i < count; i++)
		if (lines[i].call && !lines[i].asked) {
			lines[i].asked = true;
			return lines[i].text;
		}
	return NULL;
}
