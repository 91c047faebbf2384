/* SPDX-License-Identifier: Apache-2.0 */
/* The report as a person reads it: one block a finding, like a good compiler's messages. */
#include <stdlib.h>

#include "analyzer/output.h"
#include "analyzer/ranks.h"
#include "codeobj/text.h"
#include "printer.h"
#include "report.h"
#include "selection.h"

static const char *const severity_colors[] = {
	[SEVERITY_NOTE] = OUTPUT_COLOR "[1;36m",
	[SEVERITY_ADVICE] = OUTPUT_COLOR "[1;34m",
	[SEVERITY_WARNING] = OUTPUT_COLOR "[1;35m",
	[SEVERITY_ERROR] = OUTPUT_COLOR "[1;31m",
};

static void put_kernel(const struct printer *printer, const struct finding *finding)
{
	GString *text = g_string_new(finding->kernel);

	put_row(printer, "kernel", text->str);
	put_instructions(printer, finding);
	if (finding->kernarg_offset >= 0) {
		if (finding->argument_name) {
			g_string_printf(text, "%s (number %d)", finding->argument_name,
					finding->argument);
		} else if (finding->argument >= 0) {
			g_string_printf(text, "number %d", finding->argument);
		} else {
			g_string_assign(text, "?");
		}
		g_string_append_printf(
		    text, ", the pointer at byte %" G_GINT64_FORMAT " of the arguments",
		    finding->kernarg_offset);
		put_row(printer, "argument", text->str);
	}
	if (finding->chain && finding->allocation) {
		g_string_printf(text, "%s -> %" G_GUINT64_FORMAT " bytes from %s", finding->chain,
				finding->allocation->size, hg_api_name(finding->allocation->api));
		put_row(printer, "path", text->str);
	} else if (finding->chain) {
		put_row(printer, "path", finding->chain);
	}
	g_string_free(text, TRUE);
}

static void put_allocation(const struct printer *printer, const struct finding *finding)
{
	const struct allocation *allocation = finding->allocation;
	char *extent;

	if (!allocation)
		return;
	extent = memory_extent(finding);
	put_row_owned(
	    printer, "memory",
	    g_strdup_printf(
		"%" G_GUINT64_FORMAT " bytes from %s%s%s at 0x%" G_GINT64_MODIFIER "x, %s%s%s",
		allocation->size, hg_api_name(allocation->api), allocation->symbol ? " " : "",
		allocation->symbol ? allocation->symbol : "", allocation->ptr,
		finding->rule == &rules[RULE_HG607] ? "used past the end by" : "used at offset",
		finding->rule == &rules[RULE_HG607] && *extent == 's' ? extent + 1 : extent,
		allocation->freed ? " (freed since)" : ""));
	g_free(extent);
	put_several(printer, finding);
	if (!allocation->symbol)
		put_stack(printer, "allocated", finding->process, allocation->stack_id);
	if (finding->rule == &rules[RULE_HG601])
		put_stack(printer, "freed", finding->process, allocation->free_stack_id);
	if (finding->granularity != GRAIN_UNKNOWN && finding->why) {
		put_row_owned(printer, "granularity",
			      g_strdup_printf("%s: %s",
					      finding->mixed
						  ? "mixed"
						  : model_granularity_name(finding->granularity),
					      finding->why));
		put_pages(printer, finding);
	}
}

/* Without --verbose only their number. */
static void put_other_sites(const struct printer *printer, const struct finding *finding)
{
	unsigned others = finding->sites->len - 1;

	if (others && !printer->verbose) {
		put_row_owned(printer, "",
			      g_strdup_printf("from %u places; the first is shown", others + 1));
	}
	for (unsigned i = 1; i <= others && printer->verbose; i++) {
		const struct site *site = &g_array_index(finding->sites, struct site, i);

		put_row_owned(printer, "also",
			      g_strdup_printf("%" G_GUINT64_FORMAT " time%s from", site->count,
					      site->count == 1 ? "" : "s"));
		put_stack(printer, "", finding->process, site->stack_id);
	}
}

