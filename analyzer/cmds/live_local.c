/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipgrain live of a bundle on this machine.
 *
 * LTTng writes what is recorded to the disk about once a second. What is there is analysed again
 * and again, each time by a process of its own, and the longer that takes the less often, such
 * that it takes a fifth of the time at most.
 */
#include "analyzer/cmds/live_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/reader/live.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/place.h"
#include "analyzer/report/report.h"
#include "codeobj/text.h"
#include "tracer/message.h"

#define PAUSE_LEAST_US (G_USEC_PER_SEC)
#define PAUSE_PER_LOOK 4
#define PAUSE_STEP_US  (100 * 1000)
#define PLACE_COLUMN   "         "
#define OPEN_LEAST_S   10 /* a call that lasts so long is printed */

int live_is_recorded(const char *bundle)
{
	int fd = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC), locked;

	if (fd < 0)
		return -errno;
	locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

struct json_object *live_look(const struct report_options *options, const char *bundle)
{
	struct report_options own = *options;
	struct json_object *report = NULL;
	char *path = NULL, *error = NULL;
	int fd = g_file_open_tmp("hipgrain-XXXXXX", &path, NULL), status = -1;
	pid_t child;

	if (fd < 0)
		return NULL;
	close(fd);
	own.format = REPORT_JSON;
	own.output = path;
	own.fail_on = -1;
	own.progress = 0;
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		/* Events that it could not read yet are nothing to report. */
		dup2(null, STDERR_FILENO);
		_exit(report_bundle(&own, bundle, stdout));
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == HG_EXIT_OK)
		report_read_json(path, &report, &error);
	g_free(error);
	unlink(path);
	g_free(path);
	return report;
}

static void print_text(const char *text)
{
	char *line = text_one_line(text);

	fputs(line ? line : "?", stdout);
	free(line);
}

static void print_clock(void)
{
	time_t now = time(NULL);
	char clock[16] = "";
	struct tm parts;

	if (localtime_r(&now, &parts))
		strftime(clock, sizeof(clock), "%H:%M:%S ", &parts);
	fputs(clock, stdout);
}

static void print_finding(struct json_object *finding)
{
	const struct source_place place = place_of_allocation(finding);

	print_clock();
	printf("%s %s: process %" G_GINT64_FORMAT ": ", get_text(finding, "severity"),
	       get_text(finding, "rule"), get_number(finding, "pid"));
	print_text(get_text(finding, "message"));
	putchar('\n');
	if (place.file) {
		fputs(PLACE_COLUMN "allocated at ", stdout);
		print_text(place.file);
		printf(":%" G_GINT64_FORMAT "\n", place.line);
	}
	fflush(stdout);
}

/* Prints each call that has lasted long once. */
static void print_open_calls(struct json_object *report, GHashTable *seen)
{
	struct json_object *calls = get_array(get_member(report, "end"), "open_calls");

	for (size_t i = 0; i < array_length(calls); i++) {
		struct json_object *call = json_object_array_get_idx(calls, i);
		int64_t began_us = get_number(call, "time_ns") / 1000;
		double seconds = (double)(g_get_real_time() - began_us) / 1e6;
		char *key = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
					    get_number(call, "thread"), began_us);

		if (seconds < OPEN_LEAST_S || get_flag(call, "process_ended") ||
		    g_hash_table_contains(seen, key)) {
			g_free(key);
			continue;
		}
		g_hash_table_add(seen, key);
		print_clock();
		printf("process %" G_GINT64_FORMAT ", thread %" G_GINT64_FORMAT ": for %.0f s in ",
		       get_number(call, "pid"), get_number(call, "thread"), seconds);
		print_text(get_text(call, "text"));
		putchar('\n');
		fflush(stdout);
	}
}

/*
 * Returns true if a finding can be printed. Streams of a trace reach the disk one after the other:
 * a finding may come before the stack or the module of its memory, and has another fingerprint
 * then. Without a place it waits until it is found again.
 */
