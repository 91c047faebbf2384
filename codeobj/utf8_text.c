/* SPDX-License-Identifier: Apache-2.0 */
/* Well-formedness of UTF-8 text, and escape sequences for what must not reach a terminal. */
#include "codeobj/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t text_character(const char *text, size_t length, uint32_t *code)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, length;
	} forms[] = {
		{ 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	const unsigned char *bytes = (const unsigned char *)text;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (bytes[0] < forms[i].first_low || bytes[0] > forms[i].first_high)
			continue;
		if (forms[i].length == 1) {
			*code = bytes[0];
			return 1;
		}
		*code = bytes[0] & (0x7fu >> forms[i].length);
		for (size_t j = 1; j < forms[i].length; j++) {
			if (j == length)
				return SIZE_MAX;
			if (j == 1
				? bytes[1] < forms[i].second_low || bytes[1] > forms[i].second_high
				: (bytes[j] & 0xc0) != 0x80)
				return 0;
			*code = *code << 6 | (bytes[j] & 0x3fu);
		}
		return forms[i].length;
	}
	return 0;
}

bool text_is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x00, 0x1f },     { 0x7f, 0x9f },       { 0x61c, 0x61c },     { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f },   { 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },
		{ 0xfffe, 0xffff }, { 0xe0000, 0xe007f }, { 0x1d173, 0x1d17a },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

size_t text_escape(char escape[TEXT_ESCAPE_MAX], uint32_t code, bool byte)
{
	static const char letters[] = "abtnvfr"; /* 7 to 13 */
	int length;

	if (!byte && code >= 9 && code <= 13 && code != 11 && code != 12) {
		length = snprintf(escape, TEXT_ESCAPE_MAX, "\\%c", letters[code - 7]);
	} else if (byte || code < 0x20) {
		length = snprintf(escape, TEXT_ESCAPE_MAX, "\\x%02x", (unsigned)(code & 0xff));
	} else if (code < 0x10000) {
		length = snprintf(escape, TEXT_ESCAPE_MAX, "\\u%04x", (unsigned)code);
	} else {
		length = snprintf(escape, TEXT_ESCAPE_MAX, "\\u%04x\\u%04x",
				  (unsigned)(0xd800 + ((code - 0x10000) >> 10 & 0x3ff)),
				  (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
	}
	return (size_t)length;
}

char *text_one_line(const char *text)
{
	char escape[TEXT_ESCAPE_MAX], *copy, *to;
	size_t controls = 0;

	if (!text)
		return NULL;
	for (const char *at = text; *at; at++)
		controls += text_is_structure(*at);
	if (!controls)
		return strdup(text);
	copy = to = malloc(strlen(text) + controls * TEXT_ESCAPE_MAX + 1);
	for (; copy && *text; text++) {
		if (text_is_structure(*text)) {
			size_t length = text_escape(escape, (unsigned char)*text, false);

			memcpy(to, escape, length);
			to += length;
		} else {
			*to++ = *text;
		}
	}
	if (copy)
		*to = '\0';
	return copy;
}

void text_copy_visible(char *to, size_t size, const char *text)
{
	size_t left = strlen(text), used = 0;

	while (left) {
		uint32_t code = (unsigned char)*text;
		size_t taken = text_character(text, left, &code), length = taken;
		char escape[TEXT_ESCAPE_MAX];
		const char *shown = text;

		if (taken == 0 || taken == SIZE_MAX) {
			taken = 1;
			length = text_escape(escape, (unsigned char)*text, true);
			shown = escape;
		} else if (text_is_hidden(code)) {
			length = text_escape(escape, code, false);
			shown = escape;
		}
		if (length >= size - used)
			break;
		memcpy(to + used, shown, length);
		used += length;
		text += taken;
		left -= taken;
	}
	to[used] = '\0';
}
