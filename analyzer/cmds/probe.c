/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain probe: measures this machine's memory, and compares it with the model. */
#include <errno.h>
#include <getopt.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/input_file.h"
#include "analyzer/probe/keep_probe.h"
#include "analyzer/probe/print.h"
#include "analyzer/report/json_values.h"
#include "tracer/environment.h"
#include "tracer/install.h"
#include "tracer/message.h"

#define DEFAULT_STEP_SECONDS 10

const char usage_probe[] =
    "Usage: hipgrain probe [OPTION]...\n"
    "       hipgrain probe --compare A.json B.json\n"
    "Measure what the memory of this machine's GPUs does: allocate by each call and flag, execute\n"
    "each atomic instruction, loads, stores, waits, prefetches and advice, and compare the "
    "results\n"
    "with the memory model that findings rest on. Needs no root and no compiler. It takes\n"
    "a few minutes on the software GPU; how long on a GPU has not been measured.\n"
    "The result is kept: reports of this machine's recordings follow it, and 'hipgrain explain\n"
    "memory' shows it.\n"
    "Exit status: 0 if all results agree with the model, 1 if some differ, 3 if nothing could be\n"
    "measured.\n"
    "\n"
    "      --gpu N               measure only this GPU, as HIP counts them\n"
    "      --format FORMAT       text (default) or json: schema hipgrain-probe/1\n"
    "      --compare             print what two files of --format=json measured differently, and\n"
    "                            exit with 1 if there is such a difference\n"
    "      --time-limit SECONDS  end a step that takes longer: its result is then unknown\n"
    "                            (default 10)\n"
    "      --softgpu             measure the software GPU instead of this machine's\n"
    "  -h, --help                print this help\n";

enum { OPTION_SOFTGPU = 256, OPTION_FORMAT, OPTION_COMPARE, OPTION_GPU, OPTION_TIME_LIMIT };

struct options {
	bool softgpu, json, compare;
	int gpu;
	unsigned step_seconds;
};

static int compare_files(char **paths)
{
	struct json_object *probes[2] = { NULL, NULL };
	int status = HG_EXIT_INPUT, which = 0, differences;

	for (int i = 0; i < 2; i++) {
		char *error, *content = input_file_read(paths[i], &error);

		probes[i] = content ? json_tokener_parse(content) : NULL;
		if (!probes[i]) {
			message_error(
			    "%s%s", content ? paths[i] : error,
			    content ? ": cannot be read as JSON, as 'hipgrain probe' writes" : "");
			g_free(content);
			g_free(error);
			goto out;
		}
		g_free(content);
	}
	differences = probe_print_comparison(probes, stdout, &which);
	if (differences < 0)
		message_error("%s: not written by 'hipgrain probe --format=json'", paths[which]);
	else
		status = differences ? HG_EXIT_FINDINGS : HG_EXIT_OK;
out:
	json_object_put(probes[0]);
	json_object_put(probes[1]);
	return status;
}

/* Returns true if any GPU gave a result at all; if not, stores the reason in *why. */
static bool measured_something(const struct probe *probe, const struct probe_counts *counts,
			       const char **why)
{
	*why = probe->problem;
	for (unsigned gpu = 0; gpu < probe->gpus && !**why; gpu++)
		for (unsigned mode = 0; mode < probe->gpu[gpu].modes && !**why; mode++)
			*why = probe->gpu[gpu].mode[mode].problem;
	if (!**why)
		*why = "no step has a result";
	return counts->of[VERDICT_AGREE] + counts->of[VERDICT_DIFFER] +
		   counts->of[VERDICT_MODEL_UNKNOWN] >
	       0;
}

/* Why results are unknown, which is no fault of the GPU's. */
static void note_unknown(const struct probe_counts *counts, unsigned step_seconds)
{
	if (counts->time_limits)
		message_note("unknown: %u steps that did not end within %u seconds; on a busy "
			     "machine give them more with --time-limit",
			     counts->time_limits, step_seconds);
	if (counts->killed)
		message_note("unknown: %u steps whose process somebody else ended", counts->killed);
}

/* A part of the GPUs or modes does not replace the whole. */
static void keep(const struct probe *probe, const struct options *options)
{
	static const char *const parts[] = { "HSA_XNACK", "HIP_VISIBLE_DEVICES",
					     "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
					     "GPU_DEVICE_ORDINAL" };
	bool whole = options->gpu < 0;
	char *path, *why = NULL;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		whole &= !getenv(parts[i]) || !getenv(parts[i])[0];
	if (!whole) {
		message_note("not kept for reports: not all GPUs and XNACK modes were measured");
		return;
	}
	path = probe_keep(probe, options->softgpu, &why);
	if (path)
		message_note("kept for reports: %s", path);
	else
		message_warning("the result cannot be kept for reports: %s", why);
	g_free(path);
	g_free(why);
}

