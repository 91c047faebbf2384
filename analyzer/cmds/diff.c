/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain diff: findings that are new, gone or the same between two recordings. */
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/diff_keys.h"
#include "analyzer/report/causes.h"
#include "analyzer/report/json_text.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report.h"
#include "analyzer/report/selection.h"
#include "analyzer/progress.h"
#include "tracer/message.h"

const char usage_diff[] =
    "Usage: hipgrain diff [OPTION]... A B\n"
    "Compare the findings of two recordings, each a trace bundle or a JSON report:\n"
    "which findings of B are new, and which of A are gone.\n"
    "\n"
    "      --format FORMAT       text (default) or json\n"
    "      --fail-on SEVERITY    exit with 1 if a finding of at least SEVERITY is new: error,\n"
    "                            warning, advice or note (default); with 5 if none is new\n"
    "                            and the recording of B is incomplete\n"
    "      --skip-frames PATTERN files or functions that only pass calls on, as for 'report';\n"
    "                            may be repeated\n"
    "  -h, --help                print this help\n";

enum { DIFF_OPTION_FORMAT = 0x100, DIFF_OPTION_FAIL_ON, DIFF_OPTION_SKIP_FRAMES };

/* The report lists changes in this order. */
enum change { CHANGE_NEW, CHANGE_GONE, CHANGE_SAME, CHANGES };

static const struct {
	const char *name; /* in JSON */
	char sign;        /* in text; 0: only counted there */
} changes[CHANGES] = {
	[CHANGE_NEW] = { "new", '+' },
	[CHANGE_GONE] = { "gone", '-' },
	[CHANGE_SAME] = { "same", 0 },
};

/* Returns the report of a bundle or of a JSON file; NULL after a message. */
static struct json_object *load(const char *path)
{
	struct json_object *report = NULL;
	struct analysis analysis;
	struct stat status;
	char *error = NULL;
	int result;

	if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
		result = report_read_json(path, &report, &error);
		if (result < 0)
			message_error("%s", error);
	} else {
		progress_set(PROGRESS_AUTO);
		result = analysis_load(&analysis, path, &error);
		if (result < 0)
			message_error("%s: %s", path, error ? error : strerror(-result));
		else
			report = report_json_object(&analysis);
		analysis_clear(&analysis);
	}
	g_free(error);
	return report;
}

/* Takes the findings of a report out of the causes that it has them by. */
static void ungroup(struct json_object *report)
{
	struct json_object *list = causes_findings(get_member(report, "findings"));

	for (size_t i = 0; i < json_object_array_length(list); i++)
		json_object_object_add(json_object_array_get_idx(list, i), "others", NULL);
	json_object_object_add(report, "findings", list);
}

/* Replaces a list by that of its causes. */
static void group(struct json_object **list, struct json_object *report)
{
	struct json_object *causes = causes_of(*list, get_array(report, "processes"));

	json_object_put(*list);
	*list = causes;
}

/* Returns the set of the findings' keys (diff_keys()). */
static GHashTable *keys_of(struct json_object *report, bool without_stacks)
{
	GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct json_object *list = get_member(report, "findings");

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct diff_keys keys =
		    diff_keys(json_object_array_get_idx(list, i), without_stacks);

		g_hash_table_add(set, keys.now);
		if (keys.former)
			g_hash_table_add(set, keys.former);
	}
	return set;
}

static bool has_any(GHashTable *set, const struct diff_keys *keys)
{
	return g_hash_table_contains(set, keys->now) ||
	       (keys->former && g_hash_table_contains(set, keys->former));
}

/*
 * Put the report's findings into `absent` or, if the other report has them too and `both` is
 * not NULL, into `both`. A finding of several processes counts once.
 */
static void split(struct json_object *report, GHashTable *other, bool without_stacks,
		  struct json_object *absent, struct json_object *both)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct json_object *list = get_member(report, "findings");

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *finding = json_object_array_get_idx(list, i);
		struct diff_keys keys = diff_keys(finding, without_stacks);
		struct json_object *target = has_any(other, &keys) ? both : absent;

		if (!target)
			g_free(keys.now);
		else if (g_hash_table_add(seen, keys.now))
			json_object_array_add(target, json_object_get(finding));
		g_free(keys.former);
	}
	g_hash_table_destroy(seen);
}

