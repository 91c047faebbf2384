/* SPDX-License-Identifier: Apache-2.0 */
/* Findings while the job runs. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/live_local.h"
#include "analyzer/cmds/report_options.h"
#include "analyzer/reader/live.h"
#include "analyzer/recordings.h"
#include "tracer/bundle.h"
#include "tracer/daemon.h"
#include "tracer/message.h"
#include "tracer/record.h"

const char usage_live[] =
    "Usage: hipgrain live [OPTION]... [BUNDLE|net://HOST[:PORT]/host/NODE/SESSION]\n"
    "       hipgrain live net://HOST[:PORT]\n"
    "Print findings of a running recording as they occur, and a report when it ends or when\n"
    "interrupted (Ctrl-C). Default: the bundle hipgrain.d. With the address of a relay only, list\n"
    "its sessions.\n"
    "\n"
    "  -o, --output FILE         write the report to FILE instead of standard output\n" REPORT_USAGE
    "      --bundle DIR          the recording's bundle, which has its device code\n"
    "      --port N              the relay's port for readers, for a BUNDLE (default 5344)\n"
    "  -q, --quiet               print only the report, warnings and errors\n"
    "  -h, --help                print this help\n";

/* LTTng's default, see lttng-relayd(8). */
#define LIVE_PORT "5344"

struct watch {
	struct analysis analysis;
	struct analysis_run *run;
	bool quiet;
	unsigned looked;    /* findings that were there when it was last looked */
	GPtrArray *pending; /* of these, those that are none yet; borrowed */
};

/* ---- as they come ---- */

static void print_finding(struct watch *watch, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	time_t seconds = (time_t)(finding->first_ns / 1000000000);
	char clock[16] = "";
	struct tm parts;

	if (localtime_r(&seconds, &parts))
		strftime(clock, sizeof(clock), "%H:%M:%S ", &parts);
	printf("%s%s %s: process %d: %s\n", clock, severity_name(finding_severity(finding)),
	       rule->id, finding->process->pid, finding->message ? finding->message : rule->title);
	if (finding->allocation) {
		char *place = stack_place(watch->analysis.symbolizer, finding->process,
					  finding->allocation->stack_id);

		printf("         allocated at %s\n", place);
		g_free(place);
	}
	fflush(stdout);
}

/*
 * Called after each event. What rests on something not happening is in the final report only, and
 * so is what only the end can tell.
 */
static void look(struct watch *watch)
{
	const GPtrArray *list = watch->analysis.findings.list;

	for (; watch->looked < list->len; watch->looked++) {
		const struct finding *finding = list->pdata[watch->looked];

		if (!finding->absence)
			g_ptr_array_add(watch->pending, (gpointer)finding);
	}
	for (unsigned i = 0; i < watch->pending->len;) {
		if (finding_is_enough(watch->pending->pdata[i])) {
			print_finding(watch, watch->pending->pdata[i]);
			g_ptr_array_remove_index(watch->pending, i);
		} else {
			i++;
		}
	}
}

static int on_event(const struct hg_event *event, void *data)
{
	struct watch *watch = data;
	int result = analysis_event(event, watch->run);

	if (!watch->quiet)
		look(watch);
	return result;
}

/* ---- the session ---- */

static void on_signal(int number)
{
	(void)number;
	live_stop();
}

/* Once: a second interrupt ends the process. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* Returns the host of "net://HOST[:PORT[:PORT]][/...]", which may be in brackets. */
static char *host_of(const char *url)
{
	const char *host = strstr(url, "://");
	size_t length;

	host = host ? host + 3 : url;
	length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
	return g_strndup(host, MIN(length, strlen(host)));
}

static bool is_of_session(const char *url, const char *session)
{
	size_t length = strlen(url), wanted = strlen(session);

	return length > wanted && url[length - wanted - 1] == '/' &&
	       strcmp(url + length - wanted, session) == 0;
}

/* Returns the bundle's session among those of the relay that its manifest names; NULL after a
 * message. */
static char *find_session(const char *bundle, const char *port)
{
	char *session = recording_session(bundle), *url = recording_url(bundle);
	char *host = url ? host_of(url) : NULL, *relay = NULL, *found = NULL, *error = NULL;
	GPtrArray *sessions;

	if (!session || !url) {
		message_error("%s: its manifest names no session of a relay", bundle);
		goto out;
	}
	relay = g_strdup_printf("net://%s:%s", host, port);
	sessions = live_sessions(relay, &error);
	if (!sessions) {
		message_error("%s: %s", relay, error);
		goto out;
	}
	for (unsigned i = 0; i < sessions->len && !found; i++)
		if (is_of_session(sessions->pdata[i], session))
			found = g_strdup(sessions->pdata[i]);
	if (!found) {
		message_error("%s: that recording has ended, or %s is not its relay ('hipgrain "
			      "report --trace' reads what a relay wrote)",
			      bundle, relay);
	}
	g_ptr_array_free(sessions, TRUE);
out:
	g_free(relay);
	g_free(host);
	g_free(error);
	g_free(session);
	g_free(url);
	return found;
}

