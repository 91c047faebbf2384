/* SPDX-License-Identifier: Apache-2.0 */
/* Reads early events. The files are other users': whatever they have is checked. */
#include "early_events.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "fields.h"
#include "keep_text.h"
#include "sorted_files.h"
#include "tracer/early_events.h"

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

struct early_type {
	enum early_class class;
	enum hg_event_type type;
	bool alias;
	unsigned kind; /* of counts */
	unsigned count;
	struct member members[MEMBERS];
};

/* One process's file. */
struct file {
	char *path;
	int32_t pid;
	uint64_t first; /* ns of its first entry */
	uint64_t origin;
	uint8_t *data; /* NULL: it is not read yet */
	size_t at, size;
};

struct early_events {
	struct early_type types[TYPES_MAX];
	GPtrArray *files; /* by their first entries' times; those before `begun` were opened */
	guint begun;
	GPtrArray *active; /* of these, those that have entries left */
	struct early_event next;
	struct file *from; /* the file of `next`; NULL: it is to be found */
	char **damage;
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

static const struct field *find_fields(struct early_type *type, const char *name)
{
	char *full = g_strconcat("hipgrain:", name, NULL);
	const struct field *fields = NULL;

	type->class = EARLY_UNKNOWN;
	for (unsigned i = 0; i < HG_EVENT_TYPES; i++) {
		if (strcmp(full, event_layouts[i].name) == 0) {
			type->type = (enum hg_event_type)i;
			fields = event_layouts[i].fields();
		}
	}
	for (unsigned i = 0; event_aliases[i].layout.name; i++) {
		if (strcmp(full, event_aliases[i].layout.name) == 0) {
			type->type = event_aliases[i].type;
			type->alias = true;
			fields = event_aliases[i].layout.fields();
		}
	}
	if (fields)
		type->class = EARLY_EVENT;
	else if (strcmp(name, "batch") == 0)
		type->class = EARLY_BATCH;
	else if (strcmp(name, "batch_open") == 0)
		type->class = EARLY_BATCH_OPEN;
	type->kind = counts_kind(name);
	g_free(full);
	return fields;
}

/* Whether values of the recorder's field can be those of ours. */
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

/* "NUMBER NAME TYPE:NAME ..." */
static bool read_line(struct early_events *events, const char *line)
{
	char **words = g_strsplit(line, " ", -1), *end;
	unsigned long number = words[0] ? strtoul(words[0], &end, 10) : TYPES_MAX;
	const struct field *fields;
	struct early_type *type;
	bool whole = number < TYPES_MAX && !*end && end != words[0] && words[1];

	if (!whole)
		goto out;
	type = &events->types[number];
	memset(type, 0, sizeof(*type));
	fields = find_fields(type, words[1]);
	for (char **word = words + 2; whole && *word; word++) {
		struct member *member = &type->members[type->count];
		char *name = strchr(*word, ':');

		whole = name && type->count < MEMBERS && strlen(name) <= sizeof(member->name);
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
	if (!whole)
		type->class = EARLY_UNKNOWN;
out:
	g_strfreev(words);
	return whole;
}

static void note_damage(struct early_events *events, const char *path, size_t at)
{
	if (!*events->damage)
		*events->damage = g_strdup_printf(
		    "'%s' is damaged at byte %zu: what follows in it is not read", path, at);
}

/* What the recorder of this version writes (tracer/early_events.c), but for the numbers. */
#define HG_FIELD(type, name, show, description)      " " #type ":" #name
#define HG_TEXT(name, description)                   " text:" #name
#define HG_SEQUENCE(type, name, length, description) " " #type "[]:" #name
#define HG_EVENT(name, ...)                          #name __VA_ARGS__,
static const char *const own_lines[] = {
#include "tracer/events.def"
};

/* Where there is no bundle, as of a trace that a relay sends, the layout is that of this version.
 */
static void use_own_layout(struct early_events *events)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(own_lines); i++) {
		char *line = g_strdup_printf("%u %s", i, own_lines[i]);

		read_line(events, line);
		g_free(line);
	}
}

