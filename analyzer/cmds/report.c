/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/report_options.h"
#include "analyzer/progress.h"
#include "tracer/message.h"

const char usage_report[] =
    "Usage: hipgrain report [OPTION]... BUNDLE\n"
    "Analyse a trace bundle that 'hipgrain record' made, and print what was found.\n"
    "\n"
    "  -o, --output FILE         write the report there instead of to standard "
    "output\n" REPORT_USAGE "  -h, --help                print this help\n";

/* auto -1, never 0, always 1; -2: none of them. */
static int parse_when(const char *argument)
{
	static const char *const names[] = { "auto", "never", "always" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], argument) == 0) {
			return i - 1;
		}
	}
	return -2;
}

int report_parse_option(struct report_options *options, int code, const char *argument)
{
	int value;

	switch (code) {
	case REPORT_OPTION_FORMAT:
		value = report_format_by_name(argument);
		if (value < 0) {
			message_error("--format: '%s' is not text, json, sarif, html or chrome",
				      argument);
			return -EINVAL;
		}
		options->format = (enum report_format)value;
		return 1;
	case REPORT_OPTION_FAIL_ON:
		options->fail_on = severity_by_name(argument);
		if (options->fail_on < 0) {
			message_error("--fail-on: '%s' is not error, warning, advice or note",
				      argument);
			return -EINVAL;
		}
		return 1;
	case REPORT_OPTION_COLOR:
		options->color = parse_when(argument);
		if (options->color < -1) {
			message_error("--color: '%s' is not auto, always or never", argument);
			return -EINVAL;
		}
		return 1;
	case REPORT_OPTION_PROGRESS:
		options->progress = parse_when(argument);
		if (options->progress < -1) {
			message_error("--progress: '%s' is not auto, always or never", argument);
			return -EINVAL;
		}
		return 1;
	case REPORT_OPTION_SUPPRESSIONS:
		if (options->suppression_files == G_N_ELEMENTS(options->suppressions)) {
			message_error("--suppressions: at most %zu files",
				      G_N_ELEMENTS(options->suppressions));
			return -EINVAL;
		}
		options->suppressions[options->suppression_files++] = argument;
		return 1;
	case REPORT_OPTION_BASELINE:
		options->baseline = argument;
		return 1;
	case REPORT_OPTION_WHAT_IF:
		if (strcmp(argument, "xnack0") != 0 && strcmp(argument, "xnack1") != 0) {
			message_error("--what-if: '%s' is neither xnack0 nor xnack1", argument);
			return -EINVAL;
		}
		options->what_if = argument[5] == '1' ? WHAT_IF_XNACK1 : WHAT_IF_XNACK0;
		return 1;
	case REPORT_OPTION_VERBOSE:
		options->verbose = true;
		return 1;
	case 'o':
		options->output = argument;
		return 1;
	default:
		return 0;
	}
}

static bool use_color(const struct report_options *options, FILE *stream)
{
	const char *no_color = getenv("NO_COLOR"); /* https://no-color.org */
	const char *term = getenv("TERM");

	if (options->color >= 0) {
		return options->color == 1;
	}
	return isatty(fileno(stream)) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

static unsigned style_of(const struct report_options *options, FILE *stream)
{
	return (use_color(options, stream) ? REPORT_COLOR : 0) |
	       (options->verbose ? REPORT_VERBOSE : 0);
}

int report_prepare(struct report_options *options)
{
	struct selection *selection = &options->selection;
	const char *variable = getenv("HIPGRAIN_SUPPRESSIONS");
	char *error = NULL;
	int result = 0;

	selection_init(selection);
	if (variable && *variable) {
		result = selection_read_suppressions(selection, variable, &error);
	}
	for (unsigned i = 0; i < options->suppression_files && result == 0; i++) {
		result = selection_read_suppressions(selection, options->suppressions[i], &error);
	}
	if (options->baseline && result == 0) {
		result = selection_read_baseline(selection, options->baseline, &error);
	}
	if (result < 0) {
		message_error("%s", error);
		g_free(error);
		selection_clear(selection);
		return HG_EXIT_INPUT;
	}
	return HG_EXIT_OK;
}

int report_bundle(struct report_options *options, const char *bundle, FILE *stream)
{
	struct analysis analysis;
	char *error = NULL;
	int result, status = HG_EXIT_OK;
	FILE *file = NULL;

	progress_set(options->progress < 0 ? PROGRESS_AUTO
		     : options->progress   ? PROGRESS_ALWAYS
					   : PROGRESS_NEVER);
	result = options->format == REPORT_HTML || options->format == REPORT_CHROME
		     ? analysis_load_overview(&analysis, bundle, &error)
		     : analysis_load(&analysis, bundle, &error);
	if (result < 0) {
		message_error("%s: %s", bundle, error ? error : strerror(-result));
		free(error);
		status = HG_EXIT_INPUT;
		goto out;
	}
	if (options->output) {
		file = fopen(options->output, "w");
		if (!file) {
			message_error("%s: %s", options->output, strerror(errno));
			status = HG_EXIT_INPUT;
			goto out;
		}
		stream = file;
	}
	analysis.what_if = options->what_if;
	selection_apply(&options->selection, &analysis);
	result = report_write(&analysis, options->format, style_of(options, stream), stream);
	if (file && fclose(file) != 0 && result == 0) {
		result = -errno;
	}
	if (result < 0) {
		message_error("%s: cannot write the report: %s",
			      options->output ? options->output : "the output", strerror(-result));
		status = HG_EXIT_INPUT;
		goto out;
	}
	if (options->fail_on >= 0 &&
	    analysis_count(&analysis, (enum severity)options->fail_on) > 0) {
		status = HG_EXIT_FINDINGS;
	}
out:
	analysis_clear(&analysis);
	selection_clear(&options->selection);
	return status;
}

int cmd_report(int argc, char **argv)
{
	static const struct option long_options[] = {
		REPORT_LONG_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	int code, status;

	while ((code = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
		if (code == 'h') {
			fputs(usage_report, stdout);
			return HG_EXIT_OK;
		}
		if (report_parse_option(&options, code, optarg) <= 0) {
			return HG_EXIT_USAGE;
		}
	}
	if (argc - optind != 1) {
		message_error(optind == argc ? "no bundle given (try 'hipgrain report --help')"
					     : "one bundle at a time");
		return HG_EXIT_USAGE;
	}
	status = report_prepare(&options);
	return status == HG_EXIT_OK ? report_bundle(&options, argv[optind], stdout) : status;
}
