/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain report: options, one recording or a directory of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/merge.h"
#include "analyzer/cmds/report_options.h"
#include "analyzer/cmds/what_if.h"
#include "analyzer/output.h"
#include "analyzer/report/supposed.h"
#include "analyzer/progress.h"
#include "analyzer/recordings.h"
#include "analyzer/rules/engine/finding_ranges.h"
#include "analyzer/times/gpu_times.h"
#include "tracer/message.h"
#include "tracer/record.h"

const char usage_report[] =
    "Usage: hipgrain report [OPTION]... [BUNDLE|DIR]\n"
    "Analyse a trace bundle of 'hipgrain record' and print its findings; or analyse all\n"
    "recordings below a directory and print one report. Default: the bundle hipgrain.d,\n"
    "else the only one here; of several, a list.\n"
    "\n"
    "  -o, --output FILE         write the report to FILE instead of standard output\n" REPORT_USAGE
    "      --what-if KEY=VALUE[,KEY=VALUE]...\n"
    "                            report only what changes in another release (hip=7.2), on\n"
    "                            another GPU (gpu=gfx942, apu=0|1), in another state of XNACK\n"
    "                            (xnack=0|1)\n"
    "      --partial FILE        write a report for 'hipgrain merge' to FILE\n"
    "      --view PARTS          with --partial or --format=json: add what the HTML report of\n"
    "                            PARTS recordings draws, for 'hipgrain merge --format=html'\n"
    "      --chrome              with --partial or --format=json: add the events for\n"
    "                            'hipgrain merge --format=chrome'\n"
    "      --with FILE           add the times of kernels that rocprofv3 took of the same run: a\n"
    "                            rocpd database; may be repeated\n"
    "      --worth PERCENT       with times: print no advice about kernels that take less than\n"
    "                            PERCENT of the time of kernels and copies (default 1; 0: all)\n"
    "      --trace DIR           output directory of the relay that a recording used (--url)\n"
    "  -j, --jobs N              analyse N recordings in parallel (default: one per CPU)\n"
    "  -h, --help                print this help\n";

enum {
	REPORT_ONLY_PARTIAL = REPORT_OPTION_END,
	REPORT_ONLY_TRACE,
	REPORT_ONLY_VIEW,
	REPORT_ONLY_CHROME,
	REPORT_ONLY_WITH,
	REPORT_ONLY_WORTH,
	REPORT_ONLY_WHAT_IF
};

/* Returns -1 for "auto", 0 for "never", 1 for "always", -2 for other words. */
static int parse_when(const char *argument)
{
	static const char *const names[] = { "auto", "never", "always" };

	for (int i = 0; i < 3; i++)
		if (strcmp(names[i], argument) == 0)
			return i - 1;
	return -2;
}

