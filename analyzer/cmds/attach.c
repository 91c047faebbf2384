/* SPDX-License-Identifier: Apache-2.0 */
/* Recording switched while programs run: standby, attach, detach, snapshot. */
#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/collect_symbols.h"
#include "analyzer/cmds/record_options.h"
#include "tracer/attach.h"
#include "tracer/message.h"

const char usage_standby[] =
    "Usage: hipgrain standby [OPTION]... [--] CMD [ARG]...\n"
    "Execute CMD such that 'hipgrain attach' can record it later. Nothing is recorded until then.\n"
    "\n"
    "  -o, --output DIR          directory for device code that is loaded from memory\n"
    "                            (default hipgrain.standby); programs may share "
    "it\n" RECORD_USAGE_SOFTGPU
    "      --stack-depth N       frames recorded per call stack (0 to 128)\n"
    "      --threshold BYTES     record host allocations of at least BYTES; or \"all\"\n"
    "      --totals              count smaller ones by call stack while CMD is "
    "recorded\n" RECORD_USAGE_KERNEL_ARGUMENTS
    "      --no-memory-queries   do not query the HIP runtime about kernels' memory\n"
    "      --no-migration        do not record page faults and page migrations\n"
    "  -h, --help                print this help\n";

const char usage_attach[] =
    "Usage: hipgrain attach [OPTION]... PID...\n"
    "       hipgrain attach [OPTION]... --all\n"
    "Record processes that were started with 'hipgrain standby', until 'hipgrain detach' or until\n"
    "they exit. Their current state (memory, advice, streams, ...) is recorded first.\n"
    "\n"
    "  -o, --output DIR          the bundle (default " RECORD_DEFAULT_DIRECTORY
    "); an older one is renamed to DIR.old\n"
    "      --all                 all your processes on standby, including later ones\n"
    "      --user NAME           with --all, as root: those of this user (name or number)\n"
    "      --all-users           with --all, as root: those of all users\n"
    "      --seconds N           record for N seconds, then return\n"
    "      --no-sources          keep no source files in the bundle, only their hashes\n"
    "  -q, --quiet               print only warnings and errors\n"
    "  -h, --help                print this help\n";

const char usage_detach[] =
    "Usage: hipgrain detach [OPTION]... [DIR]\n"
    "Stop the recording that 'hipgrain attach' started in DIR (default " RECORD_DEFAULT_DIRECTORY
    "), and wait\n"
    "until it is written completely. The programs continue.\n"
    "\n"
    "  -q, --quiet               print only warnings and errors\n"
    "  -h, --help                print this help\n";

const char usage_snapshot[] =
    "Usage: hipgrain snapshot [OPTION]... [DIR]\n"
    "Write the events in the flight recorder of 'hipgrain record --snapshot' into its bundle DIR\n"
    "(default " RECORD_DEFAULT_DIRECTORY "). The program and the recorder continue.\n"
    "\n"
    "  -q, --quiet               print only warnings and errors\n"
    "  -h, --help                print this help\n";

/* Parses a number of seconds or a pid, at least 1. Returns 0 or -EINVAL. */
static int parse_positive(const char *text, long *number)
{
	char *end;

	errno = 0;
	*number = strtol(text, &end, 10);
	return errno || *end || end == text || *number < 1 || *number > INT32_MAX ? -EINVAL : 0;
}

int cmd_standby(int argc, char **argv)
{
	static const struct option long_options[] = {
		RECORD_COMMAND_LONG_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct record_options record = RECORD_OPTIONS_DEFAULT;
	struct standby_options options;
	int code;

	while ((code = next_option(argc, argv, "+o:h", long_options)) != -1) {
		switch (code) {
		case 'o':
			record.directory = optarg;
			break;
		case 'h':
			fputs(usage_standby, stdout);
			return HG_EXIT_OK;
		default:
			if (record_parse_option(&record, code, optarg) <= 0)
				return HG_EXIT_USAGE;
		}
	}
	if (optind == argc) {
		message_error("no command given (try 'hipgrain standby --help')");
		return HG_EXIT_USAGE;
	}
	if (record_settle_options(&record) < 0)
		return HG_EXIT_USAGE;
	options = (struct standby_options){ .directory = record.directory,
					    .softgpu = record.softgpu,
					    .softgpu_model = record.softgpu_model,
					    .no_memory_queries = record.no_memory_queries,
					    .kernel_arguments = record.kernel_arguments,
					    .no_migration = record.no_migration,
					    .totals = record.totals,
					    .stack_depth = record.stack_depth,
					    .threshold = record.threshold };
	return standby_exec(&options, argv + optind);
}

/* Parses the name of a user, or the number of a user who may have no name. Returns 0 or -EINVAL. */
static int parse_user(const char *text, uid_t *user)
{
	const struct passwd *entry = getpwnam(text);
	unsigned long number;
	char *end;

	if (entry) {
		*user = entry->pw_uid;
		return 0;
	}
	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || number >= UINT32_MAX)
		return -EINVAL;
	*user = (uid_t)number;
	return 0;
}

