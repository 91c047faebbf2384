/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata in the words of LTTng-UST to the sizes of events. */
#include "layout.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "salvage.h"

#define IDS_MOST       4096u
#define STREAMS_MOST   64u
#define ID_EXTENDED    31u /* of a compact header */
#define LARGE_EXTENDED 65535u

/* A number of bytes, then a string, a sequence, or the end of the fields. */
struct item {
	uint32_t fixed;
	enum { ITEM_END, ITEM_STRING, ITEM_SEQUENCE } kind;
	uint32_t length, element; /* of a sequence: bytes of its length, and of an element */
};

struct fields {
	GArray *items; /* struct item */
	bool records;  /* the last is a `records` of a batch */
};

struct layout_stream {
	bool known, compact;
	struct fields context;
	struct fields *events[IDS_MOST]; /* by id */
};

struct layout {
	struct layout_stream *streams[STREAMS_MOST];
	bool batches;
};

/* ---- the words ---- */

/* '#' is any character. Then comes `env`, which says nothing of the events, and the clock. */
static const char head[] =
    "/* CTF 1.8 */\n"
    "\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
    "typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
    "typealias integer { size = 27; align = 1; signed = false; } := uint27_t;\n"
    "\n"
    "trace {\n"
    "\tmajor = 1;\n"
    "\tminor = 8;\n"
    "\tuuid = \"########-####-####-####-############\";\n"
    "\tbyte_order = le;\n"
    "\tpacket.header := struct {\n"
    "\t\tuint32_t magic;\n"
    "\t\tuint8_t  uuid[16];\n"
    "\t\tuint32_t stream_id;\n"
    "\t\tuint64_t stream_instance_id;\n"
    "\t};\n"
    "};\n"
    "\n"
    "env {\n";

static const char types[] = "typealias integer {\n"
			    "\tsize = 27; align = 1; signed = false;\n"
			    "\tmap = clock.monotonic.value;\n"
			    "} := uint27_clock_monotonic_t;\n"
			    "\n"
			    "typealias integer {\n"
			    "\tsize = 32; align = 8; signed = false;\n"
			    "\tmap = clock.monotonic.value;\n"
			    "} := uint32_clock_monotonic_t;\n"
			    "\n"
			    "typealias integer {\n"
			    "\tsize = 64; align = 8; signed = false;\n"
			    "\tmap = clock.monotonic.value;\n"
			    "} := uint64_clock_monotonic_t;\n"
			    "\n"
			    "struct packet_context {\n"
			    "\tuint64_clock_monotonic_t timestamp_begin;\n"
			    "\tuint64_clock_monotonic_t timestamp_end;\n"
			    "\tuint64_t content_size;\n"
			    "\tuint64_t packet_size;\n"
			    "\tuint64_t packet_seq_num;\n"
			    "\tunsigned long events_discarded;\n"
			    "\tuint32_t cpu_id;\n"
			    "};\n"
			    "\n"
			    "struct event_header_compact {\n"
			    "\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
			    "\tvariant <id> {\n"
			    "\t\tstruct {\n"
			    "\t\t\tuint27_clock_monotonic_t timestamp;\n"
			    "\t\t} compact;\n"
			    "\t\tstruct {\n"
			    "\t\t\tuint32_t id;\n"
			    "\t\t\tuint64_clock_monotonic_t timestamp;\n"
			    "\t\t} extended;\n"
			    "\t} v;\n"
			    "} align(8);\n"
			    "\n"
			    "struct event_header_large {\n"
			    "\tenum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
			    "\tvariant <id> {\n"
			    "\t\tstruct {\n"
			    "\t\t\tuint32_clock_monotonic_t timestamp;\n"
			    "\t\t} compact;\n"
			    "\t\tstruct {\n"
			    "\t\t\tuint32_t id;\n"
			    "\t\t\tuint64_clock_monotonic_t timestamp;\n"
			    "\t\t} extended;\n"
			    "\t} v;\n"
			    "} align(8);\n"
			    "\n";

/* Whether the text goes on like that; then it is passed. */
static bool take(const char **text, const char *words)
{
	const char *at = *text;

	for (; *words; words++, at++)
		if (*at != *words && !(*words == '#' && *at && *at != '\n'))
			return false;
	*text = at;
	return true;
}

