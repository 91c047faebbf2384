/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/cmds/json_stream.h"

#include <string.h>

static void put(struct json_stream *stream, const char *text, size_t length)
{
	fwrite_unlocked(text, 1, length, stream->file);
}

static void new_line(struct json_stream *stream)
{
	static const char blanks[] = "                                ";
	size_t rest = stream->depth * 2;

	putc_unlocked('\n', stream->file);
	while (rest) {
		size_t part = rest < sizeof(blanks) - 1 ? rest : sizeof(blanks) - 1;

		put(stream, blanks, part);
		rest -= part;
	}
}

static void put_escaped(struct json_stream *stream, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = strchr(from, c);

	if (at && c)
		fprintf(stream->file, "\\%c", to[at - from]);
	else
		fprintf(stream->file, "\\u%04x", c);
}

static void put_string(struct json_stream *stream, const char *text)
{
	const char *start = text;

	putc_unlocked('"', stream->file);
	for (; *text; text++) {
		if ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\')
			continue;
		put(stream, start, (size_t)(text - start));
		put_escaped(stream, (unsigned char)*text);
		start = text + 1;
	}
	put(stream, start, (size_t)(text - start));
	putc_unlocked('"', stream->file);
}

static void member(struct json_stream *stream, const char *key)
{
	if (stream->some)
		putc_unlocked(',', stream->file);
	if (stream->depth)
		new_line(stream);
	stream->some = true;
	if (!key)
		return;
	put_string(stream, key);
	putc_unlocked(':', stream->file);
}

void json_stream_text(struct json_stream *stream, const char *key, const char *text)
{
	if (!text) {
		json_stream_null(stream, key);
		return;
	}
	member(stream, key);
	put_string(stream, text);
}

void json_stream_number(struct json_stream *stream, const char *key, int64_t number)
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[24], *at = digits + sizeof(digits);

	member(stream, key);
	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		*--at = '-';
	put(stream, at, (size_t)(digits + sizeof(digits) - at));
}

void json_stream_bool(struct json_stream *stream, const char *key, bool value)
{
	member(stream, key);
	put(stream, value ? "true" : "false", value ? 4 : 5);
}

void json_stream_null(struct json_stream *stream, const char *key)
{
	member(stream, key);
	put(stream, "null", 4);
}

void json_stream_begin(struct json_stream *stream, const char *key, char bracket)
{
	member(stream, key);
	putc_unlocked(bracket, stream->file);
	stream->depth++;
	stream->some = false;
}

void json_stream_end(struct json_stream *stream, char bracket)
{
	stream->depth--;
	new_line(stream);
	putc_unlocked(bracket, stream->file);
	stream->some = true;
	if (!stream->depth)
		putc_unlocked('\n', stream->file);
}
