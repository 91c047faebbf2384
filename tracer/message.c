/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for the user on stderr. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "codeobj/text.h"
#include "tracer/message.h"

static const char *message_verb;
static bool message_quiet;

void message_set_verb(const char *verb)
{
	message_verb = verb;
}

void message_set_quiet(bool quiet)
{
	message_quiet = quiet;
}

/* Makes one write for each message, so that lines of several processes on one terminal do not
 * mix. */
static void message_print(const char *kind, const char *format, va_list arguments)
{
	int saved_errno = errno;
	char text[2048], visible[4096];

	/* Names may contain any byte; a message stays one line. */
	vsnprintf(text, sizeof(text), format, arguments);
	text_copy_visible(visible, sizeof(visible), text);
	fprintf(stderr, "hipgrain: %s%s%s%s\n", message_verb ? message_verb : "",
		message_verb ? ": " : "", kind, visible);
	errno = saved_errno;
}

void message_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message_print("", format, arguments);
	va_end(arguments);
}

void message_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message_print("warning: ", format, arguments);
	va_end(arguments);
}

int refuse(char *why, size_t why_size, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, why_size, format, arguments);
	va_end(arguments);
	return -error;
}

void message_note(const char *format, ...)
{
	va_list arguments;

	if (message_quiet)
		return;
	va_start(arguments, format);
	message_print("", format, arguments);
	va_end(arguments);
}
