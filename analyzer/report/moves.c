/* SPDX-License-Identifier: Apache-2.0 */
/* The account of pages that moved between host and GPUs. */
#include "analyzer/rules/moves.h"
#include "json_values.h"
#include "printer.h"
#include "report.h"

#define PAGE 4096u

static const char *const causes[MOVE_TRIGGERS] = {
	[MOVE_PREFETCH] = "prefetch",
	[MOVE_GPU_FAULT] = "gpu_fault",
	[MOVE_CPU_FAULT] = "cpu_fault",
	[MOVE_EVICTION] = "eviction",
};

static const char *const cause_texts[MOVE_TRIGGERS] = {
	[MOVE_PREFETCH] = "prefetched",
	[MOVE_GPU_FAULT] = "faults of the GPU",
	[MOVE_CPU_FAULT] = "faults of the host",
	[MOVE_EVICTION] = "for want of room",
};

static void append_way(GString *text, const char *way, const uint64_t bytes[MOVE_TRIGGERS])
{
	const char *before = way;

	for (unsigned i = 0; i < MOVE_TRIGGERS; i++) {
		if (bytes[i]) {
			g_string_append_printf(text, "%s%s%" G_GUINT64_FORMAT " pages (%s)",
					       text->len ? ", " : "", before, bytes[i] / PAGE,
					       cause_texts[i]);
			before = "";
		}
	}
}

static void put_one(const struct printer *printer, const struct move_row *row)
{
	const struct allocation *allocation = row->allocation;
	GString *text = g_string_new(NULL);

	if (allocation) {
		const struct source_frame *frame = user_frame(symbolize_stack(
		    printer->analysis->symbolizer, row->process, allocation->stack_id));

		g_string_printf(text, "%" G_GUINT64_FORMAT " bytes from %s", allocation->size,
				hg_api_name(allocation->api));
		if (frame && frame->file) {
			g_string_append_printf(text, " at %s:%u", frame->file, frame->line);
		}
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
	g_string_truncate(text, 0);
	append_way(text, "to the GPU ", row->to_device);
	append_way(text, "to the host ", row->to_host);
	if (row->faults_moved || row->faults_kept) {
		g_string_append_printf(
		    text,
		    "%s%" G_GUINT64_FORMAT " faults of the GPU, %" G_GUINT64_FORMAT
		    " of them without a move",
		    text->len ? "; " : "", row->faults_moved + row->faults_kept, row->faults_kept);
	}
	put_row(printer, "", text->str);
	g_string_free(text, TRUE);
}

void put_moves(const struct printer *printer)
{
	const GPtrArray *rows = printer->analysis->findings.moves;

	if (!rows->len) {
		return;
	}
	fprintf(printer->stream, "Pages that moved:\n");
	for (unsigned i = 0; i < rows->len; i++) {
		put_one(printer, rows->pdata[i]);
	}
	fputc('\n', printer->stream);
}

static struct json_object *ways(const uint64_t bytes[MOVE_TRIGGERS])
{
	struct json_object *object = json_object_new_object();

	for (unsigned i = 0; i < MOVE_TRIGGERS; i++) {
		put(object, causes[i], json_object_new_int64((int64_t)bytes[i]));
	}
	return object;
}

static struct json_object *one_row(const struct analysis *analysis, const struct move_row *row)
{
	struct json_object *object = json_object_new_object();

	put(object, "pid", json_object_new_int(row->process->pid));
	put_allocation(object, analysis, row->process, row->allocation);
	put(object, "allocations", json_object_new_int64((int64_t)row->allocations));
	put(object, "kernel", text_or_null(row->kernel));
	put(object, "one_of_several", json_object_new_boolean(row->one_of_several));
	put(object, "to_device", ways(row->to_device));
	put(object, "to_host", ways(row->to_host));
	put(object, "faults_moved", json_object_new_int64((int64_t)row->faults_moved));
	put(object, "faults_kept", json_object_new_int64((int64_t)row->faults_kept));
	return object;
}

struct json_object *json_moves(const struct analysis *analysis)
{
	const GPtrArray *rows = analysis->findings.moves;
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < rows->len; i++) {
		json_object_array_add(list, one_row(analysis, rows->pdata[i]));
	}
	return list;
}