static bool read_layout(struct early_events *events, const char *folder)
{
	char *path = folder ? g_build_filename(folder, HG_EARLY_LAYOUT, NULL) : NULL;
	char *text = NULL, **lines;
	bool done = path && g_file_get_contents(path, &text, NULL, NULL);

	if (done) {
		lines = g_strsplit(text, "\n", -1);
		for (char **line = lines; *line; line++)
			if (**line && !read_line(events, *line))
				note_damage(events, path, 0);
		g_strfreev(lines);
	} else {
		use_own_layout(events);
	}
	g_free(text);
	g_free(path);
	return done;
}

/* ---- files ---- */

static void free_file(gpointer data)
{
	struct file *file = data;

	g_free(file->path);
	g_free(file->data);
	g_free(file);
}

static gint by_first(gconstpointer one, gconstpointer other)
{
	const struct file *a = *(struct file *const *)one, *b = *(struct file *const *)other;

	return a->first < b->first ? -1 : a->first > b->first;
}

static void add_file(struct early_events *events, const char *path)
{
	struct {
		struct hg_early_file head;
		struct hg_early_entry entry;
	} begin;
	FILE *stream = fopen(path, "rbe");
	struct file *file;

	if (!stream)
		return;
	if (fread(&begin, sizeof(begin), 1, stream) == 1 && begin.head.magic == HG_EARLY_MAGIC &&
	    begin.head.used) {
		file = g_new0(struct file, 1);
		file->path = g_strdup(path);
		file->pid = begin.head.pid;
		file->origin = begin.head.origin;
		file->first = begin.entry.ns;
		g_ptr_array_add(events->files, file);
	}
	fclose(stream);
}

struct early_events *early_events_open(const char *folder, char **damage)
{
	struct early_events *events;
	GPtrArray *paths;

	events = g_new0(struct early_events, 1);
	for (unsigned i = 0; i < TYPES_MAX; i++)
		events->types[i].class = EARLY_UNKNOWN;
	events->damage = damage;
	events->files = g_ptr_array_new_with_free_func(free_file);
	events->active = g_ptr_array_new();
	if (read_layout(events, folder)) {
		paths = sorted_files(folder);
		for (guint i = 0; i < paths->len; i++)
			add_file(events, paths->pdata[i]);
		g_ptr_array_free(paths, TRUE);
		g_ptr_array_sort(events->files, by_first);
	}
	return events;
}

void early_events_close(struct early_events *events)
{
	if (!events)
		return;
	g_ptr_array_free(events->active, TRUE);
	g_ptr_array_free(events->files, TRUE);
	g_free(events);
}

/* The next entry, which is whole; NULL: none is left. */
static const struct hg_early_entry *entry_of(struct early_events *events, struct file *file)
{
	const struct hg_early_entry *entry = (const void *)(file->data + file->at);
	size_t left = file->size - file->at;

	if (!left)
		return NULL;
	if (left < sizeof(*entry) || entry->size < sizeof(*entry) || entry->size > left ||
	    entry->size % 8) {
		note_damage(events, file->path, file->at);
		return NULL;
	}
	return entry;
}

static bool read_file(struct early_events *events, struct file *file)
{
	const struct hg_early_file *head;
	gsize size = 0;
	char *data = NULL;

	if (!g_file_get_contents(file->path, &data, &size, NULL))
		return false;
	head = (const void *)data;
	file->data = (uint8_t *)data;
	if (size < sizeof(*head) || head->used > size - sizeof(*head)) {
		note_damage(events, file->path, 0);
		return false;
	}
	file->at = sizeof(*head);
	file->size = sizeof(*head) + head->used;
	return entry_of(events, file) != NULL;
}

static void drop(struct file *file)
{
	g_free(file->data);
	file->data = NULL;
}

const struct early_event *early_events_next(struct early_events *events)
{
	const struct hg_early_entry *entry = NULL;
	struct file *file;

	while (!events->from) {
		struct file *best = NULL;
		uint64_t least = UINT64_MAX;

		for (guint i = 0; i < events->active->len; i++) {
			file = events->active->pdata[i];
			entry = entry_of(events, file);
			if (!best || entry->ns < least) {
				best = file;
				least = entry->ns;
			}
		}
		file =
		    events->begun < events->files->len ? events->files->pdata[events->begun] : NULL;
		if (file && file->first <= least) {
			events->begun++;
			if (read_file(events, file))
				g_ptr_array_add(events->active, file);
			else
				drop(file);
			continue;
		}
		if (!best)
			return NULL;
		events->from = best;
	}
	file = events->from;
	entry = entry_of(events, file);
	events->next = (struct early_event){ .pid = file->pid,
					     .tid = entry->thread,
					     .ns = entry->ns,
					     .origin = file->origin,
					     .type = &events->types[entry->type % TYPES_MAX],
					     .bytes = (const uint8_t *)(entry + 1),
					     .size = entry->size - sizeof(*entry) };
	return &events->next;
}

