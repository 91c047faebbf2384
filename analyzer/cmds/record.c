/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain record: options, then the recorder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/collect_symbols.h"
#include "analyzer/cmds/pointer_places.h"
#include "analyzer/cmds/record_options.h"
#include "codeobj/processor.h"
#include "tracer/buffers.h"
#include "tracer/message.h"

#define STACK_DEPTH_MAX  128
#define SNAPSHOT_MAX_MIB (1024 * 1024)
#define CHUNKS_MAX       1000000
#define XCDS_MAX         8 /* SOFTGPU_MAX_XCDS, kernels/softgpu/softgpu.h */

const char usage_record[] =
    "Usage: hipgrain record [OPTION]... [--] CMD [ARG]...\n"
    "Run CMD and record it into a trace bundle. The exit status is that of CMD.\n"
    "\n"
    "  -o, --output DIR          the bundle (default " RECORD_DEFAULT_DIRECTORY
    "); an older one is renamed to DIR.old\n" RECORD_USAGE
    "      --snapshot MIB        flight recorder: keep the last MIB MiB of events in memory, and\n"
    "                            write them when CMD fails or on 'hipgrain snapshot'\n"
    "      --per-node            one recording for all ranks of a job on this machine, each of "
    "which\n"
    "                            is started with this command: the bundle is DIR/HOST\n"
    "      --stage DIR           record below DIR, on a disk of this machine, and move the bundle\n"
    "                            to its place at the end\n"
    "      --no-cache            neither use nor keep earlier analyses of machine code\n"
    "  -q, --quiet               print only warnings and errors\n"
    "  -h, --help                print this help\n";

/* Parses a decimal number of at most `maximum`, nothing else. Returns 0 or -EINVAL. */
static int parse_number(const char *text, unsigned long long maximum, unsigned long long *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno || *end || *number > maximum ? -EINVAL : 0;
}

int record_parse_option(struct record_options *options, int code, const char *argument)
{
	unsigned long long number;

	switch (code) {
	case RECORD_OPTION_SOFTGPU:
		options->softgpu = true;
		return 1;
	case RECORD_OPTION_XCDS:
		if (parse_number(argument, XCDS_MAX, &number) || !number) {
			message_error("--xcds: '%s' is not a number from 1 to %d", argument,
				      XCDS_MAX);
			return -EINVAL;
		}
		options->softgpu_model.xcds = (unsigned)number;
		return 1;
	case RECORD_OPTION_SEED:
		if (parse_number(argument, UINT64_MAX, &number)) {
			message_error("--seed: '%s' is not a number below 2^64", argument);
			return -EINVAL;
		}
		options->softgpu_model.seeded = true;
		options->softgpu_model.seed = number;
		return 1;
	case RECORD_OPTION_OWN_DAEMON:
		return 1; /* as every recording has */
	case RECORD_OPTION_NO_MEMORY_QUERIES:
		options->no_memory_queries = true;
		return 1;
	case RECORD_OPTION_TOTALS:
		options->totals = true;
		return 1;
	case RECORD_OPTION_RESIDENCY:
		if (parse_number(argument, 1000000000, &number)) {
			message_error("--residency: '%s' is not a number of milliseconds",
				      argument);
			return -EINVAL;
		}
		options->residency = argument;
		return 1;
	case RECORD_OPTION_GPU_TIME:
		options->gpu_time = true;
		return 1;
	case RECORD_OPTION_NO_MIGRATION:
		options->no_migration = true;
		return 1;
	case RECORD_OPTION_KERNEL_ARGUMENTS:
		if (strcmp(argument, "full") && strcmp(argument, "hashed") &&
		    strcmp(argument, "off")) {
			message_error("--kernel-arguments: '%s' is not full, hashed or off",
				      argument);
			return -EINVAL;
		}
		options->kernel_arguments = argument;
		return 1;
	case RECORD_OPTION_HSA:
		if (strcmp(argument, "yes") && strcmp(argument, "no") && strcmp(argument, "auto")) {
			message_error("--hsa: '%s' is not yes, no or auto", argument);
			return -EINVAL;
		}
		options->hsa = argument[0] == 'y'   ? RECORD_HSA_YES
			       : argument[0] == 'n' ? RECORD_HSA_NO
						    : RECORD_HSA_AUTO;
		return 1;
	case RECORD_OPTION_STACK_DEPTH:
		if (parse_number(argument, STACK_DEPTH_MAX, &number)) {
			message_error("--stack-depth: '%s' is not a number from 0 to %d", argument,
				      STACK_DEPTH_MAX);
			return -EINVAL;
		}
		options->stack_depth = (int)number;
		return 1;
	case RECORD_OPTION_THRESHOLD:
		if (strcmp(argument, "all") && parse_number(argument, UINT32_MAX, &number)) {
			message_error(
			    "--threshold: '%s' is not a number of bytes below 4 GiB, or \"all\"",
			    argument);
			return -EINVAL;
		}
		options->threshold = argument;
		return 1;
	case RECORD_OPTION_ROTATE:
		if (rotation_parse(argument, &options->rotation)) {
			message_error(
			    "--rotate: '%s' is not a size (64M, 1G) or a time (90s, 10m, 1h)",
			    argument);
			return -EINVAL;
		}
		return 1;
	case RECORD_OPTION_KEEP_CHUNKS:
		if (parse_number(argument, CHUNKS_MAX, &number) || !number) {
			message_error("--keep-chunks: '%s' is not a number from 1 to %d", argument,
				      CHUNKS_MAX);
			return -EINVAL;
		}
		options->rotation.keep = (unsigned)number;
		return 1;
	case RECORD_OPTION_QUOTA:
		if (rotation_parse_size(argument, &options->rotation.quota)) {
			message_error("--quota: '%s' is not a size (512M, 20G)", argument);
			return -EINVAL;
		}
		return 1;
	case RECORD_OPTION_NO_SOURCES:
		options->no_sources = true;
		return 1;
	case RECORD_OPTION_URL:
		if (strncmp(argument, "net://", 6) && strncmp(argument, "net6://", 7) &&
		    strncmp(argument, "tcp://", 6) && strncmp(argument, "tcp6://", 7)) {
			message_error("--url: '%s' is not an address such as net://HOST", argument);
			return -EINVAL;
		}
		options->url = argument;
		return 1;
	default:
		return 0;
	}
}

