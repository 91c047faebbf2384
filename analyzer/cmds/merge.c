/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the parts of a parallel job, made one. */
#include <errno.h>
#include <getopt.h>
#include <glib.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/merge.h"
#include "analyzer/ranks.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report.h"
#include "analyzer/report/selection.h"
#include "tracer/message.h"

const char usage_merge[] =
    "Usage: hipgrain merge [OPTION]... FILE|BUNDLE...\n"
    "Make one report of several: JSON reports of the nodes of a job, or bundles, which are "
    "analysed\n"
    "first. What is found on several ranks is one finding.\n"
    "\n"
    "  -o, --output FILE         write the report there instead of to standard output\n"
    "      --format FORMAT       text (default) or json\n"
    "      --fail-on SEVERITY    exit with 1 if there is a finding of at least SEVERITY:\n"
    "                            error, warning, advice or note\n"
    "  -j, --jobs N              analyse N bundles at the same time (default: one a processor)\n"
    "  -h, --help                print this help\n";

struct merge {
	GPtrArray *reports; /* struct json_object */
	GPtrArray *findings;
	GArray *ranks; /* int, sorted */
	struct json_object *processes;
	GPtrArray *limits, *notes;
	bool complete;
	int64_t events, lost, suppressed;
	int64_t cost[7]; /* cost_names */
};

/* Members of a report's `recording_cost` that add up. */
static const char *const cost_names[] = { "events",      "bytes",   "processes",   "calls",
					  "timed_calls", "hook_ns", "processor_ns" };
enum { COST_BYTES = 1, COST_SPENT = 5, COST_USED = 6 };

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return value;
}

static const char *text_of(struct json_object *object, const char *name)
{
	struct json_object *value = member(object, name);

	return value ? json_object_get_string(value) : "";
}

static int64_t number_of(struct json_object *object, const char *name)
{
	return json_object_get_int64(member(object, name));
}

/* ---- bundles ---- */

struct part {
	const char *path;
	char *report; /* temporary file of a bundle's; else NULL */
	pid_t child;
};

/* Our own program again: one process a bundle, whose memory ends with it. */
static pid_t start_report(const struct part *part, const char *const *extra)
{
	GPtrArray *arguments = g_ptr_array_new();
	const char *const fixed[] = { "hipgrain",         "report", "--format=json",
				      "--progress=never", "-o",     part->report };
	pid_t child;

	for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) {
		g_ptr_array_add(arguments, (gpointer)fixed[i]);
	}
	for (; extra && *extra; extra++) {
		g_ptr_array_add(arguments, (gpointer)*extra);
	}
	g_ptr_array_add(arguments, (gpointer)part->path);
	g_ptr_array_add(arguments, NULL);
	child = fork();
	if (child == 0) {
		execv("/proc/self/exe", (char *const *)arguments->pdata);
		_exit(127);
	}
	g_ptr_array_free(arguments, TRUE);
	return child;
}

static int wait_report(struct part *parts, unsigned count)
{
	int status;
	pid_t child = wait(&status);

	for (unsigned i = 0; i < count; i++) {
		if (parts[i].child == child && child > 0) {
			parts[i].child = 0;
			if (!WIFEXITED(status) || WEXITSTATUS(status) != HG_EXIT_OK) {
				message_error("%s: could not be analysed", parts[i].path);
				return -EIO;
			}
		}
	}
	return 0;
}

