/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what `hipgrain run --fix` did. */
#include "analyzer/rules/migration/fixes.h"

#include "json_values.h"
#include "printer.h"
#include "report.h"

static char *memory_text(const struct printer *printer, const struct fix_row *row)
{
	const struct allocation *allocation = row->allocation;
	const struct source_frame *frame;

	if (!allocation)
		return g_strdup("memory");
	frame = stack_user_frame(printer->analysis->symbolizer, row->process, allocation->stack_id);
	if (!frame || !frame->file) {
		return g_strdup_printf("%" G_GUINT64_FORMAT " bytes from %s", allocation->size,
				       hg_api_name(allocation->api));
	}
	return g_strdup_printf("%" G_GUINT64_FORMAT " bytes from %s at %s:%u", allocation->size,
			       hg_api_name(allocation->api), frame->file, frame->line);
}

static char *action_text(const struct printer *printer, const struct fix_row *row)
{
	char *memory = memory_text(printer, row), *text;

	switch (row->outcome) {
	case HG_FIX_DONE:
		text = row->fix == HG_FIX_COARSE_MANAGED
			   ? g_strdup_printf("made coarse-grained: %s", memory)
		       : row->fix == HG_FIX_PREFETCH
			   ? g_strdup_printf("prefetched to device %d: %s", row->device, memory)
			   : g_strdup_printf("aligned to 2 MiB: %s", memory);
		break;
	case HG_FIX_FAILED:
		text = g_strdup_printf("refused by the runtime with %s (%d): %s",
				       model_hip_error_name(row->result), row->result, memory);
		break;
	case HG_FIX_UNKNOWN_CODE:
		text = g_strdup(
		    "not covered: its machine code was not analysed before the program started");
		break;
	case HG_FIX_UNKNOWN_USE:
		text = g_strdup("not covered in full: the memory that some of its atomics update "
				"is unknown from its machine code");
		break;
	case HG_FIX_NO_ARGUMENTS:
		text = g_strdup("not covered: its arguments are unknown");
		break;
	default:
		text = g_strdup("not done: the program had a pending HIP error");
		break;
	}
	g_free(memory);
	return text;
}

static void put_one(const struct printer *printer, const struct fix_row *row)
{
	char *action = action_text(printer, row);
	GString *text = g_string_new(action);

	if (row->kernel)
		g_string_append_printf(text, ", for %s", row->kernel);
	if (row->outcome == HG_FIX_DONE) {
		g_string_append_printf(text, "; %" G_GUINT64_FORMAT " time%s", row->count,
				       row->count == 1 ? "" : "s");
	}
	if (row->given) {
		g_string_append_printf(text, ", %" G_GUINT64_FORMAT " bytes for %" G_GUINT64_FORMAT,
				       row->given, row->bytes);
	}
	put_row(printer, fix_name(row->fix), text->str);
	g_string_free(text, TRUE);
	g_free(action);
}

void put_fixes(const struct printer *printer)
{
	const GPtrArray *rows = fixes_result(&printer->analysis->findings);

	if (!rows->len)
		return;
	fprintf(printer->stream, "Actions of --fix:\n");
	for (unsigned i = 0; i < rows->len; i++)
		put_one(printer, rows->pdata[i]);
	fputc('\n', printer->stream);
}

static const char *outcome_name(unsigned outcome)
{
	static const char *const names[] = {
		[HG_FIX_DONE] = "done",
		[HG_FIX_FAILED] = "failed",
		[HG_FIX_UNKNOWN_CODE] = "unknown_code",
		[HG_FIX_UNKNOWN_USE] = "unknown_use",
		[HG_FIX_NOT_TRIED] = "not_tried",
		[HG_FIX_NO_ARGUMENTS] = "no_arguments",
	};

	return outcome < G_N_ELEMENTS(names) && names[outcome] ? names[outcome] : "unknown";
}

static struct json_object *one_row(const struct analysis *analysis, const struct fix_row *row)
{
	struct json_object *object = json_object_new_object();

	put(object, "pid", json_object_new_int(row->process->pid));
	put(object, "fix", text_value(fix_name(row->fix)));
	put(object, "outcome", text_value(outcome_name(row->outcome)));
	put(object, "error", json_object_new_int(row->result));
	put(object, "device", json_object_new_int(row->device));
	put(object, "kernel", text_or_null(row->kernel));
	put_allocation(object, analysis, row->process, row->allocation);
	put(object, "count", json_object_new_int64((int64_t)row->count));
	put(object, "bytes", json_object_new_int64((int64_t)row->bytes));
	put(object, "given", json_object_new_int64((int64_t)row->given));
	put(object, "ns", json_object_new_int64((int64_t)row->duration));
	return object;
}

struct json_object *json_fixes(const struct analysis *analysis)
{
	const GPtrArray *rows = fixes_result(&analysis->findings);
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < rows->len; i++)
		json_object_array_add(list, one_row(analysis, rows->pdata[i]));
	return list;
}
