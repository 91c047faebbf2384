/* SPDX-License-Identifier: Apache-2.0 */
/* The block of a finding in the text report, of one recording or of several. */
#include "printer.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/output.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/symbols/demangle.h"
#include "codeobj/text.h"
#include "json_ranks.h"
#include "json_values.h"

static const char *const severity_colors[] = {
	[SEVERITY_NOTE] = OUTPUT_COLOR "[1;36m",
	[SEVERITY_ADVICE] = OUTPUT_COLOR "[1;34m",
	[SEVERITY_WARNING] = OUTPUT_COLOR "[1;35m",
	[SEVERITY_ERROR] = OUTPUT_COLOR "[1;31m",
};

static bool is_rule(struct json_object *finding, enum rule_id rule)
{
	return strcmp(get_text(finding, "rule"), rules[rule].id) == 0;
}

/* Prints which argument the address comes from, and by which pointers. */
static void put_argument(const struct printer *printer, struct json_object *finding)
{
	struct json_object *allocation = get_member(finding, "allocation");
	GString *text = g_string_new("?");

	if (get_member(finding, "kernarg_offset")) {
		if (get_member(finding, "argument")) {
			g_string_printf(text, "%s (number %" G_GINT64_FORMAT ")",
					get_text(finding, "argument"),
					get_number(finding, "argument_index"));
		} else if (get_member(finding, "argument_index")) {
			g_string_printf(text, "number %" G_GINT64_FORMAT,
					get_number(finding, "argument_index"));
		}
		g_string_append_printf(
		    text, ", the pointer at byte %" G_GINT64_FORMAT " of the arguments",
		    get_number(finding, "kernarg_offset"));
		put_words(printer, "argument", text->str);
	}
	if (get_member(finding, "path") && allocation) {
		g_string_printf(text, "%s -> %" G_GINT64_FORMAT " bytes from %s",
				get_text(finding, "path"), get_number(allocation, "size"),
				get_text(allocation, "api"));
		put_words(printer, "path", text->str);
	} else if (get_member(finding, "path")) {
		put_words(printer, "path", get_text(finding, "path"));
	}
	g_string_free(text, TRUE);
}

/* A member in which the kernel's name is short, unless everything is requested. */
static void put_short(const struct printer *printer, struct json_object *finding, const char *label,
		      const char *member)
{
	const char *text = get_text(finding, member);

	if (printer->verbose)
		put_words(printer, label, text);
	else
		put_words_owned(printer, label, with_short_name(text, get_text(finding, "kernel")));
}

static void put_kernel(const struct printer *printer, struct json_object *finding)
{
	put_short(printer, finding, "kernel", "kernel");
	put_instructions(printer, finding);
	put_argument(printer, finding);
}

static void put_memory_row(const struct printer *printer, struct json_object *finding,
			   struct json_object *allocation)
{
	const char *symbol = get_text(allocation, "symbol");
	const char *label = get_text(allocation, "label");
	const char *space = get_text(allocation, "view_space");
	char *extent = memory_extent(allocation);
	bool past = is_rule(finding, RULE_HG607);

	put_words_owned(
	    printer, "memory",
	    g_strdup_printf("%s%s%s%s%s%s%s%" G_GINT64_FORMAT " bytes from %s%s%s at %s, %s%s%s",
			    *space ? "View " : "", *label ? "\"" : "", label, *label ? "\"" : "",
			    *space ? " (" : "", space,
			    *space   ? "), "
			    : *label ? ", "
				     : "",
			    get_number(allocation, "size"), get_text(allocation, "api"),
			    *symbol ? " " : "", symbol, get_text(allocation, "address"),
			    past ? "used past the end by" : "used at offset",
			    past && *extent == 's' ? extent + 1 : extent,
			    get_member(allocation, "free_stack") ? " (freed since)" : ""));
	g_free(extent);
}

/* Prints the piece of a pool that the memory is, and who took it. */
static void put_piece(const struct printer *printer, struct json_object *finding,
		      struct json_object *piece)
{
	const char *name = get_text(piece, "name"), *pool = get_text(piece, "pool");

	if (!piece)
		return;
	put_words_owned(
	    printer, "piece",
	    g_strdup_printf("%s%s%s%" G_GINT64_FORMAT " bytes%s%s%s at %s, used at offset "
			    "%" G_GINT64_FORMAT "%s%s",
			    *name ? "\"" : "", name, *name ? "\", " : "", get_number(piece, "size"),
			    *pool ? " of pool \"" : "", pool, *pool ? "\"" : "",
			    get_text(piece, "address"), get_number(piece, "offset"),
			    get_member(piece, "free_stack") ? " (given back since)" : "",
			    get_flag(piece, "several") ? "; the first of several" : ""));
	put_json_stack(printer, "taken", get_member(piece, "stack"));
	if (is_rule(finding, RULE_HG601))
		put_json_stack(printer, "given back", get_member(piece, "free_stack"));
}

