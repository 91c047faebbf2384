/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a whole file of a bounded size. */
#include "analyzer/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_MOST ((gsize)INPUT_FILE_MIB << 20)

/* A reader of a FIFO waits so long, in ms, for a process that writes to it. */
#define WRITER_MS 10000

static const char *append(GString *content, const char *part, size_t size)
{
	if (memchr(part, '\0', size))
		return "it is not a text file";
	if (content->len + size > SIZE_MOST)
		return "it is larger than " G_STRINGIFY(INPUT_FILE_MIB) " MiB";
	g_string_append_len(content, part, (gssize)size);
	return NULL;
}

/*
 * Adds what the file has, which is opened without waiting, to `content`; returns NULL, or why that
 * cannot be taken. A FIFO that nobody has opened to write to looks as if it had ended.
 */
static const char *read_all(int file, bool fifo, GString *content)
{
	static char part[65536];
	struct pollfd ready = { .fd = file, .events = POLLIN };
	bool written = !fifo;
	const char *why = NULL;

	while (!why) {
		ssize_t size = read(file, part, sizeof(part));

		if (size > 0)
			why = append(content, part, (size_t)size);
		else if (size < 0 && errno == EAGAIN)
			poll(&ready, 1, -1);
		else if (size < 0 && errno != EINTR)
			return strerror(errno);
		else if (size == 0 && written)
			return NULL;
		else if (size == 0 && poll(&ready, 1, WRITER_MS) == 0)
			return "a FIFO to which no process writes";
		written |= size >= 0 || errno == EAGAIN;
	}
	return why;
}

char *input_file_read(const char *path, char **error)
{
	int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	GString *content = g_string_new(NULL);
	struct stat status;
	const char *why = file < 0 || fstat(file, &status)
			      ? strerror(errno)
			      : read_all(file, S_ISFIFO(status.st_mode), content);

	*error = why ? g_strdup_printf("%s: %s", path, why) : NULL;
	if (file >= 0)
		close(file);
	return g_string_free(content, why != NULL);
}
