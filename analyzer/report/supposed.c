/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what changes for a recording under other rows of the model (--what-if). */
#include "supposed.h"

#include <string.h>

#include "analyzer/rules/engine/supposition.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "analyzer/rules/ids/hg9xx.h"
#include "json_values.h"
#include "printer.h"
#include "report.h"

/*
 * These findings are what happened, or rest on it: a fault, a failed call, pages that moved. No row
 * says if it would happen elsewhere.
 */
static const enum rule_id seen_rules[] = {
	RULE_HG301, RULE_HG302, RULE_HG308, RULE_HG309, RULE_HG312, RULE_HG314, RULE_HG614,
	RULE_HG616, RULE_HG617, RULE_HG621, RULE_HG623, RULE_HG624, RULE_HG706, RULE_HG707,
	RULE_HG709, RULE_HG711, RULE_HG712, RULE_HG714, RULE_HG715, RULE_HG902,
};

struct changes {
	GPtrArray *breaks;  /* struct finding of the supposed analysis */
	GPtrArray *mends;   /* of the recorded one */
	GPtrArray *worse;   /* of the supposed one, with another severity */
	GPtrArray *unknown; /* of the recorded one */
	unsigned same;
};

static bool was_seen(const struct finding *finding)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(seen_rules); i++)
		if (finding->rule == &rules[seen_rules[i]])
			return true;
	return false;
}

static GHashTable *by_fingerprint(const struct analysis *analysis)
{
	GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < analysis->findings.list->len; i++) {
		struct finding *finding = analysis->findings.list->pdata[i];

		g_hash_table_insert(table, finding->fingerprint, finding);
	}
	return table;
}

/* Returns true if the finding rests on machine code that the supposed GPU does not have. */
static bool lacks_code(const struct analysis *analysis, const struct finding *finding)
{
	return finding->kernel_symbol && analysis->supposed->findings.limit_counts[LIMIT_CODE] >
					     analysis->findings.limit_counts[LIMIT_CODE];
}

static void compare(const struct analysis *analysis, struct changes *changes)
{
	GHashTable *now = by_fingerprint(analysis), *then = by_fingerprint(analysis->supposed);
	const GPtrArray *lists[] = { analysis->findings.list, analysis->supposed->findings.list };

	*changes = (struct changes){ g_ptr_array_new(), g_ptr_array_new(), g_ptr_array_new(),
				     g_ptr_array_new(), 0 };
	for (guint i = 0; i < lists[0]->len; i++) {
		struct finding *finding = lists[0]->pdata[i];
		const struct finding *other = g_hash_table_lookup(then, finding->fingerprint);

		if (was_seen(finding) || (!other && lacks_code(analysis, finding)))
			g_ptr_array_add(changes->unknown, finding);
		else if (!other)
			g_ptr_array_add(changes->mends, finding);
		else if (finding_severity(other) == finding_severity(finding))
			changes->same++;
	}
	for (guint i = 0; i < lists[1]->len; i++) {
		struct finding *finding = lists[1]->pdata[i];
		const struct finding *other = g_hash_table_lookup(now, finding->fingerprint);

		if (was_seen(finding))
			continue;
		if (!other)
			g_ptr_array_add(changes->breaks, finding);
		else if (finding_severity(other) != finding_severity(finding))
			g_ptr_array_add(changes->worse, finding);
	}
	g_hash_table_destroy(now);
	g_hash_table_destroy(then);
}

static void changes_clear(struct changes *changes)
{
	g_ptr_array_free(changes->breaks, TRUE);
	g_ptr_array_free(changes->mends, TRUE);
	g_ptr_array_free(changes->worse, TRUE);
	g_ptr_array_free(changes->unknown, TRUE);
}

unsigned supposed_breaks(const struct analysis *analysis, enum severity severity)
{
	struct changes changes;
	unsigned count = 0;

	compare(analysis, &changes);
	for (guint i = 0; i < changes.breaks->len; i++)
		count += finding_severity(changes.breaks->pdata[i]) >= severity;
	for (guint i = 0; i < changes.worse->len; i++)
		count += finding_severity(changes.worse->pdata[i]) >= severity;
	changes_clear(&changes);
	return count;
}

/* ---- what is supposed ---- */

static char *release_text(int version)
{
	return version % 100000
		   ? g_strdup_printf("HIP %d.%d.%d", version / 10000000, version / 100000 % 100,
				     version % 100000)
		   : g_strdup_printf("HIP %d.%d", version / 10000000, version / 100000 % 100);
}

static const char *xnack_text(int xnack)
{
	return xnack < 0 ? "XNACK unknown" : xnack ? "XNACK on" : "XNACK off";
}

