/* SPDX-License-Identifier: Apache-2.0 */
/* The account of pages that moved between host and GPUs, and of what became of them. */
#include "analyzer/rules/migration/migration.h"
#include "history.h"
#include "json_values.h"
#include "printer.h"
#include "report.h"

#define PAGE 4096u

/* ---- in words ---- */

static void append_way(GString *text, const char *way, const uint64_t bytes[MIGRATION_TRIGGERS])
{
	const char *before = way;

	for (unsigned i = 0; i < MIGRATION_TRIGGERS; i++) {
		if (bytes[i]) {
			g_string_append_printf(text, "%s%s%" G_GUINT64_FORMAT " pages (%s)",
					       text->len ? ", " : "", before, bytes[i] / PAGE,
					       move_cause_text((enum migration_trigger)i));
			before = "";
		}
	}
}

static void put_memory(const struct printer *printer, const struct migration_row *row)
{
	const struct allocation *allocation = row->allocation;
	GString *text = g_string_new(NULL);

	if (allocation) {
		const struct source_frame *frame = stack_user_frame(
		    printer->analysis->symbolizer, row->process, allocation->stack_id);

		g_string_printf(text, "%" G_GUINT64_FORMAT " bytes from %s", allocation->size,
				hg_api_name(allocation->api));
		if (frame && frame->file)
			g_string_append_printf(text, " at %s:%u", frame->file, frame->line);
		if (row->allocations > 1) {
			g_string_append_printf(text, ", the latest of %" G_GUINT64_FORMAT,
					       row->allocations);
		}
	} else {
		g_string_assign(text, "other memory in the same blocks");
	}
	if (row->kernel) {
		g_string_append_printf(text, ", for %s%s", row->kernel,
				       row->one_of_several ? " or another kernel" : "");
	}
	put_row(printer, "memory", text->str);
	g_string_free(text, TRUE);
}

static void append_use(GString *text, uint64_t bytes, const char *what)
{
	if (bytes) {
		g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " %s", text->len ? ", " : "",
				       bytes / PAGE, what);
	}
}

/* Puts bytes moved beside bytes used. */
static void put_use(const struct printer *printer, const struct migration_row *row)
{
	GString *text = g_string_new(NULL);

	append_use(text, row->faults_moved * PAGE,
		   "certainly used (one for each fault that moved pages)");
	append_use(text, row->again, "had been there before");
	append_use(text, row->unused,
		   "were not used: no kernel could access them while they were there");
	append_use(text, row->only_written,
		   "only written by the kernels that could use them: moved unnecessarily where a "
		   "page was written completely");
	append_use(text, row->unchanged,
		   "moved back unchanged: no kernel that could use them writes them");
	append_use(text, row->use_unknown, "of unknown use");
	if (text->len) {
		g_string_prepend(text, "of these pages ");
		put_row(printer, "", text->str);
	}
	g_string_free(text, TRUE);
}

static void put_one(const struct printer *printer, const struct migration_row *row)
{
	GString *text = g_string_new(NULL);

	put_memory(printer, row);
	append_way(text, "to the GPU ", row->to_device);
	append_way(text, "to the host ", row->to_host);
	if (row->faults_moved || row->faults_kept) {
		uint64_t faults = row->faults_moved + row->faults_kept;

		g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " GPU fault%s",
				       text->len ? "; " : "", faults, faults == 1 ? "" : "s");
		if (row->faults_kept) {
			g_string_append_printf(text, ", %" G_GUINT64_FORMAT " without a move",
					       row->faults_kept);
		}
	}
	put_row(printer, "", text->str);
	g_string_free(text, TRUE);
	if (row->by_host) {
		put_row_owned(printer, "",
			      move_phase_text(printer->analysis, row->process, &row->phase));
	}
	put_use(printer, row);
}

