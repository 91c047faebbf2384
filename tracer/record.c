/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/belonging.h"
#include "tracer/bundle.h"
#include "tracer/control.h"
#include "tracer/counted.h"
#include "tracer/daemon.h"
#include "tracer/environment.h"
#include "tracer/gathered.h"
#include "tracer/install.h"
#include "tracer/needs.h"
#include "tracer/message.h"
#include "tracer/record.h"
#include "tracer/rotation.h"
#include "tracer/session.h"
#include "tracer/target.h"
#include "tracer/tree.h"

/* Sent to us, these are for the command. */
static const int forwarded_signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };

struct recording {
	const struct record_options *options;
	char **argv;
	char *executable;
	struct install_paths install;
	struct bundle bundle;
	struct daemon_link daemon;
	struct session session;
	struct bundle_manifest manifest;
	int control; /* a flight recorder takes requests here; or -1 */
	int signals; /* of `waited`, readable when one is pending; or -1 */
	sigset_t old_mask, waited;
	struct sigaction old_sigchld;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool rotates(const struct record_options *options)
{
	return options->rotation.size || options->rotation.period_us;
}

/* Of what was recorded not all is kept, or seen by who begins to watch a relay. */
static bool forgets(const struct record_options *options)
{
	return options->snapshot_mib || options->url ||
	       (rotates(options) && !rotation_keeps_all(&options->rotation));
}

/* ---- the command's environment ---- */

/* OpenMP's offloading sits on the HSA runtime, and so do programs without HIP. */
static bool wants_hsa(const struct recording *recording)
{
	const char *path = recording->executable;

	return recording->options->hsa == RECORD_HSA_YES || needs_library(path, "libomptarget") ||
	       (needs_library(path, "libhsa-runtime64") && !needs_library(path, "libamdhip64"));
}

/* The HSA runtime opens what HSA_TOOLS_LIB names, separated by spaces; other tools stay. */
static int set_hsa_tool(const struct recording *recording)
{
	const char *slash = strrchr(recording->install.preload, '/');
	const char *old = getenv("HSA_TOOLS_LIB");
	char *value;
	int result;

	if (recording->options->hsa == RECORD_HSA_NO || !slash || !wants_hsa(recording)) {
		return 0;
	}
	if (strchr(recording->install.preload, ' ')) {
		message_warning("what is below HIP is not recorded: HSA_TOOLS_LIB cannot name a "
				"folder with a space in it");
		return 0;
	}
	if (asprintf(&value, "%.*s/libhipgrain-hsa.so%s%s",
		     (int)(slash - recording->install.preload), recording->install.preload,
		     old && *old ? " " : "", old ? old : "") < 0) {
		return -1;
	}
	result = setenv("HSA_TOOLS_LIB", value, 1);
	free(value);
	return recording->options->hsa == RECORD_HSA_YES ? result | setenv("HIPGRAIN_HSA", "1", 1)
							 : result;
}

static int set_environment(const struct recording *recording)
{
	const struct record_options *options = recording->options;
	int result = 0;

	result |= setenv("HIPGRAIN_DIR", recording->bundle.path, 1);
	/* Tells our processes from others in a daemon that several recordings share. */
	result |= setenv(HG_SESSION_VARIABLE, recording->session.name, 1);
	result |= environment_prepend("LD_PRELOAD", recording->install.preload);
	/* The session's channel blocks a bounded time; this is the program's consent. */
	result |= setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 1);
	/*
	 * Wait for the daemon before main, so that the first events are recorded. Without a limit:
	 * a limit would lose events silently, and a daemon that has died refuses at once.
	 */
	result |= setenv("LTTNG_UST_REGISTER_TIMEOUT", "-1", 1);
	if (forgets(options)) {
		/* What is overwritten or deleted is told again, now and then. */
		result |= setenv("HIPGRAIN_STANDBY", "1", 1);
	}
	result |= environment_options(options->stack_depth, options->threshold,
				      options->no_memory_queries, options->kernel_arguments);
	if (options->totals) {
		result |= setenv("HIPGRAIN_TOTALS", "1", 1);
	}
	if (options->no_migration) {
		result |= setenv("HIPGRAIN_MIGRATION", "0", 1);
	}
	if (options->residency) {
		result |= setenv("HIPGRAIN_RESIDENCY", options->residency, 1);
	}
	if (options->fix) {
		result |= setenv("HIPGRAIN_FIX", options->fix, 1);
	}
	if (options->fix_plan) {
		result |= setenv("HIPGRAIN_FIX_PLAN", options->fix_plan, 1);
	}
	result |= set_hsa_tool(recording);
	if (options->softgpu) {
		result |= environment_prepend("LD_LIBRARY_PATH", recording->install.softgpu);
	}
	return result ? -ENOMEM : 0;
}

