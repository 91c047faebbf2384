/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the symbols that a bundle keeps. */
#include "bundle_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/codeobj.h"
#include "codeobj/text.h"
#include "source.h"

struct kept {
	char *bundle;        /* path; NULL: there are no sources */
	GPtrArray *texts;    /* char * */
	GHashTable *places;  /* "PATH BUILD-ID" -> GHashTable of uint64_t -> GPtrArray of frames */
	GHashTable *regions; /* region_key() -> struct kept_region */
	GHashTable *jits;    /* jit_key() -> struct jit */
	GHashTable *sources; /* file -> struct kept_source */
};

struct kept_region {
	struct source_frame frame;
	unsigned calls;
};

struct jit {
	const char *name;
	uint64_t offset;
};

/* The file while it is read. */
struct input {
	struct kept *kept;
	char *at;                 /* in the row, behind its letter */
	const char *path, *build; /* of the latest object */
	GHashTable *object;       /* its addresses */
};

static char *region_key(const char *path, const char *build_id, uint64_t address,
			const char *function, unsigned line)
{
	return g_strdup_printf("%" G_GINT64_MODIFIER "x %u %s\n%s\n%s", address, line, build_id,
			       path, function);
}

static char *jit_key(int pid, uint64_t address)
{
	return g_strdup_printf("%d %" G_GINT64_MODIFIER "x", pid, address);
}

/* ---- rows ---- */

/* Takes the next number of the row. Returns false if there is none. */
static bool take(struct input *input, unsigned base, uint64_t most, uint64_t *number)
{
	char *end;

	if (*input->at != ' ' || !g_ascii_isxdigit(input->at[1]))
		return false;
	errno = 0;
	*number = g_ascii_strtoull(input->at + 1, &end, base);
	if (errno || end == input->at + 1 || *number > most)
		return false;
	input->at = end;
	return true;
}

/* Takes the number of a text, which is NULL for 0. */
static bool take_text(struct input *input, const char **text)
{
	uint64_t number;

	if (!take(input, 10, input->kept->texts->len, &number))
		return false;
	*text = number ? input->kept->texts->pdata[number - 1] : NULL;
	return true;
}

static bool read_text(struct input *input)
{
	char *text, *copy;

	if (*input->at != ' ')
		return false;
	text = text_one_line(input->at + 1);
	copy = g_strdup(text);
	free(text);
	g_ptr_array_add(input->kept->texts, copy);
	return true;
}

static bool read_object(struct input *input)
{
	char *key;

	if (!take_text(input, &input->path) || !take_text(input, &input->build) || !input->path)
		return false;
	input->build = input->build ? input->build : "";
	key = g_strdup_printf("%s %s", input->path, input->build);
	input->object = g_hash_table_lookup(input->kept->places, key);
	if (input->object) {
		g_free(key);
		return true;
	}
	input->object = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					      (GDestroyNotify)g_ptr_array_unref);
	g_hash_table_insert(input->kept->places, key, input->object);
	return true;
}

/* The texts are those of the table. */
static bool read_frame(struct input *input, uint64_t address, struct source_frame *frame)
{
	const char *function, *file;
	uint64_t line;

	if (!take_text(input, &function) || !take_text(input, &file) ||
	    !take(input, 10, UINT32_MAX, &line))
		return false;
	*frame = (struct source_frame){ (char *)function, (char *)file, (unsigned)line, input->path,
					address };
	return true;
}

static bool read_place(struct input *input)
{
	GPtrArray *frames;
	uint64_t address;

	if (!input->object || !take(input, 16, UINT64_MAX, &address))
		return false;
	frames = g_ptr_array_new_with_free_func(g_free);
	while (*input->at) {
		struct source_frame frame;

		if (!read_frame(input, address, &frame)) {
			g_ptr_array_unref(frames);
			return false;
		}
		g_ptr_array_add(frames, g_memdup2(&frame, sizeof(frame)));
	}
	g_hash_table_replace(input->object, g_memdup2(&address, sizeof(address)), frames);
	return true;
}

static bool read_region(struct input *input)
{
	const char *symbol, *function, *file;
	uint64_t address, line, calls;
	struct kept_region *region;

	if (!input->object || !take(input, 16, UINT64_MAX, &address) ||
	    !take_text(input, &symbol) || !symbol || !take(input, 10, UINT32_MAX, &line) ||
	    !take(input, 10, UINT32_MAX, &calls) || !take_text(input, &function) ||
	    !take_text(input, &file))
		return false;
	region = g_new(struct kept_region, 1);
	*region = (struct kept_region){
		.frame = { (char *)function, (char *)file, (unsigned)line, input->path, address },
		.calls = (unsigned)calls,
	};
	g_hash_table_replace(input->kept->regions,
			     region_key(input->path, input->build, address, symbol, (unsigned)line),
			     region);
	return true;
}

static bool read_jit(struct input *input)
{
	uint64_t pid, address, offset;
	const char *name;
	struct jit *jit;

	if (!take(input, 10, INT32_MAX, &pid) || !take(input, 16, UINT64_MAX, &address) ||
	    !take_text(input, &name) || !name || !take(input, 16, UINT64_MAX, &offset))
		return false;
	jit = g_new(struct jit, 1);
	*jit = (struct jit){ name, offset };
	g_hash_table_replace(input->kept->jits, jit_key((int)pid, address), jit);
	return true;
}

static bool is_hash(const char *text)
{
	return strspn(text, "0123456789abcdef") == KEPT_HASH_SIZE - 1 && !text[KEPT_HASH_SIZE - 1];
}