static int report_bundles(struct part *parts, unsigned count, const struct merge_options *options)
{
	unsigned running = 0;
	int result = 0;

	for (unsigned i = 0; i < count; i++) {
		struct stat status;
		int fd;

		if (stat(parts[i].path, &status) < 0) {
			message_error("%s: %s", parts[i].path, strerror(errno));
			result = -errno;
			break;
		}
		if (!S_ISDIR(status.st_mode)) {
			continue;
		}
		fd = g_file_open_tmp("hipgrain-XXXXXX", &parts[i].report, NULL);
		if (fd < 0) {
			message_error("no temporary file: %s", strerror(errno));
			result = -EIO;
			break;
		}
		close(fd);
		if (running == options->jobs) {
			result = wait_report(parts, count);
			running--;
			if (result < 0) {
				break;
			}
		}
		parts[i].child = start_report(&parts[i], options->extra);
		if (parts[i].child < 0) {
			message_error("%s", strerror(errno));
			result = -EIO;
			break;
		}
		running++;
	}
	for (; running; running--) {
		int one = wait_report(parts, count);

		result = result ? result : one;
	}
	return result;
}

/* ---- findings ---- */

static int confidence_of(struct json_object *finding)
{
	static const enum confidence all[] = { CONFIDENCE_POSSIBLE, CONFIDENCE_LIKELY,
					       CONFIDENCE_PROVEN };

	for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
		if (strcmp(confidence_name(all[i]), text_of(finding, "confidence")) == 0) {
			return (int)all[i];
		}
	}
	return -1;
}

static int first_rank(struct json_object *finding)
{
	struct json_object *ranks = member(finding, "ranks");

	return ranks && json_object_array_length(ranks)
		   ? (int)number_of(json_object_array_get_idx(ranks, 0), "rank")
		   : -1;
}

static int compare_rank_entries(const void *a, const void *b)
{
	struct json_object *one = *(struct json_object *const *)a;
	struct json_object *other = *(struct json_object *const *)b;
	int64_t order = number_of(one, "rank") - number_of(other, "rank");

	order = order ? order : number_of(one, "pid") - number_of(other, "pid");
	return (order > 0) - (order < 0);
}

static void add_number(struct json_object *to, struct json_object *from, const char *name)
{
	json_object_set_int64(member(to, name), number_of(to, name) + number_of(from, name));
}

/* As ranks.c does it: the surest stands for all, of those the lowest rank's. */
static struct json_object *join(struct json_object *one, struct json_object *other)
{
	bool better = confidence_of(other) != confidence_of(one)
			  ? confidence_of(other) > confidence_of(one)
			  : first_rank(other) < first_rank(one);
	struct json_object *to = better ? other : one, *from = better ? one : other;
	struct json_object *ranks = member(to, "ranks"), *more = member(from, "ranks");
	struct json_object *launches = member(to, "launches");

	add_number(to, from, "count");
	if (launches && member(from, "launches")) {
		struct json_object *others = member(from, "launches");

		add_number(launches, others, "count");
		json_object_set_int64(
		    member(launches, "work_items"),
		    MAX(number_of(launches, "work_items"), number_of(others, "work_items")));
	}
	for (size_t i = 0; i < json_object_array_length(more); i++) {
		json_object_array_add(ranks, json_object_get(json_object_array_get_idx(more, i)));
	}
	json_object_array_sort(ranks, compare_rank_entries);
	return to;
}

static gint compare_findings(gconstpointer a, gconstpointer b)
{
	struct json_object *one = *(struct json_object *const *)a;
	struct json_object *other = *(struct json_object *const *)b;
	int order = severity_by_name(text_of(other, "severity")) -
		    severity_by_name(text_of(one, "severity"));

	order = order ? order : confidence_of(other) - confidence_of(one);
	order = order ? order : strcmp(text_of(one, "rule"), text_of(other, "rule"));
	return order ? order : strcmp(text_of(one, "fingerprint"), text_of(other, "fingerprint"));
}