/* A line of what `format` says, which has one %n at its end; *used is 0 if it is not. */
#define TAKE_LINE(text, format, ...)                                         \
	__extension__({                                                      \
		char line_[256] = "";                                        \
		int used_ = 0;                                               \
		size_t length_ = strcspn(*(text), "\n");                     \
                                                                             \
		if (length_ < sizeof(line_) && (*(text))[length_] == '\n') { \
			memcpy(line_, *(text), length_);                     \
			(void)sscanf(line_, format, __VA_ARGS__, &used_);    \
		}                                                            \
		if (used_ && (size_t)used_ == length_)                       \
			*(text) += length_ + 1;                              \
		else                                                         \
			used_ = 0;                                           \
		used_ > 0;                                                   \
	})

/* To behind the end of a block that says nothing of the events. */
static bool pass_block(const char **text)
{
	const char *end = strstr(*text, "\n};\n\n");

	*text = end ? end + strlen("\n};\n\n") : *text;
	return end;
}

/* ---- fields ---- */

static void add_item(struct fields *fields, uint32_t *fixed, int kind, uint32_t length,
		     uint32_t element)
{
	struct item item = { *fixed, kind, length, element };

	g_array_append_val(fields->items, item);
	*fixed = 0;
}

static bool is_whole(unsigned bits)
{
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

#define NAME "%63[A-Za-z0-9_]"
#define INTEGER \
	"\t\tinteger { size = %u; align = 8; signed = %1[01]; encoding = none; base = %2[0-9]; } "

/* The lines of a struct, up to its end. */
static bool read_fields(const char **text, struct fields *fields)
{
	char name[64], of[64], length_name[64] = "", is_signed[2], base[3];
	unsigned bits, length = 0;
	uint32_t fixed = 0;

	fields->items = g_array_new(FALSE, FALSE, sizeof(struct item));
	while (!take(text, "\t};\n};\n\n")) {
		if (TAKE_LINE(text, "\t\tstring " NAME ";%n", name)) {
			add_item(fields, &fixed, ITEM_STRING, 0, 0);
			length = 0;
		} else if (TAKE_LINE(text, INTEGER NAME ";%n", &bits, is_signed, base, name)) {
			if (!is_whole(bits))
				return false;
			fixed += bits / 8;
			length = *is_signed == '0' ? bits / 8 : 0;
			memcpy(length_name, name, sizeof(name));
		} else if (TAKE_LINE(text, INTEGER NAME "[ " NAME " ];%n", &bits, is_signed, base,
				     name, of)) {
			/* Its length comes just before it. */
			if (!is_whole(bits) || !length || length > 4 ||
			    strcmp(of, length_name) != 0)
				return false;
			fixed -= length;
			fields->records =
			    strcmp(name, "_records") == 0 && length == 2 && bits == 64;
			add_item(fields, &fixed, ITEM_SEQUENCE, length, bits / 8);
			length = 0;
			continue;
		} else {
			return false;
		}
		fields->records = false;
	}
	add_item(fields, &fixed, ITEM_END, 0, 0);
	return true;
}

static void free_fields(struct fields *fields)
{
	g_clear_pointer(&fields->items, g_array_unref);
}

static bool read_stream(struct layout *layout, const char **text)
{
	struct layout_stream *stream;
	unsigned number;

	if (!TAKE_LINE(text, "\tid = %u;%n", &number) || number >= STREAMS_MOST ||
	    layout->streams[number])
		return false;
	layout->streams[number] = stream = g_new0(struct layout_stream, 1);
	stream->compact = take(text, "\tevent.header := struct event_header_compact;\n");
	return (stream->compact || take(text, "\tevent.header := struct event_header_large;\n")) &&
	       take(text, "\tpacket.context := struct packet_context;\n"
			  "\tevent.context := struct {\n") &&
	       read_fields(text, &stream->context);
}

static bool read_event(struct layout *layout, const char **text)
{
	struct layout_stream *stream;
	char name[128], level[8];
	struct fields *fields;
	unsigned id, number;

	if (!TAKE_LINE(text, "\tname = \"%127[A-Za-z0-9_:]\";%n", name) ||
	    !TAKE_LINE(text, "\tid = %u;%n", &id) ||
	    !TAKE_LINE(text, "\tstream_id = %u;%n", &number) ||
	    !TAKE_LINE(text, "\tloglevel = %7[0-9];%n", level) ||
	    !take(text, "\tfields := struct {\n") || number >= STREAMS_MOST || id >= IDS_MOST)
		return false;
	stream = layout->streams[number];
	if (!stream || stream->events[id])
		return false;
	stream->events[id] = fields = g_new0(struct fields, 1);
	if (!read_fields(text, fields))
		return false;
	fields->records = fields->records && strcmp(name, "hipgrain:batch") == 0;
	layout->batches |= fields->records;
	return true;
}

static bool read_text(struct layout *layout, const char *text)
{
	if (!take(&text, head) || !pass_block(&text) || !take(&text, "clock {\n") ||
	    !pass_block(&text) || !take(&text, types))
		return false;
	while (*text) {
		if (take(&text, "stream {\n")) {
			if (!read_stream(layout, &text))
				return false;
		} else if (!take(&text, "event {\n") || !read_event(layout, &text)) {
			return false;
		}
	}
	return layout->batches;
}

struct layout *layout_read(const char *trace)
{
	char *text = trace_metadata_text(trace);
	struct layout *layout = text ? g_new0(struct layout, 1) : NULL;

	if (layout && !read_text(layout, text)) {
		layout_free(layout);
		layout = NULL;
	}
	g_free(text);
	return layout;
}

void layout_free(struct layout *layout)
{
	for (unsigned i = 0; layout && i < STREAMS_MOST; i++) {
		struct layout_stream *stream = layout->streams[i];

		if (!stream)
			continue;
		free_fields(&stream->context);
		for (unsigned k = 0; k < IDS_MOST; k++) {
			if (stream->events[k])
				free_fields(stream->events[k]);
			g_free(stream->events[k]);
		}
		g_free(stream);
	}
	g_free(layout);
}

/* ---- events ---- */

const struct layout_stream *layout_stream(const struct layout *layout, uint32_t number)
{
	return number < STREAMS_MOST ? layout->streams[number] : NULL;
}

static uint64_t number_at(const uint8_t *data, uint32_t bytes)
{
	uint64_t number = 0;

	memcpy(&number, data, bytes);
	return number;
}

/* Where they end, 0 if not within `size`. *last: where the last sequence's length lies. */
static size_t skip_fields(const struct fields *fields, const uint8_t *data, size_t at, size_t size,
			  size_t *last)
{
	const struct item *items = (const struct item *)(const void *)fields->items->data;

	for (guint i = 0; i < fields->items->len; i++) {
		const struct item *item = &items[i];
		const uint8_t *end;

		if (item->fixed > size - at)
			return 0;
		at += item->fixed;
		if (item->kind == ITEM_STRING) {
			end = memchr(data + at, '\0', size - at);
			if (!end)
				return 0;
			at = (size_t)(end - data) + 1;
		} else if (item->kind == ITEM_SEQUENCE) {
			uint64_t bytes;

			*last = at;
			if (item->length > size - at)
				return 0;
			bytes = number_at(data + at, item->length) * item->element;
			at += item->length;
			if (bytes > size - at)
				return 0;
			at += bytes;
		}
	}
	return at;
}

size_t layout_skip(const struct layout_stream *stream, const uint8_t *data, size_t at, size_t size,
		   size_t *records)
{
	uint32_t least = stream->compact ? 4 : 6, first = stream->compact ? 1 : 2, id;
	size_t last = 0;

	*records = 0;
	if (size - at < least)
		return 0;
	id = (uint32_t)number_at(data + at, first);
	if (stream->compact)
		id &= ID_EXTENDED;
	if (id == (stream->compact ? ID_EXTENDED : LARGE_EXTENDED)) {
		least = first + 4 + 8;
		if (size - at < least)
			return 0;
		id = (uint32_t)number_at(data + at + first, 4);
	}
	if (id >= IDS_MOST || !stream->events[id])
		return 0;
	at = skip_fields(&stream->context, data, at + least, size, &last);
	if (at)
		at = skip_fields(stream->events[id], data, at, size, &last);
	if (at && stream->events[id]->records)
		*records = last;
	return at;
}
