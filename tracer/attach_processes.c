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

#include "tracer/attach.h"
#include "tracer/bundle.h"
#include "tracer/close_from.h"
#include "tracer/code_objects.h"
#include "tracer/control.h"
#include "tracer/event_layout.h"
#include "tracer/open_calls.h"
#include "tracer/process_messages.h"
#include "tracer/machine.h"
#include "tracer/message.h"
#include "tracer/record.h"
#include "tracer/record_request.h"
#include "tracer/rings.h"
#include "tracer/running.h"
#include "tracer/standby.h"
#include "tracer/witness.h"

/* A process that makes no call is waited for so long: it is recorded when it makes one. */
#define ANSWER_TIMEOUT_MS 500
/* All processes may take so long to write what they have counted. */
#define TOTALS_TIMEOUT_MS 10000
/* The processes are checked so often for their end. */
#define WATCH_MS 200

struct attachment {
	const struct attach_options *options;
	struct standby_process *processes;
	size_t count;
	/* The table of witnesses in the i-th process's directory; NULL: as one before. */
	struct hg_witness_table **witnessed;
	pid_t *vpids;
	int *pidfds;
	struct bundle bundle;
	int control;                     /* takes requests, or -1 */
	int client;                      /* the one that requested the end, or -1 */
	int signals;                     /* readable when a signal requests the end; or -1 */
	struct record_request *requests; /* as `witnessed`; home -1: there is none */
	struct bundle_manifest manifest;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- whom to record ---- */

/* Leaves out processes whose directory is gone, after a warning: they do not prevent the recording
 * of the others. */
static void leave_out_lost(struct attachment *attachment)
{
	size_t kept = 0;

	for (size_t i = 0; i < attachment->count; i++) {
		struct standby_process *process = &attachment->processes[i];

		if (*process->directory && access(process->directory, F_OK)) {
			message_warning("process %ld is not recorded: '%s': %s", (long)process->pid,
					process->directory, strerror(errno));
			continue;
		}
		attachment->processes[kept++] = *process;
	}
	attachment->count = kept;
}

/* For --all: the caller's own processes, unless root requests those of others. */
static int choose_all(struct attachment *attachment)
{
	struct standby_found found;

	attachment->processes = standby_find_all(&attachment->options->users, &found);
	attachment->count = found.count;
	leave_out_lost(attachment);
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
	attachment->witnessed = calloc(attachment->count, sizeof(*attachment->witnessed));
	attachment->requests = calloc(attachment->count, sizeof(*attachment->requests));
	if (!attachment->vpids || !attachment->pidfds || !attachment->witnessed ||
	    !attachment->requests) {
		message_error("%s", strerror(ENOMEM));
		return HG_EXIT_INTERNAL;
	}
	for (size_t i = 0; i < attachment->count; i++) {
		attachment->vpids[i] = attachment->processes[i].vpid;
		attachment->requests[i] = (struct record_request){ -1, -1, -1, "", 0, 0 };
	}
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

/* Returns the i-th process's directory, which several may share, or NULL if an earlier process has
 * the same, or if it has none. */
static const char *own_directory(const struct attachment *attachment, size_t i)
{
	const char *directory = attachment->processes[i].directory;

	for (size_t j = 0; j < i; j++)
		if (strcmp(attachment->processes[j].directory, directory) == 0)
			return NULL;
	return *directory ? directory : NULL;
}

/* Requests those of the processes that use the i-th one's directory. */
static int request_one(struct attachment *attachment, size_t i, const char *directory, char *why,
		       size_t why_size)
{
	pid_t *pids = calloc(attachment->count, sizeof(*pids));
	size_t count = 0;
	int error;

	if (!pids)
		return refuse(why, why_size, ENOMEM, "%s", strerror(ENOMEM));
	for (size_t j = i; !attachment->options->all && j < attachment->count; j++)
		if (strcmp(attachment->processes[j].directory, directory) == 0)
			pids[count++] = attachment->vpids[j];
	error =
	    record_request_begin(&attachment->requests[i], directory, pids, count, why, why_size);
	free(pids);
	return error;
}

static void withdraw(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++)
		record_request_withdraw(&attachment->requests[i]);
}

/* Requests the processes. Returns 0, or -errno after a message. */
static int request(struct attachment *attachment)
{
	char why[512];
	int error = 0;

	for (size_t i = 0; i < attachment->count && !error; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory)
			error = request_one(attachment, i, directory, why, sizeof(why));
	}
	if (error) {
		message_error("%s", why);
		withdraw(attachment);
	}
	return error;
}