static void set_outliers(const struct merge *merge, struct json_object *finding)
{
	struct json_object *entries = member(finding, "ranks"), *list;
	GArray *ranks, *outliers;

	if (!entries) {
		return;
	}
	ranks = g_array_new(FALSE, FALSE, sizeof(int));
	for (size_t i = 0; i < json_object_array_length(entries); i++) {
		int rank = (int)number_of(json_object_array_get_idx(entries, i), "rank");

		if (!ranks->len || g_array_index(ranks, int, ranks->len - 1) != rank) {
			g_array_append_val(ranks, rank);
		}
	}
	outliers = ranks_outliers(ranks, merge->ranks);
	list = json_object_new_array();
	for (unsigned i = 0; i < outliers->len; i++) {
		json_object_array_add(list, json_object_new_int(g_array_index(outliers, int, i)));
	}
	json_object_object_add(finding, "rank_outliers", list);
	g_array_free(ranks, TRUE);
	g_array_free(outliers, TRUE);
}

/* ---- the whole ---- */

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	return *(const int *)a - *(const int *)b;
}

static void add_texts(GPtrArray *list, struct json_object *texts)
{
	for (size_t i = 0; texts && i < json_object_array_length(texts); i++) {
		const char *text = json_object_get_string(json_object_array_get_idx(texts, i));

		if (!g_ptr_array_find_with_equal_func(list, text, g_str_equal, NULL)) {
			g_ptr_array_add(list, g_strdup(text));
		}
	}
}

static void add_processes(struct merge *merge, struct json_object *processes)
{
	for (size_t i = 0; processes && i < json_object_array_length(processes); i++) {
		struct json_object *process = json_object_array_get_idx(processes, i);
		struct json_object *rank = member(process, "rank");
		int number = (int)json_object_get_int64(rank);
		bool known = !rank || !member(process, "runtime");

		json_object_array_add(merge->processes, json_object_get(process));
		for (unsigned k = 0; k < merge->ranks->len && !known; k++) {
			known = g_array_index(merge->ranks, int, k) == number;
		}
		if (!known) {
			g_array_append_val(merge->ranks, number);
		}
	}
}

static void add_report(struct merge *merge, struct json_object *report, GHashTable *seen)
{
	struct json_object *findings = member(report, "findings");

	merge->complete = merge->complete && json_object_get_boolean(member(report, "complete"));
	merge->events += number_of(report, "events");
	merge->lost += number_of(report, "lost_events");
	merge->suppressed += number_of(report, "suppressed");
	for (unsigned i = 0; i < G_N_ELEMENTS(cost_names); i++) {
		merge->cost[i] += number_of(member(report, "recording_cost"), cost_names[i]);
	}
	add_texts(merge->limits, member(report, "limits"));
	add_texts(merge->notes, member(report, "notes"));
	add_processes(merge, member(report, "processes"));
	for (size_t i = 0; i < json_object_array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);
		const char *fingerprint = text_of(finding, "fingerprint");
		gpointer place;

		if (!member(finding, "ranks")) {
			g_ptr_array_add(merge->findings, finding);
		} else if (g_hash_table_lookup_extended(seen, fingerprint, NULL, &place)) {
			unsigned at = GPOINTER_TO_UINT(place);

			merge->findings->pdata[at] = join(merge->findings->pdata[at], finding);
		} else {
			g_hash_table_insert(seen, g_strdup(fingerprint),
					    GUINT_TO_POINTER(merge->findings->len));
			g_ptr_array_add(merge->findings, finding);
		}
	}
}

/* As ranks.c notes it of one recording. */
static void note_amounts(struct merge *merge)
{
	GArray *amounts = g_array_new(FALSE, TRUE, sizeof(uint64_t));

	g_array_set_size(amounts, merge->ranks->len);
	for (size_t i = 0; i < json_object_array_length(merge->processes); i++) {
		struct json_object *process = json_object_array_get_idx(merge->processes, i);

		for (unsigned k = 0; member(process, "rank") && k < amounts->len; k++) {
			if (g_array_index(merge->ranks, int, k) == number_of(process, "rank")) {
				g_array_index(amounts, uint64_t, k) +=
				    (uint64_t)number_of(process, "launches");
			}
		}
	}
	ranks_note_amounts(merge->ranks, amounts, merge->notes);
	g_array_free(amounts, TRUE);
}

