/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the processes that are recorded or on standby, and the HIP calls that their threads are in.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/live_local.h"
#include "analyzer/reader/read_open_calls.h"
#include "analyzer/report/json_values.h"
#include "codeobj/text.h"
#include "tracer/message.h"
#include "tracer/record.h"
#include "tracer/record_request.h"
#include "tracer/standby.h"

const char usage_ps[] =
    "Usage: hipgrain ps [OPTION]... [PID]...\n"
    "List the processes that are being recorded, are on standby, or are left out of a recording,\n"
    "with the reason; and for each of their threads\n"
    "the HIP call that it is in: since when, where, which memory it is about, and which launches "
    "it\n"
    "may wait for. Default: all processes that can be inspected.\n"
    "\n"
    "      --seconds N           only calls that have lasted N seconds or longer (default: 0)\n"
    "  -h, --help                print this help\n";

struct ps_process {
	struct standby_process found;
	enum standby_state state;
	const char *note; /* or NULL */
	char *program;
};

struct ps {
	GArray *processes; /* struct ps_process */
	double least;      /* seconds */
	struct report_options options;
};

static void clear_process(gpointer data)
{
	g_free(((struct ps_process *)data)->program);
}

static void print_text(const char *text)
{
	char *line = text_one_line(text);

	fputs(line ? line : "?", stdout);
	free(line);
}

/* ---- which processes ---- */

static char *program_of(pid_t pid)
{
	char *path = g_strdup_printf("/proc/%d/comm", (int)pid), *name = NULL;

	if (g_file_get_contents(path, &name, NULL, NULL))
		g_strchomp(name);
	g_free(path);
	return name ? name : g_strdup("?");
}

static bool add_process(struct ps *ps, pid_t pid)
{
	struct ps_process process = { 0 };

	if (pid == getpid() ||
	    standby_inspect(pid, &process.found, &process.state, &process.note) != 0)
		return false;
	process.program = program_of(pid);
	g_array_append_val(ps->processes, process);
	return true;
}

static gint by_pid(gconstpointer a, gconstpointer b)
{
	return ((const struct ps_process *)a)->found.pid -
	       ((const struct ps_process *)b)->found.pid;
}

static void add_all(struct ps *ps)
{
	GDir *proc = g_dir_open("/proc", 0, NULL);
	const char *name;

	while (proc && (name = g_dir_read_name(proc)) != NULL)
		if (*name && strspn(name, "0123456789") == strlen(name))
			add_process(ps, (pid_t)strtol(name, NULL, 10));
	if (proc)
		g_dir_close(proc);
	g_array_sort(ps->processes, by_pid);
}

/* ---- their calls ---- */

static double seconds_since(int64_t ns, clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)((int64_t)now.tv_sec * 1000000000 + now.tv_nsec - ns) / 1e9;
}

/* Prints the calls that the report of the recording so far has. Returns true if it has any. */
static bool print_analysed(const struct ps *ps, const struct ps_process *process,
			   struct json_object *report)
{
	struct json_object *calls = get_array(get_member(report, "end"), "open_calls");
	bool any = false;

	for (size_t i = 0; i < array_length(calls); i++) {
		struct json_object *call = json_object_array_get_idx(calls, i);
		double seconds = seconds_since(get_number(call, "time_ns"), CLOCK_REALTIME);

		if (get_number(call, "pid") != process->found.vpid ||
		    get_flag(call, "process_ended") || seconds < ps->least)
			continue;
		printf("    thread %" G_GINT64_FORMAT ", %.1f s: ", get_number(call, "thread"),
		       seconds);
		print_text(get_text(call, "text"));
		putchar('\n');
		any = true;
	}
	return any;
}

/*
 * Prints what the process itself publishes, for a process without a recording that can be analysed.
 */
static bool print_published(const struct ps *ps, const struct ps_process *process)
{
	char *folder = g_build_filename(process->found.directory, HG_OPEN_CALLS, NULL);
	GArray *calls = open_calls_read(folder, NULL);
	bool any = false;

	for (guint i = 0; i < calls->len; i++) {
		const struct open_call *open = &g_array_index(calls, struct open_call, i);
		double seconds = seconds_since((int64_t)open->call.start, CLOCK_MONOTONIC);

		if (open->pid != process->found.vpid || open->ended || seconds < ps->least)
			continue;
		printf("    thread %d, %.1f s: %s", open->call.thread, seconds,
		       hg_api_name((unsigned)open->call.state));
		if (open->call.ptr)
			printf(", of 0x%" G_GINT64_MODIFIER "x", open->call.ptr);
		if (open->call.stream)
			printf(", in stream 0x%" G_GINT64_MODIFIER "x", open->call.stream);
		putchar('\n');
		any = true;
	}
	g_array_unref(calls);
	g_free(folder);
	return any;
}

