/* SPDX-License-Identifier: Apache-2.0 */
/* `hipgrain attach`: finds processes on standby and records them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/flush_request.h"
#include "tracer/attach.h"
#include "tracer/session_filter.h"
#include "tracer/bundle.h"
#include "tracer/close_from.h"
#include "tracer/code_objects.h"
#include "tracer/control.h"
#include "tracer/event_counts.h"
#include "tracer/open_batches.h"
#include "tracer/open_calls.h"
#include "tracer/daemon.h"
#include "tracer/install.h"
#include "tracer/machine.h"
#include "tracer/message.h"
#include "tracer/record.h"
#include "tracer/record_request.h"
#include "tracer/session.h"
#include "tracer/standby.h"
#include "tracer/witness.h"

/* How long a process may take to register with the session daemon that it has just found. */
#define REGISTER_TIMEOUT_MS 10000
/* And how long all processes may take to write what they have counted. */
#define TOTALS_TIMEOUT_MS 10000
/* How often the processes are checked for their end. */
#define WATCH_MS 200
/* How much longer the end of a recording may take when a signal arrives during it. */
#define END_GRACE_MS 2000

struct attachment {
	const struct attach_options *options;
	struct standby_process *processes;
	size_t count;
	struct event_counts_start *
	    *counted; /* of the i-th process's directory; NULL: as one before */
	struct hg_witness_table **witnessed; /* the same for the table of witnesses */
	pid_t *vpids;
	int *pidfds;
	struct bundle bundle;
	int control; /* takes requests, or -1 */
	int client;  /* the one that requested the end, or -1 */
	int signals; /* readable when a signal requests the end; or -1 */
	struct install_paths install;
	struct daemon_link daemon;
	struct session session;
	struct bundle_manifest manifest;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- whom to record ---- */

/* For --all: the caller's own processes, unless root requests those of others. */
static int choose_all(struct attachment *attachment)
{
	struct standby_found found;

	attachment->processes = standby_find_all(&attachment->options->users, &found);
	attachment->count = found.count;
	if (found.recorded) {
		message_note("%zu process%s in other recordings: not recorded here", found.recorded,
			     found.recorded == 1 ? " is" : "es are");
	}
	if (found.foreign) {
		message_note("%zu process%s of other users %s on standby: not recorded (--user, "
			     "--all-users)",
			     found.foreign, found.foreign == 1 ? "" : "es",
			     found.foreign == 1 ? "is" : "are");
	}
	if (!attachment->count) {
		message_error("no process of %s is on standby (start programs with 'hipgrain "
			      "standby -- CMD')",
			      attachment->options->users.all                 ? "anybody"
			      : attachment->options->users.user == geteuid() ? "yours"
									     : "that user");
		return HG_EXIT_INPUT;
	}
	return HG_EXIT_OK;
}

static int choose_processes(struct attachment *attachment)
{
	const struct attach_options *options = attachment->options;
	char why[512];

	if (options->all) {
		int status = choose_all(attachment);

		if (status != HG_EXIT_OK)
			return status;
	} else {
		attachment->processes = calloc(options->pid_count, sizeof(*attachment->processes));
		if (!attachment->processes) {
			message_error("%s", strerror(ENOMEM));
			return HG_EXIT_INTERNAL;
		}
		for (size_t i = 0; i < options->pid_count; i++) {
			if (standby_examine(options->pids[i], &attachment->processes[i], why,
					    sizeof(why))) {
				message_error("process %ld: %s", (long)options->pids[i], why);
				return HG_EXIT_INPUT;
			}
			attachment->count++;
		}
	}
	attachment->vpids = calloc(attachment->count, sizeof(*attachment->vpids));
	attachment->pidfds = calloc(attachment->count, sizeof(*attachment->pidfds));
	attachment->counted = calloc(attachment->count, sizeof(*attachment->counted));
	attachment->witnessed = calloc(attachment->count, sizeof(*attachment->witnessed));
	if (!attachment->vpids || !attachment->pidfds || !attachment->counted ||
	    !attachment->witnessed) {
		message_error("%s", strerror(ENOMEM));
		return HG_EXIT_INTERNAL;
	}
	for (size_t i = 0; i < attachment->count; i++)
		attachment->vpids[i] = attachment->processes[i].vpid;
	return HG_EXIT_OK;
}

/* An ordinary user's programs look for their daemon below LTTNG_HOME or HOME, root's do not. */
static int choose_home(const struct attachment *attachment)
{
	const char *home = attachment->processes[0].lttng_home;

	if (getuid() == 0)
		return HG_EXIT_OK;
	for (size_t i = 1; i < attachment->count; i++) {
		if (strcmp(home, attachment->processes[i].lttng_home) != 0) {
			message_error("processes %ld and %ld use different LTTng session daemons "
				      "(their LTTNG_HOME differs): attach to one of them at a time",
				      (long)attachment->processes[0].pid,
				      (long)attachment->processes[i].pid);
			return HG_EXIT_INPUT;
		}
	}
	if (*home)
		setenv("LTTNG_HOME", home, 1);
	return HG_EXIT_OK;
}

/* -ENOSYS in place of a descriptor: Linux before 5.3 has none. Otherwise there is no process. */
static bool lives(const struct attachment *attachment, size_t i)
{
	struct pollfd fd = { .fd = attachment->pidfds[i], .events = POLLIN };

	if (fd.fd == -ENOSYS)
		return kill(attachment->processes[i].pid, 0) == 0 || errno == EPERM;
	return fd.fd >= 0 && poll(&fd, 1, 0) == 0;
}

/*
 * Programs find a daemon that was just started by themselves, after a moment. With --all, processes
 * on standby that end meanwhile or do not answer do not prevent the recording of the others.
 */
static int wait_registered(const struct attachment *attachment)
{
	char why[512];
	int known;

	for (size_t i = 0; i < attachment->count; i++) {
		bool all = attachment->options->all;
		long pid = attachment->processes[i].pid;
		int waited = 0;

		if (!record_request_is_heard(attachment->processes[i].pid) &&
		    lives(attachment, i)) {
			message_note(
			    "process %ld has made no call yet that is recorded: it will be "
			    "when it does",
			    pid);
			continue;
		}
		while (!(known = session_has_process(&attachment->daemon.client,
						     attachment->vpids[i], why, sizeof(why)))) {
			if (!lives(attachment, i)) {
				if (all)
					break;
				message_error("process %ld has ended", pid);
				return HG_EXIT_INPUT;
			}
			if (waited >= REGISTER_TIMEOUT_MS) {
				(all ? message_warning : message_error)(
				    "process %ld does not answer the LTTng session daemon: it is "
				    "stopped, or uses another one",
				    pid);
				if (all)
					break;
				return HG_EXIT_INPUT;
			}
			poll(NULL, 0, 50);
			waited += 50;
		}
		if (known < 0) {
			message_error("%s", why);
			return HG_EXIT_INPUT;
		}
	}
	return HG_EXIT_OK;
}

/*
 * The i-th process's directory, which several may share: NULL if an earlier process has the same.
 */
static const char *own_directory(const struct attachment *attachment, size_t i)
{
	const char *directory = attachment->processes[i].directory;

	for (size_t j = 0; j < i; j++)
		if (strcmp(attachment->processes[j].directory, directory) == 0)
			return NULL;
	return *directory ? directory : NULL;
}

/* Processes on standby load LTTng-UST only on request. */
static void ask(const struct attachment *attachment, bool wanted)
{
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = attachment->options->all
					    ? own_directory(attachment, i)
					    : attachment->processes[i].directory;

		if (directory) {
			record_request_set(
			    directory, attachment->options->all ? 0 : attachment->vpids[i], wanted);
		}
	}
}

