/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tracer/asked.h"
#include "tracer/attach.h"
#include "tracer/bundle.h"
#include "tracer/gathered.h"
#include "tracer/daemon.h"
#include "tracer/message.h"
#include "tracer/record.h"
#include "tracer/session.h"
#include "tracer/standby.h"

/* How long a process may take to answer the session daemon that it has just found. */
#define REGISTER_TIMEOUT_MS 10000
#define SNAPSHOT_TIMEOUT_MS 60000
/* And how long all may take to write what they have counted. */
#define TOTALS_TIMEOUT_MS 10000
/* How often it is looked whether the processes still live. */
#define WATCH_MS 200

struct attachment {
	const struct attach_options *options;
	struct standby_process *processes;
	size_t count;
	pid_t *vpids;
	int *pidfds;
	struct bundle bundle;
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

static int choose_processes(struct attachment *attachment)
{
	const struct attach_options *options = attachment->options;
	char why[512];

	if (options->all) {
		attachment->processes = standby_find_all(&attachment->count);
		if (!attachment->count) {
			message_error("no process stands by (start programs with 'hipgrain standby "
				      "-- CMD')");
			return HG_EXIT_INPUT;
		}
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
	if (!attachment->vpids || !attachment->pidfds) {
		message_error("%s", strerror(ENOMEM));
		return HG_EXIT_INTERNAL;
	}
	for (size_t i = 0; i < attachment->count; i++) {
		attachment->vpids[i] = attachment->processes[i].vpid;
	}
	return HG_EXIT_OK;
}

/* An ordinary user's programs look for their daemon below LTTNG_HOME or HOME, root's do not. */
static int choose_home(const struct attachment *attachment)
{
	const char *home = attachment->processes[0].lttng_home;

	if (getuid() == 0) {
		return HG_EXIT_OK;
	}
	for (size_t i = 1; i < attachment->count; i++) {
		if (strcmp(home, attachment->processes[i].lttng_home) != 0) {
			message_error("processes %ld and %ld use different LTTng session daemons "
				      "(their LTTNG_HOME differs): attach to one of them at a time",
				      (long)attachment->processes[0].pid,
				      (long)attachment->processes[i].pid);
			return HG_EXIT_INPUT;
		}
	}
	if (*home) {
		setenv("LTTNG_HOME", home, 1);
	}
	return HG_EXIT_OK;
}

static bool lives(const struct attachment *attachment, size_t i)
{
	struct pollfd fd = { .fd = attachment->pidfds[i], .events = POLLIN };

	return fd.fd >= 0 ? poll(&fd, 1, 0) == 0
			  : kill(attachment->processes[i].pid, 0) == 0 || errno == EPERM;
}

/*
 * Programs find a daemon that has just been started by themselves, but that takes a moment. Of all
 * that stand by some may end meanwhile, or not answer, and do not keep the others from it.
 */
static int wait_registered(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++) {
		bool all = attachment->options->all;
		long pid = attachment->processes[i].pid;
		int waited = 0;

		while (!session_has_process(attachment->vpids[i])) {
			if (!lives(attachment, i)) {
				if (all) {
					break;
				}
				message_error("process %ld has ended", pid);
				return HG_EXIT_INPUT;
			}
			if (waited >= REGISTER_TIMEOUT_MS) {
				(all ? message_warning : message_error)(
				    "process %ld does not answer the LTTng session daemon: it is "
				    "stopped, or uses another one",
				    pid);
				if (all) {
					break;
				}
				return HG_EXIT_INPUT;
			}
			poll(NULL, 0, 50);
			waited += 50;
		}
	}
	return HG_EXIT_OK;
}

/* ---- the recording ---- */

static int begin(struct attachment *attachment)
{
	const struct attach_options *options = attachment->options;
	const char *directory = options->directory ? options->directory : RECORD_DEFAULT_DIRECTORY;
	char name[sizeof(attachment->session.name)], why[512];
	struct session_plan plan = { .pids = attachment->vpids,
				     .pid_count = options->all ? 0 : attachment->count };
	char *ctf = NULL;
	int status;

	daemon_name_session(name, sizeof(name), attachment->manifest.start_ns);
	if (daemon_connect(&attachment->daemon, name, DAEMON_COMMON, why, sizeof(why))) {
		message_error("no LTTng session daemon: %s", why);
		return HG_EXIT_INPUT;
	}
	status = wait_registered(attachment);
	if (status != HG_EXIT_OK) {
		return status;
	}
	status = HG_EXIT_INPUT;
	if (bundle_create(&attachment->bundle, directory, why, sizeof(why))) {
		message_error("'%s': %s", directory, why);
		return status;
	}
	if (asprintf(&ctf, "%s/%s", attachment->bundle.path, BUNDLE_CTF) < 0) {
		ctf = NULL;
		message_error("%s", strerror(ENOMEM));
		goto out;
	}
	if (session_begin(&attachment->session, name, ctf, &plan, why, sizeof(why))) {
		message_error("%s", why);
		goto out;
	}
	attachment->manifest.daemon = attachment->daemon.shared ? "shared" : "private";
	attachment->manifest.subbuffer_size = attachment->session.buffers.size;
	attachment->manifest.subbuffer_count = attachment->session.buffers.count;
	if (bundle_write_manifest(&attachment->bundle, &attachment->manifest)) {
		struct session_loss loss;

		message_error("'%s': cannot write the manifest: %s", attachment->bundle.path,
			      strerror(errno));
		session_end(&attachment->session, &loss, why, sizeof(why));
		goto out;
	}
	status = HG_EXIT_OK;
out:
	if (status != HG_EXIT_OK) {
		bundle_remove(&attachment->bundle);
	}
	free(ctf);
	return status;
}

static bool any_lives(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->count; i++) {
		if (lives(attachment, i)) {
			return true;
		}
	}
	return false;
}