/* Prints the line that has the memory of a wrapper. */
static void put_requester(const struct printer *printer, struct json_object *allocation)
{
	struct json_object *frame = get_member(allocation, "requested"), *stack;

	if (!frame)
		return;
	stack = json_object_new_array();
	json_object_array_add(stack, json_object_get(frame));
	put_json_stack(printer, "requested", stack);
	json_object_put(stack);
}

static void put_memory(const struct printer *printer, struct json_object *finding)
{
	struct json_object *allocation = get_member(finding, "allocation");
	const char *why = get_text(allocation, "why");

	if (!allocation)
		return;
	put_piece(printer, finding, get_member(allocation, "piece"));
	put_memory_row(printer, finding, allocation);
	put_several(printer, allocation);
	if (!get_member(allocation, "symbol"))
		put_json_stack(printer, "allocated", get_member(allocation, "stack"));
	put_requester(printer, allocation);
	if (get_member(allocation, "range"))
		put_words_owned(printer, "",
				g_strdup_printf("in %s", get_text(allocation, "range")));
	if (is_rule(finding, RULE_HG601) &&
	    !(get_member(allocation, "piece") && !get_member(allocation, "freed_by")))
		put_json_stack(printer, "freed", get_member(allocation, "free_stack"));
	if (get_member(allocation, "granularity") && *why) {
		put_words_owned(printer, "granularity",
				g_strdup_printf("%s: %s",
						get_flag(allocation, "mixed")
						    ? "mixed"
						    : get_text(allocation, "granularity"),
						why));
		put_pages(printer, allocation);
	}
}

/* Prints the other sites; without --verbose only their number. */
static void put_other_sites(const struct printer *printer, struct json_object *finding,
			    const struct finding *more)
{
	int64_t count = get_number(finding, "sites");

	if (count > 1 && !(printer->verbose && more)) {
		put_row_owned(
		    printer, "",
		    g_strdup_printf("from %" G_GINT64_FORMAT " places; the first is shown", count));
	}
	for (unsigned i = 1; printer->verbose && more && i < more->sites->len; i++) {
		const struct site *site = &g_array_index(more->sites, struct site, i);

		put_row_owned(printer, "also",
			      g_strdup_printf("%" G_GUINT64_FORMAT " time%s from", site->count,
					      site->count == 1 ? "" : "s"));
		put_stack(printer, "", more->process, site->stack_id);
	}
}

static void put_launches(const struct printer *printer, struct json_object *finding)
{
	struct json_object *launches = get_member(finding, "launches");
	int64_t count = get_number(launches, "count"), beside = get_number(launches, "beside");
	int64_t unplaced = get_number(launches, "unplaced");
	bool lost = is_rule(finding, RULE_HG101) && strcmp(get_text(finding, "confidence"),
							   confidence_name(CONFIDENCE_PROVEN)) == 0;

	put_json_stack(printer, "launched", get_member(launches, "stack"));
	put_row_owned(printer, "",
		      g_strdup_printf("%" G_GINT64_FORMAT " launch%s, up to %" G_GINT64_FORMAT
				      " work-items each%s",
				      count, count == 1 ? "" : "es",
				      get_number(launches, "work_items"),
				      lost ? ": every one of these updates is lost" : ""));
	if (beside) {
		put_row_owned(printer, "",
			      g_strdup_printf("%" G_GINT64_FORMAT
					      " more launch%s used other pages of the memory",
					      beside, beside == 1 ? "" : "es"));
	}
	if (unplaced) {
		put_row_owned(
		    printer, "",
		    g_strdup_printf("%" G_GINT64_FORMAT
				    " more launch%s, of which it is not known what memory "
				    "the instruction updated",
				    unplaced, unplaced == 1 ? "" : "es"));
	}
}

/*
 * Prints where the calls were made. If the finding is about allocating, the call is the allocation:
 * one stack is enough.
 */
static void put_calls(const struct printer *printer, struct json_object *finding)
{
	struct json_object *allocation = get_member(finding, "allocation");
	struct json_object *stack = get_array(finding, "call_stack");
	int64_t count = get_number(finding, "count");
	bool same = array_length(stack) && allocation && !get_member(allocation, "symbol") &&
		    json_object_equal(stack, get_member(allocation, "stack"));

	if (!same)
		put_json_stack(printer, "called", stack);
	if (count > 1) {
		put_row_owned(
		    printer, same ? "called" : "",
		    g_strdup_printf("%s%" G_GINT64_FORMAT " times", same ? "there, " : "", count));
	}
}

static void put_sites(const struct printer *printer, struct json_object *finding,
		      const struct finding *more)
{
	/* Reports of earlier versions do not tell their number. */
	if (get_member(finding, "sites") && !get_number(finding, "sites"))
		return;
	if (get_member(finding, "launches"))
		put_launches(printer, finding);
	else if (get_array(finding, "call_stack"))
		put_calls(printer, finding);
	put_other_sites(printer, finding, more);
}