/* ---- the recording ---- */

/* What the processes had counted when the session began: LTTng answers when all have it. */
static void note_counts(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory)
			attachment->counted[i] = event_counts_start(directory);
		if (directory)
			attachment->witnessed[i] = witness_start(directory);
	}
}

/* Before the session ends. */
static void keep_counts(struct attachment *attachment)
{
	bool same_numbers = true;

	for (size_t i = 0; i < attachment->count; i++)
		same_numbers &= attachment->processes[i].pid == attachment->vpids[i];
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory && attachment->counted[i]) {
			event_counts_keep(directory, attachment->counted[i], attachment->vpids,
					  attachment->options->all ? 0 : attachment->count,
					  same_numbers, attachment->bundle.lock);
		}
		if (directory) {
			witness_keep(attachment->witnessed[i], directory, attachment->vpids,
				     attachment->options->all ? 0 : attachment->count,
				     attachment->bundle.lock);
		}
		event_counts_start_free(attachment->counted[i]);
		attachment->counted[i] = NULL;
		attachment->witnessed[i] = NULL;
	}
}

static int begin(struct attachment *attachment)
{
	const struct attach_options *options = attachment->options;
	const char *directory = options->directory ? options->directory : RECORD_DEFAULT_DIRECTORY;
	char name[sizeof(attachment->session.name)], why[512];
	struct session_plan plan = { .pids = attachment->vpids,
				     .pid_count = options->all ? 0 : attachment->count,
				     .provider = attachment->install.provider };
	char *ctf = NULL;
	int status;

	if (options->all) {
		/*
		 * Messages about other recordings name the daemon, because only root's has several
		 * users.
		 */
		plan.filter = HG_SESSION_FILTER_CONTEXT " < 0";
		plan.user = getuid() == 0 && !options->users.all ? &options->users.user : NULL;
	}
	daemon_name_session(name, sizeof(name), attachment->manifest.start_ns);
	if (install_find(&attachment->install, why, sizeof(why))) {
		message_error("incomplete installation: %s", why);
		return HG_EXIT_INPUT;
	}
	if (daemon_connect(&attachment->daemon, name, DAEMON_COMMON, NULL, attachment->signals, why,
			   sizeof(why))) {
		message_error("no LTTng session daemon: %s", why);
		return HG_EXIT_INPUT;
	}
	ask(attachment, true);
	status = wait_registered(attachment);
	if (status != HG_EXIT_OK) {
		ask(attachment, false);
		return status;
	}
	status = HG_EXIT_INPUT;
	if (bundle_create(&attachment->bundle, directory, why, sizeof(why))) {
		message_error("'%s': %s", directory, why);
		ask(attachment, false);
		return status;
	}
	if (asprintf(&ctf, "%s/%s", attachment->bundle.path, BUNDLE_CTF) < 0) {
		ctf = NULL;
		message_error("%s", strerror(ENOMEM));
		goto out;
	}
	if (session_begin(&attachment->session, &attachment->daemon.client, name, ctf, &plan, why,
			  sizeof(why))) {
		message_error("%s", why);
		goto out;
	}
	note_counts(attachment);
	attachment->manifest.daemon = "shared";
	attachment->manifest.subbuffer_size = attachment->session.buffers.size;
	attachment->manifest.subbuffer_count = attachment->session.buffers.count;
	if (bundle_write_manifest(&attachment->bundle, &attachment->manifest)) {
		struct session_loss loss;

		message_error("'%s': cannot write the manifest: %s", attachment->bundle.path,
			      strerror(errno));
		session_end(&attachment->session, &loss, why, sizeof(why));
		goto out;
	}
	attachment->control = control_listen(attachment->bundle.lock);
	if (attachment->control < 0) {
		message_warning(
		    "'hipgrain detach' cannot reach this recording: %s (kill %ld stops it)",
		    strerror(-attachment->control), (long)getpid());
		attachment->control = -1;
	}
	machine_copy_probes(attachment->bundle.lock, attachment->bundle.path, false);
	status = HG_EXIT_OK;
out:
	if (status != HG_EXIT_OK) {
		ask(attachment, false);
		bundle_remove(&attachment->bundle);
	}
	free(ctf);
	return status;
}