static bool read_source(struct input *input)
{
	const char *file, *hash;
	struct kept_source *source;
	uint64_t changed;

	if (!take_text(input, &file) || !file || !take_text(input, &hash) || !hash ||
	    !is_hash(hash) || !take(input, 10, INT64_MAX, &changed))
		return false;
	source = g_new0(struct kept_source, 1);
	memcpy(source->sha256, hash, KEPT_HASH_SIZE);
	source->changed_ns = (int64_t)changed;
	g_hash_table_replace(input->kept->sources, g_strdup(file), source);
	return true;
}

static bool read_row(struct input *input, char *row)
{
	static const struct {
		char letter;
		bool (*read)(struct input *input);
	} rows[] = {
		{ 't', read_text },   { 'o', read_object }, { 'a', read_place },
		{ 'r', read_region }, { 'j', read_jit },    { 's', read_source },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (*row != rows[i].letter)
			continue;
		input->at = row + 1;
		return rows[i].read(input) && (*row == 't' || !*input->at);
	}
	return false;
}

/* ---- the file ---- */

static struct kept *kept_new(void)
{
	struct kept *kept = g_new0(struct kept, 1);

	kept->texts = g_ptr_array_new_with_free_func(g_free);
	kept->places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     (GDestroyNotify)g_hash_table_destroy);
	kept->regions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	kept->jits = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	kept->sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return kept;
}

void kept_free(struct kept *kept)
{
	if (kept) {
		g_hash_table_destroy(kept->places);
		g_hash_table_destroy(kept->regions);
		g_hash_table_destroy(kept->jits);
		g_hash_table_destroy(kept->sources);
		g_ptr_array_unref(kept->texts);
		g_free(kept->bundle);
		g_free(kept);
	}
}

/* Returns the first line of the rest of a text, cut off, or NULL if it does not end. */
static char *next_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return line;
}

static char *other_format(const char *line)
{
	char format[64];

	text_copy_visible(format, sizeof(format), line ? line : "");
	return g_strdup_printf(KEPT_SYMBOLS ": its format is '%s'; this version reads " KEPT_FORMAT,
			       format);
}

struct kept *kept_parse(char *text, gsize length, char **problem)
{
	struct input input = { .kept = kept_new() };
	char *rest = text, *line = next_line(&rest), *expected = NULL;
	unsigned rows = 0;

	*problem = NULL;
	if (!line || strcmp(line, KEPT_FORMAT) != 0) {
		*problem = other_format(line);
		goto out;
	}
	while ((line = next_line(&rest)) && strncmp(line, "end ", 4) != 0) {
		rows++;
		if (!read_row(&input, line)) {
			*problem = g_strdup_printf(KEPT_SYMBOLS ": line %u is damaged", rows + 1);
			goto out;
		}
	}
	expected = g_strdup_printf("end %u", rows);
	if (!line || strcmp(line, expected) != 0 || rest != text + length)
		*problem = g_strdup_printf(KEPT_SYMBOLS ": it is cut off after line %u", rows + 1);
out:
	g_free(expected);
	g_free(text);
	if (*problem)
		g_clear_pointer(&input.kept, kept_free);
	return input.kept;
}

struct kept *kept_read(const char *bundle, char **problem)
{
	char *path = g_build_filename(bundle, KEPT_SYMBOLS, NULL);
	gsize length = 0;
	char *text = regular_file_read(path, KEPT_MOST, &length);
	struct kept *kept = NULL;

	*problem = NULL;
	if (text)
		kept = kept_parse(text, length, problem);
	else if (g_file_test(path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK))
		*problem = g_strdup(KEPT_SYMBOLS ": it cannot be read");
	if (kept)
		kept->bundle = g_strdup(bundle);
	g_free(path);
	return kept;
}

/* ---- answers ---- */

const GPtrArray *kept_place(const struct kept *kept, const char *path, const char *build_id,
			    uint64_t address)
{
	char *key = g_strdup_printf("%s %s", path, build_id);
	GHashTable *object = g_hash_table_lookup(kept->places, key);

	g_free(key);
	return object ? g_hash_table_lookup(object, &address) : NULL;
}

const struct source_frame *kept_region(const struct kept *kept, const char *path,
				       const char *build_id, uint64_t address, const char *function,
				       unsigned line, unsigned *calls)
{
	char *key = region_key(path, build_id, address, function, line);
	const struct kept_region *region = g_hash_table_lookup(kept->regions, key);

	g_free(key);
	*calls = region ? region->calls : 0;
	return region ? &region->frame : NULL;
}

const char *kept_jit(const struct kept *kept, int pid, uint64_t address, uint64_t *offset)
{
	const struct jit *jit;
	char *key;

	*offset = 0;
	if (!g_hash_table_size(kept->jits))
		return NULL;
	key = jit_key(pid, address);
	jit = g_hash_table_lookup(kept->jits, key);
	g_free(key);
	*offset = jit ? jit->offset : 0;
	return jit ? jit->name : NULL;
}

const struct kept_source *kept_source(const struct kept *kept, const char *file)
{
	return g_hash_table_lookup(kept->sources, file);
}

char *kept_content(const struct kept *kept, const struct kept_source *source)
{
	char *path, *content, hash[CODEOBJ_SHA256_SIZE];
	gsize length = 0;

	if (!kept->bundle)
		return NULL;
	path = g_build_filename(kept->bundle, KEPT_SOURCES, source->sha256, NULL);
	content = regular_file_read(path, SOURCE_MOST, &length);
	g_free(path);
	if (content) {
		codeobj_sha256(content, length, hash);
		if (strcmp(hash, source->sha256) != 0)
			g_clear_pointer(&content, g_free);
	}
	return content;
}