static int64_t least_rank(struct json_object *report)
{
	struct json_object *processes = member(report, "processes");
	int64_t least = INT64_MAX;

	for (size_t i = 0; processes && i < json_object_array_length(processes); i++) {
		struct json_object *rank = member(json_object_array_get_idx(processes, i), "rank");

		least = rank ? MIN(least, json_object_get_int64(rank)) : least;
	}
	return least;
}

/* The same whatever the order in which they are named. */
static gint compare_reports(gconstpointer a, gconstpointer b)
{
	struct json_object *one = *(struct json_object *const *)a;
	struct json_object *other = *(struct json_object *const *)b;
	int64_t rank = least_rank(one), another = least_rank(other);

	return rank != another
		   ? (rank > another) - (rank < another)
		   : strcmp(json_object_to_json_string(one), json_object_to_json_string(other));
}

static void merge_reports(struct merge *merge)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	g_ptr_array_sort(merge->reports, compare_reports);

	for (unsigned i = 0; i < merge->reports->len; i++) {
		add_report(merge, merge->reports->pdata[i], seen);
	}
	g_hash_table_destroy(seen);
	g_array_sort(merge->ranks, compare_numbers);
	note_amounts(merge);
	g_ptr_array_sort(merge->findings, compare_findings);
	for (unsigned i = 0; i < merge->findings->len; i++) {
		set_outliers(merge, merge->findings->pdata[i]);
	}
}

static struct json_object *texts_json(const GPtrArray *list)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; i < list->len; i++) {
		json_object_array_add(array, json_object_new_string(list->pdata[i]));
	}
	return array;
}

/* Rows name their process; reports of earlier versions have none. */
static struct json_object *rows_json(const struct merge *merge, const char *name)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; i < merge->reports->len; i++) {
		struct json_object *rows = member(merge->reports->pdata[i], name);

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

	for (unsigned i = 0; i < G_N_ELEMENTS(cost_names); i++) {
		json_object_object_add(object, cost_names[i],
				       json_object_new_int64(merge->cost[i]));
	}
	json_object_object_add(object, "share",
			       merge->cost[COST_USED] > merge->cost[COST_SPENT]
				   ? json_object_new_double((double)merge->cost[COST_SPENT] /
							    (double)merge->cost[COST_USED])
				   : NULL);
	return object;
}

static struct json_object *merge_json(const struct merge *merge)
{
	struct json_object *root = json_object_new_object();
	struct json_object *findings = json_object_new_array();

	for (unsigned i = 0; i < merge->findings->len; i++) {
		json_object_array_add(findings, json_object_get(merge->findings->pdata[i]));
	}
	json_object_object_add(root, "schema",
			       json_object_get(member(merge->reports->pdata[0], "schema")));
	json_object_object_add(root, "complete", json_object_new_boolean(merge->complete));
	json_object_object_add(root, "lost_events", json_object_new_int64(merge->lost));
	json_object_object_add(root, "events", json_object_new_int64(merge->events));
	json_object_object_add(root, "processes", json_object_get(merge->processes));
	json_object_object_add(root, "findings", findings);
	json_object_object_add(root, "suppressed", json_object_new_int64(merge->suppressed));
	json_object_object_add(root, "suppressions", json_object_new_array());
	json_object_object_add(root, "baseline", NULL);
	json_object_object_add(root, "limits", texts_json(merge->limits));
	json_object_object_add(root, "notes", texts_json(merge->notes));
	json_object_object_add(root, "migration", rows_json(merge, "migration"));
	json_object_object_add(root, "recording_cost",
			       merge->cost[COST_BYTES] ? cost_json(merge) : NULL);
	json_object_object_add(root, "fixes", rows_json(merge, "fixes"));
	json_object_object_add(root, "residency", rows_json(merge, "residency"));
	return root;
}

