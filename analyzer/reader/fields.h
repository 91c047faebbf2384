/* SPDX-License-Identifier: Apache-2.0 */
/* This is the schema as data: the fields of each event, how they are shown, and where they go. */
#ifndef HIPGRAIN_READER_FIELDS_H
#define HIPGRAIN_READER_FIELDS_H

#include <glib.h>
#include <stddef.h>

#include "analyzer/reader/event.h"

enum field_kind {
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_STRING,
	FIELD_BYTES, /* sequence of 8-bit integers */
	FIELD_WORDS, /* sequence of 64-bit integers */
};

/* These are as in tracer/events.def. */
enum field_show {
	SHOW_NUMBER,
	SHOW_HEX,
	SHOW_API,
	SHOW_SIZE,
	SHOW_TIME,
	SHOW_ID,
	SHOW_TEXT,
};

struct field {
	const char *name; /* NULL ends a list */
	enum field_kind kind;
	enum field_show show;
	size_t offset; /* in the struct of the event */
	size_t size;
	size_t count_offset; /* sequences: where the element count (uint32_t) goes */
};

struct event_layout {
	const char *name; /* as in the trace */
	const struct field *(*fields)(void);
};

#define FIELDS_MAX 16

extern const struct event_layout event_layouts[HG_EVENT_TYPES];

/* Appends the fields of an event of a known type, as records have them (tracer/event_record.h). */
void event_fields_append(GByteArray *to, const struct hg_event *event);

#endif
