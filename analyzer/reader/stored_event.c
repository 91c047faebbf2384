/* SPDX-License-Identifier: Apache-2.0 */
/* Reads fields of events. The files are other users': whatever they have is checked. */
#include "stored_event.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "keep_text.h"
#include "tracer/event_layout.h"

#define TYPES_MAX 256u
#define MEMBERS   32u

enum member_kind { MEMBER_INTEGER, MEMBER_TEXT, MEMBER_SEQUENCE };

/* A field as the recorder's version had it, and which of ours it is. */
struct member {
	enum member_kind kind;
	bool is_signed;
	uint8_t size;              /* of an integer, or of an element */
	const struct field *field; /* NULL: this version has none of that name */
	char name[32];
};

struct stored_type {
	bool listed; /* the recorder's version has it */
	bool known;
	enum hg_event_type type;
	unsigned count;
	struct member members[MEMBERS];
};

struct stored_layout {
	struct stored_type types[TYPES_MAX];
};

/* ---- the layout ---- */

static bool set_kind(struct member *member, const char *type)
{
	static const struct {
		const char *name;
		uint8_t size;
		bool is_signed;
	} integers[] = {
		{ "uint8_t", 1, false },  { "uint16_t", 2, false }, { "uint32_t", 4, false },
		{ "uint64_t", 8, false }, { "int8_t", 1, true },    { "int16_t", 2, true },
		{ "int32_t", 4, true },   { "int64_t", 8, true },
	};
	size_t length = strlen(type);
	bool sequence = length > 2 && strcmp(type + length - 2, "[]") == 0;

	member->kind = sequence ? MEMBER_SEQUENCE : MEMBER_INTEGER;
	if (sequence)
		length -= 2;
	for (size_t i = 0; i < G_N_ELEMENTS(integers); i++) {
		if (strlen(integers[i].name) == length &&
		    strncmp(type, integers[i].name, length) == 0) {
			member->size = integers[i].size;
			member->is_signed = integers[i].is_signed;
			return true;
		}
	}
	member->kind = MEMBER_TEXT;
	return strcmp(type, "text") == 0;
}

static const struct field *find_fields(struct stored_type *type, const char *name)
{
	char *full = g_strconcat("hipgrain:", name, NULL);
	const struct field *fields = NULL;

	for (unsigned i = 0; i < HG_EVENT_TYPES; i++) {
		if (strcmp(full, event_layouts[i].name) == 0) {
			type->type = (enum hg_event_type)i;
			fields = event_layouts[i].fields();
		}
	}
	type->known = fields;
	g_free(full);
	return fields;
}

/* Returns true if values of the recorder's field can be those of ours. */
static bool fits(const struct member *member, const struct field *field)
{
	switch (field->kind) {
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
		return member->kind == MEMBER_INTEGER;
	case FIELD_STRING:
		return member->kind == MEMBER_TEXT;
	case FIELD_BYTES:
		return member->kind == MEMBER_SEQUENCE && member->size == 1;
	case FIELD_WORDS:
		return member->kind == MEMBER_SEQUENCE && member->size == 8;
	}
	return false;
}

/* Reads "NUMBER NAME TYPE:NAME ...". Returns false if the line is damaged. */
static bool read_line(struct stored_layout *layout, const char *line)
{
	char **words = g_strsplit(line, " ", -1), *end;
	unsigned long number = words[0] ? strtoul(words[0], &end, 10) : TYPES_MAX;
	const struct field *fields;
	struct stored_type *type;
	bool whole = number < TYPES_MAX && !*end && end != words[0] && words[1];

	if (!whole)
		goto out;
	type = &layout->types[number];
	memset(type, 0, sizeof(*type));
	type->listed = true;
	fields = find_fields(type, words[1]);
	for (char **word = words + 2; whole && *word; word++) {
		struct member *member = &type->members[type->count];
		char *name = strchr(*word, ':');

		whole = name && name[1] && type->count < MEMBERS &&
			strlen(name) <= sizeof(member->name);
		if (!whole)
			break;
		*name++ = '\0';
		strcpy(member->name, name);
		whole = set_kind(member, *word);
		for (const struct field *field = fields; field && field->name; field++)
			if (strcmp(field->name, name) == 0 && fits(member, field))
				member->field = field;
		type->count++;
	}
	type->known &= whole;
out:
	g_strfreev(words);
	return whole;
}

/* The recorder of this version writes these (tracer/event_layout.c), after the numbers. */
#define HG_FIELD(type, name, show, description)      " " #type ":" #name
#define HG_TEXT(name, description)                   " text:" #name
#define HG_SEQUENCE(type, name, length, description) " " #type "[]:" #name
#define HG_EVENT(name, ...)                          #name __VA_ARGS__,
static const char *const own_lines[] = {
#include "tracer/events.def"
};

/* Takes the layout of this version if there is no bundle, as for a trace that a relay sends. */
static void use_own_layout(struct stored_layout *layout)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(own_lines); i++) {
		char *line = g_strdup_printf("%u %s", i, own_lines[i]);

		read_line(layout, line);
		g_free(line);
	}
	for (unsigned i = 0; i < TYPES_MAX; i++)
		layout->types[i].listed = true;
}