static bool any_lives(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++)
		if (lives(attachment, i))
			return true;
	return false;
}

/*
 * SIGTERM and SIGINT are blocked. Waits until one of them arrives, the end is requested, the time
 * is over, or no process is left to record.
 */
static void wait_end(struct attachment *attachment, const sigset_t *signals)
{
	int64_t limit = attachment->options->seconds
			    ? now_ns() + (int64_t)attachment->options->seconds * 1000000000
			    : INT64_MAX;
	struct pollfd fds[] = { { .fd = attachment->control, .events = POLLIN },
				{ .fd = attachment->signals, .events = POLLIN } };
	const struct timespec none = { 0 };
	enum control_request request;

	while (now_ns() < limit && (attachment->options->all || any_lives(attachment))) {
		int got = poll(fds, 2, WATCH_MS);

		if (sigtimedwait(signals, NULL, &none) > 0)
			break;
		if (got <= 0 || !fds[0].revents)
			continue;
		attachment->client = control_accept(attachment->control, &request);
		if (attachment->client >= 0 && request == CONTROL_DETACH)
			break;
		control_answer(attachment->client, "-it is not a flight recorder");
		attachment->client = -1;
	}
}

static void collect_code_objects(const struct attachment *attachment)
{
	int folder = openat(attachment->bundle.lock, BUNDLE_CODE_OBJECTS,
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	for (size_t i = 0; folder >= 0 && i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory)
			code_objects_collect(directory, folder);
	}
	if (folder >= 0)
		close(folder);
}

