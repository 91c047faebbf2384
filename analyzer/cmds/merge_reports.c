/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the parts of a parallel job, made one: what is found on several ranks is one finding.
 */
#include <string.h>

#include "analyzer/cmds/merge_parts.h"
#include "analyzer/rank_lines.h"
#include "analyzer/ranks.h"
#include "analyzer/report/causes.h"
#include "analyzer/report/json_ranks.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/rules.h"

#define MERGE_COST(name) #name,
const char *const merge_costs[MERGE_COST_COUNT] = { MERGE_COSTS(MERGE_COST) };
#undef MERGE_COST

static int confidence_of(struct json_object *finding)
{
	for (enum confidence i = 0; i < CONFIDENCES; i++)
		if (strcmp(confidence_name(i), get_text(finding, "confidence")) == 0)
			return (int)i;
	return -1;
}

static int first_rank(struct json_object *finding)
{
	struct json_object *ranks = get_member(finding, "ranks");

	return ranks && json_object_array_length(ranks)
		   ? (int)get_number(json_object_array_get_idx(ranks, 0), "rank")
		   : -1;
}

static int compare_rank_entries(const void *a, const void *b)
{
	struct json_object *one = *(struct json_object *const *)a;
	struct json_object *other = *(struct json_object *const *)b;
	int64_t order = get_number(one, "rank") - get_number(other, "rank");

	order = order ? order : get_number(one, "pid") - get_number(other, "pid");
	return (order > 0) - (order < 0);
}

static void add_number(struct json_object *to, struct json_object *from, const char *name)
{
	json_object_set_int64(get_member(to, name), get_number(to, name) + get_number(from, name));
}

/* A sentence that does not hold for `from` says so; its numbers cannot be united, since a report
 * has only their text. */
static void mark_difference(struct json_object *to, struct json_object *from)
{
	const char *message = get_text(to, "message"), *other = get_text(from, "message");
	char *text;

	if (strcmp(message, other) == 0 || g_str_has_suffix(message, FINDING_VARIES))
		return;
	text = g_strconcat(message, FINDING_VARIES, NULL);
	json_object_object_add(to, "message", json_object_new_string(text));
	g_free(text);
}

/* Joins two findings as ranks.c does: the surest stands for all, and among equally sure ones that
 * of the lowest rank. */
static struct json_object *join(struct json_object *one, struct json_object *other)
{
	bool better = confidence_of(other) != confidence_of(one)
			  ? confidence_of(other) > confidence_of(one)
			  : first_rank(other) < first_rank(one);
	struct json_object *to = better ? other : one, *from = better ? one : other;
	struct json_object *ranks = get_member(to, "ranks"), *more = get_member(from, "ranks");
	struct json_object *launches = get_member(to, "launches");
	bool lower = first_rank(from) < first_rank(to);

	mark_difference(to, from);
	add_number(to, from, "count");
	if (launches && get_member(from, "launches")) {
		struct json_object *others = get_member(from, "launches");

		add_number(launches, others, "count");
		json_object_set_int64(
		    get_member(launches, "work_items"),
		    MAX(get_number(launches, "work_items"), get_number(others, "work_items")));
	}
	for (size_t i = 0; i < json_object_array_length(more); i++)
		json_object_array_add(ranks, json_object_get(json_object_array_get_idx(more, i)));
	/* The first one has to be the lowest; merge_reports() sorts the others once. */
	if (lower)
		json_object_array_sort(ranks, compare_rank_entries);
	return to;
}

/* Joins two findings of runs of one command: the surest stands for all, then the earliest. */
static struct json_object *join_runs(struct json_object *one, struct json_object *other)
{
	struct json_object *to = confidence_of(other) > confidence_of(one) ? other : one;
	struct json_object *seeds = json_object_get(get_member(one, "seeds"));
	size_t count = json_object_array_length(seeds);
	struct json_object *seed = json_object_array_get_idx(get_member(other, "seeds"), 0);

	if (!json_object_equal(json_object_array_get_idx(seeds, count - 1), seed))
		json_object_array_add(seeds, json_object_get(seed));
	json_object_object_add(to, "seeds", seeds);
	return to;
}

static void note_seed(struct json_object *finding, uint64_t seed)
{
	struct json_object *seeds = json_object_new_array();

	json_object_array_add(seeds, json_object_new_int64((int64_t)seed));
	json_object_object_add(finding, "seeds", seeds);
}

/*
 * Does the same as finding_place(): a severity that is not the rule's shows that the finding is not
 * sure enough.
 */
static int place_of(struct json_object *finding)
{
	const struct rule *rule = rule_by_name(get_text(finding, "rule"));
	int severity = severity_by_name(get_text(finding, "severity"));

	return rule && severity < (int)rule->severity ? SEVERITY_NOTE : severity;
}

