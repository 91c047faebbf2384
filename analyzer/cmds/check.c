/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain check: run on the software GPU with its checks on, then report what they found. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/check_seeds.h"
#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/record_options.h"
#include "analyzer/cmds/report_child.h"
#include "analyzer/cmds/report_options.h"
#include "tracer/message.h"

const char usage_check[] =
    "Usage: hipgrain check [OPTION]... [--] CMD [ARG]...\n"
    "       hipgrain check [OPTION]... LIST -- CMD [ARG]...\n"
    "Run CMD on the software GPU, check each memory access of its kernels, and report what is\n"
    "wrong on standard error. CMD needs neither a GPU nor to be compiled anew.\n"
    "\n"
    "      --tools LIST          what is checked, separated by commas (default: all):\n"
    "                            memcheck: accesses past the end of allocations, to\n"
    "                            released memory, beyond LDS, and misaligned atomics,\n"
    "                            and to allocations to which no pointer leads;\n"
    "                            initcheck: uses of memory that nothing wrote;\n"
    "                            racecheck: accesses to LDS that no barrier orders, and\n"
    "                            to global memory by work-groups that nothing orders;\n"
    "                            leakcheck: memory of HIP that CMD never releases;\n"
    "                            synccheck: barriers that not all work-items reach\n"
    "      --seed N              order of work-groups and waves\n"
    "      --seeds N             run CMD with N seeds, from that of --seed or 1 on, and report\n"
    "                            each finding once, with the seeds that showed it\n"
    "      --time-limit SECONDS  end a kernel all of whose waves only wait for so long, or ten\n"
    "                            times as long without the end of a work-group (default: 60;\n"
    "                            0: never)\n"
    "  -o, --output DIR          the bundle (default " RECORD_DEFAULT_DIRECTORY
    "); an older one is renamed to DIR.old\n"
    "      --report FILE         write the report to FILE instead of standard error\n" REPORT_USAGE
    "  -h, --help                print this help\n"
    "\n"
    "Exit status: 1 if a finding is an error (or of --fail-on's severity), else that of CMD;\n"
    "2 for wrong usage.\n";

enum { OPTION_TOOLS = REPORT_OPTION_END, OPTION_REPORT, OPTION_SEEDS, OPTION_TIME_LIMIT };

#define TIME_LIMIT_MAX     (365 * 86400)
#define TIME_LIMIT_DEFAULT 60

/* The rules of the tools; the report shows these, and what a GPU's fault leads to. */
#define TOOLS "memcheck,initcheck,racecheck,leakcheck,synccheck"

static bool are_tools(const char *list)
{
	char **tools = g_strsplit(TOOLS, ",", -1), **words = g_strsplit(list, ",", -1);
	bool all = *words;

	for (char **word = words; *word; word++)
		all &= g_strv_contains((const char *const *)tools, *word);
	g_strfreev(tools);
	g_strfreev(words);
	return all;
}

/* Returns 0, or -EINVAL after a message. */
static int check_tools(const char *list)
{
	if (are_tools(list))
		return 0;
	message_error("--tools: '%s' is not a list of %s", list, TOOLS);
	return -EINVAL;
}

/* Returns a number of an option; -EINVAL after a message. */
static int parse_number(const char *option, const char *text, int least, int greatest)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (*end || end == text || number < least || number > greatest) {
		message_error("--%s: '%s' is not a number from %d to %d", option, text, least,
			      greatest);
		return -EINVAL;
	}
	return (int)number;
}

/* Returns 0, or -EINVAL after a message. */
static int check_search(unsigned seeds, const struct record_options *record,
			const struct report_options *report)
{
	if (!seeds)
		return 0;
	if (!report_takes_several(report->format)) {
		char *list = report_format_list_of_several();

		message_error("--seeds: the format has to be %s", list);
		g_free(list);
		return -EINVAL;
	}
	if (record->softgpu_model.seed > INT64_MAX - CHECK_SEEDS_MAX) {
		message_error("--seeds: %" PRIu64 " of --seed is too large",
			      record->softgpu_model.seed);
		return -EINVAL;
	}
	return 0;
}

static int parse_options(int argc, char **argv, struct record_options *record,
			 struct report_options *report, unsigned *seeds, bool *help)
{
	static const struct option long_options[] = {
		{ "tools", required_argument, NULL, OPTION_TOOLS },
		{ "report", required_argument, NULL, OPTION_REPORT },
		{ "seed", required_argument, NULL, RECORD_OPTION_SEED },
		{ "seeds", required_argument, NULL, OPTION_SEEDS },
		{ "time-limit", required_argument, NULL, OPTION_TIME_LIMIT },
		REPORT_LONG_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int code, taken, number;

	while ((code = next_option(argc, argv, "+o:h", long_options)) != -1) {
		switch (code) {
		case OPTION_TOOLS:
			if (check_tools(optarg) < 0)
				return -EINVAL;
			record->softgpu_model.check = optarg;
			break;
		case OPTION_SEEDS:
			number = parse_number("seeds", optarg, 1, CHECK_SEEDS_MAX);
			if (number < 0)
				return -EINVAL;
			*seeds = (unsigned)number;
			break;
		case OPTION_TIME_LIMIT:
			number = parse_number("time-limit", optarg, 0, TIME_LIMIT_MAX);
			if (number < 0)
				return -EINVAL;
			record->softgpu_model.time_limit = (uint64_t)number;
			break;
		case OPTION_REPORT:
			report->output = optarg;
			break;
		case 'o':
			record->directory = optarg;
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
	/* A list of tools and "--" are no command, unless another "--" is in front of them. */
	if (optind + 1 < argc && strcmp(argv[optind - 1], "--") != 0 &&
	    strcmp(argv[optind + 1], "--") == 0 && are_tools(argv[optind])) {
		record->softgpu_model.check = argv[optind];
		optind += 2;
	}
	if (optind == argc) {
		message_error("no command given (try 'hipgrain check --help')");
		return -EINVAL;
	}
	if (check_search(*seeds, record, report) < 0)
		return -EINVAL;
	return record_settle_options(record);
}

int cmd_check(int argc, char **argv)
{
	struct record_options record = RECORD_OPTIONS_DEFAULT;
	struct report_options report = REPORT_OPTIONS_DEFAULT;
	struct record_result result = { .lock = -1 };
	bool help = false, crashed;
	unsigned seeds = 0;
	int status;

	record.softgpu = true;
	record.softgpu_model.check = TOOLS;
	record.softgpu_model.limited = true;
	record.softgpu_model.time_limit = TIME_LIMIT_DEFAULT;
	report.fail_on = SEVERITY_ERROR;
	if (parse_options(argc, argv, &record, &report, &seeds, &help) < 0)
		return HG_EXIT_USAGE;
	if (help) {
		fputs(usage_check, stdout);
		return HG_EXIT_OK;
	}
	if (seeds)
		return check_seeds(seeds, &record, &report, argv + optind);
	status = report_prepare(&report);
	if (status != HG_EXIT_OK)
		return status;
	record.elsewhere = !record.directory;
	status = record_command(&record, argv + optind, &result);
	if (status == HG_EXIT_OK)
		status = report_child(&report, result.directory, stderr, &crashed);
	else
		selection_clear(&report.selection);
	if (result.directory && (status == HG_EXIT_OK || status == HG_EXIT_FINDINGS))
		report_say_more(&report, result.directory);
	if (status == HG_EXIT_OK)
		status = result.status;
	if (result.lock >= 0)
		close(result.lock);
	free(result.directory);
	return status;
}