/* Returns the first process that has a runtime or a device; NULL: none has. */
static const struct process *first_process(const struct analysis *analysis)
{
	for (guint i = 0; i < analysis->replay.processes->len; i++) {
		const struct process *process = analysis->replay.processes->pdata[i];

		if (process->runtime_version || process->devices->len)
			return process;
	}
	return NULL;
}

/* Appends what differs of `process`, as it was recorded or is supposed; to be freed. */
static char *state_text(const struct process *process, const struct supposed *supposed, bool then)
{
	const struct device *device = process ? process_device(process, 0) : NULL;
	GString *text = g_string_new(NULL);

	if (supposed->version && process) {
		char *release = release_text(then ? supposed->version : process->recorded_version);

		g_string_append(text, release);
		g_free(release);
	}
	if (supposed->gpu) {
		const char *arch = then                              ? supposed->gpu
				   : device && device->recorded_arch ? device->recorded_arch
								     : "an unknown GPU";

		g_string_append_printf(text, "%s%.*s", text->len ? ", " : "",
				       (int)strcspn(arch, ":"), arch);
	}
	if (supposed->xnack >= 0) {
		g_string_append_printf(text, "%s%s", text->len ? ", " : "",
				       xnack_text(then     ? supposed->xnack
						  : device ? device->recorded_xnack
							   : -1));
	}
	if (supposed->apu >= 0) {
		int apu = then ? supposed->apu : device ? device->recorded_integrated : -1;

		g_string_append_printf(text, "%s%s", text->len ? ", " : "",
				       apu < 0 ? "unknown if an APU"
				       : apu   ? "an APU"
					       : "no APU");
	}
	return g_string_free(text, FALSE);
}

/* Returns the limits that only what is supposed has: char *, borrowed. */
static GPtrArray *new_limits(const struct analysis *analysis)
{
	GPtrArray *lines = g_ptr_array_new();
	const GPtrArray *then = analysis->supposed->findings.limits;

	for (guint i = 0; i < then->len; i++)
		if (!findings_line_processes(&analysis->findings, then->pdata[i]))
			g_ptr_array_add(lines, then->pdata[i]);
	return lines;
}

/* ---- text ---- */

static char *at_place(const struct analysis *analysis, const struct process *process,
		      uint32_t stack_id)
{
	const struct source_frame *frame =
	    stack_user_frame(analysis->symbolizer, process, stack_id);

	return frame && frame->file ? g_strdup_printf(" at %s:%u", frame->file, frame->line)
				    : g_strdup("");
}

static void put_short_list(const struct printer *printer, const char *heading,
			   const GPtrArray *findings)
{
	if (findings->len)
		fprintf(printer->stream, "%s\n", heading);
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *finding = findings->pdata[i];
		const struct site *site =
		    finding->sites->len ? &g_array_index(finding->sites, struct site, 0) : NULL;
		char *place =
		    at_place(printer->analysis, finding->process, site ? site->stack_id : 0);

		put_words_owned(
		    printer, severity_name(finding_severity(finding)),
		    g_strdup_printf("%s%s: %s", finding->rule->id, place,
				    finding->message ? finding->message : finding->rule->title));
		g_free(place);
	}
	if (findings->len)
		fputc('\n', printer->stream);
}

static void put_rows(const struct printer *printer)
{
	const GPtrArray *rows = supposed_rows(&printer->analysis->findings);

	if (rows->len)
		fputs("Rows of the memory model that differ:\n", printer->stream);
	for (guint i = 0; i < rows->len; i++) {
		const struct supposed_row *row = rows->pdata[i];
		char *place = at_place(printer->analysis, row->process, row->stack_id);

		put_words_owned(printer, "",
				g_strdup_printf("%s%s: today %s; then %s [%s]", row->what, place,
						row->before, row->after, row->sources));
		g_free(place);
	}
	if (rows->len)
		fputc('\n', printer->stream);
}

static void put_blocks(struct printer *printer, const char *heading, const GPtrArray *findings)
{
	if (findings->len)
		fprintf(printer->stream, "%s\n", heading);
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *finding = findings->pdata[i];
		struct json_object *object = json_finding(printer->analysis, finding);

		put_finding(printer, object, printer->analysis->ranks, finding);
		json_object_put(object);
	}
}

