/* SPDX-License-Identifier: Apache-2.0 */
/* `hipgrain record`: starts daemon, session and command, waits, and closes the bundle. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/control.h"
#include "tracer/event_layout.h"
#include "tracer/environment.h"
#include "tracer/open_calls.h"
#include "tracer/machine.h"
#include "tracer/message.h"
#include "tracer/missed.h"
#include "tracer/record.h"
#include "tracer/recording.h"
#include "tracer/process_messages.h"
#include "tracer/ring.h"
#include "tracer/rings.h"
#include "tracer/stage.h"
#include "tracer/command_file.h"
#include "tracer/tree.h"
#include "tracer/witness.h"

/* Sent to us, these are for the command. */
static const int forwarded_signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };

/* The end of a recording may take so much longer when one of these comes then. */
#define END_GRACE_MS 2000
/* For processes that end with their parent, as the last ones of a pipeline. */
#define LEFT_GRACE_MS 300

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- running it ---- */

static void block_signals(struct recording *recording)
{
	struct sigaction fallback = { .sa_handler = SIG_DFL }, found;
	sigset_t interrupting, blocked;

	sigemptyset(&recording->waited);
	sigemptyset(&interrupting);
	for (size_t i = 0; i < sizeof(forwarded_signals) / sizeof(int); i++) {
		sigaddset(&recording->waited, forwarded_signals[i]);
		/* An ignored signal is no request to end, as SIGHUP under nohup(1). */
		if (sigaction(forwarded_signals[i], NULL, &found) == 0 &&
		    found.sa_handler != SIG_IGN)
			sigaddset(&interrupting, forwarded_signals[i]);
	}
	sigaddset(&recording->waited, SIGCHLD);
	if (recording->options->snapshot_mib)
		sigaddset(&recording->waited, SIGUSR1);
	/* A file that may not become larger is an error of the call that writes to it. */
	blocked = recording->waited;
	sigaddset(&blocked, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &blocked, &recording->old_mask);
	/* Without it (no descriptor is free) nothing is interrupted. */
	recording->interrupt = signalfd(-1, &interrupting, SFD_CLOEXEC | SFD_NONBLOCK);
	/* An inherited SIG_IGN would reap the command before we see its status. */
	sigaction(SIGCHLD, &fallback, &recording->old_sigchld);
}

/* ---- rotation ---- */

/* Often enough that a quota is not exceeded for long. */
#define ROTATION_LOOK_NS (250 * 1000 * 1000)

/* A reader of the new chunk without those before it needs the state of the processes. */
static void record_state(struct recording *recording)
{
	struct rotation_state *state = &recording->manifest.rotated;

	if (state->fresh && recording_forgets(recording->options)) {
		rings_again(recording->bundle.lock, HG_RINGS);
		drain_process_sweep(&recording->drain);
	}
	state->fresh = false;
}

/*
 * Delete what exceeds the limits; the manifest is updated before the deletion, and before that the
 * processes record their state, unless they have `ended`: a program may end at once.
 */
static void delete_chunks(struct recording *recording, const struct rotation_plan *plan, bool ended)
{
	int trace = tree_open(recording->bundle.lock, BUNDLE_CTF), error = 0;
	struct rotation_victims *victims;

	if (trace < 0)
		return; /* next time */
	victims = rotation_look(trace, plan, &recording->manifest.rotated, ended);
	if (!ended)
		record_state(recording);
	if (rotation_count(victims))
		error = bundle_write_manifest(&recording->bundle, &recording->manifest);
	if (error) {
		message_warning("'%s': cannot write the manifest: %s", recording->bundle.path,
				strerror(-error));
	}
	rotation_delete(victims);
	close(trace);
}

/* The last chunk has been archived with the session. */
static void end_chunks(struct recording *recording)
{
	struct rotation_plan plan = recording->options->rotation;

	plan.keep += plan.keep > 0;
	delete_chunks(recording, &plan, true);
	if (recording->manifest.rotated.deleted && !recording->manifest.rotated.chunks) {
		message_warning("nothing is left of the recording: its last chunk was larger than "
				"the quota");
	}
}

/*
 * Waits for a signal; meanwhile a flight recorder serves requests, a rotation deletes chunks, and
 * the driver's queues of the processes are read.
 */