static void print_ranks(const struct merge *merge, struct json_object *finding, FILE *stream)
{
	struct json_object *entries = member(finding, "ranks");
	struct json_object *outliers = member(finding, "rank_outliers");
	GArray *ranks;
	char *text;

	if (!entries) {
		return;
	}
	ranks = g_array_new(FALSE, FALSE, sizeof(int));
	for (size_t i = 0; i < json_object_array_length(entries); i++) {
		int rank = (int)number_of(json_object_array_get_idx(entries, i), "rank");

		if (!ranks->len || g_array_index(ranks, int, ranks->len - 1) != rank) {
			g_array_append_val(ranks, rank);
		}
	}
	text = ranks_text(ranks);
	fprintf(stream, "  ranks       %s of %u", text, merge->ranks->len);
	for (size_t i = 0; outliers && i < json_object_array_length(outliers); i++) {
		fprintf(stream, "%s%s", i ? ", " : ": differing from most: ",
			json_object_get_string(json_object_array_get_idx(outliers, i)));
	}
	fputc('\n', stream);
	g_free(text);
	g_array_free(ranks, TRUE);
}

static void print_text(const struct merge *merge, FILE *stream)
{
	fprintf(stream, "hipgrain: %zu processes, %u ranks, %" G_GINT64_FORMAT " events\n\n",
		json_object_array_length(merge->processes), merge->ranks->len, merge->events);
	for (unsigned i = 0; i < merge->findings->len; i++) {
		struct json_object *finding = merge->findings->pdata[i];
		const struct rule *rule = rule_by_name(text_of(finding, "rule"));

		fprintf(stream, "%s %s: %s\n", text_of(finding, "severity"),
			text_of(finding, "rule"), rule ? rule->title : text_of(finding, "slug"));
		fprintf(stream, "  what        %s\n", text_of(finding, "message"));
		if (member(finding, "kernel")) {
			fprintf(stream, "  kernel      %s\n", text_of(finding, "kernel"));
		}
		fprintf(stream, "  count       %" G_GINT64_FORMAT "\n",
			number_of(finding, "count"));
		print_ranks(merge, finding, stream);
		if (member(finding, "fix")) {
			fprintf(stream, "  fix         %s\n", text_of(finding, "fix"));
		}
		fprintf(stream, "  confidence  %s\n\n", text_of(finding, "confidence"));
	}
	for (unsigned i = 0; i < merge->limits->len; i++) {
		fprintf(stream, "%s  %s\n", i ? "" : "What could not be told:\n",
			(const char *)merge->limits->pdata[i]);
	}
	for (unsigned i = 0; i < merge->notes->len; i++) {
		fprintf(stream, "%s  %s\n", i ? "" : "Also:\n",
			(const char *)merge->notes->pdata[i]);
	}
	if (merge->cost[COST_USED] > merge->cost[COST_SPENT]) {
		fprintf(stream,
			"hipgrain: recording cost: %.1f MB; about %.1f %% of the programs' "
			"processor time\n",
			(double)merge->cost[COST_BYTES] / 1e6,
			100 * (double)merge->cost[COST_SPENT] / (double)merge->cost[COST_USED]);
	}
	fprintf(stream, "hipgrain: %u finding%s\n", merge->findings->len,
		merge->findings->len == 1 ? "" : "s");
}

static int write_report(const struct merge *merge, bool json, const char *output)
{
	FILE *stream = output ? fopen(output, "w") : stdout;
	int result = 0;

	if (!stream) {
		message_error("%s: %s", output, strerror(errno));
		return HG_EXIT_INPUT;
	}
	if (json) {
		result = write_json(merge_json(merge), stream);
	} else {
		print_text(merge, stream);
	}
	if (output && (ferror(stream) | fclose(stream)) && !result) {
		result = -EIO;
	}
	if (result) {
		message_error("cannot write the report: %s", strerror(-result));
		return HG_EXIT_INPUT;
	}
	return HG_EXIT_OK;
}

