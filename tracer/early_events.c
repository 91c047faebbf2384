/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's side of early events: the description of their fields. */
#include "tracer/early_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/counts.h"

/* A line for each type, without its number, in the order of enum hg_count. */
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

	for (const char *line = lines, *end; *line; line = end, type++) {
		int length = snprintf(number, sizeof(number), "%u ", type);

		end = strchr(line, '\n') + 1;
		if (write(file, number, (size_t)length) != length ||
		    write(file, line, (size_t)(end - line)) != end - line)
			return errno ? -errno : -ENOSPC;
	}
	return 0;
}

int early_events_make(int bundle)
{
	int folder, file, result;

	errno = 0;
	if (mkdirat(bundle, HG_EARLY, 0700))
		return -errno;
	folder = openat(bundle, HG_EARLY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	file = openat(folder, HG_EARLY_LAYOUT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	result = file < 0 ? -errno : write_lines(file);
	if (file >= 0)
		close(file);
	if (result)
		unlinkat(folder, HG_EARLY_LAYOUT, 0);
	close(folder);
	return result;
}

void early_events_remove(int bundle)
{
	unlinkat(bundle, HG_EARLY "/" HG_EARLY_LAYOUT, 0);
	unlinkat(bundle, HG_EARLY, AT_REMOVEDIR);
}