/* Older reports do not say it. */
static int recording_status(struct json_object *report)
{
	struct json_object *recording = get_member(report, "recording");

	return recording ? recording_status_by_name(get_text(recording, "status")) : -1;
}

static bool is_complete(struct json_object *report)
{
	int status = recording_status(report);

	return status < 0 ? get_flag(report, "complete") : status == RECORDING_COMPLETE;
}

/* Returns true if so much is missing from the recording that its report may lack findings. */
static bool fails_recording(struct json_object *report)
{
	int status = recording_status(report);

	return status >= 0 && recording_status_fails((enum recording_status)status);
}

/* Returns the reason why a report does not cover everything. */
static const char *shortcoming(struct json_object *report)
{
	return is_complete(report) ? "was not analysed as a whole" : "is incomplete";
}

/* Returns the side without call stacks, if the other one has them; -1: neither, or both. */
static int side_without_stacks(struct json_object *const reports[2])
{
	bool lacks[2] = { diff_lacks_stacks(reports[0]), diff_lacks_stacks(reports[1]) };

	return lacks[0] == lacks[1] ? -1 : lacks[0] ? 0 : 1;
}

static void print_text(const char *const paths[2], struct json_object *const reports[2],
		       struct json_object *const lists[CHANGES])
{
	int without = side_without_stacks(reports);

	for (int change = 0; change < CHANGES; change++) {
		size_t length = json_object_array_length(lists[change]);

		for (size_t i = 0; changes[change].sign && i < length; i++) {
			struct json_object *finding = json_object_array_get_idx(lists[change], i);

			printf("%c ", changes[change].sign);
			print_member(stdout, finding, "fingerprint", " ");
			putchar(' ');
			print_member(stdout, finding, "severity", " ");
			putchar(' ');
			print_member(stdout, finding, "rule", " ");
			fputs(": ", stdout);
			print_member(stdout, finding, "message", " ");
			putchar('\n');
			json_text_instruction(stdout, finding);
			json_text_place(stdout, "allocated", place_of_allocation(finding));
			json_text_call(stdout, finding);
			json_text_others(stdout, finding);
		}
	}
	if (without >= 0) {
		printf("hipgrain: %s has no call stacks: findings are compared without the places "
		       "of their calls\n",
		       paths[without]);
	}
	if (!json_report_analysed(reports[0])) {
		printf("hipgrain: %s %s: new findings may have been present before\n", paths[0],
		       shortcoming(reports[0]));
	}
	if (!json_report_analysed(reports[1])) {
		printf("hipgrain: %s %s: findings that are gone may still be present\n", paths[1],
		       shortcoming(reports[1]));
	}
	printf("hipgrain: %zu new, %zu gone, %zu the same\n",
	       json_object_array_length(lists[CHANGE_NEW]),
	       json_object_array_length(lists[CHANGE_GONE]),
	       json_object_array_length(lists[CHANGE_SAME]));
}

static void print_json(const char *const paths[2], struct json_object *const reports[2],
		       struct json_object *const lists[CHANGES])
{
	static const char *const sides[2] = { "a", "b" };
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "schema", json_object_new_string("hipgrain-diff/1"));
	for (int i = 0; i < 2; i++) {
		struct json_object *side = json_object_new_object();
		char *valid = g_utf8_make_valid(paths[i], -1);

		json_object_object_add(side, "path", json_object_new_string(valid));
		json_object_object_add(side, "complete",
				       json_object_new_boolean(is_complete(reports[i])));
		json_object_object_add(side, "analysed",
				       json_object_new_boolean(json_report_analysed(reports[i])));
		json_object_object_add(
		    side, "recording",
		    recording_status(reports[i]) < 0
			? NULL
			: json_object_new_string(recording_status_name(
			      (enum recording_status)recording_status(reports[i]))));
		json_object_object_add(side, "call_stacks",
				       json_object_new_boolean(!diff_lacks_stacks(reports[i])));
		json_object_object_add(root, sides[i], side);
		g_free(valid);
	}
	for (int change = 0; change < CHANGES; change++)
		json_object_object_add(root, changes[change].name, json_object_get(lists[change]));
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