/* The counts of small blocks are written periodically: have the rest written, too. */
static void ask_totals(struct attachment *attachment)
{
	size_t requested = 0;
	int waited = 0;
	char why[512];

	for (size_t i = 0; i < attachment->count; i++) {
		const struct standby_process *process = &attachment->processes[i];

		requested += process->totals && lives(attachment, i) &&
			     flush_request_begin(process->directory, process->vpid);
	}
	if (requested && session_record_again(&attachment->session, why, sizeof(why))) {
		message_warning("small blocks: the latest counts are missing: %s", why);
		waited = TOTALS_TIMEOUT_MS;
	}
	for (size_t i = 0; requested && i < attachment->count; i++) {
		const struct standby_process *process = &attachment->processes[i];

		while (process->totals && lives(attachment, i) && waited < TOTALS_TIMEOUT_MS &&
		       !flush_request_answered(process->directory, process->vpid)) {
			poll(NULL, 0, 10);
			waited += 10;
		}
		if (process->totals)
			flush_request_end(process->directory, process->vpid);
	}
	if (waited >= TOTALS_TIMEOUT_MS)
		message_warning("small blocks: the latest counts are missing: no answer");
}

static int end(struct attachment *attachment)
{
	struct session_loss loss;
	char why[512];
	int error;

	ask(attachment, false);
	ask_totals(attachment);
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory)
			open_batches_keep(directory, attachment->bundle.lock);
	}
	keep_counts(attachment);
	attachment->daemon.client.grace_ms = END_GRACE_MS;
	error = session_end(&attachment->session, &loss, why, sizeof(why));
	attachment->daemon.stuck = error == -ETIMEDOUT || error == -EINTR;
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (!directory)
			continue;
		open_calls_end(directory, attachment->bundle.lock);
		open_batches_release(directory);
	}
	if (error)
		message_warning("the recording may be incomplete: %s", why);
	collect_code_objects(attachment);
	attachment->manifest.end_ns = now_ns();
	attachment->manifest.lost_events = loss.events;
	attachment->manifest.lost_packets = loss.packets;
	attachment->manifest.complete = !error;
	bundle_hide(&attachment->bundle);
	error = bundle_write_manifest(&attachment->bundle, &attachment->manifest);
	if (error) {
		message_warning("'%s': cannot write the manifest: %s", attachment->bundle.path,
				strerror(-error));
	}
	return error ? HG_EXIT_INPUT : HG_EXIT_OK;
}