/* --verbose: advice, prefetches and moves of memory that moved, once an allocation. */
static void put_history(const struct printer *printer, const struct migration_row *row,
			GHashTable *printed)
{
	const struct migration_history *history =
	    row->allocation
		? g_hash_table_lookup(migration_result(&printer->analysis->findings)->histories,
				      row->allocation)
		: NULL;
	GArray *facts;

	if (!printer->verbose || !history || !g_hash_table_add(printed, (gpointer)history))
		return;
	facts = history_facts(printer->analysis, row->process, history);
	for (unsigned i = 0; i < facts->len; i++) {
		const struct history_fact *fact = &g_array_index(facts, struct history_fact, i);
		double seconds = (double)(fact->ns - printer->analysis->began_ns) / 1e9;

		put_row_owned(printer, i ? "" : "history",
			      g_strdup_printf("%.6f s: %s", seconds, fact->text));
	}
	if (history->left_out || history->moves->len > HISTORY_MOVES)
		put_row(printer, "", "... and more that were not kept");
	g_array_unref(facts);
}

void put_moves(const struct printer *printer)
{
	const GPtrArray *rows = migration_result(&printer->analysis->findings)->rows;
	uint64_t to_device = 0, to_host = 0;
	GHashTable *printed;

	if (!rows->len)
		return;
	printed = g_hash_table_new(NULL, NULL);
	for (unsigned i = 0; i < rows->len; i++) {
		const struct migration_row *row = rows->pdata[i];

		to_device += migration_total(row->to_device);
		to_host += migration_total(row->to_host);
	}
	fprintf(printer->stream,
		"Pages migrated: %" G_GUINT64_FORMAT " to GPUs, %" G_GUINT64_FORMAT
		" to the host\n",
		to_device / PAGE, to_host / PAGE);
	for (unsigned i = 0; i < rows->len; i++) {
		put_one(printer, rows->pdata[i]);
		put_history(printer, rows->pdata[i], printed);
	}
	g_hash_table_destroy(printed);
	fputc('\n', printer->stream);
}

/* ---- JSON ---- */

static struct json_object *number(uint64_t value)
{
	return json_object_new_int64((int64_t)value);
}

static struct json_object *ways(const uint64_t bytes[MIGRATION_TRIGGERS])
{
	struct json_object *object = json_object_new_object();

	for (unsigned i = 0; i < MIGRATION_TRIGGERS; i++)
		put(object, move_cause_name((enum migration_trigger)i), number(bytes[i]));
	return object;
}

static struct json_object *phase(const struct analysis *analysis, const struct migration_row *row)
{
	const struct migration_phase *phase = &row->phase;
	struct json_object *object;

	if (!row->by_host)
		return NULL;
	object = json_object_new_object();
	put(object, "after", json_move_call(analysis, row->process, &phase->before));
	put(object, "before", json_move_call(analysis, row->process, &phase->after));
	put(object, "several_before", json_object_new_boolean(phase->several_after));
	put(object, "within", json_object_new_boolean(phase->within));
	put(object, "function", text_or_null(move_phase_function(analysis, row->process, phase)));
	return object;
}

static struct json_object *use(const struct migration_row *row)
{
	struct json_object *object = json_object_new_object();

	put(object, "at_least", number(row->faults_moved * PAGE));
	put(object, "again", number(row->again));
	put(object, "unused", number(row->unused));
	put(object, "only_written", number(row->only_written));
	put(object, "unchanged", number(row->unchanged));
	put(object, "not_known", number(row->use_unknown));
	return object;
}

static struct json_object *one_row(const struct analysis *analysis, const struct migration_row *row)
{
	struct json_object *object = json_object_new_object();

	put(object, "pid", json_object_new_int(row->process->pid));
	put_allocation(object, analysis, row->process, row->allocation);
	put(object, "allocations", number(row->allocations));
	put(object, "kernel", text_or_null(row->kernel));
	put(object, "one_of_several", json_object_new_boolean(row->one_of_several));
	put(object, "phase", phase(analysis, row));
	put(object, "to_device", ways(row->to_device));
	put(object, "to_host", ways(row->to_host));
	put(object, "faults_moved", number(row->faults_moved));
	put(object, "faults_kept", number(row->faults_kept));
	put(object, "use", use(row));
	put(object, "history",
	    json_move_history(
		analysis, row->process,
		row->allocation
		    ? g_hash_table_lookup(migration_result(&analysis->findings)->histories,
					  row->allocation)
		    : NULL));
	return object;
}

struct json_object *json_migration(const struct analysis *analysis)
{
	const GPtrArray *rows = migration_result(&analysis->findings)->rows;
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < rows->len; i++)
		json_object_array_add(list, one_row(analysis, rows->pdata[i]));
	return list;
}