static int read_reports(struct merge *merge, struct part *parts, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct json_object *report;
		char *error;

		if (report_read_json(parts[i].report ? parts[i].report : parts[i].path, &report,
				     &error) < 0) {
			message_error("%s", error);
			g_free(error);
			return -EINVAL;
		}
		g_ptr_array_add(merge->reports, report);
	}
	return 0;
}

static void put_json(gpointer object)
{
	json_object_put(object);
}

static int run_merge(struct part *parts, const struct merge_options *options)
{
	struct merge merge = {
		.reports = g_ptr_array_new_with_free_func(put_json),
		.findings = g_ptr_array_new(),
		.ranks = g_array_new(FALSE, FALSE, sizeof(int)),
		.processes = json_object_new_array(),
		.limits = g_ptr_array_new_with_free_func(g_free),
		.notes = g_ptr_array_new_with_free_func(g_free),
		.complete = true,
	};
	int status = HG_EXIT_INPUT;

	if (report_bundles(parts, options->count, options) == 0 &&
	    read_reports(&merge, parts, options->count) == 0) {
		merge_reports(&merge);
		status = write_report(&merge, options->json, options->output);
		for (unsigned i = 0; status == HG_EXIT_OK && i < merge.findings->len; i++) {
			const char *severity = text_of(merge.findings->pdata[i], "severity");

			if (options->fail_on >= 0 &&
			    severity_by_name(severity) >= options->fail_on) {
				status = HG_EXIT_FINDINGS;
			}
		}
	}
	json_object_put(merge.processes);
	g_ptr_array_free(merge.findings, TRUE);
	g_ptr_array_free(merge.reports, TRUE);
	g_ptr_array_free(merge.limits, TRUE);
	g_ptr_array_free(merge.notes, TRUE);
	g_array_free(merge.ranks, TRUE);
	return status;
}

unsigned merge_default_jobs(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return processors > 0 ? (unsigned)processors : 1;
}

unsigned merge_parse_jobs(const char *text)
{
	char *end;
	long jobs = strtol(text, &end, 10);

	if (*end || end == text || jobs < 1 || jobs > 4096) {
		message_error("--jobs: '%s' is not a number from 1 to 4096", text);
		return 0;
	}
	return (unsigned)jobs;
}

int merge_run(const struct merge_options *options)
{
	struct part *parts = g_new0(struct part, options->count);
	int status;

	for (unsigned i = 0; i < options->count; i++) {
		parts[i].path = options->paths[i];
	}
	status = run_merge(parts, options);
	for (unsigned i = 0; i < options->count; i++) {
		if (parts[i].report) {
			unlink(parts[i].report);
			g_free(parts[i].report);
		}
	}
	g_free(parts);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	enum { OPTION_FORMAT = 0x100, OPTION_FAIL_ON };
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "fail-on", required_argument, NULL, OPTION_FAIL_ON },
		{ "jobs", required_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct merge_options options = { .fail_on = -1, .jobs = merge_default_jobs() };
	int code;

	while ((code = getopt_long(argc, argv, "o:j:h", long_options, NULL)) != -1) {
		switch (code) {
		case 'o':
			options.output = optarg;
			break;
		case OPTION_FORMAT:
			options.json = strcmp(optarg, "json") == 0;
			if (!options.json && strcmp(optarg, "text") != 0) {
				message_error("--format: '%s' is not text or json", optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case OPTION_FAIL_ON:
			options.fail_on = severity_by_name(optarg);
			if (options.fail_on < 0) {
				message_error("--fail-on: '%s' is not error, warning, advice or "
					      "note",
					      optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case 'j':
			options.jobs = merge_parse_jobs(optarg);
			if (!options.jobs) {
				return HG_EXIT_USAGE;
			}
			break;
		case 'h':
			fputs(usage_merge, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (optind == argc) {
		message_error("no report given (try 'hipgrain merge --help')");
		return HG_EXIT_USAGE;
	}
	options.count = (unsigned)(argc - optind);
	options.paths = (const char *const *)argv + optind;
	return merge_run(&options);
}