static int wait_signal(struct recording *recording, siginfo_t *information)
{
	const struct timespec look = { .tv_nsec = ROTATION_LOOK_NS };
	int number;

	if (rotation_is_planned(&recording->options->rotation)) {
		number = sigtimedwait(&recording->waited, information, &look);
		if (number < 0 && errno == EAGAIN)
			delete_chunks(recording, &recording->options->rotation, false);
		return number;
	}
	if (!recording_forgets(recording->options)) {
		if (!witness_look(recording->bundle.lock, recording->bundle.path, WITNESS_KFD))
			return sigwaitinfo(&recording->waited, information);
		return sigtimedwait(&recording->waited, information, &look);
	}
	return recording_wait_and_serve(recording, information);
}

/*
 * The terminal signals the whole foreground process group, and the command has received that
 * itself. But the kernel notifies only the session's leader of a hang-up, with SIGCONT behind it.
 */
static void forward(pid_t child, int number, const siginfo_t *information)
{
	if (information->si_code <= 0) {
		if (information->si_pid != child)
			kill(child, number);
	} else if (number == SIGHUP && getsid(0) == getpid()) {
		kill(child, SIGHUP);
		kill(child, SIGCONT);
	}
}

/* Wait for the command's end, forwarding signals; returns its wait status. */
static int wait_command(struct recording *recording, pid_t child)
{
	for (;;) {
		siginfo_t information;
		int status;
		int number = wait_signal(recording, &information);

		if (number > 0 && number != SIGCHLD)
			forward(child, number, &information);
		if (waitpid(child, &status, WNOHANG) == child)
			return status;
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
	if (options->softgpu && environment_lacks(&recording->install)) {
		message_error("--softgpu: %s", environment_lacks(&recording->install));
		return HG_EXIT_INPUT;
	}
	return HG_EXIT_OK;
}

/* Returns the signal that interrupted the start, or 0. */
static int interruption(const struct recording *recording)
{
	struct signalfd_siginfo information;

	return read(recording->interrupt, &information, sizeof(information)) == sizeof(information)
		   ? (int)information.ssi_signo
		   : 0;
}

/* Prints a message. Returns the exit status for an error during the start. */
static int refused(const struct recording *recording, int error, const char *step, const char *why)
{
	int number = error == -EINTR ? interruption(recording) : 0;

	message_error("%s%s", step, why);
	return number ? 128 + number : HG_EXIT_INPUT;
}

/* Starts a daemon of its own. Returns HG_EXIT_OK, or another status after a message. */
static int connect_daemon(struct recording *recording, const char *name)
{
	char why[512];
	int error = daemon_connect(&recording->daemon, name, recording->install.shim,
				   recording->interrupt, why, sizeof(why));

	return error ? refused(recording, error, "no LTTng session daemon: ", why) : HG_EXIT_OK;
}

/* Opens the session in it. Returns the same. A daemon that does not answer is ended and replaced by
 * another. */
static int open_session(struct recording *recording, const char *name, const char *ctf)
{
	const struct record_options *options = recording->options;
	struct session_plan plan = { .snapshot = (uint64_t)options->snapshot_mib << 20,
				     .url = options->url,
				     .rotation = rotation_is_planned(&options->rotation)
						     ? &options->rotation
						     : NULL,
				     .provider = recording->install.provider,
				     .last = true };
	char why[512];
	int error, status;

	for (bool again = false;; again = true) {
		error = session_begin(&recording->session, &recording->daemon.client, name, ctf,
				      &plan, why, sizeof(why));
		if (!error)
			return HG_EXIT_OK;
		recording->daemon.stuck = error == -ETIMEDOUT || error == -EINTR;
		if (again || error != -ETIMEDOUT)
			return refused(recording, error, "", why);
		daemon_disconnect(&recording->daemon);
		status = connect_daemon(recording, name);
		if (status != HG_EXIT_OK)
			return status;
	}
}

/* Makes the bundle in a new directory below TMPDIR or /tmp. Returns 0, or a negative errno. */
static int create_elsewhere(struct bundle *bundle)
{
	const char *folder = getenv("TMPDIR");
	char *path = NULL, why[512];
	int result;

	if (asprintf(&path, "%s/hipgrain-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
		return -ENOMEM;
	result = mkdtemp(path) ? bundle_create(bundle, path, why, sizeof(why)) : -errno;
	free(path);
	return result;
}

/*
 * Makes, for `stage`, one bundle there, and an empty one where it goes at the end, so that nobody
 * else takes its name. Returns HG_EXIT_OK, or after a message another status.
 */
static int create_staged(struct recording *recording, const char *path)
{
	const char *stage = recording->options->stage;
	char *staged = NULL, why[512];
	int status = HG_EXIT_INPUT;

	if (asprintf(&staged, "%s/hipgrain-XXXXXX", stage) < 0) {
		message_error("out of memory");
		return HG_EXIT_INTERNAL;
	}
	if (bundle_create(&recording->target, path, why, sizeof(why)) != 0) {
		message_error("'%s': %s", path, why);
	} else if (!mkdtemp(staged)) {
		message_error("--stage: '%s': %s", stage, strerror(errno));
	} else if (bundle_create(&recording->bundle, staged, why, sizeof(why)) != 0) {
		message_error("--stage: '%s': %s", staged, why);
		rmdir(staged);
	} else {
		status = HG_EXIT_OK;
	}
	if (status != HG_EXIT_OK && recording->target.path)
		bundle_remove(&recording->target);
	free(staged);
	return status;
}

/* The staged bundle goes to its place; where that fails it stays, and a message says so. */
static void unstage(struct recording *recording, struct record_result *result)
{
	char name[256];
	int error, parent;

	if (!recording->options->stage)
		return;
	error = stage_copy(recording->bundle.lock, recording->target.lock);
	if (error) {
		message_warning("'%s': %s; the recording stays in '%s'", recording->target.path,
				strerror(-error), recording->bundle.path);
		result->complete = false;
		return;
	}
	parent = tree_open_parent(recording->bundle.path, name, sizeof(name));
	if (parent < 0 || tree_remove(parent, name))
		message_warning("'%s' cannot be removed", recording->bundle.path);
	if (parent >= 0)
		close(parent);
	bundle_close(&recording->bundle);
	recording->bundle = recording->target;
	recording->target = (struct bundle){ .lock = -1 };
}

/* Makes the bundle. Returns HG_EXIT_OK, or another status after a message. */
static int create_bundle(struct recording *recording)
{
	const struct record_options *options = recording->options;
	const char *directory = options->directory ? options->directory : RECORD_DEFAULT_DIRECTORY;
	char *path = options->per_node ? node_bundle(directory) : strdup(directory);
	char why[512];
	int status = HG_EXIT_INPUT;

	if (!path)
		message_error("'%s': %s", directory, strerror(errno));
	else if (options->stage)
		status = create_staged(recording, path);
	else if (bundle_create(&recording->bundle, path, why, sizeof(why)) == 0 ||
		 (options->elsewhere && create_elsewhere(&recording->bundle) == 0))
		status = HG_EXIT_OK;
	else
		message_error("'%s': %s", path, why);
	free(path);
	return status;
}

/*
 * Returns true if LTTng has the trace: where it is sent away, deleted or overwritten while it is
 * made. Other recordings are what the processes store in files of the bundle (tracer/ring.h).
 */
static bool needs_lttng(const struct record_options *options)
{
	return options->snapshot_mib || options->url || rotation_is_planned(&options->rotation);
}

/* Makes the directories in which processes store records. HG_EXIT_OK, or after a message another
 * status. */
static int make_folders(struct recording *recording)
{
	int error = event_layout_make(recording->bundle.lock);

	if (!error)
		error = rings_make(recording->bundle.lock, recording->lttng);
	if (!error)
		return HG_EXIT_OK;
	message_error("'%s': %s", recording->bundle.path, strerror(-error));
	return HG_EXIT_INPUT;
}

/* The session, in which the trace goes to a directory of the bundle or is sent away. The same. */
static int begin_session(struct recording *recording, const char *name, int missed)
{
	const struct record_options *options = recording->options;
	struct session_loss loss;
	char *ctf = NULL, why[512];
	int status;

	if (asprintf(&ctf, "%s/%s", recording->bundle.path,
		     options->snapshot_mib ? RECORDING_SNAPSHOTS : BUNDLE_CTF) < 0) {
		message_error("%s", strerror(ENOMEM));
		return HG_EXIT_INTERNAL;
	}
	if (options->snapshot_mib && mkdirat(recording->bundle.lock, RECORDING_SNAPSHOTS, 0700)) {
		message_error("'%s': %s", recording->bundle.path, strerror(errno));
		free(ctf);
		return HG_EXIT_INPUT;
	}
	status = open_session(recording, name, ctf);
	free(ctf);
	if (status != HG_EXIT_OK)
		return status;
	if (drain_process_begin(&recording->drain, &recording->daemon, recording->bundle.lock,
				recording->install.provider, why, sizeof(why))) {
		message_error("%s", why);
		session_end(&recording->session, &loss, why, sizeof(why));
		return HG_EXIT_INPUT;
	}
	if (missed >= 0)
		daemon_entrust(&recording->daemon, missed);
	recording->manifest.subbuffer_size = recording->session.buffers.size;
	recording->manifest.subbuffer_count = recording->session.buffers.count;
	return HG_EXIT_OK;
}

static int begin(struct recording *recording)
{
	const struct record_options *options = recording->options;
	char name[sizeof(recording->session.name)], why[512];
	struct buffers buffers;
	struct session_loss loss;
	int status = HG_EXIT_OK, missed = -1;

	recording->lttng = needs_lttng(options);
	/* Before the daemon: without shared memory it dies of SIGBUS, without an explanation. */
	if (recording->lttng && buffers_measure(&buffers, why, sizeof(why))) {
		message_error("%s", why);
		return HG_EXIT_INPUT;
	}
	daemon_name_session(name, sizeof(name), recording->manifest.start_ns);
	if (recording->lttng)
		status = connect_daemon(recording, name);
	if (status == HG_EXIT_OK)
		status = create_bundle(recording);
	if (status == HG_EXIT_OK)
		status = make_folders(recording);
	if (status != HG_EXIT_OK)
		goto out;
	witness_make(recording->bundle.lock);
	missed = missed_make(recording->bundle.lock);
	memcpy(recording->session.name, name, sizeof(name));
	if (recording->lttng)
		status = begin_session(recording, name, missed);
	if (status != HG_EXIT_OK)
		goto out;
	recording->manifest.session = recording->session.name;
	recording->manifest.daemon = recording->lttng ? "private" : "none";
	if (bundle_write_manifest(&recording->bundle, &recording->manifest)) {
		message_error("'%s': cannot write the manifest: %s", recording->bundle.path,
			      strerror(errno));
		if (recording->lttng)
			session_end(&recording->session, &loss, why, sizeof(why));
		status = HG_EXIT_INPUT;
		goto out;
	}
	machine_copy_probes(recording->bundle.lock, recording->bundle.path,
			    recording->options->softgpu);
	if (options->snapshot_mib)
		recording_listen(recording);
	if (options->find_places)
		recording->places = places_begin(recording->bundle.lock, options->find_places);
out:
	/* Before the bundle goes, in which its consumer makes directories. */
	if (status != HG_EXIT_OK)
		daemon_disconnect(&recording->daemon);
	if (status != HG_EXIT_OK && recording->bundle.path)
		bundle_remove(&recording->bundle);
	if (status != HG_EXIT_OK && recording->target.path)
		bundle_remove(&recording->target);
	if (missed >= 0)
		close(missed);
	return status;
}

/*
 * Processes had the preload library, and none of them could make a file of records, or not all.
 * Returns true if there is none.
 */
static bool says_nothing(const struct recording *recording)
{
	bool any = rings_count(recording->bundle.lock) > 0;
	uint64_t count = recording->manifest.unrecorded;

	if (!count)
		return false;
	message_warning(
	    "%s%llu process%s not recorded: %s could not make a file of %u KiB in '%s/" HG_RINGS
	    "'",
	    any ? "" : "nothing was recorded: ", (unsigned long long)count,
	    count == 1 ? " was" : "es were", count == 1 ? "it" : "they",
	    (unsigned)(hg_ring_bytes(1) >> 10), recording->bundle.path);
	return !any;
}

/* Signals that arrived while the command ran were for it; those that arrive now are for us. */
static void forget_signals(const struct recording *recording)
{
	struct signalfd_siginfo information;

	while (recording->interrupt >= 0 &&
	       read(recording->interrupt, &information, sizeof(information)) > 0) {
	}
}

/* Ends the session. Returns 0, or -errno with one line in `why`. */
static int end_session(struct recording *recording, struct session_loss *loss, char *why,
		       size_t why_size)
{
	int error, drain_error;
	char drain_why[512];
	uint64_t lost;

	drain_error = drain_process_end(&recording->drain, &lost, drain_why, sizeof(drain_why));
	/* LTTng itself notices at the session's destruction that nobody writes any more. */
	recording->session.left &= daemon_writer_lives(&recording->daemon);
	error = session_end(&recording->session, loss, why, why_size);
	if (!error && recording->session.left && !daemon_writer_lives(&recording->daemon)) {
		error = -EPIPE;
		snprintf(why, why_size, "lttng-consumerd, which writes it, has ended");
	}
	loss->events += (int64_t)lost;
	if (!error && drain_error) {
		error = drain_error;
		snprintf(why, why_size, "%s", drain_why);
	}
	return error;
}

/* The list of processes that go on is there, also if this process is killed before it has ended. */
static void note_running(const struct recording *recording)
{
	struct bundle_manifest manifest = recording->manifest;

	manifest.end_ns = 0;
	if (manifest.running_count)
		(void)bundle_write_manifest(&recording->bundle, &manifest);
}

/* Flush, destroy, and write the manifest's last version. */
static void end(struct recording *recording, struct record_result *result)
{
	struct session_loss loss = { 0 };
	struct running *running;
	char why[512];
	int error;

	recording->manifest.running_count =
	    running_wait(recording->bundle.path, LEFT_GRACE_MS, &running);
	recording->manifest.running = running;
	note_running(recording);
	places_end(recording->bundle.lock, recording->places);
	recording->places = -1;
	forget_signals(recording);
	recording->daemon.client.grace_ms = END_GRACE_MS;
	if (recording->options->snapshot_mib &&
	    (recording->manifest.exit_signal || recording->manifest.exit_status > 0))
		recording_snapshot(recording, why, sizeof(why));
	control_end(recording->bundle.lock, recording->control);
	recording->control = -1;
	/* Events from then on are not wanted: they are not counted as missing. */
	rings_stop(recording->bundle.lock, HG_RINGS);
	missed_close(recording->bundle.lock);
	/* This stops those that made their files meanwhile. */
	rings_stop(recording->bundle.lock, HG_RINGS);
	witness_close(recording->bundle.lock);
	error = recording->lttng ? end_session(recording, &loss, why, sizeof(why)) : 0;
	loss.events += (int64_t)rings_end(recording->bundle.lock);
	open_calls_end(recording->bundle.path, -1);
	if (recording->options->snapshot_mib) {
		/* A flight recorder overwrites by design. */
		loss = (struct session_loss){ 0 };
		unlinkat(recording->bundle.lock, RECORDING_SNAPSHOTS, AT_REMOVEDIR);
	}
	if (error) {
		message_warning("the recording may be incomplete: %s", why);
		recording->daemon.stuck = true;
	}
	recording->daemon.written = !error && recording->session.left;
	if (rotation_is_planned(&recording->options->rotation))
		end_chunks(recording);
	recording->manifest.lost_events = loss.events;
	recording->manifest.lost_packets = loss.packets;
	recording->manifest.complete = !error;
	recording->manifest.unrecorded = missed_count(recording->bundle.lock, HG_MISSED_ROOM);
	bundle_hide(&recording->bundle);
	error = bundle_write_manifest(&recording->bundle, &recording->manifest);
	if (error) {
		message_warning("'%s': cannot write the manifest: %s", recording->bundle.path,
				strerror(-error));
	}
	if (loss.events > 0 || loss.packets > 0) {
		message_warning(
		    "%lld events were lost: there was no room for them, or a signal's handler "
		    "made them where nothing can be recorded",
		    (long long)(loss.events + loss.packets));
	}
	if (!recording->options->url)
		keep_symbols_of(recording->bundle.path, recording->options->keep_symbols,
				!recording->options->no_sources, recording->interrupt);
	process_messages_collect(recording->bundle.lock);
	process_messages_show(recording->bundle.lock);
	result->nothing = says_nothing(recording);
	result->complete = recording->manifest.complete && !error;
	result->lost_events = loss.events < 0 ? -1 : loss.events + loss.packets;
	recording->manifest.running = NULL;
	recording->manifest.running_count = 0;
	free(running);
}

/* Finds out, with `per_node`, which rank records. Returns HG_EXIT_OK, or HG_EXIT_INPUT after a
 * message. */
static int join_node(struct recording *recording)
{
	char why[512];

	if (!recording->options->per_node)
		return HG_EXIT_OK;
	if (node_join(&recording->node, why, sizeof(why)) == 0)
		return HG_EXIT_OK;
	message_error("--per-node: %s", why);
	return HG_EXIT_INPUT;
}

/* Takes the status of the command as a shell has it, and puts it into the manifest. */
static void take_status(struct recording *recording, int wait_status, struct record_result *result)
{
	recording->manifest.end_ns = now_ns();
	if (WIFSIGNALED(wait_status)) {
		recording->manifest.exit_signal = WTERMSIG(wait_status);
		result->status = 128 + WTERMSIG(wait_status);
	} else {
		recording->manifest.exit_status = WEXITSTATUS(wait_status);
		result->status = WEXITSTATUS(wait_status);
	}
}

/* Run the command in the recording of another rank. As record_command(). */
static int follow(struct recording *recording, struct record_result *result)
{
	struct node *node = &recording->node;
	pid_t child;

	if (strlen(node->session) >= sizeof(recording->session.name)) {
		message_error("--per-node: the announcement of another rank is damaged");
		return HG_EXIT_INPUT;
	}
	recording->bundle.path = node->bundle;
	strcpy(recording->session.name, node->session);
	child = recording_start_command(recording);
	recording->bundle.path = NULL;
	if (child < 0) {
		message_error("'%s': cannot be executed: %s", recording->argv[0],
			      strerror(-(int)child));
		return HG_EXIT_INPUT;
	}
	take_status(recording, wait_command(recording, child), result);
	result->follows = true;
	result->complete = true;
	result->lost_events = 0;
	result->directory = strdup(node->bundle);
	return result->directory ? HG_EXIT_OK : HG_EXIT_INTERNAL;
}

int record_command(const struct record_options *options, char **argv, struct record_result *result)
{
	struct recording recording = {
		.options = options,
		.argv = argv,
		.bundle = {.lock = -1},
		.target = {.lock = -1},
		.places = -1,
		.control = -1,
		.signals = -1,
		.interrupt = -1,
		.daemon = DAEMON_LINK_NONE,
		.drain = DRAIN_PROCESS_NONE,
		.node = NODE_NONE,
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
			.rotation = rotation_is_planned(&options->rotation) ? &options->rotation : NULL,
			.url = options->url,
		},
	};
	int status, wait_status;
	pid_t child;

	*result = (struct record_result){
		.lost_events = -1,
		.lock = -1,
		/* The device of the amdkfd driver, without which ROCr has no GPU agent. */
		.gpu_missing = !options->softgpu && access("/dev/kfd", F_OK) != 0,
	};
	status = prepare(&recording);
	if (status != HG_EXIT_OK)
		goto out;
	recording.manifest.executable = recording.executable;
	/* From here on a signal must not leave a daemon or a half-made bundle behind. */
	block_signals(&recording);
	status = join_node(&recording);
	if (status != HG_EXIT_OK)
		goto out;
	if (recording.node.leader >= 0 && !recording.node.leads) {
		status = follow(&recording, result);
		goto out;
	}
	status = begin(&recording);
	if (status != HG_EXIT_OK)
		goto disconnect;
	if (recording.node.leads)
		node_announce(&recording.node, recording.bundle.path, recording.session.name);
	child = recording_start_command(&recording);
	if (child < 0) {
		struct record_result ignored;

		message_error("'%s': cannot be executed: %s", argv[0], strerror(-(int)child));
		if (recording.node.leads)
			node_wait(&recording.node);
		end(&recording, &ignored);
		status = HG_EXIT_INPUT;
		goto disconnect;
	}
	wait_status = wait_command(&recording, child);
	take_status(&recording, wait_status, result);
	if (recording.node.leads) {
		node_wait(&recording.node);
		recording.manifest.end_ns = now_ns();
	}
	end(&recording, result);
	unstage(&recording, result);
	result->directory = strdup(recording.bundle.path);
	if (!result->directory)
		status = HG_EXIT_INTERNAL;
	else if (options->elsewhere)
		result->lock = fcntl(recording.bundle.lock, F_DUPFD_CLOEXEC, 0);
disconnect:
	daemon_disconnect(&recording.daemon);
out:
	if (recording.signals >= 0)
		close(recording.signals);
	if (recording.interrupt >= 0)
		close(recording.interrupt);
	bundle_close(&recording.bundle);
	bundle_close(&recording.target);
	node_leave(&recording.node);
	install_paths_free(&recording.install);
	free(recording.executable);
	return status;
}
