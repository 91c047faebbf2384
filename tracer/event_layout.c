/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the description of the events' fields. */
#include "tracer/event_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracer/tree.h"

/* A line for each type, without its number, in the order of enum hg_type. */
#define HG_FIELD(type, name, show, description)      " " #type ":" #name
#define HG_TEXT(name, description)                   " text:" #name
#define HG_SEQUENCE(type, name, length, description) " " #type "[]:" #name
#define HG_EVENT(name, ...)                          #name __VA_ARGS__ "\n"
static const char lines[] =
#include "tracer/events.def"
    ;

static int write_lines(int file)
{
	char number[16];
	unsigned type = 0;
	int error = 0;

	for (const char *line = lines, *end; *line && !error; line = end, type++) {
		int length = snprintf(number, sizeof(number), "%u ", type);

		end = strchr(line, '\n') + 1;
		error = tree_write(file, number, (size_t)length);
		if (!error)
			error = tree_write(file, line, (size_t)(end - line));
	}
	return error;
}

int event_layout_make(int bundle)
{
	int file = openat(bundle, HG_LAYOUT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int result;

	if (file < 0)
		return -errno;
	result = write_lines(file);
	close(file);
	return result;
}