/* Returns the request that means the i-th process. */
static const struct record_request *request_of(const struct attachment *attachment, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(attachment->processes[j].directory,
			   attachment->processes[i].directory) == 0)
			return &attachment->requests[j];
	return &attachment->requests[i];
}

static bool is_heard(const struct attachment *attachment, size_t i)
{
	return record_request_is_heard(request_of(attachment, i), attachment->vpids[i]);
}

/*
 * A process begins by its next call. With --all, processes on standby that end meanwhile do not
 * prevent the recording of the others. HG_EXIT_OK, or another status after a message.
 */
static int wait_heard(const struct attachment *attachment)
{
	int waited = 0;

	for (size_t i = 0; i < attachment->count; i++) {
		long pid = attachment->processes[i].pid;

		while (!is_heard(attachment, i) && lives(attachment, i) &&
		       waited < ANSWER_TIMEOUT_MS) {
			poll(NULL, 0, 10);
			waited += 10;
		}
		if (is_heard(attachment, i))
			continue;
		if (lives(attachment, i)) {
			message_note("process %ld has made no call yet that is recorded: it will "
				     "be when it does",
				     pid);
		} else if (!attachment->options->all) {
			message_error("process %ld has ended", pid);
			return HG_EXIT_INPUT;
		}
	}
	return HG_EXIT_OK;
}

/* The processes' files are in the bundle from their beginning, whatever ends this process. */
static int collect(const struct attachment *attachment, bool ended)
{
	int error = 0;

	for (size_t i = 0; i < attachment->count && !error; i++)
		if (attachment->requests[i].folder >= 0)
			error = rings_collect(attachment->requests[i].folder,
					      attachment->bundle.lock, ended);
	return error;
}

static void end_requests(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++)
		record_request_end(&attachment->requests[i]);
}

/* ---- the recording ---- */

/* Notes what others had counted of the processes before the recording. */
static void note_witnesses(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory)
			attachment->witnessed[i] = witness_start(directory);
	}
}

/* Keeps, at the end of the recording, what others have counted since. */
static void keep_witnesses(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory)
			witness_keep(attachment->witnessed[i], directory, attachment->vpids,
				     attachment->options->all ? 0 : attachment->count,
				     attachment->bundle.lock);
		attachment->witnessed[i] = NULL;
	}
}

/* Makes the bundle. Returns HG_EXIT_OK, or another status after a message. */
static int make_bundle(struct attachment *attachment)
{
	const struct attach_options *options = attachment->options;
	const char *directory = options->directory ? options->directory : RECORD_DEFAULT_DIRECTORY;
	char why[512];
	int error;

	if (bundle_create(&attachment->bundle, directory, why, sizeof(why))) {
		message_error("'%s': %s", directory, why);
		return HG_EXIT_INPUT;
	}
	error = event_layout_make(attachment->bundle.lock);
	if (!error)
		error = rings_make(attachment->bundle.lock, false);
	if (!error) {
		attachment->manifest.daemon = "none";
		error = bundle_write_manifest(&attachment->bundle, &attachment->manifest);
	}
	if (!error)
		return HG_EXIT_OK;
	message_error("'%s': %s", attachment->bundle.path, strerror(-error));
	return HG_EXIT_INPUT;
}

static int begin(struct attachment *attachment)
{
	int status = make_bundle(attachment);

	if (status == HG_EXIT_OK) {
		note_witnesses(attachment);
		status = request(attachment) ? HG_EXIT_INPUT : wait_heard(attachment);
	}
	if (status != HG_EXIT_OK) {
		withdraw(attachment);
		end_requests(attachment);
		if (attachment->bundle.path)
			bundle_remove(&attachment->bundle);
		return status;
	}
	attachment->control = control_listen(attachment->bundle.lock);
	if (attachment->control < 0) {
		message_warning(
		    "'hipgrain detach' cannot reach this recording: %s (kill %ld stops it)",
		    strerror(-attachment->control), (long)getpid());
		attachment->control = -1;
	}
	machine_copy_probes(attachment->bundle.lock, attachment->bundle.path, false);
	return HG_EXIT_OK;
}

static bool any_lives(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++)
		if (lives(attachment, i))
			return true;
	return false;
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

		(void)collect(attachment, false);
		collect_code_objects(attachment);

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

