/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain check --seeds: a process for each run, whose reports are merged at the end. */
#include "analyzer/cmds/check_seeds.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/cmds/merge.h"
#include "tracer/message.h"

struct search {
	const struct record_options *record;
	const struct report_options *report;
	char **argv;
	char *directory; /* the bundles' name without the seed */
	unsigned count;  /* of seeds that are wanted */
	sigset_t mask, waited;
	GArray *seeds;    /* uint64_t, of `reports` */
	GPtrArray *parts; /* char *, temporary JSON reports */
	int command;      /* first status of the command that is not 0 */
};

/* Does one run. Returns the command's status; the report is empty if there is none. */
static int run_seed(const struct search *search, uint64_t seed, const char *output)
{
	struct record_options record = *search->record;
	struct report_options report = *search->report;
	struct record_result result;
	char *directory = g_strdup_printf("%s.seed-%" PRIu64, search->directory, seed);
	int status;

	report.output = output;
	report.chrome = report.format == REPORT_CHROME;
	report.view = report.format == REPORT_HTML ? search->count : 0;
	report.format = REPORT_JSON;
	report.fail_on = -1;
	record.elsewhere = !record.directory;
	record.directory = directory;
	record.softgpu_model.seeded = true;
	record.softgpu_model.seed = seed;
	status = report_prepare(&report);
	if (status == HG_EXIT_OK)
		status = record_command(&record, search->argv, &result);
	if (status != HG_EXIT_OK)
		return status;
	status = report_bundle(&report, result.directory, stderr);
	return status == HG_EXIT_OK ? result.status : status;
}

/* Waits for a run, to which it passes signals on. Returns its status as wait(2), and the signal. */
static int wait_seed(const struct search *search, pid_t child, int *interrupted)
{
	int status, signal;

	while (waitpid(child, &status, WNOHANG) != child) {
		if (sigwait(&search->waited, &signal) || signal == SIGCHLD)
			continue;
		*interrupted = signal;
		kill(child, signal);
	}
	return status;
}

static bool is_empty(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 || status.st_size == 0;
}

/* Returns 0 if the search goes on, or the status with which it ends. */
static int search_seed(struct search *search, uint64_t seed)
{
	const pid_t parent = getpid();
	int interrupted = 0, status, fd;
	char *output;
	pid_t child;

	fd = g_file_open_tmp("hipgrain-XXXXXX", &output, NULL);
	if (fd < 0) {
		message_error("cannot create a temporary file: %s", strerror(errno));
		return HG_EXIT_INTERNAL;
	}
	close(fd);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &search->mask, NULL);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		_exit(getppid() == parent ? run_seed(search, seed, output) : HG_EXIT_INTERNAL);
	}
	status = child < 0 ? HG_EXIT_INTERNAL << 8 : wait_seed(search, child, &interrupted);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (is_empty(output)) {
		message_error("there is no report of seed %" PRIu64, seed);
		unlink(output);
		g_free(output);
		return status ? status : HG_EXIT_INTERNAL;
	}
	g_ptr_array_add(search->parts, output);
	g_array_append_val(search->seeds, seed);
	if (status && !search->command)
		search->command = status;
	return interrupted ? 128 + interrupted : 0;
}

/* Returns HG_EXIT_OK, HG_EXIT_FINDINGS, or another enum hg_exit after a message. */
static int report_seeds(const struct search *search)
{
	const struct report_options *report = search->report;
	const struct merge_options options = {
		.paths = (const char *const *)search->parts->pdata,
		.count = search->parts->len,
		.seeds = (const uint64_t *)(const void *)search->seeds->data,
		.jobs = 1,
		.format = report->format,
		.fail_on = report->fail_on,
		.output = report->output,
		.stream = stderr,
		.verbose = report->verbose,
	};
	int status = merge_run(&options);

	if ((status == HG_EXIT_OK || status == HG_EXIT_FINDINGS) &&
	    (report->format == REPORT_TEXT || report->output))
		message_note("more: 'hipgrain report --verbose %s.seed-N', N is a seed",
			     search->directory);
	return status;
}

int check_seeds(unsigned count, const struct record_options *record,
		const struct report_options *report, char **argv)
{
	const char *directory = record->directory ? record->directory : RECORD_DEFAULT_DIRECTORY;
	const uint64_t first = record->softgpu_model.seeded ? record->softgpu_model.seed : 1;
	static const int signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD };
	struct search search = {
		.record = record,
		.report = report,
		.argv = argv,
		.directory = g_strdup(directory),
		.count = count,
		.seeds = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
		.parts = g_ptr_array_new(),
	};
	int ended = 0, status = HG_EXIT_OK;

	for (size_t i = strlen(directory); i > 1 && directory[i - 1] == '/'; i--)
		search.directory[i - 1] = '\0';
	sigemptyset(&search.waited);
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaddset(&search.waited, signals[i]);
	sigprocmask(SIG_BLOCK, &search.waited, &search.mask);
	signal(SIGCHLD, SIG_DFL); /* if it is ignored, the status is lost */
	for (unsigned i = 0; i < count && !ended; i++)
		ended = search_seed(&search, first + i);
	if (ended && search.parts->len)
		message_warning("the search ended after %u of %u seeds", search.parts->len, count);
	if (search.parts->len)
		status = report_seeds(&search);
	if (status == HG_EXIT_OK)
		status = ended ? ended : search.command;
	for (unsigned i = 0; i < search.parts->len; i++) {
		unlink(search.parts->pdata[i]);
		g_free(search.parts->pdata[i]);
	}
	g_ptr_array_free(search.parts, TRUE);
	g_array_free(search.seeds, TRUE);
	g_free(search.directory);
	return status;
}