/* SIGTERM and SIGINT are blocked: until one comes, the time is up, or nobody is left to record. */
static void wait_end(const struct attachment *attachment, const sigset_t *signals)
{
	int64_t limit = attachment->options->seconds
			    ? now_ns() + (int64_t)attachment->options->seconds * 1000000000
			    : INT64_MAX;
	const struct timespec pause = { .tv_nsec = WATCH_MS * 1000000L };

	while (now_ns() < limit && (attachment->options->all || any_lives(attachment))) {
		if (sigtimedwait(signals, NULL, &pause) > 0) {
			return;
		}
	}
}

/* ---- code objects: from where the processes put them into the bundle ---- */

static int copy_file(int from_folder, int to_folder, const char *name, bool own)
{
	char temporary[96], buffer[65536];
	int from, to, result = 0;
	ssize_t got;

	/* Another user's could be changed later. */
	if (own && (linkat(from_folder, name, to_folder, name, 0) == 0 || errno == EEXIST)) {
		return 0;
	}
	snprintf(temporary, sizeof(temporary), ".%.64s.new", name);
	from = openat(from_folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	to = openat(to_folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (from < 0 || to < 0) {
		result = -errno;
		goto out;
	}
	while ((got = read(from, buffer, sizeof(buffer))) > 0) {
		if (write(to, buffer, (size_t)got) != got) {
			result = errno ? -errno : -EIO;
			goto out;
		}
	}
	if (got < 0 || renameat(to_folder, temporary, to_folder, name)) {
		result = -errno;
	}
out:
	if (from >= 0) {
		close(from);
	}
	if (to >= 0) {
		close(to);
	}
	if (result) {
		unlinkat(to_folder, temporary, 0);
	}
	return result;
}

static void collect_from(const char *directory, int to_folder)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int folder = home < 0 ? -1
			      : openat(home, BUNDLE_CODE_OBJECTS,
				       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		struct stat status;
		int result;

		if (strlen(entry->d_name) != 64 ||
		    strspn(entry->d_name, "0123456789abcdef") != 64 ||
		    fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(status.st_mode)) {
			continue;
		}
		result = copy_file(folder, to_folder, entry->d_name, status.st_uid == geteuid());
		if (result) {
			message_warning("code object %s/%s: %s", directory, entry->d_name,
					strerror(-result));
		}
	}
	if (list) {
		closedir(list);
	} else if (folder >= 0) {
		close(folder);
	}
	if (home >= 0) {
		close(home);
	}
}

/* The i-th process's folder, which several share: NULL if it was the folder of one before. */
static const char *own_directory(const struct attachment *attachment, size_t i)
{
	const char *directory = attachment->processes[i].directory;

	for (size_t j = 0; j < i; j++) {
		if (strcmp(attachment->processes[j].directory, directory) == 0) {
			return NULL;
		}
	}
	return *directory ? directory : NULL;
}

static void collect_code_objects(const struct attachment *attachment)
{
	int folder = openat(attachment->bundle.lock, BUNDLE_CODE_OBJECTS,
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	for (size_t i = 0; folder >= 0 && i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory) {
			collect_from(directory, folder);
		}
	}
	if (folder >= 0) {
		close(folder);
	}
}

/* What small blocks were counted is written now and then: have the rest written, too. */
static void ask_totals(struct attachment *attachment)
{
	size_t asked = 0;
	int waited = 0;
	char why[512];

	for (size_t i = 0; i < attachment->count; i++) {
		const struct standby_process *process = &attachment->processes[i];

		asked += process->totals && lives(attachment, i) &&
			 asked_begin(process->directory, process->vpid);
	}
	if (asked && session_tell(&attachment->session, why, sizeof(why))) {
		message_warning("small blocks: what was counted last is missing: %s", why);
		waited = TOTALS_TIMEOUT_MS;
	}
	for (size_t i = 0; asked && i < attachment->count; i++) {
		const struct standby_process *process = &attachment->processes[i];

		while (process->totals && lives(attachment, i) && waited < TOTALS_TIMEOUT_MS &&
		       !asked_answered(process->directory, process->vpid)) {
			poll(NULL, 0, 10);
			waited += 10;
		}
		if (process->totals) {
			asked_end(process->directory, process->vpid);
		}
	}
	if (waited >= TOTALS_TIMEOUT_MS) {
		message_warning("small blocks: what was counted last is missing: no answer");
	}
}

static int end(struct attachment *attachment)
{
	struct session_loss loss;
	char why[512];
	int error;

	ask_totals(attachment);
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory) {
			gathered_keep(directory, attachment->bundle.lock);
		}
	}
	error = session_end(&attachment->session, &loss, why, sizeof(why));
	for (size_t i = 0; i < attachment->count; i++) {
		const char *directory = own_directory(attachment, i);

		if (directory) {
			gathered_release(directory);
		}
	}
	if (error) {
		message_warning("the recording may be incomplete: %s", why);
	}
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
	for (size_t i = 0; i < attachment->count; i++) {
		attachment->pidfds[i] =
		    (int)syscall(SYS_pidfd_open, attachment->processes[i].pid, 0);
	}
	result = choose_home(attachment);
	if (result == HG_EXIT_OK) {
		result = begin(attachment);
	}
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
	bundle_close(&attachment->bundle);
	return result;
}

