// SPDX-License-Identifier: Apache-2.0
// Messages of the software GPU, one line each on stderr.
#include "softgpu_host.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "softgpu: "

/*
 * Writes each line at once, so that lines of several threads don't mix. Lines have any length, as
 * they hold names of kernels and paths.
 */
static void print_line(const char *format, va_list arguments)
{
	char room[1024] = PREFIX, *line = room;
	size_t size = sizeof room;
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		return;
	if ((size_t)length + sizeof PREFIX + 1 > sizeof room) {
		line = malloc((size_t)length + sizeof PREFIX + 1);
		if (line) {
			size = (size_t)length + sizeof PREFIX + 1;
			memcpy(line, PREFIX, sizeof PREFIX);
		} else {
			line = room;
		}
	}
	vsnprintf(line + strlen(PREFIX), size - strlen(PREFIX) - 1, format, arguments);
	strcat(line, "\n");
	fwrite(line, 1, strlen(line), stderr);
	if (line != room)
		free(line);
}

void sg_log(const char *format, ...)
{
	va_list arguments;

	if (!sg_settings.log)
		return;
	va_start(arguments, format);
	print_line(format, arguments);
	va_end(arguments);
}

void sg_warn(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print_line(format, arguments);
	va_end(arguments);
}

void sg_die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print_line(format, arguments);
	va_end(arguments);
	abort();
}
