/* SPDX-License-Identifier: Apache-2.0 */
/* The "hipgrain-findings/1" format. Members that do not apply are null, never missing. */
#include "analyzer/input_file.h"
#include "analyzer/ranks.h"
#include "analyzer/replay/ranges.h"
#include "codeobj/text.h"
#include "report.h"
#include "supposed.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "causes.h"
#include "chrome.h"
#include "history.h"
#include "json_ranges.h"
#include "json_values.h"
#include "selection.h"
#include "source_files.h"
#include "view.h"

#define FINDINGS_FAMILY "hipgrain-findings/"
#define FINDINGS_SCHEMA FINDINGS_FAMILY "1"

static struct json_object *number_or_null(int64_t number)
{
	return number >= 0 ? json_object_new_int64(number) : NULL;
}

struct json_object *json_address(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" G_GINT64_MODIFIER "x", value);
	return json_object_new_string(text);
}

struct json_object *json_stack(const struct analysis *analysis, const struct process *process,
			       uint32_t stack_id)
{
	struct json_object *list = json_object_new_array();
	const GPtrArray *frames = symbolize_stack(analysis->symbolizer, process, stack_id);

	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];
		struct json_object *entry = json_object_new_object();

		put(entry, "function", text_or_null(frame->function));
		put(entry, "file", text_or_null(frame->file));
		put(entry, "line", frame->line ? json_object_new_int64(frame->line) : NULL);
		put(entry, "module", text_or_null(frame->module));
		put(entry, "offset", json_address(frame->offset));
		json_object_array_add(list, entry);
	}
	return list;
}

/*
 * Returns the line outside of wrappers that requested the memory, or NULL if no wrapper allocated
 * it.
 */
static struct json_object *requester(const struct analysis *analysis, const struct finding *finding)
{
	const struct source_frame *frame =
	    stack_requester(analysis->symbolizer, finding->process, finding->allocation->stack_id);
	struct json_object *object;

	if (!frame)
		return NULL;
	object = json_object_new_object();
	put(object, "function", text_or_null(frame->function));
	put(object, "file", text_or_null(frame->file));
	put(object, "line", frame->line ? json_object_new_int64(frame->line) : NULL);
	put(object, "module", text_or_null(frame->module));
	put(object, "offset", json_address(frame->offset));
	return object;
}

static struct json_object *allocation(const struct analysis *analysis,
				      const struct finding *finding)
{
	const struct allocation *from = finding->allocation;
	struct json_object *object, *range = NULL;

	if (!from)
		return NULL;
	if (from->range) {
		char *path = range_path_text(from->range);

		range = text_value(path);
		g_free(path);
	}
	object = json_object_new_object();
	put(object, "api", text_or_null(hg_api_name_if_known(from->api)));
	put(object, "address", json_address(from->ptr));
	put(object, "size", json_object_new_int64((int64_t)from->size));
	put(object, "offset", json_object_new_int64((int64_t)finding->offset));
	put(object, "granularity",
	    finding->granularity == GRAIN_UNKNOWN
		? NULL
		: json_object_new_string(model_granularity_name(finding->granularity)));
	put(object, "mixed", json_object_new_boolean(finding->mixed));
	put(object, "why", text_or_null(finding->why));
	put(object, "symbol", text_or_null(from->symbol));
	put(object, "label", text_or_null(from->label));
	put(object, "view_space", text_or_null(from->view_space));
	put(object, "flags", json_flags(from));
	put_memory_range(object, finding);
	put(object, "piece", json_piece(analysis, finding));
	put(object, "pages", json_pages(analysis, finding));
	put(object, "stack", json_stack(analysis, finding->process, from->stack_id));
	put(object, "requested", requester(analysis, finding));
	put(object, "range", range);
	put(object, "freed_by",
	    from->freed ? text_or_null(hg_api_name_if_known(from->free_api)) : NULL);
	put(object, "free_stack",
	    from->freed ? json_stack(analysis, finding->process, from->free_stack_id) : NULL);
	return object;
}

static struct json_object *launches(const struct analysis *analysis, const struct finding *finding)
{
	struct json_object *object = json_object_new_object();
	uint32_t first =
	    finding->sites->len ? g_array_index(finding->sites, struct site, 0).stack_id : 0;

	put(object, "count", json_object_new_int64((int64_t)finding->launches));
	put(object, "first_ns", json_object_new_int64(finding->first_ns));
	put(object, "work_items", json_object_new_int64((int64_t)finding->work_items));
	put(object, "sites", json_object_new_int64(finding->sites->len));
	put(object, "beside", json_object_new_int64((int64_t)finding->beside));
	put(object, "unplaced", json_object_new_int64((int64_t)finding->unplaced));
	put(object, "stack", json_stack(analysis, finding->process, first));
	return object;
}

