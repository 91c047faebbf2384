/* SPDX-License-Identifier: Apache-2.0 */
/* The verb merge: one report of several. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/merge_parts.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report.h"
#include "analyzer/report/selection.h"
#include "tracer/message.h"

const char usage_merge[] =
    "Usage: hipgrain merge [OPTION]... FILE|BUNDLE...\n"
    "Merge the JSON reports of a job's nodes into one report. Bundles are analysed first.\n"
    "A finding on several ranks is reported once.\n"
    "\n"
    "  -o, --output FILE         write the report to FILE instead of standard output\n"
    "      --format FORMAT       one of" REPORT_FORMAT_NAMES "\n"
    "                            (default: text)\n"
    "      --fail-on SEVERITY    exit with 1 if there is a finding of at least SEVERITY:\n"
    "                            error, warning, advice or note; with 5 if there is none\n"
    "                            and a recording is incomplete\n"
    "  -j, --jobs N              analyse N bundles in parallel (default: one per CPU)\n"
    "  -h, --help                print this help\n";

static int read_reports(struct merge *merge, struct merge_part *parts, unsigned count)
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

static int run_merge(struct merge_part *parts, const struct merge_options *options)
{
	struct merge merge = {
		.reports = g_ptr_array_new_with_free_func(put_json),
		.seeds = options->seeds,
		.findings = g_ptr_array_new(),
		.ranks = g_array_new(FALSE, FALSE, sizeof(int)),
		.processes = json_object_new_array(),
		.limits = g_ptr_array_new_with_free_func(g_free),
		.ends = g_ptr_array_new_with_free_func(g_free),
		.notes = g_ptr_array_new_with_free_func(g_free),
		.analysed = true,
		.recording = -1,
		.gaps = json_object_new_array(),
		.reasons = json_object_new_array(),
	};
	int status = HG_EXIT_INPUT;

	if (merge_bundles(parts, options->count, options) == 0 &&
	    read_reports(&merge, parts, options->count) == 0) {
		merge_reports(&merge);
		status = merge_write(&merge, options);
		for (unsigned i = 0; status == HG_EXIT_OK && i < merge.findings->len; i++) {
			const char *severity = get_text(merge.findings->pdata[i], "severity");

			if (options->fail_on >= 0 && severity_by_name(severity) >= options->fail_on)
				status = HG_EXIT_FINDINGS;
		}
		if (status == HG_EXIT_OK && options->fail_on >= 0 && merge.recording >= 0 &&
		    recording_status_fails((enum recording_status)merge.recording))
			status = HG_EXIT_INCOMPLETE;
	}
	json_object_put(merge.causes);
	json_object_put(merge.processes);
	json_object_put(merge.gaps);
	json_object_put(merge.reasons);
	g_ptr_array_free(merge.findings, TRUE);
	g_ptr_array_free(merge.reports, TRUE);
	g_ptr_array_free(merge.limits, TRUE);
	g_ptr_array_free(merge.ends, TRUE);
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
	struct merge_part *parts = g_new0(struct merge_part, options->count);
	int status;

	for (unsigned i = 0; i < options->count; i++)
		parts[i].path = options->paths[i];
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
	int code, format;
	char *list;

	while ((code = next_option(argc, argv, "o:j:h", long_options)) != -1) {
		switch (code) {
		case 'o':
			options.output = optarg;
			break;
		case OPTION_FORMAT:
			format = report_format_by_name(optarg);
			if (format < 0 || !report_takes_several((enum report_format)format)) {
				list = report_format_list_of_several();
				message_error("--format: '%s' is not %s", optarg, list);
				g_free(list);
				return HG_EXIT_USAGE;
			}
			options.format = (enum report_format)format;
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
			if (!options.jobs)
				return HG_EXIT_USAGE;
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