static void put_sites(const struct printer *printer, const struct finding *finding)
{
	const struct site *site =
	    finding->sites->len ? &g_array_index(finding->sites, struct site, 0) : NULL;
	const char *label = finding->kernel ? "launched" : "called";
	bool same;

	if (!site)
		return;
	/* Of findings about allocating, the call is the allocation: one stack is enough. */
	same = !finding->kernel && site->stack_id && finding->allocation &&
	       !finding->allocation->symbol && finding->allocation->stack_id == site->stack_id;
	if (!same)
		put_stack(printer, label, finding->process, site->stack_id);
	if (finding->kernel) {
		put_row_owned(printer, "",
			      g_strdup_printf("%" G_GUINT64_FORMAT
					      " launch%s, up to %" G_GUINT64_FORMAT
					      " work-items each%s",
					      finding->launches, finding->launches == 1 ? "" : "es",
					      finding->work_items,
					      finding->rule == &rules[RULE_HG101] &&
						      finding->confidence >= CONFIDENCE_PROVEN
						  ? ": every one of these updates is lost"
						  : ""));
		if (finding->beside) {
			put_row_owned(
			    printer, "",
			    g_strdup_printf("%" G_GUINT64_FORMAT
					    " more launch%s used other pages of the memory",
					    finding->beside, finding->beside == 1 ? "" : "es"));
		}
	} else if (finding->count > 1) {
		put_row_owned(printer, same ? label : "",
			      g_strdup_printf("%s%" G_GUINT64_FORMAT " times",
					      same ? "there, " : "", finding->count));
	}
	put_other_sites(printer, finding);
}

static void put_related(const struct printer *printer, const struct finding *finding)
{
	if (!finding->related)
		return;
	put_row(printer, "other", finding->related);
	if (finding->related_stack_id)
		put_stack(printer, "", finding->process, finding->related_stack_id);
}

static void put_ranks(const struct printer *printer, const struct finding *finding)
{
	const GArray *all = printer->analysis->ranks;
	GArray *ranks;

	if (!finding->ranks || !all || !all->len)
		return;
	ranks = finding_ranks(finding);
	put_row_owned(printer, "ranks", ranks_text(ranks, all));
	g_array_free(ranks, TRUE);
}

static void put_finding(const struct printer *printer, const struct finding *finding)
{
	fprintf(printer->stream, "%s%s%s %s%s%s: %s\n",
		paint(printer, severity_colors[finding->rule->severity]),
		severity_name(finding->rule->severity), paint(printer, OUTPUT_COLOR "[0m"),
		paint(printer, OUTPUT_COLOR "[1m"), finding->rule->id,
		paint(printer, OUTPUT_COLOR "[0m"), finding->rule->title);
	put_row(printer, "what", finding->message);
	if (finding->kernel)
		put_kernel(printer, finding);
	if (finding->candidates->len == 0) /* else the memory is one of them */
		put_allocation(printer, finding);
	put_candidates(printer, finding);
	put_sites(printer, finding);
	put_related(printer, finding);
	put_ranks(printer, finding);
	if (finding->measured)
		put_row(printer, "measured", finding->measured);
	put_row(printer, "fix", finding->fix);
	put_row_owned(printer, "confidence",
		      g_strdup_printf("%s%s%s; sources %s", confidence_name(finding->confidence),
				      finding->doubts ? ": " : "",
				      finding->doubts ? finding->doubts : "",
				      finding->rule->sources));
	if (printer->verbose)
		put_evidence(printer, finding);
	fputc('\n', printer->stream);
}