static int print(const struct probe *probe, bool json)
{
	int result;

	if (!json) {
		probe_print_text(probe, stdout);
		return 0;
	}
	result = write_json(probe_to_json(probe), stdout);
	if (result < 0)
		message_error("cannot write the output: %s", strerror(-result));
	return result;
}

/* Prints and keeps what was measured; the exit status. */
static int conclude(const struct probe *probe, const struct options *options)
{
	struct probe_counts counts = probe_count(probe);
	const char *problem;

	note_unknown(&counts, options->step_seconds);
	if (!measured_something(probe, &counts, &problem)) {
		message_error("nothing was measured: %s", problem);
		return HG_EXIT_INPUT;
	}
	if (print(probe, options->json) < 0)
		return HG_EXIT_INTERNAL;
	keep(probe, options);
	return counts.of[VERDICT_DIFFER] ? HG_EXIT_FINDINGS : HG_EXIT_OK;
}

static int measure(const struct options *options, char **arguments)
{
	struct probe_settings settings = { .softgpu = options->softgpu,
					   .gpu = options->gpu,
					   .step_seconds = options->step_seconds };
	struct install_paths paths = { 0 };
	int status = HG_EXIT_INPUT;
	struct probe *probe;
	char why[256] = "";

	if (install_find(&paths, why, sizeof(why)) < 0) {
		message_error("%s", why);
		return HG_EXIT_INPUT;
	}
	settings.kernels = paths.probe;
	if (options->softgpu && environment_lacks(&paths)) {
		message_error("--softgpu: %s", environment_lacks(&paths));
		goto out;
	}
	if (options->softgpu && environment_enter(&paths, "probe", arguments) < 0) {
		message_error("--softgpu: the software GPU cannot be preloaded: %s",
			      strerror(errno));
		goto out;
	}
	if (!paths.probe) {
		message_error(
		    "the probe's kernels are not installed: hipgrain was built without hipcc");
		goto out;
	}
	probe = probe_measure(&settings);
	if (!probe)
		message_error("%s", strerror(errno));
	status = probe ? conclude(probe, options) : HG_EXIT_INTERNAL;
	probe_free(probe);
out:
	install_paths_free(&paths);
	return status;
}

/* Returns a whole number in that range, or -1 after a message. */
static int read_number(const char *option, const char *value, long least, long most)
{
	char *end;
	long number = strtol(value, &end, 10);

	if (end == value || *end || number < least || number > most) {
		message_error("--%s: '%s' is not a number from %ld to %ld", option, value, least,
			      most);
		return -1;
	}
	return (int)number;
}

static int read_option(int code, const char *value, struct options *options)
{
	int number = 0;

	switch (code) {
	case OPTION_SOFTGPU:
		options->softgpu = true;
		break;
	case OPTION_COMPARE:
		options->compare = true;
		break;
	case OPTION_FORMAT:
		options->json = strcmp(value, "json") == 0;
		if (!options->json && strcmp(value, "text") != 0) {
			message_error("--format: '%s' is neither text nor json", value);
			return -1;
		}
		break;
	case OPTION_GPU:
		number = options->gpu = read_number("gpu", value, 0, PROBE_MAX_GPUS - 1);
		break;
	case OPTION_TIME_LIMIT:
		number = read_number("time-limit", value, 1, 3600);
		options->step_seconds = (unsigned)number;
		break;
	default:
		return -1;
	}
	return number < 0 ? -1 : 0;
}

int cmd_probe(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "softgpu", no_argument, NULL, OPTION_SOFTGPU },
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "compare", no_argument, NULL, OPTION_COMPARE },
		{ "gpu", required_argument, NULL, OPTION_GPU },
		{ "time-limit", required_argument, NULL, OPTION_TIME_LIMIT },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { .gpu = -1, .step_seconds = DEFAULT_STEP_SECONDS };
	int code;

	while ((code = next_option(argc, argv, "h", long_options)) != -1) {
		if (code == 'h') {
			fputs(usage_probe, stdout);
			return HG_EXIT_OK;
		}
		if (read_option(code, optarg, &options) < 0)
			return HG_EXIT_USAGE;
	}
	if (options.compare && argc - optind == 2)
		return compare_files(argv + optind);
	if (options.compare || optind < argc) {
		message_error(options.compare ? "--compare needs two files"
					      : "unexpected argument '%s'",
			      optind < argc ? argv[optind] : "");
		return HG_EXIT_USAGE;
	}
	return measure(&options, argv + 1);
}