static gint compare_findings(gconstpointer a, gconstpointer b)
{
	struct json_object *one = *(struct json_object *const *)a;
	struct json_object *other = *(struct json_object *const *)b;
	int order = place_of(other) - place_of(one);

	order = order ? order : confidence_of(other) - confidence_of(one);
	order = order ? order : strcmp(get_text(one, "rule"), get_text(other, "rule"));
	return order ? order : strcmp(get_text(one, "fingerprint"), get_text(other, "fingerprint"));
}

static void set_outliers(const struct merge *merge, struct json_object *finding)
{
	GArray *ranks = json_finding_ranks(finding), *outliers;
	struct json_object *list;

	if (!ranks)
		return;
	json_object_array_sort(get_member(finding, "ranks"), compare_rank_entries);
	outliers = ranks_outliers(ranks, merge->ranks, merge->unrecorded);
	list = json_object_new_array();
	for (unsigned i = 0; i < outliers->len; i++)
		json_object_array_add(list, json_object_new_int(g_array_index(outliers, int, i)));
	json_object_object_add(finding, "rank_outliers", list);
	g_array_free(ranks, TRUE);
	g_array_free(outliers, TRUE);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	return *(const int *)a - *(const int *)b;
}

static void add_processes(struct merge *merge, struct json_object *processes)
{
	for (size_t i = 0; processes && i < json_object_array_length(processes); i++) {
		struct json_object *process = json_object_array_get_idx(processes, i);
		struct json_object *rank = get_member(process, "rank");
		int number = (int)json_object_get_int64(rank);

		json_object_array_add(merge->processes, json_object_get(process));
		if (rank && get_member(process, "runtime"))
			g_array_append_val(merge->ranks, number);
	}
}

static void add_all(struct json_object *list, struct json_object *more)
{
	bool is_list = json_object_is_type(more, json_type_array);

	for (size_t i = 0; is_list && i < json_object_array_length(more); i++)
		json_object_array_add(list, json_object_get(json_object_array_get_idx(more, i)));
}

/* Older reports do not say it: of these and others together it is not known. */
static void add_recording(struct merge *merge, struct json_object *recording)
{
	int status = recording ? recording_status_by_name(get_text(recording, "status")) : -1;

	if (status < 0) {
		merge->recording_unsaid = true;
		return;
	}
	merge->recording = MAX(merge->recording, status);
	merge->missing += get_number(recording, "missing");
	merge->unrecorded += (uint64_t)MAX(get_number(recording, "unrecorded_processes"), 0);
	add_all(merge->gaps, get_member(recording, "processes"));
	add_all(merge->reasons, get_member(recording, "reasons"));
}

static void add_report(struct merge *merge, unsigned number, GHashTable *seen)
{
	struct json_object *report = merge->reports->pdata[number];
	struct json_object *findings = causes_findings(get_member(report, "findings"));

	merge->analysed &= json_report_analysed(report);
	add_recording(merge, get_member(report, "recording"));
	merge->events += get_number(report, "events");
	merge->lost += get_number(report, "lost_events");
	merge->suppressed += get_number(report, "suppressed");
	for (unsigned i = 0; i < G_N_ELEMENTS(merge_costs); i++)
		merge->cost[i] += get_number(get_member(report, "recording_cost"), merge_costs[i]);
	add_processes(merge, get_member(report, "processes"));
	for (size_t i = 0; i < json_object_array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);
		const char *fingerprint = get_text(finding, "fingerprint");
		gpointer place;

		if (merge->seeds)
			note_seed(finding, merge->seeds[number]);
		if (!get_member(finding, "ranks") && !merge->seeds) {
			g_ptr_array_add(merge->findings, finding);
		} else if (g_hash_table_lookup_extended(seen, fingerprint, NULL, &place)) {
			unsigned at = GPOINTER_TO_UINT(place);

			merge->findings->pdata[at] =
			    (merge->seeds ? join_runs : join)(merge->findings->pdata[at], finding);
		} else {
			g_hash_table_insert(seen, g_strdup(fingerprint),
					    GUINT_TO_POINTER(merge->findings->len));
			g_ptr_array_add(merge->findings, finding);
		}
	}
	/* The reports still hold them. */
	json_object_put(findings);
}

/* Sorts the ranks of all processes, and leaves one of each. */
static void sort_ranks(GArray *ranks)
{
	unsigned kept = 0;

	g_array_sort(ranks, compare_numbers);
	for (unsigned i = 0; i < ranks->len; i++) {
		int rank = g_array_index(ranks, int, i);

		if (!kept || g_array_index(ranks, int, kept - 1) != rank)
			g_array_index(ranks, int, kept++) = rank;
	}
	g_array_set_size(ranks, kept);
}

