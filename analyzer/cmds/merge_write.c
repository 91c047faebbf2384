/* SPDX-License-Identifier: Apache-2.0 */
/* The report of several, as text or JSON. */
#include <stdlib.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/output.h"
#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/merge_parts.h"
#include "analyzer/report/chrome.h"
#include "analyzer/report/html.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/printer.h"
#include "analyzer/report/report.h"
#include "analyzer/report/source_files.h"
#include "analyzer/symbols/demangle.h"
#include "tracer/message.h"
#include "codeobj/text.h"

static struct json_object *texts_json(const GPtrArray *list)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; i < list->len; i++)
		json_object_array_add(array, json_object_new_string(list->pdata[i]));
	return array;
}

/* Rows name their process; reports of earlier versions have none. */
static struct json_object *rows_json(const struct merge *merge, const char *name)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; i < merge->reports->len; i++) {
		struct json_object *rows = get_member(merge->reports->pdata[i], name);

		for (size_t k = 0; rows && k < json_object_array_length(rows); k++) {
			json_object_array_add(array,
					      json_object_get(json_object_array_get_idx(rows, k)));
		}
	}
	return array;
}

static struct json_object *cost_json(const struct merge *merge)
{
	struct json_object *object = json_object_new_object();

	for (unsigned i = 0; i < G_N_ELEMENTS(merge_costs); i++) {
		json_object_object_add(object, merge_costs[i],
				       json_object_new_int64(merge->cost[i]));
	}
	json_object_object_add(
	    object, "share",
	    merge->cost[MERGE_COST_processor_ns] > merge->cost[MERGE_COST_hook_ns]
		? json_object_new_double((double)merge->cost[MERGE_COST_hook_ns] /
					 (double)merge->cost[MERGE_COST_processor_ns])
		: NULL);
	return object;
}

static struct json_object *recording_json(const struct merge *merge)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(
	    object, "status",
	    json_object_new_string(recording_status_name((enum recording_status)merge->recording)));
	json_object_object_add(object, "missing", json_object_new_int64(merge->missing));
	json_object_object_add(object, "unrecorded_processes",
			       json_object_new_int64((int64_t)merge->unrecorded));
	json_object_object_add(object, "reasons", json_object_get(merge->reasons));
	json_object_object_add(object, "processes", json_object_get(merge->gaps));
	return object;
}

static void add_rows(struct json_object *to, struct json_object *rows)
{
	for (size_t row = 0; row < array_length(rows); row++)
		json_object_array_add(to, json_object_get(json_object_array_get_idx(rows, row)));
}

static bool any_killed(const struct merge *merge)
{
	for (unsigned i = 0; i < merge->reports->len; i++) {
		struct json_object *end = get_member(merge->reports->pdata[i], "end");

		if (json_object_get_boolean(get_member(end, "killed")))
			return true;
	}
	return false;
}

/* Returns the sentences and the rows of several commands, each of which has an end of its own. */
static struct json_object *end_json(const struct merge *merge)
{
	struct json_object *object = json_object_new_object();
	struct json_object *faults = json_object_new_array();
	struct json_object *open = json_object_new_array();
	struct json_object *only =
	    merge->reports->len == 1 ? get_member(merge->reports->pdata[0], "end") : NULL;

	for (unsigned i = 0; i < merge->reports->len; i++) {
		struct json_object *end = get_member(merge->reports->pdata[i], "end");

		add_rows(faults, get_array(end, "faults"));
		add_rows(open, get_array(end, "open_calls"));
	}
	json_object_object_add(object, "status", json_object_get(get_member(only, "status")));
	json_object_object_add(object, "signal", json_object_get(get_member(only, "signal")));
	json_object_object_add(object, "killed", json_object_new_boolean(any_killed(merge)));
	json_object_object_add(object, "text", texts_json(merge->ends));
	json_object_object_add(object, "faults", faults);
	json_object_object_add(object, "open_calls", open);
	return object;
}

/* Copies are changed, not the reports. */
static struct json_object *source_files(const struct merge *merge)
{
	struct json_object *files = json_object_new_object();

	for (unsigned i = 0; i < merge->reports->len; i++) {
		struct json_object *copy = NULL,
				   *own = get_member(merge->reports->pdata[i], "source_files");

		if (own && json_object_deep_copy(own, &copy, NULL) == 0)
			json_source_files_unite(files, copy);
		json_object_put(copy);
	}
	return files;
}

static struct json_object *merge_json(const struct merge *merge)
{
	struct json_object *root = json_object_new_object();
	struct json_object *findings = json_object_new_array();

	for (unsigned i = 0; i < merge->findings->len; i++)
		json_object_array_add(findings, json_object_get(merge->findings->pdata[i]));
	json_object_object_add(root, "schema",
			       json_object_get(get_member(merge->reports->pdata[0], "schema")));
	json_object_object_add(
	    root, "complete",
	    json_object_new_boolean(merge->recording < 0 ? merge->analysed
							 : merge->recording == RECORDING_COMPLETE));
	json_object_object_add(root, "analysed", json_object_new_boolean(merge->analysed));
	if (merge->recording >= 0)
		json_object_object_add(root, "recording", recording_json(merge));
	json_object_object_add(root, "lost_events", json_object_new_int64(merge->lost));
	json_object_object_add(root, "events", json_object_new_int64(merge->events));
	json_object_object_add(root, "processes", json_object_get(merge->processes));
	json_object_object_add(root, "end", end_json(merge));
	json_object_object_add(root, "findings", findings);
	json_object_object_add(root, "suppressed", json_object_new_int64(merge->suppressed));
	json_object_object_add(root, "suppressions", json_object_new_array());
	json_object_object_add(root, "baseline", NULL);
	json_object_object_add(root, "limits", texts_json(merge->limits));
	json_object_object_add(root, "notes", texts_json(merge->notes));
	json_object_object_add(root, "migration", rows_json(merge, "migration"));
	json_object_object_add(root, "recording_cost",
			       merge->cost[MERGE_COST_bytes] ? cost_json(merge) : NULL);
	json_object_object_add(root, "fixes", rows_json(merge, "fixes"));
	json_object_object_add(root, "residency", rows_json(merge, "residency"));
	json_object_object_add(root, "source_files", source_files(merge));
	return root;
}

