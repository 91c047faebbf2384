/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a bundle that become files of a reduced one. What is not named here does not get into
 * it; neither does any byte of a page behind its records.
 */
#include "reduced_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/reader/ring_file.h"
#include "analyzer/symbols/bundle_symbols.h"
#include "analyzer/symbols/source.h"
#include "code.h"
#include "codeobj/codeobj.h"
#include "placeholders.h"
#include "tracer/bundle.h"
#include "tracer/event_layout.h"
#include "tracer/event_record_reader.h"
#include "tracer/missed.h"
#include "tracer/open_calls.h"
#include "tracer/tree.h"
#include "tracer/witness.h"

#define CODE_MOST   (64u << 20) /* bytes of a code object */
#define SMALL_MOST  (1u << 20)  /* of a file that is copied */
#define TYPES_MOST  256u
#define FIELDS_MOST 32u

enum treatment { KEEP, NAME, HIDE_PATHS, HIDE_VALUES };

/* Texts of events; those that are not here are names (NAME_TEXT). */
static const struct text_rule {
	const char *event, *field;
	enum treatment treatment;
	enum name_kind kind;
} text_rules[] = {
	{ "process", "version", KEEP, 0 },
	{ "process", "exe", NAME, NAME_FILE },
	{ "process", "env", HIDE_VALUES, 0 },
	{ "module", "path", NAME, NAME_FILE },
	{ "module", "build_id", NAME, NAME_BUILD_ID },
	{ "module", "past", KEEP, 0 },
	{ "runtime", "path", NAME, NAME_FILE },
	{ "device", "name", KEEP, 0 },
	{ "device", "arch", KEEP, 0 },
	{ "alloc", "symbol", NAME, NAME_FUNCTION },
	{ "kernel", "symbol", NAME, NAME_KERNEL },
	{ "code_object", "sha256", NAME, NAME_BUILD_ID },
	{ "code_object", "target", KEEP, 0 },
	{ "code_object", "path", NAME, NAME_FILE },
	{ "python", "version", KEEP, 0 },
	{ "python_code", "file", NAME, NAME_FILE },
	{ "python_code", "function", NAME, NAME_FUNCTION },
	{ "range", "name", NAME, NAME_RANGE },
	{ "omp_runtime", "version", KEEP, 0 },
	{ "omp_device", "type", KEEP, 0 },
	{ "omp_device", "documentation", KEEP, 0 },
	{ "*", "problem", HIDE_PATHS, 0 },
};

/* A field of an event, by the bundle's own layout. */
struct layout_field {
	unsigned size; /* bytes of a number, or of an element */
	bool text, sequence;
	struct text_rule rule;
};

struct reduction {
	const char *path, *needed;
	int folder;
	struct names names;
	struct layout_field fields[TYPES_MOST][FIELDS_MOST];
	unsigned field_counts[TYPES_MOST];
	char **why;
};

static int refuse_file(struct reduction *reduction, const char *file, int error, const char *reason)
{
	g_free(*reduction->why);
	*reduction->why = g_strdup_printf("%s: %s", file, reason ? reason : strerror(error));
	return -error;
}

/* ---- writing ---- */

static int write_file(struct reduction *reduction, int folder, const char *name, const void *data,
		      size_t size)
{
	int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int result = file < 0 ? -errno : tree_write(file, data, size);

	if (file >= 0 && close(file) && !result)
		result = -errno;
	return result ? refuse_file(reduction, name, -result, NULL) : 0;
}

/* Makes a directory of the new bundle. Returns its descriptor, or a negative errno. */
static int make_folder(struct reduction *reduction, const char *name)
{
	int folder =
	    mkdirat(reduction->folder, name, 0700) ? -errno : tree_open(reduction->folder, name);

	return folder < 0 ? refuse_file(reduction, name, -folder, NULL) : folder;
}

/* Returns a regular file's content, or NULL if there is none that is sensible. */
static char *read_small(const struct reduction *reduction, const char *name, size_t most,
			gsize *size)
{
	char *path = g_build_filename(reduction->path, name, NULL);
	char *data = regular_file_read(path, most, size);

	g_free(path);
	return data;
}

/* Calls `take` for each regular file in a directory of the bundle, which need not be there. */
static int each_file(struct reduction *reduction, const char *folder_name,
		     int (*take)(struct reduction *reduction, int folder, const char *path,
				 const char *name))
{
	char *path = g_build_filename(reduction->path, folder_name, NULL);
	GDir *list = g_dir_open(path, 0, NULL);
	int folder = make_folder(reduction, folder_name), result = folder < 0 ? folder : 0;
	const char *name;

	while (list && !result && (name = g_dir_read_name(list))) {
		char *file = g_build_filename(path, name, NULL);
		struct stat status;

		if (lstat(file, &status) == 0 && S_ISREG(status.st_mode))
			result = take(reduction, folder, file, name);
		g_free(file);
	}
	if (list)
		g_dir_close(list);
	if (folder >= 0)
		close(folder);
	g_free(path);
	return result;
}