/* Notes the ranks' amounts of work, as ranks.c does for one recording. */
static void note_amounts(struct merge *merge)
{
	GArray *amounts = g_array_new(FALSE, TRUE, sizeof(uint64_t));

	g_array_set_size(amounts, merge->ranks->len);
	for (size_t i = 0; i < json_object_array_length(merge->processes); i++) {
		struct json_object *process = json_object_array_get_idx(merge->processes, i);
		int rank = (int)get_number(process, "rank");
		unsigned at;

		if (get_member(process, "rank") &&
		    g_array_binary_search(merge->ranks, &rank, compare_numbers, &at)) {
			g_array_index(amounts, uint64_t, at) +=
			    (uint64_t)get_number(process, "launches");
		}
	}
	ranks_note_amounts(merge->ranks, amounts, merge->notes);
	g_array_free(amounts, TRUE);
}

static int64_t least_rank(struct json_object *report)
{
	struct json_object *processes = get_member(report, "processes");
	int64_t least = INT64_MAX;

	for (size_t i = 0; processes && i < json_object_array_length(processes); i++) {
		struct json_object *rank =
		    get_member(json_object_array_get_idx(processes, i), "rank");

		least = rank ? MIN(least, json_object_get_int64(rank)) : least;
	}
	return least;
}

/* Orders reports so that the result is the same whatever the order in which they are named. */
static gint compare_reports(gconstpointer a, gconstpointer b)
{
	struct json_object *one = *(struct json_object *const *)a;
	struct json_object *other = *(struct json_object *const *)b;
	int64_t rank = least_rank(one), another = least_rank(other);

	return rank != another
		   ? (rank > another) - (rank < another)
		   : strcmp(json_object_to_json_string(one), json_object_to_json_string(other));
}

/* Adds the lines of an array of a report, with the ranks that they are about. What a part of the
 * job noted about amounts of work is left out: it is noted of the whole. */
static void add_lines(struct rank_lines *lines, struct json_object *report,
		      struct json_object *texts)
{
	GArray *ranks = json_report_ranks(report);

	for (size_t i = 0; i < array_length(texts); i++) {
		const char *text = json_object_get_string(json_object_array_get_idx(texts, i));

		if (!ranks_is_amount_note(text))
			rank_lines_add(lines, text, ranks, NULL, NULL);
	}
	g_array_free(ranks, TRUE);
}

/* Replaces `list` by what was collected. */
static void finish_lines(const struct merge *merge, GPtrArray **list, struct rank_lines *lines)
{
	g_ptr_array_free(*list, TRUE);
	*list = rank_lines_finish(lines, merge->ranks);
}

static void unite_lines(const struct merge *merge, GPtrArray **list, const char *name)
{
	struct rank_lines *lines = rank_lines_new();

	for (unsigned i = 0; i < merge->reports->len; i++)
		add_lines(lines, merge->reports->pdata[i],
			  get_array(merge->reports->pdata[i], name));
	finish_lines(merge, list, lines);
}

/* A killed process comes before the others that ended, whatever the order of the reports is. */
static void unite_ends(struct merge *merge)
{
	struct rank_lines *lines = rank_lines_new();

	for (int killed = 1; killed >= 0; killed--) {
		for (unsigned i = 0; i < merge->reports->len; i++) {
			struct json_object *report = merge->reports->pdata[i];
			struct json_object *end = get_member(report, "end");

			if (json_object_get_boolean(get_member(end, "killed")) == killed)
				add_lines(lines, report, get_member(end, "text"));
		}
	}
	finish_lines(merge, &merge->ends, lines);
}

/* From here on merge->findings are causes. */
static void group_causes(struct merge *merge)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < merge->findings->len; i++)
		json_object_array_add(list, json_object_get(merge->findings->pdata[i]));
	merge->causes = causes_of(list, merge->processes);
	json_object_put(list);
	g_ptr_array_set_size(merge->findings, 0);
	for (size_t i = 0; i < array_length(merge->causes); i++)
		g_ptr_array_add(merge->findings, json_object_array_get_idx(merge->causes, i));
}

void merge_reports(struct merge *merge)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	if (!merge->seeds)
		g_ptr_array_sort(merge->reports, compare_reports);
	for (unsigned i = 0; i < merge->reports->len; i++)
		add_report(merge, i, seen);
	g_hash_table_destroy(seen);
	if (merge->recording >= 0 && merge->recording_unsaid)
		merge->recording = MAX(merge->recording, RECORDING_UNKNOWN);
	sort_ranks(merge->ranks);
	unite_ends(merge);
	unite_lines(merge, &merge->limits, "limits");
	unite_lines(merge, &merge->notes, "notes");
	note_amounts(merge);
	g_ptr_array_sort(merge->findings, compare_findings);
	for (unsigned i = 0; i < merge->findings->len; i++)
		set_outliers(merge, merge->findings->pdata[i]);
	group_causes(merge);
}
