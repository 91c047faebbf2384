/* SPDX-License-Identifier: Apache-2.0 */
/* This table tells which field of which event goes where in its struct: it has the rows of
 * tracer/events.def. */
#include "fields.h"

#include <string.h>

#include "tracer/events/all_events.h"

#define KIND_uint8_t      FIELD_UNSIGNED
#define KIND_uint16_t     FIELD_UNSIGNED
#define KIND_uint32_t     FIELD_UNSIGNED
#define KIND_uint64_t     FIELD_UNSIGNED
#define KIND_int8_t       FIELD_SIGNED
#define KIND_int32_t      FIELD_SIGNED
#define ELEMENTS_uint8_t  FIELD_BYTES
#define ELEMENTS_uint64_t FIELD_WORDS

/* `row` is the struct of the event that fields_of_event() is about. */
#define PLACE(member)   offsetof(row, member)
#define SIZE_OF(member) sizeof(((row *)0)->member)

#define FIELD(type, name, show, description) \
	{ #name, KIND_##type, SHOW_##show, PLACE(name), SIZE_OF(name), 0 },
#define TEXT(name, description) { #name, FIELD_STRING, SHOW_TEXT, PLACE(name), SIZE_OF(name), 0 },
#define SEQUENCE(type, name, length, description) \
	{ #name, ELEMENTS_##type, SHOW_HEX, PLACE(name), SIZE_OF(name), PLACE(length) },

#define FIELDS_OF(name, ...)                                                       \
	static const struct field *fields_of_##name(void)                          \
	{                                                                          \
		typedef struct hg_ev_##name row;                                   \
		static const struct field fields[] = { __VA_ARGS__{ 0 } };         \
                                                                                   \
		_Static_assert(sizeof(fields) / sizeof(*fields) <= FIELDS_MAX + 1, \
			       "the decoder has room for FIELDS_MAX");             \
		return fields;                                                     \
	}
#define HG_FIELD    FIELD
#define HG_TEXT     TEXT
#define HG_SEQUENCE SEQUENCE
#define HG_EVENT_OF_BATCHES(name, ...)
#define HG_EVENT(name, ...) FIELDS_OF(name, __VA_ARGS__)
#include "tracer/events.def"

const struct event_layout event_layouts[HG_EVENT_TYPES] = {
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) [HG_EVENT_##name] = { "hipgrain:" #name, fields_of_##name },
#include "tracer/events/names.def"
};

static void append(GByteArray *to, const void *data, size_t size)
{
	g_byte_array_append(to, data, (guint)size);
}

static void append_field(GByteArray *to, const char *fields, const struct field *field)
{
	const char *value = fields + field->offset, *text;
	const void *elements;
	uint32_t count;

	switch (field->kind) {
	case FIELD_STRING:
		memcpy(&text, value, sizeof(text));
		text = text ? text : "";
		append(to, text, strlen(text) + 1);
		return;
	case FIELD_BYTES:
	case FIELD_WORDS:
		memcpy(&elements, value, sizeof(elements));
		memcpy(&count, fields + field->count_offset, sizeof(count));
		append(to, &count, sizeof(count));
		append(to, elements ? elements : "",
		       (field->kind == FIELD_BYTES ? 1 : 8) * (size_t)count);
		return;
	case FIELD_SIGNED:
	case FIELD_UNSIGNED:
	default:
		append(to, value, field->size);
	}
}

void event_fields_append(GByteArray *to, const struct hg_event *event)
{
	for (const struct field *field = event_layouts[event->type].fields(); field->name; field++)
		append_field(to, event->fields, field);
}