static int list_sessions(const char *relay)
{
	char *error;
	GPtrArray *sessions = live_sessions(relay, &error);

	if (!sessions) {
		message_error("%s: %s", relay, error);
		g_free(error);
		return HG_EXIT_INPUT;
	}
	for (unsigned i = 0; i < sessions->len; i++)
		puts(sessions->pdata[i]);
	if (!sessions->len)
		message_note("no session is being recorded to %s", relay);
	g_ptr_array_free(sessions, TRUE);
	return HG_EXIT_OK;
}

/* Returns the session's name if it is ours, whose processes can be known by it; else NULL. */
static const char *own_session(const char *url)
{
	const char *name = strrchr(url, '/') + 1;

	return g_str_has_prefix(name, DAEMON_SESSION_PREFIX) ? name : NULL;
}

static int watch_session(struct report_options *options, const char *url, const char *bundle,
			 bool quiet)
{
	struct watch watch = { .quiet = quiet, .pending = g_ptr_array_new() };
	char *error = NULL;
	int result;

	catch_signals();
	watch.run = analysis_begin_live(&watch.analysis, bundle, own_session(url),
					report_needs_overview(options->format));
	result = read_live(url, on_event, &watch, &watch.analysis.stats, &error);
	g_ptr_array_free(watch.pending, TRUE);
	if (result < 0) {
		message_error("%s: %s", url, error ? error : strerror(-result));
		g_free(error);
		analysis_drop(watch.run);
		analysis_clear(&watch.analysis);
		selection_clear(&options->selection);
		return HG_EXIT_INPUT;
	}
	if (live_stopped()) {
		analysis_cut_off(
		    watch.run,
		    "interrupted while the recording was running: later events are not analysed");
	}
	analysis_end(watch.run);
	if (!options->output && !quiet)
		putchar('\n');
	return report_analysis(options, &watch.analysis, stdout);
}

static int start(struct report_options *options, const char *what, const char *bundle,
		 const char *port, bool quiet)
{
	char *url = strstr(what, "://") ? NULL : recording_url(what);
	int status;

	if (!strstr(what, "://") && !url) {
		catch_signals();
		status = report_prepare(options);
		return status == HG_EXIT_OK ? live_local(options, what, quiet) : status;
	}
	if (options->format == REPORT_OPENMETRICS) {
		message_error("--format=openmetrics needs a recording on this machine");
		g_free(url);
		return HG_EXIT_USAGE;
	}
	g_free(url);
	url = NULL;
	if (!strstr(what, "://")) {
		url = find_session(what, port);
		bundle = bundle ? bundle : what;
	} else if (!strstr(what, "/host/")) {
		return list_sessions(what);
	} else {
		url = g_strdup(what);
	}
	status = url ? report_prepare(options) : HG_EXIT_INPUT;
	if (status == HG_EXIT_OK)
		status = watch_session(options, url, bundle, quiet);
	g_free(url);
	return status;
}

int cmd_live(int argc, char **argv)
{
	enum { OPTION_BUNDLE = REPORT_OPTION_END, OPTION_PORT };
	static const struct option long_options[] = {
		REPORT_LONG_OPTIONS,
		{ "bundle", required_argument, NULL, OPTION_BUNDLE },
		{ "port", required_argument, NULL, OPTION_PORT },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	const char *bundle = NULL, *port = LIVE_PORT;
	bool quiet = false;
	int code;

	while ((code = next_option(argc, argv, "o:qh", long_options)) != -1) {
		switch (code) {
		case OPTION_BUNDLE:
			bundle = optarg;
			break;
		case OPTION_PORT:
			port = optarg;
			if (!*port || strspn(port, "0123456789") != strlen(port)) {
				message_error("--port: '%s' is not a number", port);
				return HG_EXIT_USAGE;
			}
			break;
		case 'q':
			message_set_quiet(true);
			quiet = true;
			break;
		case 'h':
			fputs(usage_live, stdout);
			return HG_EXIT_OK;
		default:
			if (report_parse_option(&options, code, optarg) <= 0)
				return HG_EXIT_USAGE;
		}
	}
	if (argc - optind > 1) {
		message_error("only one recording can be given");
		return HG_EXIT_USAGE;
	}
	if (optind == argc && access(RECORD_DEFAULT_DIRECTORY, F_OK) != 0) {
		message_error("no recording given, and there is no " RECORD_DEFAULT_DIRECTORY
			      " here (try 'hipgrain live --help')");
		return HG_EXIT_USAGE;
	}
	return start(&options, optind < argc ? argv[optind] : RECORD_DEFAULT_DIRECTORY, bundle,
		     port, quiet);
}
