/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings: one for each key, with counts; limits and notes; what ends one. */
#include "findings.h"

#include "evidence.h"
#include "finding_ranges.h"
#include "rule_api.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "analyzer/rules/ids/hg4xx.h"
#include "analyzer/rules/ids/hg5xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "analyzer/rules/ids/hg9xx.h"

#include <string.h>

#define RULE(id, slug, severity, title, sources, ...) \
	[RULE_##id] = { #id, slug, SEVERITY_##severity, title, sources },
const struct rule rules[RULES] = {
#include "analyzer/rules/rules.def"
};
#undef RULE

static const char *const severity_names[] = {
	[SEVERITY_NOTE] = "note",
	[SEVERITY_ADVICE] = "advice",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

static const char *const confidence_names[] = {
	[CONFIDENCE_POSSIBLE] = "possible",
	[CONFIDENCE_LIKELY] = "likely",
	[CONFIDENCE_PROVEN] = "proven",
	[CONFIDENCE_MEASURED] = "measured",
};

const struct rule *rule_after(const struct rule *rule)
{
	do
		rule = rule ? rule + 1 : rules;
	while (rule < rules + RULES && !rule->id);
	return rule < rules + RULES ? rule : NULL;
}

unsigned rule_index(const struct rule *rule)
{
	unsigned before = 0;

	for (const struct rule *one = rule_after(NULL); one < rule; one = rule_after(one))
		before++;
	return before;
}

const struct rule *rule_by_name(const char *id_or_slug)
{
	for (const struct rule *rule = rule_after(NULL); rule; rule = rule_after(rule))
		if (g_ascii_strcasecmp(rule->id, id_or_slug) == 0 ||
		    strcmp(rule->slug, id_or_slug) == 0)
			return rule;
	return NULL;
}

const char *severity_name(enum severity severity)
{
	return severity_names[severity];
}

const char *confidence_name(enum confidence confidence)
{
	return confidence_names[confidence];
}

int severity_by_name(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(severity_names); i++)
		if (strcmp(severity_names[i], name) == 0)
			return (int)i;
	return -1;
}

static void finding_free(gpointer data)
{
	struct finding *finding = data;

	g_free(finding->doubts);
	g_free(finding->measured);
	g_free(finding->message);
	g_free(finding->fix);
	g_free(finding->edit.file);
	g_free(finding->edit.text);
	g_free(finding->kernel);
	g_free(finding->kernel_symbol);
	g_free(finding->instruction);
	g_free(finding->device_file);
	g_free(finding->argument_name);
	g_free(finding->chain);
	g_free(finding->api);
	g_free(finding->subject);
	g_free(finding->fingerprint);
	g_free(finding->former_fingerprint);
	g_free(finding->related);
	g_free(finding->why);
	g_free(finding->group);
	evidence_free(finding);
	allocation_unref(finding->allocation);
	pool_piece_unref(finding->piece);
	allocation_unref(finding->through);
	attachments_clear(&finding->evidence);
	g_array_free(finding->sites, TRUE);
	g_clear_pointer(&finding->ranges, g_array_unref);
	g_clear_pointer(&finding->site_index, g_hash_table_destroy);
	g_clear_pointer(&finding->ranks, g_array_unref);
	g_clear_pointer(&finding->pids, g_array_unref);
	g_free(finding);
}

static void free_processes(gpointer processes)
{
	g_ptr_array_free(processes, TRUE);
}

void findings_init(struct findings *findings)
{
	findings->list = g_ptr_array_new_with_free_func(finding_free);
	findings->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	findings->limits = g_ptr_array_new_with_free_func(g_free);
	findings->notes = g_ptr_array_new_with_free_func(g_free);
	findings->all_lines =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_processes);
	findings->results = (struct attachments){ NULL };
}

void *findings_result(const struct findings *findings, const struct attachment_type *type)
{
	/* An empty result is made for who only reads, too. */
	return attachment_get((struct attachments *)&findings->results, type);
}

