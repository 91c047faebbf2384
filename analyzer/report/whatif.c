/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what memory would be to the GPU if XNACK were switched (--access-if). */
#include "analyzer/rules/placement/xnack_whatif.h"
#include "analyzer/symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "json_values.h"
#include "printer.h"
#include "report.h"

static const struct source_frame *place_of(const struct analysis *analysis,
					   const struct xnack_row *row)
{
	const struct source_frame *frame =
	    stack_user_frame(analysis->symbolizer, row->process, row->allocation->stack_id);

	return frame && frame->file ? frame : NULL;
}

/* Returns what goes for a process as a whole, or NULL if nothing does. */
static char *process_limit(const struct analysis *analysis, struct process *process, int xnack)
{
	GString *text = g_string_new(NULL);
	const char *wrong = xnack ? "xnack-" : "xnack+";
	GHashTableIter iterator;
	gpointer value;

	if (g_hash_table_contains(xnack_whatif_result(&analysis->findings)->unknown, process)) {
		g_string_append(text, "kernels may use other memory as well: not all of their "
				      "accesses could be traced to their arguments");
	}
	g_hash_table_iter_init(&iterator, process->code_objects);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct code_object_ref *object = value;

		if (object->target && strstr(object->target, wrong)) {
			g_string_append_printf(
			    text,
			    "%sthe machine code that it ran is built for %s: the program must also "
			    "have code for the other state, or its launches fail "
			    "(hipErrorNoBinaryForGpu)",
			    text->len ? "; " : "", object->target);
			break;
		}
	}
	return g_string_free(text, text->len == 0);
}

static void put_one(const struct printer *printer, const struct xnack_row *row, int xnack)
{
	struct xnack_change answer = xnack_whatif_ask(row, xnack);
	const struct source_frame *frame = place_of(printer->analysis, row);
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%" G_GUINT64_FORMAT " bytes from %s", row->allocation->size,
			hg_api_name(row->allocation->api));
	if (frame)
		g_string_append_printf(text, " at %s:%u", frame->file, frame->line);
	if (row->allocations > 1) {
		g_string_append_printf(text, ", the latest of %" G_GUINT64_FORMAT,
				       row->allocations);
	}
	if (row->kernel) {
		char *name = demangled(row->kernel);

		g_string_append_printf(text, ", for %s%s", name ? name : row->kernel,
				       row->several ? " and others" : "");
		free(name);
	}
	g_string_append_printf(text, ": %s%s",
			       answer.outcome == XNACK_UNKNOWN_EFFECT ? "because " : "",
			       answer.reason);
	if (answer.outcome != XNACK_UNCHANGED && answer.now != ACCESS_UNKNOWN && answer.xnack >= 0)
		g_string_append_printf(text, " (now: %s)", model_access_text(answer.now));
	if (!row->accessed)
		g_string_append(text, "; kernels may not access it");
	if (answer.sources && *answer.sources)
		g_string_append_printf(text, " [%s]", answer.sources);
	put_row(printer, xnack_outcome_text(answer.outcome), text->str);
	g_string_free(text, TRUE);
}

void put_what_if(const struct printer *printer)
{
	const GPtrArray *rows = xnack_whatif_result(&printer->analysis->findings)->rows;
	const GPtrArray *processes = printer->analysis->replay.processes;
	int xnack = printer->analysis->what_if == WHAT_IF_XNACK1;

	if (printer->analysis->what_if == WHAT_IF_NOTHING)
		return;
	fprintf(printer->stream, "With XNACK %s (HSA_XNACK=%d):\n", xnack ? "on" : "off", xnack);
	if (!rows->len)
		put_row(printer, "", "no known memory was passed to a kernel");
	for (unsigned i = 0; i < rows->len; i++)
		put_one(printer, rows->pdata[i], xnack);
	for (unsigned i = 0; i < processes->len; i++) {
		char *limit = process_limit(printer->analysis, processes->pdata[i], xnack);

		if (limit)
			put_row_owned(printer, "but", limit);
	}
	fputc('\n', printer->stream);
}

static struct json_object *one_row(const struct analysis *analysis, const struct xnack_row *row,
				   int xnack)
{
	struct xnack_change answer = xnack_whatif_ask(row, xnack);
	struct json_object *object = json_object_new_object();
	char *kernel = row->kernel ? demangled(row->kernel) : NULL;

	put(object, "pid", json_object_new_int(row->process->pid));
	put_allocation(object, analysis, row->process, row->allocation);
	put(object, "allocations", json_object_new_int64((int64_t)row->allocations));
	put(object, "bytes", json_object_new_int64((int64_t)row->bytes));
	put(object, "kernel", text_or_null(kernel ? kernel : row->kernel));
	free(kernel);
	put(object, "several_kernels", json_object_new_boolean(row->several));
	put(object, "launches", json_object_new_int64((int64_t)row->launches));
	put(object, "accessed", json_object_new_boolean(row->accessed));
	put(object, "outcome", text_value(xnack_outcome_name(answer.outcome)));
	put(object, "now", text_value(model_access_text(answer.now)));
	put(object, "then", text_value(model_access_text(answer.then)));
	put(object, "reason", text_value(answer.reason));
	put(object, "sources", text_value(answer.sources ? answer.sources : ""));
	return object;
}

struct json_object *json_what_if(const struct analysis *analysis)
{
	const GPtrArray *rows = xnack_whatif_result(&analysis->findings)->rows;
	const GPtrArray *processes = analysis->replay.processes;
	struct json_object *object, *list, *limits;
	int xnack = analysis->what_if == WHAT_IF_XNACK1;

	if (analysis->what_if == WHAT_IF_NOTHING)
		return NULL;
	object = json_object_new_object();
	list = json_object_new_array();
	limits = json_object_new_array();
	for (unsigned i = 0; i < rows->len; i++)
		json_object_array_add(list, one_row(analysis, rows->pdata[i], xnack));
	for (unsigned i = 0; i < processes->len; i++) {
		struct process *process = processes->pdata[i];
		char *limit = process_limit(analysis, process, xnack);

		if (limit) {
			char *line = g_strdup_printf("process %d: %s", process->pid, limit);

			json_object_array_add(limits, text_value(line));
			g_free(line);
		}
		g_free(limit);
	}
	put(object, "xnack", json_object_new_int(xnack));
	put(object, "rows", list);
	put(object, "limits", limits);
	return object;
}
