/* SPDX-License-Identifier: Apache-2.0 */
/* A report in a child process, so that a crash of the analysis stays there. */
#include "analyzer/cmds/report_child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/message.h"

static void in_child(struct report_options *options, const char *bundle, FILE *stream, pid_t parent)
{
	int status;

	/* Whoever ends the parent wants no report any more. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(HG_EXIT_INTERNAL);
	status = report_bundle(options, bundle, stream);
	exit(status);
}

/* The bundle as the user would name it here; to be freed. */
static char *short_name(const char *bundle)
{
	char *current = g_get_current_dir(), *folder = g_path_get_dirname(bundle);
	char *name = strcmp(current, folder) == 0 ? g_path_get_basename(bundle) : g_strdup(bundle);

	g_free(current);
	g_free(folder);
	return name;
}

void report_say_more(const struct report_options *report, const char *bundle)
{
	char *name = short_name(bundle);

	if (report->format == REPORT_TEXT || report->output) {
		message_note("more: 'hipgrain report --verbose %s', or a page by 'hipgrain report "
			     "--format=html -o report.html %s'",
			     name, name);
	}
	g_free(name);
}

int report_child(struct report_options *options, const char *bundle, FILE *stream, bool *crashed)
{
	const pid_t parent = getpid();
	pid_t child, ended;
	int status = 0;

	*crashed = true;
	fflush(NULL);             /* or the child writes it again */
	signal(SIGCHLD, SIG_DFL); /* if it is ignored, the status is lost */
	child = fork();
	if (child == 0)
		in_child(options, bundle, stream, parent);
	selection_clear(&options->selection);
	if (child < 0) {
		message_error("the report was not started: %s; the recording is in %s: repeat with "
			      "'hipgrain report %s'",
			      strerror(errno), bundle, bundle);
		return HG_EXIT_INTERNAL;
	}
	/* The report's reader may be gone: the line below must not end this process as well. */
	signal(SIGPIPE, SIG_IGN);
	do {
		ended = waitpid(child, &status, 0);
	} while (ended < 0 && errno == EINTR);
	if (ended == child && WIFEXITED(status)) {
		*crashed = false;
		return WEXITSTATUS(status);
	}
	message_error(
	    "the report was killed by signal %d (%s); the recording is in %s: repeat with "
	    "'hipgrain report %s'",
	    WTERMSIG(status), strsignal(WTERMSIG(status)), bundle, bundle);
	return HG_EXIT_INTERNAL;
}
