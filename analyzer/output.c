/* SPDX-License-Identifier: Apache-2.0 */
/* Writes output, and shows a terminal only what it may see. */
#include "analyzer/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codeobj/text.h"

#define BUFFER_SIZE (64 * 1024)
/* Longer is no colour of ours: "\033[1;35m". */
#define COLOR_MAX 12

/* The file below a stream, and the beginning of a character or colour whose end is yet to come. */
struct output {
	int fd;
	size_t held;
	char hold[COLOR_MAX];
};

static bool colors;
static struct output standard[] = { { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };

/* Writes all of it, or returns -1. */
static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return -1;
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

/* Length of a colour at `text`, which begins with its mark; 0: none; SIZE_MAX: more is needed. */
static size_t color_length(const char *text, size_t length)
{
	for (size_t i = 1; i < COLOR_MAX; i++) {
		if (i == length)
			return SIZE_MAX;
		if (i == 1 ? text[i] == '[' : strchr("0123456789;", text[i]) && text[i])
			continue;
		return i > 1 && text[i] == 'm' ? i + 1 : 0;
	}
	return 0;
}

/*
 * Stores what comes out for the text at `text` in `shown`, and its length in *length. Returns how
 * many bytes of `text` that takes, SIZE_MAX if more are needed to know.
 */
static size_t show(const char *text, size_t left, char shown[TEXT_ESCAPE_MAX], size_t *length)
{
	uint32_t code = (unsigned char)*text;
	size_t taken;

	if (colors && *text == *OUTPUT_COLOR) {
		taken = color_length(text, left);
		if (taken == SIZE_MAX)
			return taken;
		if (taken) {
			memcpy(shown, text, taken);
			shown[0] = '\033';
			*length = taken;
			return taken;
		}
	}
	if (*text == '\r' && (left == 1 || text[1] == '\n')) {
		/* The line's end in CSV. */
		memcpy(shown, "\r\n", 2);
		*length = 2;
		return left == 1 ? SIZE_MAX : 2;
	}
	taken = text_character(text, left, &code);
	if (taken == SIZE_MAX)
		return taken;
	if (taken == 0) {
		*length = text_escape(shown, (unsigned char)*text, true);
		return 1;
	}
	if (text_is_hidden(code) && code != '\n' && code != '\t') {
		*length = text_escape(shown, code, false);
	} else {
		memcpy(shown, text, taken);
		*length = taken;
	}
	return taken;
}

static bool is_plain(char c)
{
	return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

/* Returns true if nothing in it has to be looked at, as in most output. */
static bool all_plain(const char *bytes, size_t size)
{
	enum { BLOCK = 64 };
	size_t i = 0;

	for (; size - i >= BLOCK; i += BLOCK) {
		unsigned char others = 0;

		for (size_t k = 0; k < BLOCK; k++) {
			unsigned char c = (unsigned char)bytes[i + k];

			others |= (unsigned char)((unsigned char)(c - ' ') > '~' - ' ') &
				  (unsigned char)(c != '\n') & (unsigned char)(c != '\t');
		}
		if (others)
			return false;
	}
	for (; i < size; i++)
		if (!is_plain(bytes[i]))
			return false;
	return true;
}

/* fopencookie(3): how many bytes were taken, 0 with errno if not all can be written. */
static ssize_t write_visible(void *cookie, const char *bytes, size_t size)
{
	struct output *output = cookie;
	/* In front of new bytes stand those that were held. */
	size_t left = output->held + size, used = 0;
	char *text, *out;
	const char *at;
	int result = -1;

	if (!output->held && all_plain(bytes, size))
		return write_all(output->fd, bytes, size) ? 0 : (ssize_t)size;
	text = malloc(left + 1);
	out = malloc(left * TEXT_ESCAPE_MAX + 1);
	at = text;
	if (!text || !out) {
		errno = ENOMEM;
		goto out;
	}
	memcpy(text, output->hold, output->held);
	memcpy(text + output->held, bytes, size);
	output->held = 0;
	while (left) {
		size_t taken, length = 0;
		char shown[TEXT_ESCAPE_MAX];

		if (is_plain(*at)) {
			out[used++] = *at++;
			left--;
			continue;
		}
		taken = show(at, left, shown, &length);
		if (taken == SIZE_MAX && left <= COLOR_MAX) {
			memcpy(output->hold, at, left);
			output->held = left;
			break;
		}
		memcpy(out + used, shown, length);
		used += length;
		at += taken;
		left -= taken;
	}
	result = write_all(output->fd, out, used);
out:
	free(text);
	free(out);
	return result ? 0 : (ssize_t)size;
}

static int close_file(void *cookie)
{
	struct output *output = cookie;
	char escape[TEXT_ESCAPE_MAX];
	int result = 0;

	for (size_t i = 0; i < output->held && !result; i++) {
		size_t length = text_escape(escape, (unsigned char)output->hold[i], true);

		result = write_all(output->fd, escape, length);
	}
	result |= close(output->fd);
	free(output);
	return result;
}

void output_allow_colors(void)
{
	colors = true;
}

void output_install(void)
{
	const cookie_io_functions_t functions = { .write = write_visible };
	FILE *streams[2];

	for (size_t i = 0; i < 2; i++) {
		streams[i] = fopencookie(&standard[i], "w", functions);
		if (!streams[i]) {
			fputs("hipgrain: out of memory\n", stderr);
			exit(4);
		}
	}
	setvbuf(streams[0], NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFFER_SIZE);
	setvbuf(streams[1], NULL, _IONBF, 0);
	stdout = streams[0];
	stderr = streams[1];
}

FILE *output_on(int fd)
{
	const cookie_io_functions_t functions = { .write = write_visible, .close = close_file };
	struct output *output = calloc(1, sizeof(*output));
	FILE *stream = NULL;

	if (!output)
		return NULL;
	output->fd = fd;
	stream = fopencookie(output, "w", functions);
	if (!stream) {
		free(output);
		return NULL;
	}
	setvbuf(stream, NULL, _IOFBF, BUFFER_SIZE);
	return stream;
}

FILE *output_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	FILE *stream = fd < 0 ? NULL : output_on(fd);

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

int output_descriptor(FILE *stream)
{
	return stream == stdout ? STDOUT_FILENO : stream == stderr ? STDERR_FILENO : fileno(stream);
}
