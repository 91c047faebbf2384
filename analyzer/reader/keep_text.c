/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps texts of events on one line. */
#include "keep_text.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/text.h"

/*
 * A program chose the text, which becomes one line here: reports are made of lines. The environment
 * is a list of lines itself, and nothing else prints more than one of it. Whatever else may be
 * hidden in a text is dealt with where it is printed (analyzer/output.h).
 */
const char *keep_text(struct event_queue *queue, const struct field *layout, const char *text,
		      uint64_t length)
{
	const char *kept;
	char *line;

	for (uint64_t i = 0; i < length && strcmp(layout->name, "env") != 0; i++) {
		if (!text_is_structure(text[i]))
			continue;
		line = text_one_line(text);
		kept = line ? event_queue_keep(queue, line, strlen(line) + 1) : "";
		free(line);
		return kept;
	}
	return event_queue_keep(queue, text, length + 1);
}
