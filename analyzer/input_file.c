/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a whole file of a bounded size. */
#include "analyzer/input_file.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#define SIZE_MOST ((gsize)INPUT_FILE_MIB << 20)

/* Adds the bytes of the stream to `content`; returns NULL, or why they cannot be taken. */
static const char *read_all(FILE *stream, GString *content)
{
	static char part[65536];
	size_t size;

	while ((size = fread(part, 1, sizeof(part), stream)) > 0) {
		if (memchr(part, '\0', size))
			return "it is not a text file";
		if (content->len + size > SIZE_MOST)
			return "it is larger than " G_STRINGIFY(INPUT_FILE_MIB) " MiB";
		g_string_append_len(content, part, (gssize)size);
	}
	return ferror(stream) ? strerror(errno) : NULL;
}

char *input_file_read(const char *path, char **error)
{
	FILE *stream = fopen(path, "re");
	GString *content = g_string_new(NULL);
	const char *why = stream ? read_all(stream, content) : strerror(errno);

	*error = why ? g_strdup_printf("%s: %s", path, why) : NULL;
	if (stream)
		fclose(stream);
	return g_string_free(content, why != NULL);
}