/* ---- running it ---- */

static void block_signals(struct recording *recording)
{
	struct sigaction fallback = { .sa_handler = SIG_DFL };

	sigemptyset(&recording->waited);
	for (size_t i = 0; i < sizeof(forwarded_signals) / sizeof(int); i++) {
		sigaddset(&recording->waited, forwarded_signals[i]);
	}
	sigaddset(&recording->waited, SIGCHLD);
	if (recording->options->snapshot_mib) {
		sigaddset(&recording->waited, SIGUSR1);
	}
	sigprocmask(SIG_BLOCK, &recording->waited, &recording->old_mask);
	/* An inherited SIG_IGN would reap the command before we see its status. */
	sigaction(SIGCHLD, &fallback, &recording->old_sigchld);
}

/* In the child: become the command, or report errno through `report`. Does not return. */
static void exec_command(const struct recording *recording, int report)
{
	int error = set_environment(recording);

	if (!error) {
		sigaction(SIGCHLD, &recording->old_sigchld, NULL);
		sigprocmask(SIG_SETMASK, &recording->old_mask, NULL);
		/* Has a slash: no search, but a text file without #! still goes to the shell. */
		execvp(recording->executable, recording->argv);
		error = -errno;
	}
	(void)!write(report, &error, sizeof(error));
	_exit(127);
}

/* Start the command: its pid, or -errno if it could not be executed. */
static pid_t start_command(const struct recording *recording)
{
	int report[2], error = 0;
	pid_t child;

	if (pipe2(report, O_CLOEXEC)) {
		return -errno;
	}
	child = fork();
	if (child == 0) {
		close(report[0]);
		exec_command(recording, report[1]);
	}
	error = child < 0 ? -errno : 0;
	close(report[1]);
	/* End of file means that exec succeeded. */
	if (child > 0 && read(report[0], &error, sizeof(error)) == sizeof(error)) {
		waitpid(child, NULL, 0);
	}
	close(report[0]);
	return error ? error : child;
}

/* ---- the flight recorder ---- */

/* Below the bundle; LTTng makes a folder there for each snapshot. */
#define SNAPSHOTS "snapshots"
/* How often the processes tell what they have, so that it is among what is kept. */
#define TELL_S       2
#define TELL_RELAY_S 5

/* The one folder in `snapshots`, moved into place as the bundle's trace; the one before aside. */
static int place_snapshot(struct recording *recording)
{
	int folder = tree_open(recording->bundle.lock, SNAPSHOTS);
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	char name[PATH_MAX], aside[32];
	struct dirent *entry;
	int result = -ENOENT;

	while (list && (entry = readdir(list))) {
		if (entry->d_name[0] == '.') {
			continue;
		}
		snprintf(name, sizeof(name), SNAPSHOTS "/%s", entry->d_name);
		snprintf(aside, sizeof(aside), "earlier-%d", recording->manifest.snapshots);
		if (unlinkat(recording->bundle.lock, BUNDLE_CTF, AT_REMOVEDIR) &&
		    renameat(recording->bundle.lock, BUNDLE_CTF, recording->bundle.lock, aside)) {
			result = -errno;
			break;
		}
		result = renameat(recording->bundle.lock, name, recording->bundle.lock, BUNDLE_CTF)
			     ? -errno
			     : 0;
		break;
	}
	if (list) {
		closedir(list);
	} else if (folder >= 0) {
		close(folder);
	}
	return result;
}

/* 0, or -errno after a warning with `why`. */
static int take_snapshot(struct recording *recording, char *why, size_t why_size)
{
	int error = session_snapshot(&recording->session, why, why_size);

	if (!error) {
		error = place_snapshot(recording);
		if (error) {
			refuse(why, why_size, -error, "%s", strerror(-error));
		}
	}
	if (error) {
		message_warning("no snapshot: %s", why);
		return error;
	}
	recording->manifest.snapshots++;
	error = bundle_write_manifest(&recording->bundle, &recording->manifest);
	if (error) {
		message_warning("'%s': cannot write the manifest: %s", recording->bundle.path,
				strerror(-error));
	}
	return 0;
}

/* Take requests for snapshots; without a socket there are still those at the end, by signal. */
static void listen_for_requests(struct recording *recording)
{
	recording->signals = signalfd(-1, &recording->waited, SFD_CLOEXEC);
	recording->control =
	    recording->signals < 0 ? -errno : control_listen(recording->bundle.lock);
	if (recording->control < 0) {
		message_warning("'hipgrain snapshot' will not reach this recorder: %s (kill -USR1 "
				"%ld takes a snapshot)",
				strerror(-recording->control), (long)getpid());
		recording->control = -1;
	}
}

