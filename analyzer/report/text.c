/* SPDX-License-Identifier: Apache-2.0 */
/* The report as a person reads it: one block a finding, like a good compiler's messages. */
#include <stdlib.h>

#include "analyzer/output.h"
#include "analyzer/symbols/demangle.h"
#include "codeobj/text.h"
#include "json_values.h"
#include "printer.h"
#include "report.h"
#include "selection.h"
#include "supposed.h"

static const char *const severity_colors[] = {
	[SEVERITY_NOTE] = OUTPUT_COLOR "[1;36m",
	[SEVERITY_ADVICE] = OUTPUT_COLOR "[1;34m",
	[SEVERITY_WARNING] = OUTPUT_COLOR "[1;35m",
	[SEVERITY_ERROR] = OUTPUT_COLOR "[1;31m",
};

static void put_list(const struct printer *printer, const char *heading, const GPtrArray *lines)
{
	if (lines->len)
		fprintf(printer->stream, "%s\n", heading);
	for (unsigned i = 0; i < lines->len; i++) {
		char *text = printer->verbose ? g_strdup(lines->pdata[i])
					      : limit_with_short_name(lines->pdata[i]);
		char *line = text_one_line(text);

		fprintf(printer->stream, "  - %s\n", line ? line : "?");
		free(line);
		g_free(text);
	}
}

/* Prints what was left out on the user's behalf, and which suppressions matched nothing. */
static void put_selection(const struct printer *printer)
{
	const struct selection *selection = printer->analysis->selection;
	GPtrArray *unused;

	if (!selection)
		return;
	unused = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; i < selection->suppressions->len; i++) {
		const struct suppression *suppression = selection->suppressions->pdata[i];

		if (suppression->count == 0) {
			g_ptr_array_add(unused,
					g_strdup_printf("%s:%u: %s", suppression->file,
							suppression->line, suppression->text));
		}
	}
	put_list(printer, "Suppressions that matched nothing:", unused);
	if (unused->len)
		fputc('\n', printer->stream);
	g_ptr_array_free(unused, TRUE);
	if (selection->suppressed) {
		fprintf(printer->stream, "hipgrain: %" G_GUINT64_FORMAT " finding%s suppressed\n",
			selection->suppressed, selection->suppressed == 1 ? "" : "s");
	}
	if (selection->known_now->len) {
		fprintf(printer->stream, "hipgrain: %u finding%s of the baseline %s not shown\n",
			selection->known_now->len, selection->known_now->len == 1 ? "" : "s",
			selection->baseline);
	}
}

/* A line a rule, for reports that do not fit a screen, in the order of the causes. */
static void put_summary(const struct printer *printer, struct json_object *causes)
{
	unsigned counts[RULES] = { 0 };

	if (array_length(causes) < 2)
		return;
	for (size_t i = 0; i < array_length(causes); i++) {
		const struct finding *finding =
		    json_object_get_userdata(json_object_array_get_idx(causes, i));

		counts[finding->rule - rules]++;
	}
	fputs("Findings by rule:\n", printer->stream);
	for (size_t i = 0; i < array_length(causes); i++) {
		const struct finding *finding =
		    json_object_get_userdata(json_object_array_get_idx(causes, i));
		const struct rule *rule = finding->rule;
		enum severity severity = finding_severity(finding);
		unsigned *count = &counts[rule - rules];

		if (*count) {
			fprintf(printer->stream, "  %5u  %s%-7s%s %s  %s\n", *count,
				paint(printer, severity_colors[severity]), severity_name(severity),
				paint(printer, OUTPUT_COLOR "[0m"), rule->id, rule->title);
			*count = 0;
		}
	}
	fputc('\n', printer->stream);
}

static bool is_partial(const struct selection *selection)
{
	return selection && (selection->suppressed || selection->known_now->len);
}