static struct json_object *sources(const char *tags)
{
	struct json_object *list = json_object_new_array();
	char **parts = g_strsplit(tags, ",", -1);

	for (char **part = parts; *part; part++)
		if (**part)
			json_object_array_add(list, json_object_new_string(*part));
	g_strfreev(parts);
	return list;
}

static struct json_object *rank_list(const struct finding *finding)
{
	struct json_object *list;

	if (!finding->ranks)
		return NULL;
	list = json_object_new_array();
	for (unsigned i = 0; i < finding->ranks->len; i++) {
		const struct finding_rank *rank =
		    &g_array_index(finding->ranks, struct finding_rank, i);
		struct json_object *entry = json_object_new_object();

		put(entry, "rank", json_object_new_int(rank->rank));
		put(entry, "pid", json_object_new_int(rank->pid));
		put(entry, "count", json_object_new_int64((int64_t)rank->count));
		json_object_array_add(list, entry);
	}
	return list;
}

/* Returns NULL if it is in one process alone. */
static struct json_object *process_list(const struct finding *finding)
{
	struct json_object *list;

	if (!finding->pids || finding->pids->len < 2)
		return NULL;
	list = json_object_new_array();
	for (unsigned i = 0; i < finding->pids->len; i++)
		json_object_array_add(
		    list, json_object_new_int(g_array_index(finding->pids, int32_t, i)));
	return list;
}

static struct json_object *rank_outliers(const struct analysis *analysis,
					 const struct finding *finding)
{
	struct json_object *list;
	GArray *ranks, *outliers;

	if (!finding->ranks || !analysis->ranks)
		return NULL;
	ranks = finding_ranks(finding);
	outliers = ranks_outliers(ranks, analysis->ranks,
				  completeness_unrecorded(&analysis->recording, &analysis->facts));
	list = json_object_new_array();
	for (unsigned i = 0; i < outliers->len; i++)
		json_object_array_add(list, json_object_new_int(g_array_index(outliers, int, i)));
	g_array_free(ranks, TRUE);
	g_array_free(outliers, TRUE);
	return list;
}

/* Returns what can be applied as it is: a text to insert behind a line, or into it. */
static struct json_object *edits(const struct fix_edit *edit)
{
	struct json_object *list, *object;

	if (!edit->file)
		return NULL;
	list = json_object_new_array();
	object = json_object_new_object();
	put(object, "file", text_value(edit->file));
	put(object, "line", json_object_new_int64(edit->line));
	put(object, "column", edit->column ? json_object_new_int64(edit->column) : NULL);
	put(object, "insert_after", text_value(edit->text));
	json_object_array_add(list, object);
	return list;
}

struct json_object *json_finding(const struct analysis *analysis, const struct finding *finding)
{
	struct json_object *object = json_object_new_object();

	put(object, "rule", json_object_new_string(finding->rule->id));
	put(object, "fingerprint", text_or_null(finding->fingerprint));
	put(object, "former_fingerprint", text_or_null(finding->former_fingerprint));
	put(object, "cause", NULL); /* of the whole list: causes_of() */
	put(object, "slug", json_object_new_string(finding->rule->slug));
	put(object, "severity", json_object_new_string(severity_name(finding_severity(finding))));
	put(object, "confidence", json_object_new_string(confidence_name(finding->confidence)));
	put(object, "measured", text_or_null(finding->measured));
	put(object, "doubts", text_or_null(finding->doubts));
	put(object, "message", text_or_null(finding->message));
	put(object, "why", text_or_null(finding->why));
	put(object, "pid", json_object_new_int(finding->process->pid));
	put(object, "api", text_or_null(finding->api));
	put(object, "subject", text_or_null(finding->subject));
	put(object, "kernel", text_or_null(finding->kernel));
	put(object, "kernel_symbol", text_or_null(finding->kernel_symbol));
	put(object, "instruction", text_or_null(finding->instruction));
	put(object, "code_offset", number_or_null(finding->code_offset));
	put(object, "device_file", text_or_null(finding->device_file));
	put(object, "device_line",
	    finding->device_line ? json_object_new_int64(finding->device_line) : NULL);
	put(object, "instructions", json_instructions(finding));
	put(object, "kernarg_offset", number_or_null(finding->kernarg_offset));
	put(object, "argument", text_or_null(finding->argument_name));
	put(object, "path", text_or_null(finding->chain));
	put(object, "argument_index", number_or_null(finding->argument));
	put(object, "allocation", allocation(analysis, finding));
	put(object, "candidates", finding->holders ? NULL : json_candidates(analysis, finding));
	put(object, "holders", finding->holders ? json_candidates(analysis, finding) : NULL);
	put(object, "candidates_left_out",
	    json_object_new_int64((int64_t)finding->candidates_left_out));
	put(object, "sites", json_object_new_int64(finding->sites->len));
	put(object, "launches",
	    finding_is_about_launches(finding) ? launches(analysis, finding) : NULL);
	put(object, "call_stack",
	    finding_is_about_launches(finding) || !finding->sites->len
		? NULL
		: json_stack(analysis, finding->process,
			     g_array_index(finding->sites, struct site, 0).stack_id));
	put(object, "related", text_or_null(finding->related));
	put(object, "related_stack",
	    finding->related_stack_id
		? json_stack(analysis, finding->process, finding->related_stack_id)
		: NULL);
	put(object, "count", json_object_new_int64((int64_t)finding->count));
	put(object, "pids", process_list(finding));
	put(object, "ranks", rank_list(finding));
	put(object, "rank_outliers", rank_outliers(analysis, finding));
	put_ranges(object, finding);
	if (analysis->gpu_times)
		put(object, "gpu_time", json_gpu_time(analysis, finding));
	put(object, "worth", json_worth(analysis, finding));
	put(object, "history",
	    json_move_history(analysis, finding->process,
			      finding_history(&analysis->findings, finding)));
	put(object, "fix", text_or_null(finding->fix));
	put(object, "edits", edits(&finding->edit));
	put(object, "sources", sources(finding->rule->sources));
	put(object, "cause_fix", NULL);
	put(object, "cause_edits", NULL);
	put(object, "others", NULL);
	return object;
}

