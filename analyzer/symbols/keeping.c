/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the rows of the symbols that a bundle keeps. */
#include "keeping.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codeobj/codeobj.h"
#include "bundle_symbols.h"
#include "source.h"

struct keeping {
	char *bundle;
	GString *rows;
	unsigned row_count;
	GHashTable *texts;   /* text -> its number */
	GHashTable *objects; /* "PATH BUILD-ID" -> GString of its rows */
	GHashTable *jits;    /* rows that were kept */
	GHashTable *sources; /* names of files */
	uint64_t bytes;      /* of sources */
};

static void string_free(gpointer data)
{
	g_string_free(data, TRUE);
}

struct keeping *keeping_begin(const char *bundle)
{
	struct keeping *keeping = g_new0(struct keeping, 1);

	keeping->bundle = g_strdup(bundle);
	keeping->rows = g_string_new(NULL);
	keeping->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	keeping->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, string_free);
	keeping->jits = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	keeping->sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return keeping;
}

/* Returns the number of a text, which gets a row when it is new. A line ends at the first byte that
 * would end it: such a name is cut. */
static unsigned number_of(struct keeping *keeping, const char *text)
{
	gpointer number;
	char *line;

	if (!text)
		return 0;
	number = g_hash_table_lookup(keeping->texts, text);
	if (!number) {
		line = g_strndup(text, strcspn(text, "\n"));
		number = GUINT_TO_POINTER(g_hash_table_size(keeping->texts) + 1);
		g_hash_table_insert(keeping->texts, g_strdup(text), number);
		g_string_append_printf(keeping->rows, "t %s\n", line);
		keeping->row_count++;
		g_free(line);
	}
	return GPOINTER_TO_UINT(number);
}

/* Returns the rows of an object. Those of all objects follow the texts. */
static GString *object_of(struct keeping *keeping, const char *path, const char *build_id)
{
	char *key = g_strdup_printf("%s %s", path, build_id);
	GString *rows = g_hash_table_lookup(keeping->objects, key);

	if (rows) {
		g_free(key);
		return rows;
	}
	rows = g_string_new(NULL);
	g_hash_table_insert(keeping->objects, key, rows);
	g_string_append_printf(rows, "o %u %u\n", number_of(keeping, path),
			       *build_id ? number_of(keeping, build_id) : 0);
	keeping->row_count++;
	return rows;
}

void keeping_place(struct keeping *keeping, const char *path, const char *build_id,
		   uint64_t address, const GPtrArray *frames)
{
	GString *rows = object_of(keeping, path, build_id);

	g_string_append_printf(rows, "a %" G_GINT64_MODIFIER "x", address);
	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];

		g_string_append_printf(rows, " %u %u %u", number_of(keeping, frame->function),
				       number_of(keeping, frame->file), frame->line);
	}
	g_string_append_c(rows, '\n');
	keeping->row_count++;
}

void keeping_region(struct keeping *keeping, const char *path, const char *build_id,
		    const char *function, const struct source_frame *frame, unsigned calls)
{
	GString *rows = object_of(keeping, path, build_id);

	g_string_append_printf(rows, "r %" G_GINT64_MODIFIER "x %u %u %u %u %u\n", frame->offset,
			       number_of(keeping, function), frame->line, calls,
			       number_of(keeping, frame->function),
			       number_of(keeping, frame->file));
	keeping->row_count++;
}

void keeping_jit(struct keeping *keeping, int pid, uint64_t address, const char *name,
		 uint64_t offset)
{
	char *row = g_strdup_printf("j %d %" G_GINT64_MODIFIER "x %u %" G_GINT64_MODIFIER "x\n",
				    pid, address, number_of(keeping, name), offset);

	if (!g_hash_table_add(keeping->jits, row))
		return;
	g_string_append(keeping->rows, row);
	keeping->row_count++;
}

/* Stores a file of the bundle. Returns 0 or a negative errno. */
static int write_file(const char *path, const char *content, gsize length)
{
	GError *error = NULL;
	int result = 0;

	if (!g_file_set_contents_full(path, content, (gssize)length, G_FILE_SET_CONTENTS_CONSISTENT,
				      0600, &error)) {
		result = -EIO;
		g_error_free(error);
	}
	return result;
}

static void write_source(const struct keeping *keeping, const char *hash, const char *content,
			 gsize length)
{
	char *folder = g_build_filename(keeping->bundle, KEPT_SOURCES, NULL);
	char *path = g_build_filename(folder, hash, NULL);

	/* Without it the report says that it cannot be read. */
	if (mkdir(folder, 0700) == 0 || errno == EEXIST)
		(void)write_file(path, content, length);
	g_free(path);
	g_free(folder);
}

void keeping_source(struct keeping *keeping, const char *file, bool whole)
{
	char hash[CODEOBJ_SHA256_SIZE], *content;
	unsigned file_number, hash_number;
	int64_t changed_ns;
	gsize length;

	if (g_hash_table_size(keeping->sources) >= KEEPING_SOURCES ||
	    !g_hash_table_add(keeping->sources, g_strdup(file)))
		return;
	content = source_content(file, NULL, &length, &changed_ns);
	if (!content)
		return;
	codeobj_sha256(content, length, hash);
	file_number = number_of(keeping, file);
	hash_number = number_of(keeping, hash);
	g_string_append_printf(keeping->rows, "s %u %u %" G_GINT64_FORMAT "\n", file_number,
			       hash_number, MAX(changed_ns, 0));
	keeping->row_count++;
	if (whole && keeping->bytes + length <= KEEPING_BYTES) {
		keeping->bytes += length;
		write_source(keeping, hash, content, length);
	}
	g_free(content);
}

int keeping_end(struct keeping *keeping)
{
	char *path = g_build_filename(keeping->bundle, KEPT_SYMBOLS, NULL);
	GString *whole = g_string_new(KEPT_FORMAT "\n");
	GHashTableIter iterator;
	gpointer rows;
	int result;

	g_string_append_len(whole, keeping->rows->str, (gssize)keeping->rows->len);
	g_hash_table_iter_init(&iterator, keeping->objects);
	while (g_hash_table_iter_next(&iterator, NULL, &rows))
		g_string_append_len(whole, ((GString *)rows)->str, (gssize)((GString *)rows)->len);
	g_string_append_printf(whole, "end %u\n", keeping->row_count);
	result = whole->len > KEPT_MOST ? -EFBIG : write_file(path, whole->str, whole->len);
	g_string_free(whole, TRUE);
	g_free(path);
	g_string_free(keeping->rows, TRUE);
	g_hash_table_destroy(keeping->texts);
	g_hash_table_destroy(keeping->objects);
	g_hash_table_destroy(keeping->jits);
	g_hash_table_destroy(keeping->sources);
	g_free(keeping->bundle);
	g_free(keeping);
	return result;
}