static void serve_request(struct recording *recording)
{
	enum control_request request;
	int client = control_accept(recording->control, &request);
	char why[512] = "", answer[512];
	int error;

	if (client < 0) {
		return;
	}
	if (request != CONTROL_SNAPSHOT) {
		control_answer(client, "-a flight recorder ends with its command");
		return;
	}
	error = take_snapshot(recording, why, sizeof(why));
	if (error) {
		snprintf(answer, sizeof(answer), "-no snapshot: %.400s", why);
	} else {
		snprintf(answer, sizeof(answer), "+%d", recording->manifest.snapshots);
	}
	control_answer(client, answer);
}

/* sigtimedwait(2) that also serves requests; these count as a timeout. */
static int wait_and_serve(struct recording *recording, siginfo_t *information,
			  const struct timespec *limit)
{
	struct pollfd fds[] = { { .fd = recording->control, .events = POLLIN },
				{ .fd = recording->signals, .events = POLLIN } };
	const struct timespec none = { 0 };

	if (recording->control < 0) {
		return sigtimedwait(&recording->waited, information, limit);
	}
	if (poll(fds, 2, (int)limit->tv_sec * 1000) > 0 && fds[0].revents) {
		serve_request(recording);
	}
	return sigtimedwait(&recording->waited, information, &none);
}

/* ---- rotation ---- */

/* Often enough that a quota is not exceeded for long. */
#define ROTATION_LOOK_NS (250 * 1000 * 1000)

/* Delete what is too much of the trace; the manifest tells of it before it is gone. */
static void delete_chunks(struct recording *recording, const struct rotation_plan *plan)
{
	int trace = tree_open(recording->bundle.lock, BUNDLE_CTF), error = 0;
	struct rotation_victims *victims;

	if (trace < 0) {
		return; /* next time */
	}
	victims = rotation_look(trace, plan, &recording->manifest.rotated);
	if (rotation_count(victims)) {
		error = bundle_write_manifest(&recording->bundle, &recording->manifest);
	}
	if (error) {
		message_warning("'%s': cannot write the manifest: %s", recording->bundle.path,
				strerror(-error));
	}
	rotation_delete(victims);
	close(trace);
}

static void tend_chunks(struct recording *recording)
{
	struct rotation_state *state = &recording->manifest.rotated;
	char why[512];

	delete_chunks(recording, &recording->options->rotation);
	/* Who reads the new chunk without those before it must know what the processes have. */
	if (state->fresh && forgets(recording->options)) {
		session_tell(&recording->session, why, sizeof(why));
	}
	state->fresh = false;
}

/* The last chunk has been archived with the session. */
static void end_chunks(struct recording *recording)
{
	struct rotation_plan plan = recording->options->rotation;

	plan.keep += plan.keep > 0;
	delete_chunks(recording, &plan);
	if (recording->manifest.rotated.deleted && !recording->manifest.rotated.chunks) {
		message_warning("nothing is left of the recording: its last chunk was larger than "
				"the quota");
	}
}

/* Wait for a signal; a flight recorder and a rotation have their own work meanwhile. */
static int wait_signal(struct recording *recording, siginfo_t *information)
{
	const struct timespec look = { .tv_nsec = ROTATION_LOOK_NS };
	const struct timespec pause = { .tv_sec = recording->options->url ? TELL_RELAY_S : TELL_S };
	char why[512];
	int number;

	if (rotates(recording->options)) {
		number = sigtimedwait(&recording->waited, information, &look);
		if (number < 0 && errno == EAGAIN) {
			tend_chunks(recording);
		}
		return number;
	}
	if (!forgets(recording->options)) {
		return sigwaitinfo(&recording->waited, information);
	}
	number = wait_and_serve(recording, information, &pause);
	if (number == SIGUSR1) {
		take_snapshot(recording, why, sizeof(why));
		return -1;
	}
	if (number < 0 && errno == EAGAIN) {
		session_tell(&recording->session, why, sizeof(why));
	}
	return number;
}

/* Wait for the command's end, forwarding signals; returns its wait status. */
static int wait_command(struct recording *recording, pid_t child)
{
	for (;;) {
		siginfo_t information;
		int status;
		int number = wait_signal(recording, &information);

		/*
		 * The terminal (and the kernel, for a hang-up) signals the whole foreground group:
		 * the command got those itself.
		 */
		if (number > 0 && number != SIGCHLD && information.si_code <= 0 &&
		    information.si_pid != child) {
			kill(child, number);
		}
		if (waitpid(child, &status, WNOHANG) == child) {
			return status;
		}
	}
}

