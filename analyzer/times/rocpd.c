/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Totals are made by SQLite. The file is another user's, and so are its views, which may compute
 * anything: nothing but reading and a few functions is allowed, for a limited time and memory.
 */
#include "rocpd.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#define STEPS     100000 /* of SQLite's machine, between looks at the clock */
#define ROWS_MOST 100000 /* kernels of processes, and kinds of copies */

/*
 * A row has its process and its times in schema 3. In schema 4 its track has the process, and its
 * times are in the row since 4.1, in a table of their own before. Parameters: what names the row,
 * and the table.
 */
static const char times_of_tracks[] =
    "SELECT K.pid, D.guid, D.%s AS name, D.start AS begins, D.\"end\" AS ends FROM %s D"
    " LEFT JOIN rocpd_track K ON K.id = D.track_id AND K.guid = D.guid";
static const char times_in_rows[] =
    "SELECT pid, guid, %s AS name, start AS begins, \"end\" AS ends FROM %s";
static const char times_apart[] =
    "SELECT K.pid, D.guid, D.%s AS name, B.value AS begins, E.value AS ends FROM %s D"
    " LEFT JOIN rocpd_track K ON K.id = D.track_id AND K.guid = D.guid"
    " LEFT JOIN rocpd_timestamp B ON B.id = D.start_id AND B.guid = D.guid"
    " LEFT JOIN rocpd_timestamp E ON E.id = D.end_id AND E.guid = D.guid";

/* Parameters: the column of the name, one of the above, the table of names. */
static const char totals[] =
    "SELECT P.pid, S.%s, COUNT(*), SUM(MAX(T.ends - T.begins, 0)), MAX(MAX(T.ends - T.begins, 0)), "
    "MIN(T.begins), MAX(T.begins),"
    " SUM(T.ends < T.begins OR T.ends IS NULL OR T.begins IS NULL) FROM (%s) T"
    " LEFT JOIN rocpd_info_process P ON P.id = T.pid AND P.guid = T.guid"
    " LEFT JOIN %s S ON S.id = T.name AND S.guid = T.guid GROUP BY 1, 2 ORDER BY 1, 2";

static const struct table {
	const char *table, *key, *names, *name;
} kernels = { "rocpd_kernel_dispatch", "kernel_id", "rocpd_info_kernel_symbol", "kernel_name" },
  copies = { "rocpd_memory_copy", "name_id", "rocpd_string", "string" };

struct reading {
	sqlite3 *file;
	int64_t until; /* g_get_monotonic_time() */
};

static int is_over(void *data)
{
	const struct reading *reading = data;

	return g_get_monotonic_time() > reading->until;
}

static int allow(void *data, int action, const char *first, const char *second,
		 const char *database, const char *view)
{
	static const char *const functions[] = { "count", "sum", "min", "max" };

	(void)data;
	(void)first;
	(void)database;
	(void)view;
	if (action == SQLITE_SELECT || action == SQLITE_READ)
		return SQLITE_OK;
	for (unsigned i = 0; action == SQLITE_FUNCTION && i < G_N_ELEMENTS(functions); i++)
		if (g_ascii_strcasecmp(second, functions[i]) == 0)
			return SQLITE_OK;
	return SQLITE_DENY;
}

/* Returns NULL, or why the file cannot be a database. */
static const char *judge(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return g_strerror(errno);
	return S_ISREG(status.st_mode) ? NULL : "it is not a file";
}