void early_events_take(struct early_events *events)
{
	struct file *file = events->from;
	const struct hg_early_entry *entry = entry_of(events, file);

	file->at += entry->size;
	events->from = NULL;
	if (!entry_of(events, file)) {
		g_ptr_array_remove_fast(events->active, file);
		drop(file);
	}
}

struct early_event early_event_of(const struct early_events *events, unsigned number,
				  const void *bytes, size_t size)
{
	return (struct early_event){ .type = &events->types[MIN(number, TYPES_MAX - 1)],
				     .bytes = bytes,
				     .size = size };
}

struct early_event *early_event_copy(const struct early_event *event)
{
	struct early_event *copy = g_malloc(sizeof(*copy) + event->size);

	*copy = *event;
	copy->bytes = memcpy(copy + 1, event->bytes, event->size);
	return copy;
}

/* ---- fields ---- */

enum early_class early_event_class(const struct early_event *event)
{
	return event->type->class;
}

unsigned early_event_kind(const struct early_event *event)
{
	return event->type->kind;
}

enum hg_event_type early_event_type(const struct early_event *event, bool *alias)
{
	*alias = event->type->alias;
	return event->type->type;
}

/* What one member has in the entry. */
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

static void store(struct event_queue *queue, struct hg_event *event, const struct member *member,
		  const struct value *value)
{
	const struct field *field = member->field;
	char *target = (char *)event + field->offset;
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
		memcpy((char *)event + field->count_offset, &count, sizeof(count));
	}
	memcpy(target, &kept, sizeof(kept));
}

bool early_event_fill(struct event_queue *queue, struct hg_event *event,
		      const struct early_event *early)
{
	const struct early_type *type = early->type;
	struct cursor cursor = { early->bytes, early->size };
	static const char *const empty = "";
	const struct field *fields = type->alias ? NULL : event_layouts[type->type].fields();
	struct value value;

	for (; fields && fields->name; fields++) /* an older recording lacks fields */
		if (fields->kind == FIELD_STRING)
			memcpy((char *)event + fields->offset, &empty, sizeof(empty));
	for (unsigned i = 0; i < type->count; i++) {
		if (!take_value(&cursor, &type->members[i], &value))
			return false;
		if (type->members[i].field)
			store(queue, event, &type->members[i], &value);
	}
	return true;
}

bool early_event_batch(const struct early_event *early, struct hg_ev_batch *batch,
		       uint64_t **records)
{
	const struct early_type *type = early->type;
	struct cursor cursor = { early->bytes, early->size };
	struct value value;

	*batch = (struct hg_ev_batch){ 0 };
	*records = NULL;
	for (unsigned i = 0; i < type->count; i++) {
		const struct member *member = &type->members[i];

		if (!take_value(&cursor, member, &value))
			return false;
		if (strcmp(member->name, "number") == 0) {
			batch->number = (uint32_t)value.integer;
		} else if (strcmp(member->name, "thread") == 0) {
			batch->thread = (int32_t)value.integer;
		} else if (strcmp(member->name, "begin") == 0) {
			batch->begin = value.integer;
		} else if (strcmp(member->name, "records") == 0 && member->size == 8) {
			g_free(*records);
			*records = g_memdup2(value.data, value.count * 8);
			batch->records = *records;
			batch->words = (uint32_t)value.count;
		}
	}
	return true;
}

uint32_t early_event_number(const struct early_event *early)
{
	struct cursor cursor = { early->bytes, early->size };
	struct value value = { 0 };

	for (unsigned i = 0; i < early->type->count; i++)
		if (take_value(&cursor, &early->type->members[i], &value) &&
		    strcmp(early->type->members[i].name, "number") == 0)
			return (uint32_t)value.integer;
	return 0;
}