/* Names what shows the new findings with their causes and fixes. */
static void say_more(const char *path)
{
	struct stat status;
	bool bundle = stat(path, &status) == 0 && S_ISDIR(status.st_mode);

	fflush(stdout);
	message_note("more: 'hipgrain %s %s' prints the fixes, 'hipgrain explain RULE' explains a "
		     "rule",
		     bundle ? "report" : "merge", path);
}

static int compare(const char *const paths[2], enum report_format format, int fail_on)
{
	struct json_object *reports[2] = { NULL, NULL }, *lists[CHANGES];
	GHashTable *sets[2];
	int status = HG_EXIT_OK;
	bool without;

	for (int i = 0; i < 2; i++) {
		reports[i] = load(paths[i]);
		if (!reports[i]) {
			json_object_put(reports[0]);
			return HG_EXIT_INPUT;
		}
		ungroup(reports[i]);
	}
	for (int i = 0; i < CHANGES; i++)
		lists[i] = json_object_new_array();
	without = side_without_stacks(reports) >= 0;
	for (int i = 0; i < 2; i++)
		sets[i] = keys_of(reports[i], without);
	split(reports[1], sets[0], without, lists[CHANGE_NEW], lists[CHANGE_SAME]);
	split(reports[0], sets[1], without, lists[CHANGE_GONE], NULL);
	for (int i = 0; i < CHANGES; i++)
		group(&lists[i], reports[i != CHANGE_GONE]);
	(format == REPORT_JSON ? print_json : print_text)(paths, reports, lists);
	if (format == REPORT_TEXT && json_object_array_length(lists[CHANGE_NEW]))
		say_more(paths[1]);
	for (size_t i = 0; i < json_object_array_length(lists[CHANGE_NEW]); i++) {
		struct json_object *finding = json_object_array_get_idx(lists[CHANGE_NEW], i);

		if (severity_by_name(get_text(finding, "severity")) >= fail_on)
			status = HG_EXIT_FINDINGS;
	}
	if (status == HG_EXIT_OK && fails_recording(reports[1]))
		status = HG_EXIT_INCOMPLETE;
	for (int i = 0; i < CHANGES; i++)
		json_object_put(lists[i]);
	for (int i = 0; i < 2; i++) {
		g_hash_table_destroy(sets[i]);
		json_object_put(reports[i]);
	}
	return status;
}

int cmd_diff(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "format", required_argument, NULL, DIFF_OPTION_FORMAT },
		{ "fail-on", required_argument, NULL, DIFF_OPTION_FAIL_ON },
		{ "skip-frames", required_argument, NULL, DIFF_OPTION_SKIP_FRAMES },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int format = REPORT_TEXT, fail_on = SEVERITY_NOTE, code;

	while ((code = next_option(argc, argv, "h", long_options)) != -1) {
		switch (code) {
		case DIFF_OPTION_FORMAT:
			format = report_format_by_name(optarg);
			if (format != REPORT_TEXT && format != REPORT_JSON) {
				message_error("--format: '%s' is not text or json", optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case DIFF_OPTION_FAIL_ON:
			fail_on = severity_by_name(optarg);
			if (fail_on < 0) {
				message_error(
				    "--fail-on: '%s' is not error, warning, advice or note",
				    optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case DIFF_OPTION_SKIP_FRAMES:
			symbols_skip_frames(optarg);
			break;
		case 'h':
			fputs(usage_diff, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (argc - optind != 2) {
		message_error("two bundles or reports are required (try 'hipgrain diff --help')");
		return HG_EXIT_USAGE;
	}
	return compare((const char *const[2]){ argv[optind], argv[optind + 1] },
		       (enum report_format)format, fail_on);
}