static void put_process(const struct printer *printer, const struct process *process)
{
	const struct device *device = process_device(process, 0);

	fprintf(printer->stream, "hipgrain: process %d: %s\n", process->pid,
		process->cmdline[0] ? process->cmdline : "(its start was not recorded)");
	fprintf(printer->stream,
		"hipgrain: %" G_GUINT64_FORMAT " launch%s, %" G_GUINT64_FORMAT
		" allocation%s, %" G_GUINT64_FORMAT " cop%s",
		process->launches, process->launches == 1 ? "" : "es", process->allocations,
		process->allocations == 1 ? "" : "s", process->copies,
		process->copies == 1 ? "y" : "ies");
	if (process->target_regions) {
		fprintf(printer->stream,
			", %" G_GUINT64_FORMAT " OpenMP target region%s with %" G_GUINT64_FORMAT
			" transfer%s",
			process->target_regions, process->target_regions == 1 ? "" : "s",
			process->target_transfers, process->target_transfers == 1 ? "" : "s");
	}
	if (device)
		fprintf(printer->stream, " on %s (%s)", device->name, device->arch);
	else if (process->device_count < 0 && !process->target_regions)
		fprintf(printer->stream, "; it made no HIP call");
	fputc('\n', printer->stream);
}

/* Shells and helpers that made no HIP call only count, unless there is nothing else. */
static void put_processes(const struct printer *printer)
{
	const GPtrArray *processes = printer->analysis->replay.processes;
	unsigned shown = 0;

	for (unsigned i = 0; i < processes->len; i++) {
		const struct process *process = processes->pdata[i];

		if (process->device_count >= 0 || process->target_regions || processes->len == 1) {
			put_process(printer, process);
			shown++;
		}
	}
	if (shown < processes->len) {
		fprintf(printer->stream, "hipgrain: %u%s process%s made no HIP call\n",
			processes->len - shown, shown ? " other" : "",
			processes->len - shown == 1 ? "" : "es");
	}
}

static void put_list(const struct printer *printer, const char *heading, const GPtrArray *lines)
{
	if (lines->len)
		fprintf(printer->stream, "%s\n", heading);
	for (unsigned i = 0; i < lines->len; i++) {
		char *line = text_one_line(lines->pdata[i]);

		fprintf(printer->stream, "  - %s\n", line ? line : "?");
		free(line);
	}
}

/* What was left out on the user's behalf, and which suppressions matched nothing. */
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

/* A line a rule, for reports that do not fit a screen; findings are sorted by severity. */
static void put_summary(const struct printer *printer)
{
	const GPtrArray *list = printer->analysis->findings.list;
	unsigned counts[RULES] = { 0 };

	if (list->len < 2)
		return;
	for (unsigned i = 0; i < list->len; i++) {
		const struct finding *finding = list->pdata[i];

		counts[finding->rule - rules]++;
	}
	fputs("Findings by rule:\n", printer->stream);
	for (unsigned i = 0; i < list->len; i++) {
		const struct rule *rule = ((const struct finding *)list->pdata[i])->rule;
		unsigned *count = &counts[rule - rules];

		if (*count) {
			fprintf(printer->stream, "  %5u  %s%-7s%s %s  %s\n", *count,
				paint(printer, severity_colors[rule->severity]),
				severity_name(rule->severity), paint(printer, OUTPUT_COLOR "[0m"),
				rule->id, rule->title);
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
	char *unanalysed = findings_unanalysed(findings);

	printer_init(&printer, analysis, style, stream);
	put_death(&printer);
	put_processes(&printer);
	fputc('\n', stream);
	for (unsigned i = 0; i < findings->list->len; i++) {
		const struct finding *finding = findings->list->pdata[i];

		counts[finding->rule->severity]++;
		put_finding(&printer, finding);
	}
	put_summary(&printer);
	put_fixes(&printer);
	put_moves(&printer);
	put_what_if(&printer);
	put_list(&printer, "Not analysed:", findings->limits);
	put_list(&printer, "Notes:", findings->notes);
	if (findings->limits->len || findings->notes->len)
		fputc('\n', stream);
	put_selection(&printer);
	put_cost(&printer);
	recording_line(recording_status_name(analysis->recording.status),
		       (int64_t)analysis->recording.missing, stream);
	if (findings->list->len == 0 && analysis->complete) {
		fprintf(stream, "hipgrain: nothing%s found\n",
			is_partial(analysis->selection) ? " else" : "");
	} else if (findings->list->len == 0) {
		fprintf(stream, "hipgrain: no%s finding, but not everything was analysed\n",
			is_partial(analysis->selection) ? " other" : "");
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
	return 0;
}