int record_settle_options(struct record_options *options)
{
	const struct rotation_plan *plan = &options->rotation;
	const struct softgpu_model *model = &options->softgpu_model;
	const char *arch = getenv("SOFTGPU_ARCH");
	const struct codeobj_processor *processor = arch ? codeobj_processor(arch) : NULL;
	bool rotates = plan->size || plan->period_us || plan->keep || plan->quota;
	char why[256];

	if ((model->xcds || model->seeded) && !options->softgpu) {
		message_error("%s is an option of the software GPU: it needs --softgpu",
			      model->xcds ? "--xcds" : "--seed");
		return -EINVAL;
	}
	if (model->xcds > 1 && processor && processor->l2 != CODEOBJ_L2_SEVERAL) {
		message_error("--xcds: a %s (SOFTGPU_ARCH) has no XCDs", processor->name);
		return -EINVAL;
	}
	if (options->gpu_time && options->hsa == RECORD_HSA_NO) {
		message_error("--gpu-time and --hsa no are mutually exclusive");
		return -EINVAL;
	}
	if (rotates && (options->url || options->snapshot_mib)) {
		message_error("%s and rotation are mutually exclusive",
			      options->url ? "--url" : "--snapshot");
		return -EINVAL;
	}
	if (options->url && options->snapshot_mib) {
		message_error("--url and --snapshot are mutually exclusive");
		return -EINVAL;
	}
	if (rotation_settle(&options->rotation, buffers_cpus(), why, sizeof(why))) {
		message_error("%s", why);
		return -EINVAL;
	}
	if (!options->kernel_arguments || strcmp(options->kernel_arguments, "off"))
		options->find_places = places_find;
	options->keep_symbols = keep_symbols;
	return 0;
}

int cmd_record(int argc, char **argv)
{
	static const struct option long_options[] = {
		RECORD_LONG_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "snapshot", required_argument, NULL, RECORD_OPTION_END },
		{ "no-cache", no_argument, NULL, RECORD_OPTION_END + 1 },
		{ "per-node", no_argument, NULL, RECORD_OPTION_END + 2 },
		{ "stage", required_argument, NULL, RECORD_OPTION_END + 3 },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct record_options options = RECORD_OPTIONS_DEFAULT;
	struct record_result result;
	unsigned long long mib;
	bool cached = true;
	int code, status;

	/* "+": options end at the command, whose own options are not ours. */
	while ((code = next_option(argc, argv, "+o:qh", long_options)) != -1) {
		switch (code) {
		case 'o':
			options.directory = optarg;
			break;
		case RECORD_OPTION_END:
			if (parse_number(optarg, SNAPSHOT_MAX_MIB, &mib) || !mib) {
				message_error("--snapshot: '%s' is not a number of MiB", optarg);
				return HG_EXIT_USAGE;
			}
			options.snapshot_mib = (int)mib;
			break;
		case RECORD_OPTION_END + 1:
			cached = false;
			break;
		case RECORD_OPTION_END + 2:
			options.per_node = true;
			break;
		case RECORD_OPTION_END + 3:
			options.stage = optarg;
			break;
		case 'q':
			message_set_quiet(true);
			break;
		case 'h':
			fputs(usage_record, stdout);
			return HG_EXIT_OK;
		default:
			if (record_parse_option(&options, code, optarg) <= 0)
				return HG_EXIT_USAGE; /* a message was printed */
		}
	}
	if (optind == argc) {
		message_error("no command given (try 'hipgrain record --help')");
		return HG_EXIT_USAGE;
	}
	if (record_settle_options(&options) < 0)
		return HG_EXIT_USAGE;
	if (options.stage && (*options.stage != '/' || options.url)) {
		message_error(options.url ? "--stage and --url are mutually exclusive"
					  : "--stage: '%s' is not an absolute path",
			      options.stage);
		return HG_EXIT_USAGE;
	}
	if (options.per_node && options.snapshot_mib) {
		message_error("--per-node and --snapshot are mutually exclusive");
		return HG_EXIT_USAGE;
	}
	if (cached) {
		cmds_use_cache();
		places_use_cache();
	}
	status = record_command(&options, argv + optind, &result);
	if (status == HG_EXIT_OK) {
		if (result.gpu_missing && !result.follows) {
			message_note("this machine has no AMD GPU (no /dev/kfd); use --softgpu to "
				     "run the command on the software GPU");
		}
		if (!result.nothing && !result.follows)
			message_note("recorded into %s: 'hipgrain report %s' analyses it",
				     result.directory, result.directory);
		status = result.status || !result.nothing ? result.status : HG_EXIT_INCOMPLETE;
	}
	free(result.directory);
	return status;
}