static bool is_settled(struct json_object *finding, GHashTable *waiting)
{
	return place_of_allocation(finding).file || !get_member(finding, "allocation") ||
	       !g_hash_table_add(waiting, g_strdup(get_text(finding, "fingerprint")));
}

/* Prints the findings that were not there before. */
static void print_new(struct json_object *report, GHashTable *seen, GHashTable *waiting)
{
	struct json_object *findings = get_array(report, "findings");

	for (size_t i = 0; i < array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);

		if (!g_hash_table_contains(seen, get_text(finding, "fingerprint")) &&
		    is_settled(finding, waiting)) {
			g_hash_table_add(seen, g_strdup(get_text(finding, "fingerprint")));
			print_finding(finding);
		}
	}
}

static void pause_after(const char *bundle, int64_t took_us)
{
	int64_t until = g_get_monotonic_time() + MAX(PAUSE_LEAST_US, PAUSE_PER_LOOK * took_us);

	while (!live_stopped() && g_get_monotonic_time() < until && live_is_recorded(bundle) == 1)
		g_usleep(PAUSE_STEP_US);
}

/*
 * Writes the metrics of what there is to options->output, which is whole at any moment: it is
 * replaced by a new file; without it to standard output. A look that fails leaves the file as it
 * was. Returns an exit status.
 */
static int write_metrics(const struct report_options *options, const char *bundle)
{
	struct report_options own = *options;
	char *path = options->output ? g_strconcat(options->output, ".new", NULL) : NULL;
	int status = -1;
	pid_t child;

	own.output = path;
	own.progress = 0;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		status = report_bundle(&own, bundle, stdout);
		/* node_exporter is another user. */
		if (status == HG_EXIT_OK && path &&
		    (chmod(path, 0644) || rename(path, options->output))) {
			message_error("%s: cannot be replaced: %s", options->output,
				      strerror(errno));
			status = HG_EXIT_INPUT;
		}
		fflush(stdout);
		_exit(status);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	g_free(path);
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : HG_EXIT_INTERNAL;
}

static int live_metrics(struct report_options *options, const char *bundle, bool quiet)
{
	int status;

	while (!live_stopped() && live_is_recorded(bundle) == 1) {
		int64_t began = g_get_monotonic_time();

		if (!quiet)
			write_metrics(options, bundle);
		pause_after(bundle, g_get_monotonic_time() - began);
	}
	status = write_metrics(options, bundle);
	selection_clear(&options->selection);
	return status;
}

int live_local(struct report_options *options, const char *bundle, bool quiet)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTable *waiting = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	int recorded = live_is_recorded(bundle);

	if (recorded <= 0) {
		if (recorded < 0) {
			message_error("%s: %s", bundle, strerror(-recorded));
		} else {
			message_error("%s: that recording has ended ('hipgrain report' reads it)",
				      bundle);
		}
		selection_clear(&options->selection);
		g_hash_table_destroy(seen);
		g_hash_table_destroy(waiting);
		return HG_EXIT_INPUT;
	}
	if (options->format == REPORT_OPENMETRICS) {
		g_hash_table_destroy(seen);
		g_hash_table_destroy(waiting);
		return live_metrics(options, bundle, quiet);
	}
	while (!live_stopped() && live_is_recorded(bundle) == 1) {
		int64_t began = g_get_monotonic_time();
		struct json_object *report = quiet ? NULL : live_look(options, bundle);

		print_new(report, seen, waiting);
		print_open_calls(report, seen);
		json_object_put(report);
		pause_after(bundle, g_get_monotonic_time() - began);
	}
	g_hash_table_destroy(seen);
	g_hash_table_destroy(waiting);
	if (!options->output && !quiet)
		putchar('\n');
	fflush(stdout);
	return report_bundle(options, bundle, stdout);
}