/* A recording without a layout may be of any version; a folder of records alone has no manifest. */
static void judge_absence(const char *bundle, const char *path, char **damage)
{
	char *manifest = bundle ? g_build_filename(bundle, "manifest.json", NULL) : NULL;

	if (manifest && !*damage && g_file_test(manifest, G_FILE_TEST_EXISTS))
		*damage = g_strdup_printf("'%s' is missing", path);
	g_free(manifest);
}

static void read_layout(struct stored_layout *layout, const char *path, const char *text,
			char **damage)
{
	char **lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++)
		if (**line && (!read_line(layout, *line) || !line[1]) && !*damage)
			*damage = g_strdup_printf("'%s' is damaged at line %u", path,
						  (unsigned)(line - lines) + 1);
	g_strfreev(lines);
}

bool stored_type_is_listed(const struct stored_layout *layout, unsigned number)
{
	return number < TYPES_MAX && layout->types[number].listed;
}

struct stored_layout *stored_layout_read(const char *bundle, char **damage)
{
	struct stored_layout *layout = g_new0(struct stored_layout, 1);
	char *path = bundle ? g_build_filename(bundle, HG_LAYOUT, NULL) : NULL, *text = NULL;

	if (path && g_file_get_contents(path, &text, NULL, NULL)) {
		read_layout(layout, path, text, damage);
	} else {
		judge_absence(bundle, path, damage);
		use_own_layout(layout);
	}
	g_free(text);
	g_free(path);
	return layout;
}

void stored_layout_free(struct stored_layout *layout)
{
	g_free(layout);
}

/* ---- fields ---- */

const struct stored_type *stored_type_of(const struct stored_layout *layout, unsigned number,
					 enum hg_event_type *type)
{
	const struct stored_type *found = number < TYPES_MAX ? &layout->types[number] : NULL;

	if (!found || !found->known)
		return NULL;
	*type = found->type;
	return found;
}

/* This is one member's value in the event. */
struct value {
	uint64_t integer;
	const uint8_t *data; /* of a text or sequence */
	size_t count;        /* its bytes without the NUL, or its elements */
};

struct cursor {
	const uint8_t *at;
	size_t left;
};

static bool take_bytes(struct cursor *cursor, void *to, size_t size)
{
	if (cursor->left < size)
		return false;
	if (to)
		memcpy(to, cursor->at, size);
	cursor->at += size;
	cursor->left -= size;
	return true;
}

static bool take_value(struct cursor *cursor, const struct member *member, struct value *value)
{
	const uint8_t *end;
	uint32_t count;

	*value = (struct value){ 0 };
	switch (member->kind) {
	case MEMBER_INTEGER:
		if (!take_bytes(cursor, &value->integer, member->size))
			return false;
		if (member->is_signed && member->size < 8)
			value->integer =
			    (uint64_t)((int64_t)(value->integer << (64 - 8 * member->size)) >>
				       (64 - 8 * member->size));
		return true;
	case MEMBER_TEXT:
		end = memchr(cursor->at, 0, cursor->left);
		if (!end)
			return false;
		value->data = cursor->at;
		value->count = (size_t)(end - cursor->at);
		return take_bytes(cursor, NULL, value->count + 1);
	case MEMBER_SEQUENCE:
		if (!take_bytes(cursor, &count, sizeof(count)))
			return false;
		value->data = cursor->at;
		value->count = count;
		return take_bytes(cursor, NULL, (size_t)count * member->size);
	}
	return false;
}

static void store(struct event_queue *queue, struct event_room *room, const struct member *member,
		  const struct value *value)
{
	const struct field *field = member->field;
	char *target = (char *)&room->of + field->offset;
	uint32_t count = (uint32_t)value->count;
	const void *kept;

	if (member->kind == MEMBER_INTEGER) {
		memcpy(target, &value->integer, field->size);
		return;
	}
	if (member->kind == MEMBER_TEXT) {
		kept = value->count
			   ? keep_text(queue, field, (const char *)value->data, value->count)
			   : "";
	} else {
		kept = event_queue_keep(queue, value->data, value->count * member->size);
		memcpy((char *)&room->of + field->count_offset, &count, sizeof(count));
	}
	memcpy(target, &kept, sizeof(kept));
}

bool stored_event_fill(struct event_queue *queue, struct event_room *room,
		       const struct stored_type *type, const void *bytes, size_t size)
{
	struct cursor cursor = { bytes, size };
	static const char *const empty = "";
	const struct field *fields = event_layouts[type->type].fields();
	struct value value;

	for (; fields && fields->name; fields++) /* a recording of another version lacks fields */
		if (fields->kind == FIELD_STRING)
			memcpy((char *)&room->of + fields->offset, &empty, sizeof(empty));
	for (unsigned i = 0; i < type->count; i++) {
		if (!take_value(&cursor, &type->members[i], &value))
			return false;
		if (type->members[i].field)
			store(queue, room, &type->members[i], &value);
	}
	return true;
}