/* Descriptors of whoever called us go: somebody may wait for a pipe's end. Returns `kept`'s place.
 */
static int close_inherited(int kept)
{
	const int place = STDERR_FILENO + 1;

	if (kept != place) {
		dup3(kept, place, O_CLOEXEC);
	}
	if (close_range((unsigned)place + 1, ~0U, 0)) {
		for (int fd = place + 1; fd < 1024; fd++) { /* Linux before 5.9 */
			close(fd);
		}
	}
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
	if (child < 0 || read(report[0], &status, 1) != 1) {
		message_error("the recorder could not be started");
	}
	close(report[0]);
	return status;
}

int attach(const struct attach_options *options)
{
	struct attachment attachment = {
		.options = options,
		.bundle = { .lock = -1 },
		.daemon = { .guard = -1, .channel = -1, .lock = -1 },
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
	return status;
}

/* ---- ending it ---- */

/* The recorder's pid by the manifest, and the number under `mark`; 0 if it does not say. */
static pid_t recorder_of(const char *directory, const char *mark, int *number)
{
	struct json_object *root, *recording, *pid, *value;
	pid_t found = 0;
	char *path;

	if (asprintf(&path, "%s/%s", directory, BUNDLE_MANIFEST) < 0) {
		return 0;
	}
	root = json_object_from_file(path);
	if (root && json_object_object_get_ex(root, "recording", &recording) &&
	    json_object_object_get_ex(recording, mark, &value) &&
	    json_object_object_get_ex(recording, "recorder", &pid)) {
		found = (pid_t)json_object_get_int64(pid);
		*number = json_object_get_int(value);
	}
	json_object_put(root);
	free(path);
	return found;
}

int detach_bundle(const char *directory)
{
	int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ignored, status = HG_EXIT_INPUT;
	pid_t recorder = recorder_of(directory, "attached", &ignored);

	if (lock < 0 || recorder <= 0) {
		message_error("%s: %s", directory,
			      lock < 0 ? strerror(errno) : "nothing was attached to it");
		goto out;
	}
	/* The recorder holds the lock as long as it lives: its pid is not somebody else's. */
	if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
		message_note("%s: that recording has ended already", directory);
		status = HG_EXIT_OK;
		goto out;
	}
	if (kill(recorder, SIGTERM)) {
		message_error("%s: cannot reach its recorder, process %ld: %s", directory,
			      (long)recorder, strerror(errno));
		goto out;
	}
	while (flock(lock, LOCK_EX) && errno == EINTR) {
	}
	message_note("recorded into %s", directory);
	status = HG_EXIT_OK;
out:
	if (lock >= 0) {
		close(lock);
	}
	return status;
}

int snapshot_bundle(const char *directory)
{
	int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), before = 0, now = 0;
	pid_t recorder = recorder_of(directory, "snapshots", &before);
	int status = HG_EXIT_INPUT, waited = 0;

	if (lock < 0 || recorder <= 0) {
		message_error("%s: %s", directory,
			      lock < 0 ? strerror(errno)
				       : "it has no flight recorder (--snapshot)");
		goto out;
	}
	if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
		message_error("%s: that recording has ended", directory);
		goto out;
	}
	if (kill(recorder, SIGUSR1)) {
		message_error("%s: cannot reach its recorder, process %ld: %s", directory,
			      (long)recorder, strerror(errno));
		goto out;
	}
	now = before;
	while (now <= before && waited < SNAPSHOT_TIMEOUT_MS) {
		poll(NULL, 0, 20);
		waited += 20;
		recorder_of(directory, "snapshots", &now);
	}
	if (now <= before) {
		message_error("%s: there was no snapshot within %d s", directory,
			      SNAPSHOT_TIMEOUT_MS / 1000);
		goto out;
	}
	message_note("snapshot %d is in %s", now, directory);
	status = HG_EXIT_OK;
out:
	if (lock >= 0) {
		close(lock);
	}
	return status;
}