static void print_left(int home, const char *name, bool unsaved, void *data)
{
	(void)home;
	print_text(data);
	putchar('/');
	print_text(name);
	puts(unsaved ? " is left of a recorder that was killed, with records that are in no bundle"
		     : " is left of a recorder that was killed: the next one removes it");
}

static void print_calls(const struct ps *ps, const struct ps_process *process,
			struct json_object *report)
{
	bool any = report ? print_analysed(ps, process, report) : print_published(ps, process);

	if (!any)
		puts(ps->least > 0 ? "    no such HIP call" : "    in no HIP call");
}

/* Prints the processes of one directory, whose recording is analysed once. */
static void print_directory(struct ps *ps, const char *directory)
{
	bool recorded = live_is_recorded(directory) == 1;
	struct json_object *report = recorded ? live_look(&ps->options, directory) : NULL;

	for (guint i = 0; i < ps->processes->len; i++) {
		const struct ps_process *process =
		    &g_array_index(ps->processes, struct ps_process, i);

		if (strcmp(process->found.directory, directory) != 0)
			continue;
		printf("%d ", (int)process->found.pid);
		print_text(process->program);
		fputs(process->state == STANDBY_WAITS      ? " on standby in "
		      : process->state == STANDBY_LEFT_OUT ? " left out of "
		      : recorded                           ? " recorded into "
							   : " no longer recorded into ",
		      stdout);
		print_text(directory);
		putchar('\n');
		if (process->note)
			printf("    %s\n", process->note);
		if (process->state != STANDBY_LEFT_OUT)
			print_calls(ps, process, report);
	}
	if (!recorded)
		record_request_each_left(directory, print_left, (void *)directory);
	json_object_put(report);
}

static void print_all(struct ps *ps)
{
	GHashTable *printed = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < ps->processes->len; i++) {
		struct ps_process *process = &g_array_index(ps->processes, struct ps_process, i);

		if (g_hash_table_add(printed, process->found.directory))
			print_directory(ps, process->found.directory);
	}
	g_hash_table_destroy(printed);
}

static int list(struct ps *ps, char **pids)
{
	int status = report_prepare(&ps->options);

	for (; *pids && status == HG_EXIT_OK; pids++) {
		char *end;
		long pid = strtol(*pids, &end, 10);

		if (*end || end == *pids || pid <= 0 || pid > INT32_MAX) {
			message_error("'%s' is not a process number", *pids);
			status = HG_EXIT_USAGE;
		} else if (!add_process(ps, (pid_t)pid)) {
			message_error(
			    "process %ld is neither recorded nor on standby, or cannot be "
			    "inspected",
			    pid);
			status = HG_EXIT_INPUT;
		}
	}
	if (status == HG_EXIT_OK)
		print_all(ps);
	selection_clear(&ps->options.selection);
	return status;
}

int cmd_ps(int argc, char **argv)
{
	enum { OPTION_SECONDS = REPORT_OPTION_END };
	static const struct option long_options[] = {
		{ "seconds", required_argument, NULL, OPTION_SECONDS },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct ps ps = { .options = REPORT_OPTIONS_DEFAULT };
	char *end;
	int code, status;

	while ((code = next_option(argc, argv, "h", long_options)) != -1) {
		switch (code) {
		case OPTION_SECONDS:
			ps.least = strtod(optarg, &end);
			if (*end || end == optarg || !(ps.least >= 0)) {
				message_error("--seconds: '%s' is not a number of seconds", optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case 'h':
			fputs(usage_ps, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	ps.processes = g_array_new(FALSE, FALSE, sizeof(struct ps_process));
	g_array_set_clear_func(ps.processes, clear_process);
	if (optind == argc)
		add_all(&ps);
	status = list(&ps, argv + optind);
	g_array_unref(ps.processes);
	return status;
}