static struct json_object *one_process(const struct process *process)
{
	struct json_object *object = json_object_new_object();
	struct json_object *devices = json_object_new_array();

	put(object, "pid", json_object_new_int(process->pid));
	put(object, "rank", number_or_null(process_rank(process)));
	put(object, "exe", text_value(process->exe));
	put(object, "command", text_value(process->cmdline));
	put(object, "runtime", text_or_null(process->runtime_path));
	put(object, "runtime_version",
	    process->runtime_version ? json_object_new_int(process->runtime_version) : NULL);
	for (unsigned i = 0; i < process->devices->len; i++) {
		const struct device *device = process->devices->pdata[i];
		struct json_object *entry = json_object_new_object();

		put(entry, "ordinal", json_object_new_int(device->ordinal));
		put(entry, "name", text_value(device->name));
		put(entry, "target", text_value(device->arch));
		put(entry, "xnack",
		    device->xnack < 0 ? NULL : json_object_new_boolean(device->xnack));
		json_object_array_add(devices, entry);
	}
	put(object, "devices", devices);
	put(object, "launches", json_object_new_int64((int64_t)process->launches));
	put(object, "allocations", json_object_new_int64((int64_t)process->allocations));
	return object;
}

static struct json_object *text_list(const GPtrArray *lines)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < lines->len; i++)
		json_object_array_add(list, text_value(lines->pdata[i]));
	return list;
}

static struct json_object *suppressions(const struct selection *selection)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; selection && i < selection->suppressions->len; i++) {
		const struct suppression *suppression = selection->suppressions->pdata[i];
		struct json_object *entry = json_object_new_object();

		put(entry, "text", text_value(suppression->text));
		put(entry, "file", text_value(suppression->file));
		put(entry, "line", json_object_new_int64(suppression->line));
		put(entry, "count", json_object_new_int64((int64_t)suppression->count));
		json_object_array_add(list, entry);
	}
	return list;
}

static struct json_object *baseline(const struct selection *selection)
{
	struct json_object *object;

	if (!selection || !selection->baseline)
		return NULL;
	object = json_object_new_object();
	put(object, "file", text_value(selection->baseline));
	put(object, "known", text_list(selection->known_now));
	return object;
}

static struct json_object *recording_cost(const struct analysis *analysis)
{
	const struct recording_cost *cost = &analysis->cost;
	struct json_object *object;

	if (!cost->bytes)
		return NULL;
	object = json_object_new_object();
	put(object, "events", json_object_new_int64((int64_t)analysis->stats.events));
	put(object, "bytes", json_object_new_int64((int64_t)cost->bytes));
	put(object, "processes", json_object_new_int64((int64_t)cost->processes));
	put(object, "calls", json_object_new_int64((int64_t)cost->calls));
	put(object, "timed_calls", json_object_new_int64((int64_t)cost->timed));
	put(object, "hook_ns", json_object_new_int64((int64_t)cost->spent));
	put(object, "processor_ns", json_object_new_int64((int64_t)cost->used));
	/* From a few calls of a short program the estimate can come out as more than everything. */
	put(object, "share",
	    cost->used > cost->spent
		? json_object_new_double((double)cost->spent / (double)cost->used)
		: NULL);
	return object;
}

static struct json_object *process_list_of(const struct analysis *analysis)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < analysis->replay.processes->len; i++)
		json_object_array_add(list, one_process(analysis->replay.processes->pdata[i]));
	return list;
}