static void put_cost(const struct printer *printer)
{
	const struct recording_cost *cost = &printer->analysis->cost;

	if (!cost->bytes || !printer->verbose || printer->analysis->facts.imported)
		return;
	fprintf(printer->stream,
		"hipgrain: recording cost: %" G_GUINT64_FORMAT " events, %.1f MB; ",
		printer->analysis->stats.events, (double)cost->bytes / 1e6);
	if (cost->used > cost->spent) {
		fprintf(printer->stream,
			"about %.1f %% of the programs' CPU time (estimated from "
			"%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " calls)\n",
			100 * (double)cost->spent / (double)cost->used, cost->timed, cost->calls);
	} else {
		fputs(cost->used ? "the programs were too short to estimate the CPU time\n"
				 : "CPU time unknown: no program reported it before it ended\n",
		      printer->stream);
	}
}

static void put_death(const struct printer *printer)
{
	GPtrArray *lines = report_death(printer->analysis);

	for (unsigned i = 0; i < lines->len; i++)
		fprintf(printer->stream, "hipgrain: %s\n", (const char *)lines->pdata[i]);
	g_ptr_array_free(lines, TRUE);
}

int report_text(const struct analysis *analysis, unsigned style, FILE *stream)
{
	struct printer printer;
	const struct findings *findings = &analysis->findings;
	unsigned counts[SEVERITY_ERROR + 1] = { 0 };
	struct json_object *causes;
	char *unanalysed = findings_unanalysed(findings);
	const char *silence =
	    recording_silence((int)analysis->recording.status, analysis->analysed);

	printer_init(&printer, analysis, style, stream);
	if (analysis->supposed)
		put_supposed(&printer, style);
	if (analysis->supposed && !printer.verbose) {
		g_free(unanalysed);
		return 0;
	}
	causes = json_causes(analysis);
	printer.unrecorded = completeness_unrecorded(&analysis->recording, &analysis->facts);
	put_death(&printer);
	put_processes(&printer);
	fputc('\n', stream);
	put_worth_first(&printer, causes);
	put_first(&printer, causes);
	for (size_t i = 0; i < array_length(causes); i++) {
		struct json_object *object = json_object_array_get_idx(causes, i);
		const struct finding *finding = json_object_get_userdata(object);

		counts[finding_severity(finding)]++;
		put_finding(&printer, object, analysis->ranks, finding);
	}
	put_summary(&printer, causes);
	put_fixes(&printer);
	put_moves(&printer);
	put_gpu_times(&printer);
	put_what_if(&printer);
	put_list(&printer, "Not analysed:", findings->limits);
	put_list(&printer, "Notes:", findings->notes);
	if (findings->limits->len || findings->notes->len)
		fputc('\n', stream);
	put_left_out(&printer);
	put_selection(&printer);
	put_cost(&printer);
	recording_line(recording_status_name(analysis->recording.status),
		       (int64_t)analysis->recording.missing, stream);
	if (findings->list->len == 0 && !*silence) {
		fprintf(stream, "hipgrain: nothing%s%s\n",
			is_partial(analysis->selection) ? " else" : "",
			report_nothing(report_killed(analysis)));
	} else if (findings->list->len == 0) {
		fprintf(stream, "hipgrain: no%s finding%s\n",
			is_partial(analysis->selection) ? " other" : "", silence);
	} else {
		fprintf(stream, "hipgrain: %u error%s, %u warning%s, %u advice, %u note%s\n",
			counts[SEVERITY_ERROR], counts[SEVERITY_ERROR] == 1 ? "" : "s",
			counts[SEVERITY_WARNING], counts[SEVERITY_WARNING] == 1 ? "" : "s",
			counts[SEVERITY_ADVICE], counts[SEVERITY_NOTE],
			counts[SEVERITY_NOTE] == 1 ? "" : "s");
	}
	if (unanalysed) {
		fprintf(stream, "hipgrain: not analysed: %s; listed above\n", unanalysed);
		g_free(unanalysed);
	}
	json_object_put(causes);
	return 0;
}