static int parse_pids(int count, char **arguments, pid_t *pids)
{
	for (int i = 0; i < count; i++) {
		long number;

		if (parse_positive(arguments[i], &number)) {
			message_error("'%s' is not a process id", arguments[i]);
			return -EINVAL;
		}
		pids[i] = (pid_t)number;
	}
	return 0;
}

int cmd_attach(int argc, char **argv)
{
	enum {
		OPTION_ALL = 0x100,
		OPTION_SECONDS,
		OPTION_USER,
		OPTION_ALL_USERS,
		OPTION_NO_SOURCES,
	};
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "all", no_argument, NULL, OPTION_ALL },
		{ "user", required_argument, NULL, OPTION_USER },
		{ "all-users", no_argument, NULL, OPTION_ALL_USERS },
		{ "seconds", required_argument, NULL, OPTION_SECONDS },
		{ "no-sources", no_argument, NULL, OPTION_NO_SOURCES },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct attach_options options = { .users = { .user = geteuid() },
					  .keep_symbols = keep_symbols };
	int code, status = HG_EXIT_USAGE;
	bool chosen = false;
	pid_t *pids;
	long number;

	while ((code = next_option(argc, argv, "o:qh", long_options)) != -1) {
		switch (code) {
		case 'o':
			options.directory = optarg;
			break;
		case OPTION_ALL:
			options.all = true;
			break;
		case OPTION_USER:
			if (parse_user(optarg, &options.users.user)) {
				message_error("--user: no such user: '%s'", optarg);
				return HG_EXIT_USAGE;
			}
			chosen = true;
			break;
		case OPTION_ALL_USERS:
			options.users.all = chosen = true;
			break;
		case OPTION_NO_SOURCES:
			options.no_sources = true;
			break;
		case OPTION_SECONDS:
			if (parse_positive(optarg, &number)) {
				message_error("--seconds: '%s' is not a number of seconds", optarg);
				return HG_EXIT_USAGE;
			}
			options.seconds = (int)number;
			break;
		case 'q':
			message_set_quiet(true);
			break;
		case 'h':
			fputs(usage_attach, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (options.all == (optind < argc)) {
		message_error(options.all ? "--all and process ids are mutually exclusive"
					  : "no process given (try 'hipgrain attach --help')");
		return HG_EXIT_USAGE;
	}
	if (chosen && !options.all) {
		message_error("--user and --all-users require --all");
		return HG_EXIT_USAGE;
	}
	if (geteuid() != 0 && (options.users.all || options.users.user != geteuid())) {
		message_error("only root can record other users' processes");
		return HG_EXIT_USAGE;
	}
	options.pid_count = (size_t)(argc - optind);
	pids = calloc(options.pid_count + 1, sizeof(*pids));
	if (!pids) {
		message_error("%s", strerror(ENOMEM));
		return HG_EXIT_INTERNAL;
	}
	options.pids = pids;
	if (parse_pids(argc - optind, argv + optind, pids) == 0)
		status = attach(&options);
	free(pids);
	return status;
}

static int on_bundle(int argc, char **argv, const char *usage, int (*function)(const char *))
{
	static const struct option long_options[] = {
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int code;

	while ((code = next_option(argc, argv, "qh", long_options)) != -1) {
		switch (code) {
		case 'q':
			message_set_quiet(true);
			break;
		case 'h':
			fputs(usage, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (argc - optind > 1) {
		message_error("only one bundle can be given");
		return HG_EXIT_USAGE;
	}
	return function(optind < argc ? argv[optind] : RECORD_DEFAULT_DIRECTORY);
}

int cmd_detach(int argc, char **argv)
{
	return on_bundle(argc, argv, usage_detach, detach_bundle);
}

int cmd_snapshot(int argc, char **argv)
{
	return on_bundle(argc, argv, usage_snapshot, snapshot_bundle);
}