struct json_object *json_causes(const struct analysis *analysis)
{
	struct json_object *processes = process_list_of(analysis);
	struct json_object *list = json_object_new_array(), *causes;

	for (unsigned i = 0; i < analysis->findings.list->len; i++) {
		struct finding *finding = analysis->findings.list->pdata[i];
		struct json_object *object = json_finding(analysis, finding);

		json_object_set_userdata(object, finding, NULL);
		json_object_array_add(list, object);
	}
	causes = causes_of(list, processes);
	json_object_put(list);
	json_object_put(processes);
	return causes;
}

struct json_object *report_json_object(const struct analysis *analysis)
{
	const struct selection *selection = analysis->selection;
	struct json_object *root = json_object_new_object();

	put(root, "schema", json_object_new_string(FINDINGS_SCHEMA));
	put(root, "complete",
	    json_object_new_boolean(analysis->recording.status == RECORDING_COMPLETE));
	put(root, "analysed", json_object_new_boolean(analysis->analysed));
	put(root, "recording", json_recording(analysis));
	put(root, "lost_events", json_object_new_int64((int64_t)analysis->recording.missing));
	put(root, "events", json_object_new_int64((int64_t)analysis->stats.events));
	put(root, "processes", process_list_of(analysis));
	put(root, "end", json_death(analysis));
	put(root, "findings", json_causes(analysis));
	put(root, "suppressed",
	    json_object_new_int64(selection ? (int64_t)selection->suppressed : 0));
	put(root, "suppressions", suppressions(selection));
	put(root, "baseline", baseline(selection));
	put(root, "limits", text_list(analysis->findings.limits));
	put(root, "notes", text_list(analysis->findings.notes));
	put(root, "migration", json_migration(analysis));
	put(root, "recording_cost", recording_cost(analysis));
	put(root, "fixes", json_fixes(analysis));
	put(root, "residency", json_residency(analysis));
	put(root, "source_files", json_source_files(analysis));
	if (analysis->gpu_times)
		put(root, "gpu_times", json_gpu_times(analysis));
	if (analysis->supposed)
		put(root, "supposed", json_supposed(analysis));
	if (analysis->what_if != WHAT_IF_NOTHING)
		put(root, "what_if", json_what_if(analysis));
	return root;
}

int report_json(const struct analysis *analysis, unsigned style, FILE *stream)
{
	struct json_object *report = report_json_object(analysis);

	if (style & REPORT_VIEW)
		put(report, "view", view_object(analysis));
	if (style & REPORT_EVENTS)
		put(report, "chrome", chrome_object(analysis));
	return write_json(report, stream);
}

/* ---- reading ---- */

static bool has_fingerprints(struct json_object *findings)
{
	for (size_t i = 0; i < json_object_array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);
		struct json_object *value = NULL;

		if (!json_object_is_type(finding, json_type_object) ||
		    !json_object_object_get_ex(finding, "fingerprint", &value) ||
		    !json_object_is_type(value, json_type_string))
			return false;
	}
	return true;
}

/* Returns the error for a report of another version, or NULL. */
static char *other_version(const char *path, const char *schema)
{
	char shown[64];

	if (!g_str_has_prefix(schema, FINDINGS_FAMILY) || strcmp(schema, FINDINGS_SCHEMA) == 0)
		return NULL;
	text_copy_visible(shown, sizeof(shown), schema);
	return g_strdup_printf("%s: its schema is '%s'; this version reads " FINDINGS_SCHEMA, path,
			       shown);
}

int report_read_json(const char *path, struct json_object **report, char **error)
{
	struct json_object *schema = NULL, *findings = NULL;
	char *content = input_file_read(path, error);

	*report = NULL;
	if (!content)
		return -EIO;
	*report = json_tokener_parse(content);
	g_free(content);
	*error = other_version(path, get_text(*report, "schema"));
	if (*error)
		goto refused;
	if (!json_object_is_type(*report, json_type_object) ||
	    !json_object_object_get_ex(*report, "schema", &schema) ||
	    !json_object_is_type(schema, json_type_string) ||
	    strcmp(json_object_get_string(schema), FINDINGS_SCHEMA) != 0 ||
	    !json_object_object_get_ex(*report, "findings", &findings) ||
	    !json_object_is_type(findings, json_type_array)) {
		*error = g_strdup_printf("%s: not a JSON report (schema " FINDINGS_SCHEMA
					 "), as 'hipgrain report --format=json' writes",
					 path);
	} else if (!has_fingerprints(findings)) {
		*error = g_strdup_printf("%s: its findings have no fingerprints: an older "
					 "hipgrain wrote it",
					 path);
	}
refused:
	if (*error) {
		json_object_put(*report);
		*report = NULL;
		return -EINVAL;
	}
	return 0;
}