/* ---- in the background ---- */

/*
 * The whole recording; `report` (may be -1) gets one byte, the status of its beginning, and is
 * closed then.
 */
static int record_attached(struct attachment *attachment, int report)
{
	sigset_t signals;
	char status;
	int result;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	attachment->signals = signalfd(-1, &signals, SFD_CLOEXEC);
	for (size_t i = 0; i < attachment->count; i++) {
		int fd = (int)syscall(SYS_pidfd_open, attachment->processes[i].pid, 0);

		attachment->pidfds[i] = fd < 0 ? -errno : fd;
	}
	result = choose_home(attachment);
	if (result == HG_EXIT_OK)
		result = begin(attachment);
	if (result == HG_EXIT_OK) {
		message_note("recording %zu process%s into %s%s%s%s", attachment->count,
			     attachment->count == 1 ? "" : "es", attachment->bundle.path,
			     report >= 0 ? "; 'hipgrain detach " : "",
			     report >= 0 ? attachment->bundle.path : "",
			     report >= 0 ? "' ends it" : "");
	}
	status = (char)result;
	if (report >= 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		(void)!write(report, &status, 1);
		close(report);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	if (result == HG_EXIT_OK) {
		wait_end(attachment, &signals);
		result = end(attachment);
	}
	daemon_disconnect(&attachment->daemon);
	/*
	 * Requests that arrive now wait in the socket's queue until the bundle is complete and
	 * unlocked.
	 */
	if (attachment->control >= 0)
		unlinkat(attachment->bundle.lock, CONTROL_SOCKET, 0);
	bundle_close(&attachment->bundle);
	if (attachment->control >= 0)
		close(attachment->control);
	control_answer(attachment->client,
		       result == HG_EXIT_OK ? "+" : "-the manifest could not be written");
	return result;
}

/*
 * Close the descriptors that the caller passed on: it may wait for the end of a pipe. Returns
 * `kept`'s new number.
 */
static int close_inherited(int kept)
{
	const int place = STDERR_FILENO + 1;

	if (kept != place)
		dup3(kept, place, O_CLOEXEC);
	close_from(place + 1);
	return place;
}

static int record_in_background(struct attachment *attachment)
{
	int report[2];
	char status = HG_EXIT_INTERNAL;
	pid_t child;

	if (pipe2(report, O_CLOEXEC)) {
		message_error("%s", strerror(errno));
		return HG_EXIT_INTERNAL;
	}
	child = fork();
	if (child == 0) {
		setsid();
		_exit(record_attached(attachment, close_inherited(report[1])));
	}
	close(report[1]);
	if (child < 0 || read(report[0], &status, 1) != 1)
		message_error("the recorder could not be started");
	close(report[0]);
	return status;
}

int attach(const struct attach_options *options)
{
	struct attachment attachment = {
		.options = options,
		.bundle = { .lock = -1 },
		.control = -1,
		.client = -1,
		.signals = -1,
		.daemon = DAEMON_LINK_NONE,
		.manifest = {
			.stack_depth = -1,
			.start_ns = now_ns(),
			.exit_status = -1,
			.lost_events = -1,
			.lost_packets = -1,
			.attached = true,
			.snapshots = -1,
		},
	};
	int status = choose_processes(&attachment);

	if (status == HG_EXIT_OK) {
		attachment.manifest.pids = attachment.vpids;
		attachment.manifest.pid_count = options->all ? 0 : attachment.count;
		status = options->seconds ? record_attached(&attachment, -1)
					  : record_in_background(&attachment);
	}
	free(attachment.processes);
	free(attachment.vpids);
	free(attachment.pidfds);
	free(attachment.counted);
	free(attachment.witnessed);
	install_paths_free(&attachment.install);
	return status;
}