/* ---- the recording around it ---- */

static int prepare(struct recording *recording)
{
	const struct record_options *options = recording->options;
	const char *outer = getenv("HIPGRAIN_DIR");
	char why[512];

	if (outer && *outer) {
		message_error("this process is being recorded already, into '%s' (HIPGRAIN_DIR is "
			      "set); recordings do not nest",
			      outer);
		return HG_EXIT_INPUT;
	}
	if (target_resolve(recording->argv[0], &recording->executable, why, sizeof(why))) {
		message_error("'%s': %s", recording->argv[0], why);
		return HG_EXIT_INPUT;
	}
	if (install_find(&recording->install, why, sizeof(why))) {
		message_error("incomplete installation: %s", why);
		return HG_EXIT_INPUT;
	}
	if (options->softgpu && !recording->install.softgpu) {
		message_error("--softgpu: this hipgrain was built without the software GPU");
		return HG_EXIT_INPUT;
	}
	return HG_EXIT_OK;
}

static int begin(struct recording *recording)
{
	const struct record_options *options = recording->options;
	const char *directory = options->directory ? options->directory : RECORD_DEFAULT_DIRECTORY;
	char name[sizeof(recording->session.name)], why[512], filter[64];
	struct session_plan plan = { .snapshot = (uint64_t)options->snapshot_mib << 20,
				     .url = options->url };
	struct session_buffers buffers;
	struct session_loss loss;
	char *ctf = NULL;
	int status = HG_EXIT_INPUT;

	/* Before the daemon: without shared memory it dies of SIGBUS, which explains nothing. */
	if (session_measure_buffers(&buffers, why, sizeof(why))) {
		message_error("%s", why);
		return HG_EXIT_INPUT;
	}
	daemon_name_session(name, sizeof(name), recording->manifest.start_ns);
	if (daemon_connect(&recording->daemon, name, options->own_daemon ? DAEMON_OWN : DAEMON_ANY,
			   why, sizeof(why))) {
		message_error("no LTTng session daemon: %s", why);
		return HG_EXIT_INPUT;
	}
	if (bundle_create(&recording->bundle, directory, why, sizeof(why))) {
		message_error("'%s': %s", directory, why);
		goto out;
	}
	if (asprintf(&ctf, "%s/%s", recording->bundle.path,
		     plan.snapshot ? SNAPSHOTS : BUNDLE_CTF) < 0) {
		ctf = NULL;
		message_error("%s", strerror(ENOMEM));
		status = HG_EXIT_INTERNAL;
		goto out;
	}
	if (plan.snapshot && mkdirat(recording->bundle.lock, SNAPSHOTS, 0700)) {
		message_error("'%s': %s", recording->bundle.path, strerror(errno));
		goto out;
	}
	if (recording->daemon.shared) {
		snprintf(filter, sizeof(filter), HG_BELONGING_CONTEXT " == %" PRId64,
			 hg_belonging(name));
		plan.filter = filter;
	}
	if (session_begin(&recording->session, name, ctf, &plan, why, sizeof(why))) {
		message_error("%s", why);
		goto out;
	}
	if (rotates(options) &&
	    rotation_begin(recording->session.name, &options->rotation, why, sizeof(why))) {
		message_error("%s", why);
		goto end_session;
	}
	recording->manifest.session = recording->session.name;
	recording->manifest.daemon = recording->daemon.shared ? "shared" : "private";
	recording->manifest.subbuffer_size = recording->session.buffers.size;
	recording->manifest.subbuffer_count = recording->session.buffers.count;
	if (bundle_write_manifest(&recording->bundle, &recording->manifest)) {
		message_error("'%s': cannot write the manifest: %s", recording->bundle.path,
			      strerror(errno));
		goto end_session;
	}
	if (plan.snapshot) {
		listen_for_requests(recording);
	}
	status = HG_EXIT_OK;
	goto out;
end_session:
	session_end(&recording->session, &loss, why, sizeof(why));
out:
	if (status != HG_EXIT_OK && recording->bundle.path) {
		bundle_remove(&recording->bundle);
	}
	free(ctf);
	return status;
}

/*
 * Processes had the preload library, and LTTng recorded none of them. In what LTTng answers the
 * recorder this does not show.
 */
