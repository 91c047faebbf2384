/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that is written as it comes, without a tree of it in memory. */
#include "analyzer/cmds/json_stream.h"

#include <string.h>

#include "codeobj/text.h"

static void flush(struct json_stream *stream)
{
	fwrite_unlocked(stream->buffer, 1, stream->used, stream->file);
	stream->used = 0;
}

static inline void put(struct json_stream *stream, const char *text, size_t length)
{
	if (length > sizeof(stream->buffer) - stream->used) {
		flush(stream);
		if (length > sizeof(stream->buffer)) {
			fwrite_unlocked(text, 1, length, stream->file);
			return;
		}
	}
	memcpy(stream->buffer + stream->used, text, length);
	stream->used += length;
}

static inline void put_char(struct json_stream *stream, char c)
{
	if (stream->used == sizeof(stream->buffer))
		flush(stream);
	stream->buffer[stream->used++] = c;
}

/* Begins a new line, except in compact output. */
static void new_line(struct json_stream *stream)
{
	static const char blanks[] = "\n                                ";
	size_t rest = stream->depth * 2, part = sizeof(blanks) - 2;

	if (!stream->indent)
		return;
	put(stream, blanks, 1 + (rest < part ? rest : part));
	for (; rest > part; rest -= part)
		put(stream, blanks + 1, rest - part < part ? rest - part : part);
}

static void put_escaped(struct json_stream *stream, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = strchr(from, c);
	char text[8];

	put(stream, text,
	    (size_t)(at && c ? snprintf(text, sizeof(text), "\\%c", to[at - from])
			     : snprintf(text, sizeof(text), "\\u%04x", c)));
}

/* Bytes at which plain text ends. */
static const bool special[256] = {
	[0 ... ' ' - 1] = true,
	[0x7f ... 0xff] = true,
	['"'] = true,
	['\\'] = true,
};

/* Returns how many of the first bytes are plain text for certain, by eight at a time. */
static size_t plain(const char *text, size_t length)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	size_t i;

	for (i = 0; length - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t word, quote, backslash;

		memcpy(&word, text + i, sizeof(word));
		quote = word ^ ones * '"';
		backslash = word ^ ones * '\\';
		/* Bytes below ' ', equal to these two, or from 0x7f on; rarely one next to them. */
		if (((word - ones * ' ') | (quote - ones) | (backslash - ones) | (word + ones) |
		     word) &
		    tops)
			break;
	}
	return i;
}

/* Writes a character: a byte that belongs to none becomes U+FFFD. Returns its length. */
static size_t put_special(struct json_stream *stream, const char *text)
{
	uint32_t code;
	size_t length = text_character(text, strnlen(text, 4), &code);

	if (length == 0 || length == SIZE_MAX) {
		put(stream, "\xef\xbf\xbd", 3);
		return 1;
	}
	if (length > 1)
		put(stream, text, length);
	else
		put_escaped(stream, (unsigned char)*text);
	return length;
}

static void put_string(struct json_stream *stream, const char *text)
{
	const char *end = text + strlen(text);

	put_char(stream, '"');
	for (;;) {
		const char *start = text;

		text += plain(text, (size_t)(end - text));
		while (!special[(unsigned char)*text])
			text++;
		put(stream, start, (size_t)(text - start));
		if (!*text)
			break;
		text += put_special(stream, text);
	}
	put_char(stream, '"');
}

static void member(struct json_stream *stream, const char *key)
{
	if (stream->some)
		put_char(stream, ',');
	if (stream->depth)
		new_line(stream);
	stream->some = true;
	if (!key)
		return;
	put_char(stream, '"');
	put(stream, key, strlen(key));
	put(stream, "\":", 2);
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

void json_stream_element(struct json_stream *stream, const char *json, size_t size)
{
	member(stream, NULL);
	put(stream, json, size);
}

bool json_stream_divert(struct json_stream *stream, FILE *file)
{
	flush(stream);
	stream->file = file;
	return !stream->some;
}

void json_stream_begin(struct json_stream *stream, const char *key, char bracket)
{
	member(stream, key);
	put_char(stream, bracket);
	stream->depth++;
	stream->some = false;
}

void json_stream_end(struct json_stream *stream, char bracket)
{
	stream->depth--;
	new_line(stream);
	put_char(stream, bracket);
	stream->some = true;
	if (!stream->depth) {
		put_char(stream, '\n');
		flush(stream);
	}
}