static void print_line(FILE *stream, const char *heading, const char *text)
{
	char *shortened = limit_with_short_name(text), *line = text_one_line(shortened);

	fprintf(stream, "%s  %s\n", heading, line ? line : "?");
	free(line);
	g_free(shortened);
}

static void print_text(const struct merge *merge, bool verbose, FILE *stream)
{
	struct printer printer;
	const char *silence;

	for (unsigned i = 0; i < merge->ends->len; i++)
		fprintf(stream, "hipgrain: %s\n", (const char *)merge->ends->pdata[i]);
	if (merge->seeds)
		fprintf(stream, "hipgrain: %u seeds, ", merge->reports->len);
	else
		fprintf(stream, "hipgrain: ");
	fprintf(stream, "%zu processes, %u ranks, %" G_GINT64_FORMAT " events\n\n",
		json_object_array_length(merge->processes), merge->ranks->len, merge->events);
	printer_init(&printer, NULL, verbose ? REPORT_VERBOSE : 0, stream);
	printer.source_files = source_files(merge);
	printer.unrecorded = merge->unrecorded;
	put_first(&printer, merge->causes);
	for (unsigned i = 0; i < merge->findings->len; i++)
		put_finding(&printer, merge->findings->pdata[i], merge->ranks, NULL);
	json_object_put(printer.source_files);
	for (unsigned i = 0; i < merge->limits->len; i++)
		print_line(stream, i ? "" : "Not analysed:\n", merge->limits->pdata[i]);
	for (unsigned i = 0; i < merge->notes->len; i++)
		print_line(stream, i ? "" : "Notes:\n", merge->notes->pdata[i]);
	put_left_out(&printer);
	if (verbose && merge->cost[MERGE_COST_processor_ns] > merge->cost[MERGE_COST_hook_ns]) {
		fprintf(
		    stream,
		    "hipgrain: recording cost: %.1f MB; about %.1f %% of the programs' CPU time\n",
		    (double)merge->cost[MERGE_COST_bytes] / 1e6,
		    100 * (double)merge->cost[MERGE_COST_hook_ns] /
			(double)merge->cost[MERGE_COST_processor_ns]);
	}
	if (merge->recording >= 0) {
		recording_line(recording_status_name((enum recording_status)merge->recording),
			       merge->missing, stream);
	}
	silence = recording_silence(merge->recording, merge->analysed);
	if (merge->findings->len == 0 && !*silence && any_killed(merge))
		silence = ": none that explains how a program ended";
	fprintf(stream, "hipgrain: %u finding%s%s\n", merge->findings->len,
		merge->findings->len == 1 ? "" : "s", merge->findings->len ? "" : silence);
}

static int write_html(const struct merge *merge, FILE *stream)
{
	struct json_object *report = merge_json(merge);
	struct json_object *views = json_object_new_array();
	int result;

	for (unsigned i = 0; i < merge->reports->len; i++) {
		json_object_array_add(
		    views, json_object_get(get_member(merge->reports->pdata[i], "view")));
	}
	result = html_write(report, views, stream);
	json_object_put(report);
	json_object_put(views);
	return result;
}

static int write_chrome(const struct merge *merge, FILE *stream)
{
	GPtrArray *traces = g_ptr_array_new();
	int result = 0;

	for (unsigned i = 0; i < merge->reports->len; i++) {
		struct json_object *trace = get_member(merge->reports->pdata[i], "chrome");

		if (!trace) {
			message_error("a report has no events for --format=chrome: write it with "
				      "'hipgrain report --partial=FILE --chrome'");
			result = 1;
			break;
		}
		g_ptr_array_add(traces, trace);
	}
	if (!result) {
		result = write_json(
		    chrome_join((struct json_object *const *)traces->pdata, traces->len), stream);
	}
	g_ptr_array_free(traces, TRUE);
	return result;
}

/* Writes the report. Returns 0, a negative errno, or 1 after a message. */
static int write_format(const struct merge *merge, const struct merge_options *options,
			FILE *stream)
{
	struct json_object *report;
	int result;

	switch (options->format) {
	case REPORT_TEXT:
		print_text(merge, options->verbose, stream);
		return 0;
	case REPORT_JSON:
		return write_json(merge_json(merge), stream);
	case REPORT_HTML:
		return write_html(merge, stream);
	case REPORT_CHROME:
		return write_chrome(merge, stream);
	default:
		report = merge_json(merge);
		result = report_of_json(options->format, report, stream);
		json_object_put(report);
		return result;
	}
}

int merge_write(const struct merge *merge, const struct merge_options *options)
{
	const char *output = options->output;
	FILE *given = options->stream ? options->stream : stdout;
	FILE *stream = output ? output_open(output) : given;
	int result = 0;

	if (!stream) {
		message_error("%s: %s", output, strerror(errno));
		return HG_EXIT_INPUT;
	}
	result = write_format(merge, options, stream);
	if (output && (ferror(stream) | fclose(stream)) && !result)
		result = -EIO;
	if (result < 0)
		message_error("cannot write the report: %s", strerror(-result));
	return result ? HG_EXIT_INPUT : HG_EXIT_OK;
}