static void put_related(const struct printer *printer, struct json_object *finding)
{
	if (!get_member(finding, "related"))
		return;
	put_short(printer, finding, "other", "related");
	if (get_member(finding, "related_stack"))
		put_json_stack(printer, "", get_member(finding, "related_stack"));
}

static void put_ranks(const struct printer *printer, struct json_object *finding,
		      const GArray *ranks)
{
	char *text =
	    ranks && ranks->len ? json_ranks_text(finding, ranks, printer->unrecorded) : NULL;

	if (text)
		put_row(printer, "ranks", text);
	g_free(text);
}

static void put_processes(const struct printer *printer, struct json_object *finding)
{
	char *text = json_processes_text(finding);

	if (text)
		put_words(printer, "processes", text);
	g_free(text);
}

static void put_seeds(const struct printer *printer, struct json_object *finding)
{
	struct json_object *seeds = get_array(finding, "seeds");
	char *text = json_numbers_text(seeds);

	if (text) {
		put_words_owned(printer, "seeds",
				g_strdup_printf("%s (%s repeats it)", text,
						json_object_to_json_string(
						    json_object_array_get_idx(seeds, 0))));
	}
	g_free(text);
}

static void put_confidence(const struct printer *printer, struct json_object *finding)
{
	struct json_object *sources = get_array(finding, "sources");
	const char *doubts = get_text(finding, "doubts");
	GString *text = g_string_new(get_text(finding, "confidence"));

	g_string_append_printf(text, "%s%s; sources ", *doubts ? ": " : "", doubts);
	for (size_t i = 0; i < array_length(sources); i++) {
		g_string_append_printf(
		    text, "%s%s", i ? "," : "",
		    json_object_get_string(json_object_array_get_idx(sources, i)));
	}
	put_words(printer, "confidence", text->str);
	g_string_free(text, TRUE);
}

static void put_heading(const struct printer *printer, struct json_object *finding)
{
	const struct rule *rule = rule_by_name(get_text(finding, "rule"));
	int severity = severity_by_name(get_text(finding, "severity"));
	char *text = g_strdup_printf(
	    "%s%s%s %s%s%s: %s", severity >= 0 ? paint(printer, severity_colors[severity]) : "",
	    severity >= 0 ? severity_name((enum severity)severity) : "?",
	    paint(printer, OUTPUT_COLOR "[0m"), paint(printer, OUTPUT_COLOR "[1m"),
	    rule ? rule->id : "(unknown rule)", paint(printer, OUTPUT_COLOR "[0m"),
	    rule ? rule->title : "");

	fprintf(printer->stream, "%s\n", text);
	g_free(text);
}

/* A rule of another version of the program is not known. */
static const struct rule *rule_of(struct json_object *finding)
{
	for (const struct rule *rule = rule_after(NULL); rule; rule = rule_after(rule))
		if (strcmp(get_text(finding, "rule"), rule->id) == 0)
			return rule;
	return NULL;
}

static bool is_one_too_many(struct printer *printer, struct json_object *finding)
{
	const struct rule *rule = rule_of(finding);

	return rule && rule->severity <= SEVERITY_ADVICE &&
	       ++printer->given[rule - rules] > SHOWN_OF_A_RULE && !printer->verbose;
}

void put_left_out(const struct printer *printer)
{
	for (const struct rule *rule = rule_after(NULL); rule && !printer->verbose;
	     rule = rule_after(rule))
		if (printer->given[rule - rules] > SHOWN_OF_A_RULE)
			fprintf(printer->stream,
				"hipgrain: %u more of %s not shown; all are in 'report "
				"--verbose' and the other formats\n",
				printer->given[rule - rules] - SHOWN_OF_A_RULE, rule->id);
}

void put_finding(struct printer *printer, struct json_object *finding, const GArray *ranks,
		 const struct finding *more)
{
	if (is_worth_less(finding, printer->worth) || is_one_too_many(printer, finding))
		return;
	put_heading(printer, finding);
	put_short(printer, finding, "what", "message");
	if (get_member(finding, "kernel"))
		put_kernel(printer, finding);
	if (!array_length(get_array(finding, "candidates"))) /* else the memory is one of them */
		put_memory(printer, finding);
	put_candidates(printer, finding);
	put_sites(printer, finding, more);
	if (get_member(finding, "in_ranges"))
		put_words(printer, "range", get_text(finding, "in_ranges"));
	put_gpu_time(printer, finding);
	put_worth(printer, finding);
	put_related(printer, finding);
	put_ranks(printer, finding, ranks);
	put_processes(printer, finding);
	put_seeds(printer, finding);
	put_others(printer, finding);
	put_row(printer, "fix",
		get_text(finding, get_member(finding, "cause_fix") ? "cause_fix" : "fix"));
	put_confidence(printer, finding);
	if (printer->verbose && more)
		put_evidence(printer, more);
	fputc('\n', printer->stream);
}