GPtrArray *findings_list(const struct findings *findings, const struct attachment_list_type *type)
{
	return attachment_list((struct attachments *)&findings->results, type);
}

void findings_destroy(struct findings *findings)
{
	g_hash_table_destroy(findings->by_key);
	g_ptr_array_free(findings->list, TRUE);
	g_ptr_array_free(findings->limits, TRUE);
	g_ptr_array_free(findings->notes, TRUE);
	g_hash_table_destroy(findings->all_lines);
	attachments_clear(&findings->results);
}

struct finding *findings_get(struct findings *findings, enum rule_id rule, struct process *process,
			     bool *is_new, const char *key, ...)
{
	struct finding *finding;
	char *detail, *full;
	va_list arguments;

	va_start(arguments, key);
	detail = g_strdup_vprintf(key, arguments);
	va_end(arguments);
	full = g_strdup_printf("%s %p %s", rules[rule].id, (void *)process, detail);
	g_free(detail);
	finding = g_hash_table_lookup(findings->by_key, full);
	*is_new = !finding;
	if (finding) {
		g_free(full);
		return finding;
	}
	finding = g_new0(struct finding, 1);
	finding->rule = &rules[rule];
	finding->process = process;
	finding->confidence = CONFIDENCE_PROVEN;
	finding->code_offset = -1;
	finding->kernarg_offset = -1;
	finding->argument = -1;
	finding->sites = g_array_new(FALSE, FALSE, sizeof(struct site));
	evidence_init(finding);
	g_hash_table_insert(findings->by_key, full, finding);
	g_ptr_array_add(findings->list, finding);
	return finding;
}

#define SITES_FEW 16

static struct site *find_site(const struct finding *finding, uint32_t stack_id)
{
	if (finding->site_index) {
		unsigned at = GPOINTER_TO_UINT(
		    g_hash_table_lookup(finding->site_index, GUINT_TO_POINTER(stack_id)));

		return at ? &g_array_index(finding->sites, struct site, at - 1) : NULL;
	}
	for (unsigned i = 0; i < finding->sites->len; i++) {
		struct site *site = &g_array_index(finding->sites, struct site, i);

		if (site->stack_id == stack_id)
			return site;
	}
	return NULL;
}

static void index_site(struct finding *finding, unsigned at)
{
	const struct site *site = &g_array_index(finding->sites, struct site, at);

	g_hash_table_insert(finding->site_index, GUINT_TO_POINTER(site->stack_id),
			    GUINT_TO_POINTER(at + 1));
}

void finding_hit(struct finding *finding, int64_t ns, uint32_t stack_id)
{
	struct site site = { stack_id, 1 }, *old = find_site(finding, stack_id);

	if (finding->count++ == 0)
		finding->first_ns = ns;
	finding_in_range(finding, ns);
	if (old) {
		old->count++;
		return;
	}
	g_array_append_val(finding->sites, site);
	if (finding->site_index) {
		index_site(finding, finding->sites->len - 1);
	} else if (finding->sites->len > SITES_FEW) {
		finding->site_index = g_hash_table_new(NULL, NULL);
		for (unsigned i = 0; i < finding->sites->len; i++)
			index_site(finding, i);
	}
}

bool finding_is_about_launches(const struct finding *finding)
{
	return finding->kernel && !finding->api;
}

bool finding_is_enough(const struct finding *finding)
{
	return finding->count && finding->count >= finding->least_count &&
	       finding->launches >= finding->least_launches &&
	       finding->work_items >= finding->least_work_items &&
	       finding->groups >= finding->least_groups;
}

void finding_remove_site(struct finding *finding, unsigned at)
{
	g_array_remove_index(finding->sites, at);
	/* The others have moved; the next hit makes the index anew. */
	g_clear_pointer(&finding->site_index, g_hash_table_destroy);
}