int report_parse_option(struct report_options *options, int code, const char *argument)
{
	int value;

	switch (code) {
	case REPORT_OPTION_FORMAT:
		value = report_format_by_name(argument);
		if (value < 0) {
			char *list = report_format_list();

			message_error("--format: '%s' is not %s", argument, list);
			g_free(list);
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
	case REPORT_OPTION_GEN_SUPPRESSIONS:
		options->format = REPORT_SUPPRESSIONS;
		return 1;
	case REPORT_OPTION_BASELINE:
		options->baseline = argument;
		return 1;
	case REPORT_OPTION_ACCESS_IF:
		if (strcmp(argument, "xnack=0") != 0 && strcmp(argument, "xnack=1") != 0) {
			message_error("--access-if: '%s' is neither xnack=0 nor xnack=1", argument);
			return -EINVAL;
		}
		options->what_if = argument[6] == '1' ? WHAT_IF_XNACK1 : WHAT_IF_XNACK0;
		return 1;
	case REPORT_OPTION_SOURCE_ROOT:
		if (!g_file_test(argument, G_FILE_TEST_IS_DIR)) {
			message_error("--source-root: '%s' is not a directory", argument);
			return -EINVAL;
		}
		options->source_root = argument;
		symbols_restrict_sources(argument);
		return 1;
	case REPORT_OPTION_SKIP_FRAMES:
		if (!options->skip_frames)
			options->skip_frames = g_ptr_array_new();
		g_ptr_array_add(options->skip_frames, (gpointer)argument);
		symbols_skip_frames(argument);
		return 1;
	case REPORT_OPTION_RANGE:
		options->range = argument;
		finding_ranges_select(argument);
		return 1;
	case REPORT_OPTION_NO_CACHE:
		options->no_cache = true;
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

	if (options->color >= 0)
		return options->color == 1;
	return isatty(output_descriptor(stream)) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

static unsigned style_of(const struct report_options *options, FILE *stream)
{
	bool color = use_color(options, stream);

	if (color)
		output_allow_colors();
	return (color ? REPORT_COLOR : 0) | (options->verbose ? REPORT_VERBOSE : 0) |
	       (options->view ? REPORT_VIEW : 0) | (options->chrome ? REPORT_EVENTS : 0);
}

/* Returns 0 if a report can be written to `path`, or -errno, without making the file. */
static int check_output(const char *path)
{
	char *folder = g_path_get_dirname(path);
	struct stat status;
	int result = 0;

	if (stat(path, &status) < 0)
		result = errno == ENOENT && *path && access(folder, W_OK | X_OK) == 0 ? 0 : -errno;
	else if (S_ISDIR(status.st_mode))
		result = -EISDIR;
	else if (access(path, W_OK) < 0)
		result = -errno;
	g_free(folder);
	return result;
}

int report_prepare(struct report_options *options)
{
	struct selection *selection = &options->selection;
	const char *variable = getenv("HIPGRAIN_SUPPRESSIONS");
	char *error = NULL;
	int result = options->output ? check_output(options->output) : 0;

	if (result < 0) {
		message_error("%s: cannot write the report there: %s", options->output,
			      strerror(-result));
		return HG_EXIT_INPUT;
	}
	selection_init(selection);
	if (variable && *variable)
		result = selection_read_suppressions(selection, variable, &error);
	for (unsigned i = 0; i < options->suppression_files && result == 0; i++)
		result = selection_read_suppressions(selection, options->suppressions[i], &error);
	if (options->baseline && result == 0)
		result = selection_read_baseline(selection, options->baseline, &error);
	if (result < 0) {
		message_error("%s", error);
		g_free(error);
		selection_clear(selection);
		return HG_EXIT_INPUT;
	}
	if (!options->no_cache)
		cmds_use_cache();
	return HG_EXIT_OK;
}

int report_analysis(struct report_options *options, struct analysis *analysis, FILE *stream)
{
	FILE *file = NULL;
	int result, status = HG_EXIT_OK;

	if (options->output) {
		file = output_open(options->output);
		if (!file) {
			message_error("%s: %s", options->output, strerror(errno));
			status = HG_EXIT_INPUT;
			goto out;
		}
		stream = file;
	}
	analysis->what_if = options->what_if;
	analysis->worth = options->verbose ? 0 : options->worth;
	selection_apply(&options->selection, analysis);
	if (analysis->supposed) {
		/* The findings that it takes out there are counted here already. */
		uint64_t suppressed = options->selection.suppressed;
		guint known = options->selection.known_now->len;

		selection_apply(&options->selection, analysis->supposed);
		options->selection.suppressed = suppressed;
		g_ptr_array_set_size(options->selection.known_now, (gint)known);
	}
	result = report_write(analysis, options->format, style_of(options, stream), stream);
	if (file && fclose(file) != 0 && result == 0)
		result = -errno;
	if (result < 0) {
		message_error("%s: cannot write the report: %s",
			      options->output ? options->output : "the output", strerror(-result));
		status = HG_EXIT_INPUT;
		goto out;
	}
	if (options->fail_on >= 0 &&
	    (analysis->supposed ? supposed_breaks(analysis, (enum severity)options->fail_on)
				: analysis_count(analysis, (enum severity)options->fail_on)) > 0)
		status = HG_EXIT_FINDINGS;
	else if (options->fail_on >= 0 && recording_status_fails(analysis->recording.status))
		status = HG_EXIT_INCOMPLETE;
out:
	analysis_clear(analysis);
	selection_clear(&options->selection);
	return status;
}

int report_bundle(struct report_options *options, const char *bundle, FILE *stream)
{
	struct analysis analysis;
	char *error = NULL;
	int result;

	progress_set(options->progress < 0 ? PROGRESS_AUTO
		     : options->progress   ? PROGRESS_ALWAYS
					   : PROGRESS_NEVER);
	result = analysis_load_from(&analysis, bundle, options->trace,
				    report_needs_overview(options->format) || options->view ||
					options->chrome || options->with,
				    &error);
	for (guint i = 0; result == 0 && options->with && i < options->with->len; i++) {
		result = gpu_times_add(&analysis, options->with->pdata[i], &error);
		if (result < 0) {
			message_error("--with: %s", error);
			g_free(error);
			analysis_clear(&analysis);
			selection_clear(&options->selection);
			return HG_EXIT_INPUT;
		}
	}
	if (result == 0 && options->supposes) {
		result = supposed_check(&options->supposed, &analysis, &error);
		if (result == 0)
			result = analysis_load_supposed(&analysis, bundle, options->trace,
							&options->supposed, &error);
	}
	if (result < 0) {
		message_error("%s: %s", recording_name(bundle), error ? error : strerror(-result));
		free(error);
		analysis_clear(&analysis);
		selection_clear(&options->selection);
		return HG_EXIT_INPUT;
	}
	return report_analysis(options, &analysis, stream);
}

/* Several recordings: each is analysed by a process of its own. */
static int report_folder(struct report_options *options, const GPtrArray *recordings, unsigned jobs)
{
	GPtrArray *extra = g_ptr_array_new_with_free_func(g_free);
	struct merge_options merge = { .paths = (const char *const *)recordings->pdata,
				       .count = recordings->len,
				       .jobs = jobs,
				       .format = options->format,
				       .fail_on = options->fail_on,
				       .verbose = options->verbose,
				       .output = options->output };
	int status;

	if (options->what_if || options->supposes || options->with ||
	    !report_takes_several(options->format)) {
		char *list = report_format_list_of_several();

		if (options->what_if || options->supposes || options->with)
			message_error("%s needs a single recording", options->with ? "--with"
								     : options->supposes
									 ? "--what-if"
									 : "--access-if");
		else
			message_error("several recordings can be reported as %s only", list);
		g_free(list);
		g_ptr_array_free(extra, TRUE);
		selection_clear(&options->selection);
		return HG_EXIT_USAGE;
	}
	for (unsigned i = 0; i < options->suppression_files; i++) {
		g_ptr_array_add(extra,
				g_strdup_printf("--suppressions=%s", options->suppressions[i]));
	}
	if (options->baseline)
		g_ptr_array_add(extra, g_strdup_printf("--baseline=%s", options->baseline));
	if (options->trace)
		g_ptr_array_add(extra, g_strdup_printf("--trace=%s", options->trace));
	if (options->range)
		g_ptr_array_add(extra, g_strdup_printf("--range=%s", options->range));
	if (options->source_root)
		g_ptr_array_add(extra, g_strdup_printf("--source-root=%s", options->source_root));
	for (unsigned i = 0; options->skip_frames && i < options->skip_frames->len; i++) {
		g_ptr_array_add(extra, g_strdup_printf("--skip-frames=%s",
						       (char *)options->skip_frames->pdata[i]));
	}
	g_ptr_array_add(extra, NULL);
	merge.extra = (const char *const *)extra->pdata;
	status = merge_run(&merge);
	g_ptr_array_free(extra, TRUE);
	selection_clear(&options->selection);
	return status;
}

static int report_path(struct report_options *options, const char *path, unsigned jobs)
{
	GPtrArray *closed = g_ptr_array_new_with_free_func(g_free);
	GPtrArray *recordings = recordings_below(path, closed);
	int status;

	for (guint i = 0; i < closed->len; i++)
		message_warning("%s: permission denied: it is not in the report",
				(const char *)closed->pdata[i]);
	g_ptr_array_free(closed, TRUE);
	if (recordings->len > 1) {
		status = report_folder(options, recordings, jobs);
	} else {
		status =
		    report_bundle(options, recordings->len ? recordings->pdata[0] : path, stdout);
	}
	g_ptr_array_free(recordings, TRUE);
	return status;
}

/* Returns false after a message if the text of --worth is no percentage. */
static bool parse_percent(const char *text, double *percent)
{
	char *end;

	*percent = g_ascii_strtod(text, &end);
	if (g_ascii_isdigit(*text) && !*end && *percent >= 0 && *percent <= 100)
		return true;
	message_error("--worth: '%s' is not a percentage from 0 to 100", text);
	return false;
}

/* Returns the number of --view; 0 after a message. */
static unsigned parse_parts(const char *text)
{
	char *end;
	long parts = strtol(text, &end, 10);

	if (*end || end == text || parts < 1 || parts > 1000000) {
		message_error("--view: '%s' is not a number from 1 to 1000000", text);
		return 0;
	}
	return (unsigned)parts;
}

/* Returns the exit status for a report without an argument where hipgrain.d is not: lists what
 * could be named. */
static int list_recordings(const GPtrArray *here)
{
	int width = 0;

	if (!here->len) {
		message_error("no recording given, and there is no " RECORD_DEFAULT_DIRECTORY
			      " here; 'hipgrain ./app' records and reports");
		return HG_EXIT_USAGE;
	}
	for (guint i = 0; i < here->len; i++) {
		const struct recording_here *one = here->pdata[i];

		width = MAX(width, (int)strlen(one->name));
	}
	for (guint i = 0; i < here->len; i++) {
		const struct recording_here *one = here->pdata[i];

		printf("%-*s  %-19s  %-9s  %s\n", width, one->name,
		       *one->start ? one->start : "unknown", one->ended ? "ended" : "not ended",
		       one->program ? one->program : "unknown");
	}
	message_error("several recordings are here, newest first: name one, as in 'hipgrain report "
		      "%s'",
		      ((const struct recording_here *)here->pdata[0])->name);
	return HG_EXIT_USAGE;
}

/*
 * Chooses what to report on without an argument: hipgrain.d, else the only recording that is here.
 * Returns HG_EXIT_OK with *path, which the caller g_free()s, or the exit status after a list.
 */
static int choose_recording(char **path)
{
	GPtrArray *here = recordings_here();
	int status = HG_EXIT_OK;

	*path = NULL;
	if (access(RECORD_DEFAULT_DIRECTORY, F_OK) == 0) {
		*path = g_strdup(RECORD_DEFAULT_DIRECTORY);
		if (here->len > 1)
			message_note(RECORD_DEFAULT_DIRECTORY " is one of %u recordings here",
				     here->len);
	} else if (here->len == 1) {
		*path = g_strdup(((const struct recording_here *)here->pdata[0])->name);
		message_note("%s is the only recording here", *path);
	} else {
		status = list_recordings(here);
	}
	g_ptr_array_free(here, TRUE);
	return status;
}

int cmd_report(int argc, char **argv)
{
	static const struct option long_options[] = {
		REPORT_LONG_OPTIONS,
		{ "partial", required_argument, NULL, REPORT_ONLY_PARTIAL },
		{ "view", required_argument, NULL, REPORT_ONLY_VIEW },
		{ "chrome", no_argument, NULL, REPORT_ONLY_CHROME },
		{ "trace", required_argument, NULL, REPORT_ONLY_TRACE },
		{ "with", required_argument, NULL, REPORT_ONLY_WITH },
		{ "what-if", required_argument, NULL, REPORT_ONLY_WHAT_IF },
		{ "worth", required_argument, NULL, REPORT_ONLY_WORTH },
		{ "jobs", required_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	unsigned jobs = merge_default_jobs();
	bool partial = false;
	char *chosen = NULL;
	int code, status;

	while ((code = next_option(argc, argv, "o:j:h", long_options)) != -1) {
		switch (code) {
		case 'h':
			fputs(usage_report, stdout);
			return HG_EXIT_OK;
		case REPORT_ONLY_PARTIAL:
			partial = true;
			options.output = optarg;
			break;
		case REPORT_ONLY_VIEW:
			options.view = parse_parts(optarg);
			if (!options.view)
				return HG_EXIT_USAGE;
			break;
		case REPORT_ONLY_WORTH:
			if (!parse_percent(optarg, &options.worth))
				return HG_EXIT_USAGE;
			break;
		case REPORT_ONLY_WHAT_IF:
			if (supposed_parse(optarg, &options.supposed) < 0)
				return HG_EXIT_USAGE;
			options.supposes = true;
			break;
		case REPORT_ONLY_CHROME:
			options.chrome = true;
			break;
		case REPORT_ONLY_TRACE:
			options.trace = optarg;
			break;
		case REPORT_ONLY_WITH:
			if (!options.with)
				options.with = g_ptr_array_new();
			g_ptr_array_add(options.with, optarg);
			break;
		case 'j':
			jobs = merge_parse_jobs(optarg);
			if (!jobs)
				return HG_EXIT_USAGE;
			break;
		default:
			if (report_parse_option(&options, code, optarg) <= 0)
				return HG_EXIT_USAGE;
		}
	}
	if (options.supposes &&
	    (partial || (options.format != REPORT_TEXT && options.format != REPORT_JSON))) {
		message_error("--what-if is reported as text or json only");
		return HG_EXIT_USAGE;
	}
	if (partial)
		options.format = REPORT_JSON; /* merge reads JSON */
	if ((options.view || options.chrome) && options.format != REPORT_JSON) {
		message_error("%s needs --partial or --format=json",
			      options.view ? "--view" : "--chrome");
		return HG_EXIT_USAGE;
	}
	overview_share(options.view);
	if (argc - optind > 1) {
		message_error("only one bundle can be given");
		return HG_EXIT_USAGE;
	}
	if (optind == argc) {
		status = choose_recording(&chosen);
		if (status != HG_EXIT_OK)
			return status;
	}
	status = report_prepare(&options);
	if (status == HG_EXIT_OK)
		status = report_path(&options, chosen ? chosen : argv[optind], jobs);
	g_free(chosen);
	return status;
}