/* For the report: nobody may read what a recorder in the background says. */
static void note(const struct attachment *attachment, const char *line)
{
	int file = openat(attachment->bundle.lock, HG_MESSAGES,
			  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (file < 0 || write(file, line, strlen(line)) != (ssize_t)strlen(line))
		message_warning("'" HG_MESSAGES "': %s", strerror(errno));
	if (file >= 0)
		close(file);
}

/* A process that makes no call does not answer. */
static void note_missing(const struct attachment *attachment)
{
	note(attachment, "0 : the latest counts of small blocks" HG_MESSAGE_UNRECORDED
			 ": a process made no call\n");
	message_warning("small blocks: the latest counts are missing: no answer");
}

static bool is_awaited(const struct attachment *attachment, size_t i)
{
	const struct record_request *request = request_of(attachment, i);

	return attachment->processes[i].totals && lives(attachment, i) &&
	       !rings_answered(request->home, request->name, attachment->vpids[i]);
}

/*
 * The counts of small blocks are written periodically: have the rest written, too. A process
 * answers by its next call.
 */
static void ask_totals(struct attachment *attachment)
{
	int waited = 0;
	bool any = false;

	for (size_t i = 0; i < attachment->count; i++)
		any |= attachment->processes[i].totals;
	for (size_t i = 0; any && i < attachment->count; i++)
		if (attachment->requests[i].home >= 0)
			rings_again(attachment->requests[i].home, attachment->requests[i].name);
	for (size_t i = 0; any && i < attachment->count; i++)
		for (; waited < TOTALS_TIMEOUT_MS && is_awaited(attachment, i); waited += 10)
			poll(NULL, 0, 10);
	if (waited >= TOTALS_TIMEOUT_MS)
		note_missing(attachment);
}

/* Names the processes that were requested, and made no file. */
static void name_unheard(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++) {
		char name[RUNNING_NAME] = "", number[24], line[160];

		if (is_heard(attachment, i))
			continue;
		snprintf(number, sizeof(number), "%ld", (long)attachment->processes[i].pid);
		running_read_name(number, name);
		message_warning("process %s was not recorded: it made no call, or could not make a "
				"file in '%s'",
				number, attachment->processes[i].directory);
		snprintf(line, sizeof(line),
			 "%s %s: nothing is recorded: it made no call while it was attached, or "
			 "could not make its file\n",
			 number, name);
		note(attachment, line);
	}
}

static void stop(struct attachment *attachment)
{
	withdraw(attachment);
	for (size_t i = 0; i < attachment->count; i++)
		if (attachment->requests[i].home >= 0)
			rings_stop(attachment->requests[i].home, attachment->requests[i].name);
	for (size_t i = 0; i < attachment->count; i++)
		attachment->manifest.files += attachment->requests[i].files;
}

static int end(struct attachment *attachment)
{
	int error, written;

	ask_totals(attachment);
	stop(attachment);
	keep_witnesses(attachment);
	error = collect(attachment, true);
	name_unheard(attachment);
	end_requests(attachment);
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory)
			open_calls_end(directory, attachment->bundle.lock);
	}
	if (error)
		message_warning("the recording may be incomplete: %s", strerror(-error));
	collect_code_objects(attachment);
	attachment->manifest.end_ns = now_ns();
	attachment->manifest.lost_events = (int64_t)rings_end(attachment->bundle.lock);
	attachment->manifest.lost_packets = 0;
	attachment->manifest.complete = !error;
	bundle_hide(&attachment->bundle);
	written = bundle_write_manifest(&attachment->bundle, &attachment->manifest);
	if (written) {
		message_warning("'%s': cannot write the manifest: %s", attachment->bundle.path,
				strerror(-written));
	}
	keep_symbols_of(attachment->bundle.path, attachment->options->keep_symbols,
			!attachment->options->no_sources, -1);
	return written ? HG_EXIT_INPUT : HG_EXIT_OK;
}

/* ---- in the background ---- */

/*
 * The whole recording; `report` (may be -1) gets one byte, the status of its beginning, and is
 * closed then.
 */
static int record_attached(struct attachment *attachment, int report)
{
	sigset_t signals, blocked;
	char status;
	int result;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	/* A file that may not become larger is an error of the call that writes to it. */
	blocked = signals;
	sigaddset(&blocked, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	attachment->signals = signalfd(-1, &signals, SFD_CLOEXEC);
	for (size_t i = 0; i < attachment->count; i++) {
		int fd = (int)syscall(SYS_pidfd_open, attachment->processes[i].pid, 0);

		attachment->pidfds[i] = fd < 0 ? -errno : fd;
	}
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
	free(attachment.witnessed);
	free(attachment.requests);
	return status;
}