static void add_process(GPtrArray *processes, const struct process *process)
{
	if (!g_ptr_array_find(processes, process, NULL))
		g_ptr_array_add(processes, (gpointer)process);
}

const GPtrArray *findings_line_processes(const struct findings *findings, const char *line)
{
	return g_hash_table_lookup(findings->all_lines, line);
}

static bool add_distinct(struct findings *findings, GPtrArray *list, char *text)
{
	GPtrArray *processes = g_hash_table_lookup(findings->all_lines, text);

	if (processes) {
		add_process(processes, findings->process);
		g_free(text);
		return false;
	}
	processes = g_ptr_array_new();
	add_process(processes, findings->process);
	g_hash_table_insert(findings->all_lines, text, processes);
	if (list->len < LINES_MOST)
		g_ptr_array_add(list, g_strdup(text));
	return true;
}

void findings_limit(struct findings *findings, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	findings->limit_counts[LIMIT_OTHER] +=
	    add_distinct(findings, findings->limits, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}

void findings_limit_of(struct findings *findings, enum limit_kind kind, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	findings->limit_counts[kind] +=
	    add_distinct(findings, findings->limits, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}

char *findings_unanalysed(const struct findings *findings)
{
	static const char *const texts[LIMIT_KINDS][2] = {
		[LIMIT_OTHER] = { "limit of the recording", "limits of the recording" },
		[LIMIT_CODE] = { "kernel", "kernels" },
		[LIMIT_ACCESS] = { "memory access", "memory accesses" },
	};
	GString *text = g_string_new(NULL);

	for (int kind = LIMIT_KINDS - 1; kind >= 0; kind--) {
		unsigned count = findings->limit_counts[kind];

		if (count && texts[kind][0]) {
			g_string_append_printf(text, "%s%u %s", text->len ? ", " : "", count,
					       texts[kind][count != 1]);
		}
	}
	return g_string_free(text, text->len == 0);
}

void findings_note(struct findings *findings, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_distinct(findings, findings->notes, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}

void findings_count_lines(struct findings *findings)
{
	unsigned listed = findings->limits->len + findings->notes->len;
	unsigned more = g_hash_table_size(findings->all_lines) - listed;

	if (more) {
		g_ptr_array_add(findings->limits->len >= LINES_MOST ? findings->limits
								    : findings->notes,
				g_strdup_printf("%u more of these are not listed", more));
	}
}

/* The line that reports that findings with such a basis were left out. */
static const char *const dropped_texts[] = {
	[BASIS_ABSENCE] = "memory that was not used or not released is not reported: the trace is "
			  "incomplete, and missing events may have used or released it",
	[BASIS_ORDER] = "the order of work (HG215, HG4xx, HG602, HG7xx) is not analysed, because "
			"the trace is incomplete",
};

static bool rests_on(const struct finding *finding, enum findings_basis basis)
{
	return basis == BASIS_ABSENCE ? finding->absence != ABSENCE_NONE : finding->about_order;
}

void findings_drop(struct findings *findings, enum findings_basis basis)
{
	unsigned dropped = 0;

	for (unsigned i = 0; i < findings->list->len;) {
		if (rests_on(findings->list->pdata[i], basis)) {
			g_ptr_array_remove_index(findings->list, i);
			dropped++;
		} else {
			i++;
		}
	}
	if (dropped) {
		findings_limit(findings, "%s: %u finding%s not reported", dropped_texts[basis],
			       dropped, dropped == 1 ? " was" : "s were");
	}
}

static void remove_that_need_the_end(struct findings *findings)
{
	unsigned dropped = 0;

	for (unsigned i = findings->list->len; i-- > 0;) {
		const struct finding *finding = findings->list->pdata[i];

		if (finding->absence == ABSENCE_TO_END) {
			g_ptr_array_remove_index(findings->list, i);
			dropped++;
		}
	}
	if (dropped) {
		findings_limit(
		    findings,
		    "what is only known at a recording's end is not reported, because it "
		    "has none: %u finding%s",
		    dropped, dropped == 1 ? "" : "s");
	}
}

void findings_cut_short(struct findings *findings, uint64_t events)
{
	enum confidence most = events ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY;

	remove_that_need_the_end(findings);
	if (events) {
		findings_limit(findings,
			       "%" G_GUINT64_FORMAT
			       " event%s of the end: findings that what is missing may refute are "
			       "possible at most",
			       events, events == 1 ? " is missing" : "s are missing");
	}
	for (unsigned i = 0; i < findings->list->len; i++) {
		struct finding *finding = findings->list->pdata[i];

		if (finding->about_order) {
			finding_at_most(finding, most,
					"the recording was interrupted, and a wait may be missing");
		} else if (finding->absence == ABSENCE_BETWEEN) {
			finding_at_most(finding, most,
					"the recording was interrupted, and events may be missing");
		} else if (finding->absence == ABSENCE_SO_FAR) {
			finding_at_most(finding, CONFIDENCE_POSSIBLE,
					"the recording was interrupted: what happened later is not "
					"known");
		} else if (events) {
			finding_at_most(finding, CONFIDENCE_LIKELY, "events are missing");
		}
	}
}

void findings_so_far(struct findings *findings, const char *why)
{
	for (unsigned i = 0; i < findings->list->len; i++) {
		struct finding *finding = findings->list->pdata[i];

		if (finding->absence == ABSENCE_SO_FAR || finding->absence == ABSENCE_TO_END)
			finding_at_most(finding, CONFIDENCE_POSSIBLE, why);
	}
}

void findings_lost(struct findings *findings, uint64_t events)
{
	findings_drop(findings, BASIS_ORDER);
	findings_drop(findings, BASIS_ABSENCE);
	findings_limit(findings,
		       "%" G_GUINT64_FORMAT
		       " events are missing: memory that was allocated or freed meanwhile may be "
		       "missing or stale",
		       events);
	for (unsigned i = 0; i < findings->list->len; i++)
		finding_at_most(findings->list->pdata[i], CONFIDENCE_LIKELY, "events are missing");
}

void findings_unrecorded(struct findings *findings)
{
	findings_drop(findings, BASIS_ORDER);
	findings_drop(findings, BASIS_ABSENCE);
	for (unsigned i = 0; i < findings->list->len; i++) {
		finding_at_most(findings->list->pdata[i], CONFIDENCE_LIKELY,
				"some calls were not recorded");
	}
}

static bool is_possible(const struct finding *finding)
{
	return finding->confidence == CONFIDENCE_POSSIBLE &&
	       finding->rule->severity >= SEVERITY_WARNING;
}

static bool is_no_error_yet(const struct finding *finding)
{
	return (finding->about_order || finding->maybe_harmless) &&
	       finding->confidence == CONFIDENCE_POSSIBLE &&
	       finding->rule->severity == SEVERITY_ERROR;
}

enum severity finding_severity(const struct finding *finding)
{
	return is_no_error_yet(finding) ? SEVERITY_WARNING : finding->rule->severity;
}

enum severity finding_place(const struct finding *finding)
{
	return is_no_error_yet(finding) ? SEVERITY_NOTE
	       : is_possible(finding)   ? SEVERITY_ADVICE
					: finding->rule->severity;
}

static gint compare_findings(gconstpointer a, gconstpointer b)
{
	const struct finding *left = *(struct finding *const *)a;
	const struct finding *right = *(struct finding *const *)b;

	if (finding_place(left) != finding_place(right))
		return (int)finding_place(right) - (int)finding_place(left);
	if (left->confidence != right->confidence)
		return (int)right->confidence - (int)left->confidence;
	if (left->first_ns != right->first_ns)
		return left->first_ns < right->first_ns ? -1 : 1;
	return strcmp(left->rule->id, right->rule->id);
}

void findings_sort(struct findings *findings)
{
	g_ptr_array_sort(findings->list, compare_findings);
}