/* Opens the file as it is: nothing is written beside it, and a writer is not waited for. */
static int open_file(struct reading *reading, const char *path)
{
	char *escaped = g_uri_escape_string(path, "/", FALSE);
	char *uri = g_strdup_printf("file:%s?mode=ro&immutable=1", escaped);
	int result =
	    sqlite3_open_v2(uri, &reading->file,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);

	g_free(uri);
	g_free(escaped);
	if (result != SQLITE_OK)
		return result;
	sqlite3_hard_heap_limit64((sqlite3_int64)ROCPD_MIB << 20);
	sqlite3_db_config(reading->file, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(reading->file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_progress_handler(reading->file, STEPS, is_over, reading);
	sqlite3_set_authorizer(reading->file, allow, NULL);
	return SQLITE_OK;
}

/* Returns true if a statement can be made of the text. */
static bool is_there(const struct reading *reading, const char *text)
{
	sqlite3_stmt *statement = NULL;
	bool there = sqlite3_prepare_v2(reading->file, text, -1, &statement, NULL) == SQLITE_OK;

	sqlite3_finalize(statement);
	return there;
}

static uint64_t number(sqlite3_stmt *statement, int column)
{
	sqlite3_int64 value = sqlite3_column_int64(statement, column);

	return value < 0 ? 0 : (uint64_t)value;
}

static void add_total(GArray *list, sqlite3_stmt *statement)
{
	const char *name = (const char *)sqlite3_column_text(statement, 1);
	struct rocpd_total total = { .pid = (int32_t)MIN(number(statement, 0), INT32_MAX),
				     .name = g_strdup(name ? name : ""),
				     .count = number(statement, 2),
				     .ns = number(statement, 3),
				     .most_ns = number(statement, 4),
				     .first_ns = sqlite3_column_int64(statement, 5),
				     .latest_ns = sqlite3_column_int64(statement, 6),
				     .wrong = number(statement, 7) };

	if (g_str_has_suffix(total.name, ".kd"))
		total.name[strlen(total.name) - strlen(".kd")] = '\0';
	g_array_append_val(list, total);
}

enum form { FORM_UNKNOWN, FORM_APART, FORM_TRACKS, FORM_ROWS };

/* A form in which a version of the schema has times. */
static enum form form_of(const struct reading *reading)
{
	if (is_there(reading, "SELECT start_id FROM rocpd_kernel_dispatch"))
		return FORM_APART;
	if (is_there(reading, "SELECT start, track_id FROM rocpd_kernel_dispatch"))
		return FORM_TRACKS;
	/* A file that is no database is noticed here, too. */
	return is_there(reading, "SELECT start FROM rocpd_kernel_dispatch") ? FORM_ROWS
									    : FORM_UNKNOWN;
}

/* Returns a statement that selects the table's rows; the caller frees it. */
static char *rows_of(enum form form, const struct table *table)
{
	switch (form) {
	case FORM_APART:
		return g_strdup_printf(times_apart, table->key, table->table);
	case FORM_TRACKS:
		return g_strdup_printf(times_of_tracks, table->key, table->table);
	default:
		return g_strdup_printf(times_in_rows, table->key, table->table);
	}
}

/* Returns a result code of SQLite. */
static int read_table(const struct reading *reading, const struct table *table, enum form form,
		      GArray *list)
{
	char *rows = rows_of(form, table);
	char *text = g_strdup_printf(totals, table->name, rows, table->names);
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(reading->file, text, -1, &statement, NULL);

	while (result == SQLITE_OK || result == SQLITE_ROW) {
		result = sqlite3_step(statement);
		if (result == SQLITE_ROW && list->len == ROWS_MOST)
			result = SQLITE_TOOBIG;
		if (result == SQLITE_ROW)
			add_total(list, statement);
	}
	sqlite3_finalize(statement);
	g_free(text);
	g_free(rows);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Returns a result code of SQLite. */
static int read_all(const struct reading *reading, struct rocpd *database, const char **wrong)
{
	enum form form = form_of(reading);
	int result;

	if (form == FORM_UNKNOWN) {
		result = sqlite3_errcode(reading->file);
		if (result == SQLITE_ERROR)
			*wrong = "it has no times of kernels: it is no rocpd database, or of a "
				 "version other than 3 and 4";
		return result;
	}
	result = read_table(reading, &kernels, form, database->kernels);
	return result == SQLITE_OK ? read_table(reading, &copies, form, database->copies) : result;
}

static void clear_total(gpointer total)
{
	g_free(((struct rocpd_total *)total)->name);
}

static GArray *new_list(void)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct rocpd_total));

	g_array_set_clear_func(list, clear_total);
	return list;
}

int rocpd_read(const char *path, struct rocpd *database, char **error)
{
	struct reading reading = { .until =
				       g_get_monotonic_time() + ROCPD_SECONDS * G_USEC_PER_SEC };
	const char *wrong = judge(path);
	int result = SQLITE_CANTOPEN;

	*database = (struct rocpd){ new_list(), new_list() };
	if (!wrong)
		result = open_file(&reading, path);
	if (!wrong && result == SQLITE_OK)
		result = read_all(&reading, database, &wrong);
	if (result == SQLITE_INTERRUPT)
		wrong = "reading it takes more than " G_STRINGIFY(ROCPD_SECONDS) " seconds";
	else if (result != SQLITE_OK && !wrong)
		wrong = sqlite3_errmsg(reading.file);
	if (wrong)
		*error = g_strdup_printf("%s: %s", path, wrong);
	sqlite3_close(reading.file);
	if (!wrong)
		return 0;
	rocpd_clear(database);
	return -EINVAL;
}

void rocpd_clear(struct rocpd *database)
{
	g_clear_pointer(&database->kernels, g_array_unref);
	g_clear_pointer(&database->copies, g_array_unref);
}