/* ---- code objects ---- */

static int take_code(struct reduction *reduction, int folder, const char *path, const char *name)
{
	char hash[CODEOBJ_SHA256_SIZE];
	gsize size = 0;
	char *data = regular_file_read(path, CODE_MOST, &size);
	const char *problem;
	int result;

	if (!data)
		return refuse_file(reduction, name, EFBIG, "cannot be read, or is too large");
	problem = reduce_code(data, size, &reduction->names, reduction->needed);
	codeobj_sha256(data, size, hash);
	names_set(&reduction->names, name, hash);
	result = problem ? refuse_file(reduction, name, ENOTSUP, problem)
			 : write_file(reduction, folder, hash, data, size);
	g_free(data);
	return result;
}

/* ---- records ---- */

static struct text_rule rule_of(const char *event, const char *field)
{
	for (size_t i = 0; i < G_N_ELEMENTS(text_rules); i++)
		if ((strcmp(text_rules[i].event, event) == 0 ||
		     strcmp(text_rules[i].event, "*") == 0) &&
		    strcmp(text_rules[i].field, field) == 0)
			return text_rules[i];
	return (struct text_rule){ .treatment = NAME, .kind = NAME_TEXT };
}

/* Returns the bytes of a number "uint32_t" or "int8_t[]", 0 for another type. */
static unsigned bytes_of_type(const char *type)
{
	const char *digits = type + strcspn(type, "0123456789");
	unsigned bits = (unsigned)strtoul(digits, NULL, 10);

	return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

/* Reads a line of the layout: "NUMBER EVENT TYPE:NAME...". Returns false if it is none. */
static bool read_layout_line(struct reduction *reduction, const char *line)
{
	char **words = g_strsplit(line, " ", FIELDS_MOST + 3);
	unsigned count = g_strv_length(words);
	unsigned type = count ? (unsigned)strtoul(words[0], NULL, 10) : TYPES_MOST;
	bool good = count >= 2 && count <= FIELDS_MOST + 2 && type < TYPES_MOST;

	for (unsigned i = 2; good && i < count; i++) {
		struct layout_field *field = &reduction->fields[type][i - 2];
		char *colon = strchr(words[i], ':');

		good = colon != NULL;
		if (!good)
			break;
		*colon = '\0';
		field->text = strcmp(words[i], "text") == 0;
		field->sequence = g_str_has_suffix(words[i], "[]");
		field->size = bytes_of_type(words[i]);
		field->rule = rule_of(words[1], colon + 1);
		good = field->text || field->size;
	}
	if (good)
		reduction->field_counts[type] = count - 2;
	g_strfreev(words);
	return good;
}

static int take_layout(struct reduction *reduction)
{
	gsize size = 0;
	char *text = read_small(reduction, HG_LAYOUT, SMALL_MOST, &size);
	char **lines = text ? g_strsplit(text, "\n", TYPES_MOST + 2) : NULL;
	bool good = lines != NULL;
	int result;

	for (unsigned i = 0; good && lines[i]; i++)
		good = !*lines[i] || read_layout_line(reduction, lines[i]);
	result = good ? write_file(reduction, reduction->folder, HG_LAYOUT, text, size)
		      : refuse_file(reduction, HG_LAYOUT, EINVAL, "is damaged or missing");
	g_strfreev(lines);
	g_free(text);
	return result;
}

static void treat_text(struct reduction *reduction, const struct text_rule *rule, char *text,
		       size_t length)
{
	if (rule->treatment == HIDE_VALUES)
		names_hide_values(text, length);
	else if (rule->treatment == HIDE_PATHS && memchr(text, '/', length))
		memset(text, '_', length);
	else if (rule->treatment == NAME)
		names_overwrite(&reduction->names, text, length, rule->kind);
}

/* Returns true if a module's fields have the path of a file of the system, whose build id stays. */
static bool is_of_system(const struct reduction *reduction, unsigned type, const char *at,
			 const char *end)
{
	for (unsigned i = 0; i < reduction->field_counts[type] && at < end; i++) {
		const struct layout_field *field = &reduction->fields[type][i];

		if (field->text)
			return field->rule.kind == NAME_FILE && memchr(at, 0, (size_t)(end - at)) &&
			       names_is_system_file(at);
		at += field->size;
	}
	return false;
}

/* Changes the texts of an event. Returns false if its bytes are other than the layout says. */
static bool treat_event(struct reduction *reduction, unsigned type, char *at, size_t size)
{
	char *end = at + size;
	bool system = type < TYPES_MOST && is_of_system(reduction, type, at, end);

	if (type >= TYPES_MOST)
		return false;
	for (unsigned i = 0; i < reduction->field_counts[type]; i++) {
		const struct layout_field *field = &reduction->fields[type][i];
		size_t left = (size_t)(end - at), taken = field->size;
		uint32_t count;

		if (field->text) {
			size_t length = strnlen(at, left);

			if (length == left)
				return false;
			if (!(system && field->rule.kind == NAME_BUILD_ID))
				treat_text(reduction, &field->rule, at, length);
			taken = length + 1;
		} else if (field->sequence) {
			if (left < sizeof(count))
				return false;
			memcpy(&count, at, sizeof(count));
			taken = sizeof(count) + (size_t)count * field->size;
		}
		if (taken > left)
			return false;
		at += taken;
	}
	return at == end;
}

/* Changes the events of a page of `size` bytes. Returns false if there is one that is none. */
static bool treat_page(struct reduction *reduction, struct hg_ring_page *page, size_t size)
{
	const size_t head = offsetof(struct hg_ring_page, records);
	struct hg_records records = { .at = page->records,
				      .end = page->records + (size > head ? size - head : 0),
				      .begin = page->begin };
	struct hg_record record;
	bool good = true;

	while (good && page->state != HG_RING_FREE && hg_record_next(&records, &record))
		if (record.kind == HG_KIND_EVENT)
			good =
			    treat_event(reduction, record.event.type,
					(char *)(uintptr_t)record.event.fields, record.event.size);
	memset((char *)(uintptr_t)records.at, 0, (size_t)(records.end - records.at));
	return good && !records.damaged;
}

static void treat_program(struct reduction *reduction, char *program, size_t size)
{
	size_t length = strnlen(program, size);

	names_overwrite(&reduction->names, program, length, NAME_TEXT);
	memset(program + length, 0, size - length);
}

static int copy_pages(struct reduction *reduction, int from, const struct ring_file *file, int to,
		      const char *name)
{
	struct hg_ring_page *page = g_malloc0(HG_RING_PAGE);
	int result = 0;

	for (uint32_t i = 0; i < file->pages && !result; i++) {
		ssize_t got = pread(from, page, HG_RING_PAGE, (off_t)hg_ring_bytes(i));

		if (got < 0)
			result = refuse_file(reduction, name, errno, NULL);
		else if (!treat_page(reduction, page, (size_t)got))
			result = refuse_file(reduction, name, EINVAL,
					     "has a record that cannot be read: a damaged "
					     "recording is not reduced");
		else if (page->state != HG_RING_FREE)
			result = tree_write(to, page, (size_t)got);
		else if (lseek(to, got, SEEK_CUR) < 0) /* it takes no room there, either */
			result = refuse_file(reduction, name, errno, NULL);
	}
	if (!result && ftruncate(to, lseek(to, 0, SEEK_CUR)))
		result = refuse_file(reduction, name, errno, NULL);
	g_free(page);
	return result;
}

static int take_ring(struct reduction *reduction, int folder, const char *path, const char *name)
{
	struct ring_file file;
	struct hg_ring ring;
	char *own = g_strdup(path);
	const char *wrong;
	int from = ring_file_open(own, &file, &ring, &wrong), to = -1, result = 0;

	if (wrong || from < 0) {
		result = refuse_file(reduction, name, EINVAL, wrong ? wrong : "has no records");
	} else {
		treat_program(reduction, ring.program, sizeof(ring.program));
		memset(ring.unused, 0, sizeof(ring.unused));
		to = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		result = to < 0 ? -errno : tree_write(to, &ring, sizeof(ring));
		if (!result)
			result = copy_pages(reduction, from, &file, to, name);
	}
	if (from >= 0)
		close(from);
	if (to >= 0 && close(to) && !result)
		result = -errno;
	g_free(own);
	return result && !*reduction->why ? refuse_file(reduction, name, -result, NULL) : result;
}

/* ---- tables ---- */

static int take_open_calls(struct reduction *reduction, int folder, const char *path,
			   const char *name)
{
	gsize size = 0;
	char *data = regular_file_read(path, SMALL_MOST, &size);
	struct hg_open_calls *head = (struct hg_open_calls *)(void *)data;
	int result;

	if (!data || size < sizeof(*head)) {
		g_free(data);
		return refuse_file(reduction, name, EINVAL, "is damaged");
	}
	treat_program(reduction, head->program, sizeof(head->program));
	result = write_file(reduction, folder, name, data, size);
	g_free(data);
	return result;
}

/* Copies a table of the recorder: `rows` of them from `first` on, with a program at `offset`. */
static int take_table(struct reduction *reduction, const char *name, size_t size, size_t first,
		      size_t row, size_t offset, size_t program)
{
	gsize got = 0;
	char *data = read_small(reduction, name, SMALL_MOST, &got);
	int result = 0;

	if (data && got == size) {
		for (size_t at = first; at + row <= size; at += row)
			treat_program(reduction, data + at + offset, program);
		result = write_file(reduction, reduction->folder, name, data, size);
	} else if (data) {
		result = refuse_file(reduction, name, EINVAL, "is damaged");
	}
	g_free(data);
	return result;
}

/* ---- symbols ---- */

/* Texts of the system stay, unless a row of another file has them, too. */
#define OF_SYSTEM 127

/* Marks in `kinds`, by the texts' numbers, what the rows use the texts for: kind + 1, or OF_SYSTEM;
 * 0: nothing. */
static void classify(char **lines, GPtrArray *texts, char *kinds)
{
	bool system = false;

	for (unsigned i = 0; lines[i]; i++) {
		char **words = g_strsplit(lines[i], " ", -1);
		unsigned count = g_strv_length(words);
		char row = count ? *words[0] : 0;

		for (unsigned k = 1; row && row != 't' && row != 'e' && k < count; k++) {
			unsigned number = (unsigned)strtoul(words[k], NULL, 10);
			const char *text;
			enum name_kind kind = NAME_FUNCTION;

			if (!number || number > texts->len)
				continue;
			text = texts->pdata[number - 1];
			if (row == 'o') {
				kind = k == 1 ? NAME_FILE : NAME_BUILD_ID;
				if (k == 1)
					system = names_is_system_file(text);
			} else if (row == 'a') {
				if (k == 1 || k % 3 == 1)
					continue; /* address, line */
				kind = k % 3 == 0 ? NAME_FILE : NAME_FUNCTION;
			} else if (row == 'r') {
				if (k != 2 && k < 5)
					continue;
				kind = k == 6 ? NAME_FILE : NAME_FUNCTION;
			} else if (row == 'j') {
				if (k != 3)
					continue;
			} else {
				continue;
			}
			if (!system || row == 'j')
				kinds[number - 1] = (char)(kind + 1);
			else if (!kinds[number - 1])
				kinds[number - 1] = OF_SYSTEM;
		}
		g_strfreev(words);
	}
}

/* Writes DIR/symbols anew: names replaced, and without rows of sources, which are left out. */
static int take_symbols(struct reduction *reduction)
{
	gsize size = 0;
	char *text = read_small(reduction, KEPT_SYMBOLS, KEPT_MOST, &size);
	char **lines = text ? g_strsplit(text, "\n", -1) : NULL;
	GPtrArray *texts = g_ptr_array_new();
	GString *out = g_string_new(NULL);
	unsigned rows = 0, number = 0;
	char *kinds;
	int result = 0;

	for (unsigned i = 0; lines && lines[i]; i++)
		if (g_str_has_prefix(lines[i], "t "))
			g_ptr_array_add(texts, lines[i] + 2);
	kinds = g_malloc0(texts->len + 1);
	if (lines)
		classify(lines, texts, kinds);
	for (unsigned i = 0; lines && lines[i]; i++) {
		const char *line = lines[i];

		if (g_str_has_prefix(line, "s ") || g_str_has_prefix(line, "end") || !*line)
			continue;
		if (g_str_has_prefix(line, "t ")) {
			char kind = kinds[number];
			const char *name = kind ? texts->pdata[number] : "-";

			number++;
			if (kind && kind != OF_SYSTEM)
				name = names_of(&reduction->names, name, (enum name_kind)(kind - 1),
						false);
			g_string_append_printf(out, "t %s\n", name);
		} else {
			g_string_append_printf(out, "%s\n", line);
		}
		rows += i > 0;
	}
	if (lines) {
		g_string_append_printf(out, "end %u\n", rows);
		result = write_file(reduction, reduction->folder, KEPT_SYMBOLS, out->str, out->len);
	}
	g_free(kinds);
	g_string_free(out, TRUE);
	g_ptr_array_free(texts, TRUE);
	g_strfreev(lines);
	g_free(text);
	return result;
}

/* ---- the manifest ---- */

static void hide_environment(struct json_object *manifest)
{
	struct json_object *environment, *hidden = json_object_new_object();

	if (json_object_object_get_ex(manifest, "environment", &environment) &&
	    json_object_is_type(environment, json_type_object)) {
		json_object_object_foreach(environment, name, value)
		{
			char *line = g_strdup_printf("%s=%s", name, json_object_get_string(value));

			names_hide_values(line, strlen(line));
			json_object_object_add(hidden, name,
					       json_object_new_string(strchr(line, '=') + 1));
			g_free(line);
		}
	}
	json_object_object_add(manifest, "environment", hidden);
}

static int take_manifest(struct reduction *reduction)
{
	static const char *const paths[] = { "directory", "executable", "cwd" };
	char *file = g_build_filename(reduction->path, BUNDLE_MANIFEST, NULL);
	/* bundle_check() has looked at it. */
	struct json_object *manifest = json_object_from_file(file), *host;
	struct json_object *command = json_object_new_array();
	const char *text;
	int result;

	g_free(file);
	if (!manifest || !json_object_is_type(manifest, json_type_object)) {
		json_object_put(manifest);
		json_object_put(command);
		return refuse_file(reduction, BUNDLE_MANIFEST, EINVAL, "is damaged or missing");
	}
	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
		json_object_object_add(manifest, paths[i], json_object_new_string("/reduced"));
	json_object_array_add(command, json_object_new_string("reduced"));
	json_object_object_add(manifest, "command", command);
	json_object_object_add(manifest, "uid", json_object_new_int(0));
	json_object_object_add(manifest, "running", json_object_new_array());
	hide_environment(manifest);
	if (json_object_object_get_ex(manifest, "host", &host) &&
	    json_object_is_type(host, json_type_object)) {
		json_object_object_add(host, "name", json_object_new_string("reduced"));
		json_object_object_del(host, "key");
	}
	text = json_object_to_json_string_ext(manifest, JSON_C_TO_STRING_PRETTY);
	result = write_file(reduction, reduction->folder, BUNDLE_MANIFEST, text, strlen(text));
	json_object_put(manifest);
	return result;
}

/* Returns true if a directory of the bundle has anything. */
static bool has_files(const struct reduction *reduction, const char *name)
{
	char *path = g_build_filename(reduction->path, name, NULL);
	GDir *list = g_dir_open(path, 0, NULL);
	bool any = list && g_dir_read_name(list);

	if (list)
		g_dir_close(list);
	g_free(path);
	return any;
}

int reduce_files(const char *path, int folder, const char *needed, char **why)
{
	struct reduction *reduction = g_new0(struct reduction, 1);
	gsize size = 0;
	char *cost;
	int result = 0, ctf;

	*reduction =
	    (struct reduction){ .path = path, .needed = needed, .folder = folder, .why = why };
	names_init(&reduction->names);
	if (has_files(reduction, BUNDLE_CTF) || has_files(reduction, HG_RINGS_DRAINED))
		result = refuse_file(reduction, BUNDLE_CTF, ENOTSUP,
				     "a recording with --rotate, --snapshot or --url, or of "
				     "attach, cannot be reduced");
	if (!result)
		result = take_layout(reduction);
	if (!result) {
		ctf = make_folder(reduction, BUNDLE_CTF);
		result = MIN(ctf, 0);
		if (ctf >= 0)
			close(ctf);
	}
	if (!result)
		result = each_file(reduction, BUNDLE_CODE_OBJECTS, take_code);
	if (!result)
		result = each_file(reduction, HG_RINGS, take_ring);
	if (!result && has_files(reduction, HG_OPEN_CALLS))
		result = each_file(reduction, HG_OPEN_CALLS, take_open_calls);
	if (!result)
		result =
		    take_table(reduction, HG_MISSED, sizeof(struct hg_missed_table),
			       offsetof(struct hg_missed_table, rows), sizeof(struct hg_missed_row),
			       offsetof(struct hg_missed_row, program), HG_MISSED_PROGRAM);
	if (!result)
		result = take_table(reduction, HG_WITNESS, sizeof(struct hg_witness_table),
				    offsetof(struct hg_witness_table, rows),
				    sizeof(struct hg_witness_row),
				    offsetof(struct hg_witness_row, program), HG_WITNESS_PROGRAM);
	cost = read_small(reduction, "cost", SMALL_MOST, &size);
	if (!result && cost)
		result = write_file(reduction, folder, "cost", cost, size);
	g_free(cost);
	if (!result)
		result = take_symbols(reduction);
	if (!result)
		result = take_manifest(reduction);
	names_clear(&reduction->names);
	g_free(reduction);
	return result;
}
