/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the lines in which the driver reports page faults and migrations. */
#include "preload/migration/smi_text.h"

#include <string.h>

#define PAGE 4096u /* addresses and sizes are in pages */

struct cursor {
	const char *at, *end;
};

/*
 * Each kind's line has these fields behind the event's number, a letter a field:
 *   t time  p -pid  a @start(size)  f @page(GPU)  m from->to  q prefetched:preferred
 *   g GPU  n trigger  e error  c letter  d count
 * Fields in capitals may be missing, with all that follow.
 */
static const struct {
	unsigned kind;
	const char *fields;
} formats[] = {
	{ HG_SMI_VM_FAULT, "" }, /* pid:command */
	{ HG_SMI_MIGRATE_START, "tpamqN" },
	{ HG_SMI_MIGRATE_END, "tpamNE" },
	{ HG_SMI_FAULT_START, "tpfC" },
	{ HG_SMI_FAULT_END, "tpfC" },
	{ HG_SMI_QUEUE_EVICTION, "tpgN" },
	{ HG_SMI_QUEUE_RESTORE, "tpgC" },
	{ HG_SMI_UNMAP, "tpagN" },
	{ HG_SMI_DROPPED, "tpd" },
};

static bool literal(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Reads a number of at least one digit. Returns false if there is none, or if it is too large. */
static bool number(struct cursor *c, unsigned base, uint64_t *value)
{
	const char *first = c->at;

	*value = 0;
	for (; c->at < c->end && (unsigned)digit_of(*c->at) < base; c->at++)
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit_of(*c->at), value))
			return false;
	return c->at > first;
}

static bool decimal(struct cursor *c, int64_t *value)
{
	bool negative = literal(c, '-');
	uint64_t magnitude;

	if (!number(c, 10, &magnitude) || magnitude > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}

static bool pages(struct cursor *c, uint64_t *bytes)
{
	return number(c, 16, bytes) && !__builtin_mul_overflow(*bytes, PAGE, bytes);
}

static bool range(struct cursor *c, struct hg_smi_line *line)
{
	uint64_t end;

	return literal(c, '@') && pages(c, &line->start) && literal(c, '(') &&
	       pages(c, &line->size) && literal(c, ')') &&
	       !__builtin_add_overflow(line->start, line->size, &end);
}

static bool field(struct cursor *c, char kind, struct hg_smi_line *line)
{
	switch (kind) {
	case 't':
		return decimal(c, &line->ns) && line->ns >= 0;
	case 'p':
		return literal(c, '-') && decimal(c, &line->pid) && line->pid >= 0;
	case 'a':
		return range(c, line);
	case 'f':
		line->size = PAGE;
		return literal(c, '@') && pages(c, &line->start) && literal(c, '(') &&
		       number(c, 16, &line->from) && literal(c, ')');
	case 'm':
		return number(c, 16, &line->from) && literal(c, '-') && literal(c, '>') &&
		       number(c, 16, &line->to);
	case 'q':
		return number(c, 16, &line->prefetched) && literal(c, ':') &&
		       number(c, 16, &line->preferred);
	case 'g':
		return number(c, 16, &line->from);
	case 'n':
		return decimal(c, &line->trigger);
	case 'e':
		return decimal(c, &line->error);
	case 'c':
		if (c->at == c->end || *c->at == ' ')
			return false;
		line->letter = *c->at++;
		return true;
	case 'd':
		return number(c, 10, &line->count);
	default:
		return false;
	}
}

static enum hg_smi_result parse_fields(struct cursor *c, const char *fields,
				       struct hg_smi_line *line)
{
	for (; *fields; fields++) {
		bool optional = *fields >= 'A' && *fields <= 'Z';

		if (optional && c->at == c->end)
			break;
		if (!literal(c, ' ') || !field(c, *fields | ' ', line))
			return HG_SMI_MALFORMED;
		/* A field ends where the next begins. */
		if (c->at < c->end && *c->at != ' ')
			return HG_SMI_MALFORMED;
	}
	return HG_SMI_EVENT;
}

enum hg_smi_result hg_smi_parse(const char *text, size_t length, struct hg_smi_line *line)
{
	struct cursor c = { text, text + length };
	uint64_t kind;

	*line = (struct hg_smi_line){ .trigger = -1 };
	if (!number(&c, 16, &kind) || kind > UINT32_MAX || (c.at < c.end && *c.at != ' '))
		return HG_SMI_MALFORMED;
	line->kind = (unsigned)kind;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].kind == kind)
			return parse_fields(&c, formats[i].fields, line);
	return HG_SMI_UNWANTED;
}

void hg_smi_cut(struct hg_smi_cutter *cutter, const char *bytes, size_t size,
		void (*take)(void *data, const char *text, size_t length, bool whole), void *data)
{
	while (size) {
		const char *newline = memchr(bytes, '\n', size);
		size_t part = newline ? (size_t)(newline - bytes) : size;

		if (cutter->used + part > sizeof(cutter->text))
			cutter->overlong = true;
		if (!cutter->overlong) {
			memcpy(cutter->text + cutter->used, bytes, part);
			cutter->used += part;
		}
		if (!newline)
			return;
		take(data, cutter->text, cutter->used, !cutter->overlong);
		cutter->used = 0;
		cutter->overlong = false;
		bytes += part + 1;
		size -= part + 1;
	}
}