static bool says_nothing(const struct recording *recording)
{
	struct counted_sum sum = counted_sum(recording->bundle.path);
	struct session_buffers ignored;
	char why[512];

	if (!sum.processes || sum.begun) {
		return false;
	}
	message_warning("nothing was recorded: %s",
			session_measure_buffers(&ignored, why, sizeof(why))
			    ? why
			    : "LTTng's daemon gave the program no trace buffers");
	return true;
}

/* Flush, destroy, and write the manifest's last version. */
static void end(struct recording *recording, struct record_result *result)
{
	struct session_loss loss;
	char why[512];
	int error;

	if (recording->options->snapshot_mib &&
	    (recording->manifest.exit_signal || recording->manifest.exit_status > 0)) {
		take_snapshot(recording, why, sizeof(why));
	}
	control_end(recording->bundle.lock, recording->control);
	recording->control = -1;
	gathered_keep(recording->bundle.path, recording->bundle.lock);
	counted_close(recording->bundle.path);
	error = session_end(&recording->session, &loss, why, sizeof(why));
	counted_end(recording->bundle.path);
	if (recording->options->snapshot_mib) {
		/* Overwriting is what it is for. */
		loss = (struct session_loss){ 0 };
		unlinkat(recording->bundle.lock, SNAPSHOTS, AT_REMOVEDIR);
	}
	if (error) {
		message_warning("the recording may be incomplete: %s", why);
		recording->daemon.stuck = true;
	}
	if (rotates(recording->options)) {
		end_chunks(recording);
	}
	recording->manifest.lost_events = loss.events;
	recording->manifest.lost_packets = loss.packets;
	recording->manifest.complete = !error;
	bundle_hide(&recording->bundle);
	error = bundle_write_manifest(&recording->bundle, &recording->manifest);
	if (error) {
		message_warning("'%s': cannot write the manifest: %s", recording->bundle.path,
				strerror(-error));
	}
	if (loss.events > 0 || loss.packets > 0) {
		message_warning("%lld events were lost: the trace buffers were full for too long",
				(long long)(loss.events + loss.packets));
	}
	result->nothing = says_nothing(recording);
	result->complete = recording->manifest.complete && !error;
	result->lost_events = loss.events < 0 ? -1 : loss.events + loss.packets;
}

int record_command(const struct record_options *options, char **argv, struct record_result *result)
{
	struct recording recording = {
		.options = options,
		.argv = argv,
		.bundle = {.lock = -1},
		.control = -1,
		.signals = -1,
		.daemon = {.guard = -1, .channel = -1, .lock = -1},
		.manifest = {
			.argv = argv,
			.softgpu = options->softgpu,
			.threshold = options->threshold,
			.stack_depth = options->stack_depth,
			.start_ns = now_ns(),
			.exit_status = -1,
			.lost_events = -1,
			.lost_packets = -1,
			.snapshots = options->snapshot_mib ? 0 : -1,
			.rotation = rotates(options) ? &options->rotation : NULL,
			.url = options->url,
		},
	};
	int status, wait_status;
	pid_t child;

	*result = (struct record_result){
		.lost_events = -1,
		/* The device of the amdkfd driver, without which ROCr has no GPU agent. */
		.gpu_missing = !options->softgpu && access("/dev/kfd", F_OK) != 0,
	};
	status = prepare(&recording);
	if (status != HG_EXIT_OK) {
		goto out;
	}
	recording.manifest.executable = recording.executable;
	/* From here on a signal must not leave a daemon or a half-made bundle behind. */
	block_signals(&recording);
	status = begin(&recording);
	if (status != HG_EXIT_OK) {
		goto disconnect;
	}
	child = start_command(&recording);
	if (child < 0) {
		struct record_result ignored;

		message_error("'%s': cannot be executed: %s", argv[0], strerror(-(int)child));
		end(&recording, &ignored);
		status = HG_EXIT_INPUT;
		goto disconnect;
	}
	wait_status = wait_command(&recording, child);
	recording.manifest.end_ns = now_ns();
	if (WIFSIGNALED(wait_status)) {
		recording.manifest.exit_signal = WTERMSIG(wait_status);
		result->status = 128 + WTERMSIG(wait_status);
	} else {
		recording.manifest.exit_status = WEXITSTATUS(wait_status);
		result->status = WEXITSTATUS(wait_status);
	}
	end(&recording, result);
	result->directory = strdup(recording.bundle.path);
	if (!result->directory) {
		status = HG_EXIT_INTERNAL;
	}
disconnect:
	daemon_disconnect(&recording.daemon);
out:
	if (recording.signals >= 0) {
		close(recording.signals);
	}
	bundle_close(&recording.bundle);
	install_paths_free(&recording.install);
	free(recording.executable);
	return status;
}
