/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes co_lnotab and co_linetable. */
#include "python_lines.h"

struct table {
	const uint8_t *bytes;
	uint32_t length, next;
};

static unsigned as_line(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (unsigned)line : 0;
}

/* 3.9: pairs of how many bytes, and then how many lines, the next step is further on. */
static unsigned line_of_lnotab(const struct python_code *code, uint32_t at)
{
	int64_t line = code->first_line, address = 0;

	for (uint32_t i = 0; i + 1 < code->length; i += 2) {
		address += code->lines[i];
		if (address > at)
			break;
		line += (int8_t)code->lines[i + 1];
	}
	return as_line(line);
}

/* 3.10: pairs of a step's bytes, and how many lines it is further on; -128: it has no line. */
static unsigned line_of_pairs(const struct python_code *code, uint32_t at)
{
	int64_t line = code->first_line, end = 0;

	for (uint32_t i = 0; i + 1 < code->length; i += 2) {
		int8_t further = (int8_t)code->lines[i + 1];

		end += code->lines[i];
		if (further != -128)
			line += further;
		if (at < end)
			return further == -128 ? 0 : as_line(line);
	}
	return 0;
}

/* Six bits a byte, the lowest first; the lowest of all is the sign. */
static int64_t signed_number(struct table *table)
{
	uint64_t value = 0;

	for (unsigned shift = 0; table->next < table->length && shift < 60; shift += 6) {
		uint8_t byte = table->bytes[table->next++];

		value |= (uint64_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/*
 * From 3.11 on: entries whose first byte has bit 7: their form in bits 3 to 6, how many
 * instructions of two bytes less one in bits 0 to 2. What follows are columns, and in some forms
 * how many lines it is further on.
 */
enum { FORM_ONE_LINE = 10, FORM_NO_COLUMNS = 13, FORM_LONG = 14, FORM_NO_LINE = 15 };

static unsigned line_of_locations(const struct python_code *code, uint32_t at)
{
	struct table table = { .bytes = code->lines, .length = code->length };
	int64_t line = code->first_line, end = 0;

	while (table.next < table.length) {
		uint8_t first = table.bytes[table.next++];
		unsigned form = first >> 3 & 15;

		if (!(first & 128))
			return 0;
		if (form == FORM_LONG || form == FORM_NO_COLUMNS)
			line += signed_number(&table);
		else if (form >= FORM_ONE_LINE && form < FORM_NO_COLUMNS)
			line += form - FORM_ONE_LINE;
		if (line > INT32_MAX || line < INT32_MIN)
			return 0;
		end += 2 * ((first & 7) + 1);
		if (at < end)
			return form == FORM_NO_LINE ? 0 : as_line(line);
		while (table.next < table.length && !(table.bytes[table.next] & 128))
			table.next++;
	}
	return 0;
}

unsigned python_line(const struct python_code *code, uint32_t at)
{
	return code->minor < 10    ? line_of_lnotab(code, at)
	       : code->minor == 10 ? line_of_pairs(code, at)
				   : line_of_locations(code, at);
}
