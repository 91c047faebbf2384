/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain run: record, then report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/nearest.h"
#include "analyzer/cmds/fix_plan.h"
#include "analyzer/cmds/record_options.h"
#include "analyzer/cmds/report_child.h"
#include "analyzer/cmds/report_options.h"
#include "analyzer/program_runtime.h"
#include "tracer/message.h"

const char usage_run[] =
    "Usage: hipgrain run [OPTION]... [--] CMD [ARG]...\n"
    "Run CMD, record it, and then report the findings on standard error. CMD's standard streams\n"
    "are not changed. The exit status is that of CMD, unless --fail-on is given.\n"
    "\n"
    "  -o, --output DIR          the bundle (default " RECORD_DEFAULT_DIRECTORY
    "); an older one is renamed to DIR.old\n" RECORD_USAGE
    "      --report FILE         write the report to FILE instead of standard error\n" REPORT_USAGE
    "      --fix LIST            modify the program's memory, and record each change: LIST is\n"
    "                            coarse-managed, prefetch, align, separated by commas\n"
    "  -q, --quiet               print only the report, warnings and errors\n"
    "  -h, --help                print this help\n";

enum { RUN_OPTION_REPORT = REPORT_OPTION_END, RUN_OPTION_FIX };

/* Returns 0, or -EINVAL after a message. */
static int check_fixes(const char *list)
{
	static const char *const names[] = { "coarse-managed", "prefetch", "align" };
	char **words = g_strsplit(list, ",", -1);
	const char *unknown = *list ? NULL : "";

	for (char **word = words; *word && !unknown; word++) {
		bool known = false;

		for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
			known |= strcmp(*word, names[i]) == 0;
		unknown = known ? NULL : *word;
	}
	if (unknown) {
		struct nearest nearest = nearest_to(unknown);

		for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
			nearest_offer(&nearest, names[i]);
		if (nearest.name)
			message_error("--fix: unknown fix '%s' (did you mean '%s'?)", unknown,
				      nearest.name);
		else
			message_error("--fix: unknown fix '%s' (choose from coarse-managed, "
				      "prefetch, align)",
				      unknown);
	}
	g_strfreev(words);
	return unknown ? -EINVAL : 0;
}

static int parse_options(int argc, char **argv, struct record_options *record,
			 struct report_options *report, bool *help)
{
	static const struct option long_options[] = {
		RECORD_LONG_OPTIONS,
		REPORT_LONG_OPTIONS,
		{ "report", required_argument, NULL, RUN_OPTION_REPORT },
		{ "fix", required_argument, NULL, RUN_OPTION_FIX },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int code, taken;

	while ((code = next_option(argc, argv, "+o:qh", long_options)) != -1) {
		switch (code) {
		case RUN_OPTION_REPORT:
			report->output = optarg;
			break;
		case 'o':
			record->directory = optarg;
			break;
		case RUN_OPTION_FIX:
			if (check_fixes(optarg) < 0)
				return -EINVAL;
			record->fix = optarg;
			break;
		case 'q':
			message_set_quiet(true);
			report->progress = 0;
			break;
		case 'h':
			*help = true;
			return 0;
		default:
			taken = report_parse_option(report, code, optarg);
			if (taken == 0)
				taken = record_parse_option(record, code, optarg);
			if (taken <= 0)
				return -EINVAL;
		}
	}
	if (optind == argc) {
		message_error("no command given (try 'hipgrain run --help')");
		return -EINVAL;
	}
	if (record->fix && record->kernel_arguments && !strcmp(record->kernel_arguments, "off")) {
		message_error("--fix needs kernel arguments and cannot be combined with "
			      "--kernel-arguments=off");
		return -EINVAL;
	}
	return record_settle_options(record);
}

int cmd_run(int argc, char **argv)
{
	struct record_options record = RECORD_OPTIONS_DEFAULT;
	struct report_options report = REPORT_OPTIONS_DEFAULT;
	struct record_result result = { .lock = -1 };
	struct program_runtime runtime = { NULL, NULL, NULL };
	char *plan = NULL;
	bool help = false, crashed;
	int status;

	if (parse_options(argc, argv, &record, &report, &help) < 0)
		return HG_EXIT_USAGE;
	if (help) {
		fputs(usage_run, stdout);
		return HG_EXIT_OK;
	}
	status = report_prepare(&report);
	if (status != HG_EXIT_OK)
		return status;
	/* Not every run needs a bundle: one that cannot be here is no reason to refuse. */
	record.elsewhere = !record.directory;
	if (record.fix && strstr(record.fix, "coarse-managed")) {
		if (fix_plan_write(argv[optind], &plan) < 0) {
			selection_clear(&report.selection);
			status = HG_EXIT_INPUT;
			goto out;
		}
		record.fix_plan = plan;
	}
	status = record_command(&record, argv + optind, &result);
	if (status != HG_EXIT_OK) {
		selection_clear(&report.selection);
		goto out;
	}
#ifdef HIPGRAIN_PORTABLE
	program_runtime_use(argv[optind], &runtime);
#endif
	status = report_child(&report, result.directory, stderr, &crashed);
	program_runtime_clear(&runtime);
	if (crashed) {
		/* CMD itself reported no failure; --fail-on requires a report. */
		if (report.fail_on < 0 || result.status != 0)
			status = result.status;
		goto out;
	}
	if (status == HG_EXIT_OK || status == HG_EXIT_FINDINGS || status == HG_EXIT_INCOMPLETE)
		report_say_more(&report, result.directory);
	else
		message_note("the recording is in %s", result.directory);
	if (status == HG_EXIT_OK)
		status = result.status;
out:
	if (plan) {
		unlink(plan);
		g_free(plan);
	}
	if (result.lock >= 0)
		close(result.lock);
	free(result.directory);
	return status;
}