void put_supposed(const struct printer *now, unsigned style)
{
	const struct analysis *analysis = now->analysis, *supposed = analysis->supposed;
	const struct process *process = first_process(supposed);
	char *recorded = state_text(process, supposed->replay.supposed, false),
	     *then = state_text(process, supposed->replay.supposed, true);
	GPtrArray *limits = new_limits(analysis);
	struct printer printer;
	struct changes changes;

	printer_init(&printer, supposed, style, now->stream);
	compare(analysis, &changes);
	fprintf(now->stream, "hipgrain: with %s instead of %s: ", then, recorded);
	if (changes.breaks->len + changes.mends->len + changes.worse->len == 0)
		fputs("no finding comes or goes", now->stream);
	else
		fprintf(now->stream, "%u break%s, %u mended, %u of another severity",
			changes.breaks->len, changes.breaks->len == 1 ? "s" : "",
			changes.mends->len, changes.worse->len);
	fprintf(
	    now->stream,
	    ", %u the same, %u that cannot be determined; %u row%s of the memory model differ%s\n",
	    changes.same, changes.unknown->len, supposed_rows(&supposed->findings)->len,
	    supposed_rows(&supposed->findings)->len == 1 ? "" : "s",
	    supposed_rows(&supposed->findings)->len == 1 ? "s" : "");
	for (guint i = 0; i < changes.breaks->len; i++) {
		const struct finding *finding = changes.breaks->pdata[i];

		fprintf(now->stream, "hipgrain: works today, breaks there: %s %s\n",
			finding->rule->id, finding->rule->title);
	}
	fputc('\n', now->stream);
	put_rows(&printer);
	put_blocks(&printer, "What breaks:", changes.breaks);
	put_blocks(&printer, "What gets another severity:", changes.worse);
	put_short_list(now, "What is mended:", changes.mends);
	put_short_list(now,
		       "What happened in the recording, or rests on code that is not there, and "
		       "cannot be determined:",
		       changes.unknown);
	if (limits->len)
		fputs("Not known there:\n", now->stream);
	for (guint i = 0; i < limits->len; i++)
		put_words(now, "", limits->pdata[i]);
	if (limits->len)
		fputc('\n', now->stream);
	g_ptr_array_free(limits, TRUE);
	changes_clear(&changes);
	g_free(recorded);
	g_free(then);
}

/* ---- JSON ---- */

static struct json_object *finding_list(const struct analysis *analysis, const GPtrArray *findings)
{
	struct json_object *list = json_object_new_array();

	for (guint i = 0; i < findings->len; i++)
		json_object_array_add(list, json_finding(analysis, findings->pdata[i]));
	return list;
}

static struct json_object *row_list(const struct analysis *analysis)
{
	const GPtrArray *rows = supposed_rows(&analysis->findings);
	struct json_object *list = json_object_new_array();

	for (guint i = 0; i < rows->len; i++) {
		const struct supposed_row *row = rows->pdata[i];
		const struct source_frame *frame =
		    stack_user_frame(analysis->symbolizer, row->process, row->stack_id);
		struct json_object *object = json_object_new_object();

		put(object, "pid", json_object_new_int(row->process->pid));
		put(object, "what", text_value(row->what));
		put(object, "now", text_value(row->before));
		put(object, "then", text_value(row->after));
		put(object, "sources", text_value(row->sources));
		put(object, "file", text_or_null(frame ? frame->file : NULL));
		put(object, "line",
		    frame && frame->file ? json_object_new_int((int)frame->line) : NULL);
		put(object, "count", json_object_new_int64((int64_t)row->count));
		json_object_array_add(list, object);
	}
	return list;
}

struct json_object *json_supposed(const struct analysis *analysis)
{
	const struct process *process;
	struct json_object *object, *list;
	const struct supposed *supposed;
	char *recorded, *then;
	struct changes changes;
	GPtrArray *limits;

	if (!analysis->supposed)
		return NULL;
	supposed = analysis->supposed->replay.supposed;
	process = first_process(analysis->supposed);
	recorded = state_text(process, supposed, false);
	then = state_text(process, supposed, true);
	limits = new_limits(analysis);
	compare(analysis, &changes);
	object = json_object_new_object();
	put(object, "recorded", text_value(recorded));
	put(object, "supposed", text_value(then));
	put(object, "breaks", finding_list(analysis->supposed, changes.breaks));
	put(object, "mends", finding_list(analysis, changes.mends));
	put(object, "other_severity", finding_list(analysis->supposed, changes.worse));
	put(object, "unknown", finding_list(analysis, changes.unknown));
	put(object, "same", json_object_new_int((int)changes.same));
	put(object, "rows", row_list(analysis->supposed));
	list = json_object_new_array();
	for (guint i = 0; i < limits->len; i++)
		json_object_array_add(list, text_value(limits->pdata[i]));
	put(object, "limits", list);
	g_ptr_array_free(limits, TRUE);
	changes_clear(&changes);
	g_free(recorded);
	g_free(then);
	return object;
}
