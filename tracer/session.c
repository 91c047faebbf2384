/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "tracer/message.h"
#include "tracer/session.h"

#define CHANNEL_NAME "hipgrain"

/*
 * How long a thread of the program waits for room in a full buffer before its event is given up
 * and counted. Long enough for a consumer on a busy disk, short enough that a program whose
 * consumer died goes on. LTTng counts in microseconds; the program must also run with
 * LTTNG_UST_ALLOW_BLOCKING (lttng-enable-channel(1), --blocking-timeout).
 */
#define BLOCKING_TIMEOUT_US (10 * 1000 * 1000)

/* Bounds what is lost when the consumer itself is killed. */
#define SWITCH_TIMER_US (1000 * 1000)

/*
 * Sub-buffers of one CPU. The smallest one still holds the largest events (4 KiB of kernel
 * arguments, a command line). At most a quarter of the free shared memory is taken: programs
 * (MPI, RCCL) need it as well, and containers often have 64 MiB in all.
 */
#define SUBBUFFER_COUNT 8
#define SUBBUFFER_MIN   (32 * 1024)
#define SUBBUFFER_MAX   (512 * 1024)

/* How long the end of a session may take; sub-buffers are a few MiB at most. */
#define END_TIMEOUT_MS (30 * 1000)
/* When it has stopped, everything is written but for what a killed process has left unfinished. */
#define DESTROY_TIMEOUT_MS (15 * 1000)
/* A disk that is full now will hardly get room. */
#define FULL_TIMEOUT_MS (10 * 1000)

/* How often what was recorded is sent to a relay, for who watches there. */
#define LIVE_TIMER_US (1000 * 1000)

/* LTTng's own defaults (lttng-tools 2.13, src/common/defaults.h); a channel needs them named. */
#define METADATA_SUBBUFFER_SIZE  4096
#define METADATA_SUBBUFFER_COUNT 2

int session_choose_buffers(struct session_buffers *buffers, unsigned cpus, uint64_t available)
{
	uint64_t budget = available / 4;

	buffers->count = SUBBUFFER_COUNT;
	for (buffers->size = SUBBUFFER_MAX; buffers->size > SUBBUFFER_MIN; buffers->size /= 2) {
		if (buffers->size * buffers->count * cpus <= budget) {
			return 0;
		}
	}
	/* The smallest size with fewer of them: up to half of what is free. */
	while (buffers->count > 2 && buffers->size * buffers->count * cpus > available / 2) {
		buffers->count /= 2;
	}
	return buffers->size * buffers->count * cpus > available / 2 ? -ENOSPC : 0;
}

/* Whether a segment can be made there at all; -1 with errno. */
static int try_shared_memory(void)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/hipgrain-%ld-%lx", (long)getpid(), (long)time(NULL));
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0) {
		return -1;
	}
	shm_unlink(name);
	close(fd);
	return 0;
}

int session_measure_buffers(struct session_buffers *buffers, char *why, size_t why_size)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct statvfs filesystem;
	uint64_t available;

	/* LTTng-UST keeps its buffers in POSIX shared memory. */
	if (statvfs("/dev/shm", &filesystem) || try_shared_memory()) {
		snprintf(why, why_size, "/dev/shm, where LTTng's buffers live: %s",
			 strerror(errno));
		return -errno;
	}
	available = (uint64_t)filesystem.f_bavail * filesystem.f_frsize;
	if (session_choose_buffers(buffers, cpus > 0 ? (unsigned)cpus : 1, available)) {
		snprintf(why, why_size,
			 "/dev/shm has %llu KiB free, the trace buffers of %ld CPUs need %llu KiB "
			 "(in a container, raise --shm-size)",
			 (unsigned long long)(available / 1024), cpus,
			 (unsigned long long)(buffers->size * buffers->count * (uint64_t)cpus * 2 /
					      1024));
		return -ENOSPC;
	}
	return 0;
}

/* A ring a CPU, together as near to `bytes` as powers of two get without exceeding it. */
static int choose_ring(struct session_buffers *buffers, uint64_t bytes, char *why, size_t why_size)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t ring = bytes / (uint64_t)(cpus > 0 ? cpus : 1), size = SUBBUFFER_MIN;
	struct statvfs filesystem;

	while (2 * size * SUBBUFFER_COUNT <= ring) {
		size *= 2;
	}
	if (size * SUBBUFFER_COUNT > ring) {
		snprintf(why, why_size, "a snapshot of %ld CPUs needs at least %llu MiB", cpus,
			 (unsigned long long)(SUBBUFFER_MIN * SUBBUFFER_COUNT *
						  (uint64_t)(cpus > 0 ? cpus : 1) / 1024 / 1024 +
					      1));
		return -EINVAL;
	}
	if (!statvfs("/dev/shm", &filesystem) &&
	    (uint64_t)filesystem.f_bavail * filesystem.f_frsize < bytes) {
		snprintf(why, why_size, "/dev/shm has not that much free");
		return -ENOSPC;
	}
	buffers->size = size;
	buffers->count = SUBBUFFER_COUNT;
	return 0;
}

/* LTTng's negative code into errno's terms: the caller only distinguishes fine from not. */
static int fail(int code, const char *step, char *why, size_t why_size)
{
	snprintf(why, why_size, "LTTng: %s: %s", step, lttng_strerror(code));
	return -EIO;
}

static int create(const char *name, const char *path, const struct session_plan *plan, char *why,
		  size_t why_size)
{
	struct lttng_session_descriptor *descriptor;
	enum lttng_error_code code;

	descriptor = plan->url ? lttng_session_descriptor_live_network_create(name, plan->url, NULL,
									      LIVE_TIMER_US)
		     : plan->snapshot ? lttng_session_descriptor_snapshot_local_create(name, path)
				      : lttng_session_descriptor_local_create(name, path);
	if (!descriptor) {
		snprintf(why, why_size, "LTTng refuses %s '%s'",
			 plan->url ? "the address" : "the trace directory",
			 plan->url ? plan->url : path);
		return -EINVAL;
	}
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	return code == LTTNG_OK ? 0 : fail(-(int)code, "creating the session", why, why_size);
}

static int enable_channel(struct session *session, struct lttng_domain *domain,
			  const struct session_plan *plan, char *why, size_t why_size)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	bool snapshot = plan->snapshot, wait = !plan->snapshot && !plan->url;
	int result;

	if (!channel) {
		snprintf(why, why_size, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	snprintf(channel->name, sizeof(channel->name), "%s", CHANNEL_NAME);
	/* Of a snapshot's, the oldest events are overwritten. A relay may be gone: nobody waits. */
	channel->attr.overwrite = snapshot;
	channel->attr.subbuf_size = session->buffers.size;
	channel->attr.num_subbuf = session->buffers.count;
	/* LTTng replaces it by a live session's timer. */
	channel->attr.switch_timer_interval = snapshot ? 0 : SWITCH_TIMER_US;
	channel->attr.output = LTTNG_EVENT_MMAP;
	result = wait ? lttng_channel_set_blocking_timeout(channel, BLOCKING_TIMEOUT_US) : 0;
	if (result == 0) {
		result = lttng_enable_channel(session->handle, channel);
	}
	lttng_channel_destroy(channel);
	return result < 0 ? fail(result, "creating the channel", why, why_size) : 0;
}

/*
 * Without a timer of its own the metadata is written when the session stops: a session whose
 * daemon is killed first would have events that nobody can read.
 */
static int enable_metadata(struct session *session, struct lttng_domain *domain, char *why,
			   size_t why_size)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int result;

	if (!channel) {
		snprintf(why, why_size, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	snprintf(channel->name, sizeof(channel->name), "metadata");
	channel->attr.overwrite = 0;
	channel->attr.subbuf_size = METADATA_SUBBUFFER_SIZE;
	channel->attr.num_subbuf = METADATA_SUBBUFFER_COUNT;
	channel->attr.switch_timer_interval = SWITCH_TIMER_US;
	channel->attr.output = LTTNG_EVENT_MMAP;
	result = lttng_enable_channel(session->handle, channel);
	lttng_channel_destroy(channel);
	return result < 0 ? fail(result, "setting up the metadata", why, why_size) : 0;
}

static int add_contexts(struct session *session, char *why, size_t why_size)
{
	static const enum lttng_event_context_type types[] = {
		LTTNG_EVENT_CONTEXT_VPID,
		LTTNG_EVENT_CONTEXT_VTID,
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct lttng_event_context context = { .ctx = types[i] };
		int result = lttng_add_context(session->handle, &context, NULL, CHANNEL_NAME);

		if (result < 0) {
			return fail(result, "adding contexts", why, why_size);
		}
	}
	return 0;
}

static int enable_events(struct session *session, const char *filter, char *why, size_t why_size)
{
	struct lttng_event *event = lttng_event_create();
	int result;

	if (!event) {
		snprintf(why, why_size, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	snprintf(event->name, sizeof(event->name), "hipgrain:*");
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	event->loglevel = -1;
	result = filter
		     ? lttng_enable_event_with_filter(session->handle, event, CHANNEL_NAME, filter)
		     : lttng_enable_event(session->handle, event, CHANNEL_NAME);
	lttng_event_destroy(event);
	return result < 0 ? fail(result, "enabling events", why, why_size) : 0;
}

static int track(struct session *session, const struct session_plan *plan, char *why,
		 size_t why_size)
{
	for (size_t i = 0; i < plan->pid_count; i++) {
		int result = lttng_track_pid(session->handle, plan->pids[i]);

		if (result < 0) {
			return fail(result, "choosing processes", why, why_size);
		}
	}
	return 0;
}

/* By the user that a process has for itself, which in a user namespace is another one. */
static int track_user(struct session *session, const struct lttng_domain *domain, uid_t user,
		      char *why, size_t why_size)
{
	struct lttng_process_attr_tracker_handle *tracker = NULL;
	bool done = lttng_session_get_tracker_handle(session->name, domain->type,
						     LTTNG_PROCESS_ATTR_VIRTUAL_USER_ID,
						     &tracker) == LTTNG_OK &&
		    lttng_process_attr_tracker_handle_set_tracking_policy(
			tracker, LTTNG_TRACKING_POLICY_INCLUDE_SET) ==
			LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK &&
		    lttng_process_attr_virtual_user_id_tracker_handle_add_uid(tracker, user) ==
			LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK;

	lttng_process_attr_tracker_handle_destroy(tracker);
	return done ? 0 : refuse(why, why_size, EIO, "LTTng: choosing a user's processes failed");
}

bool session_has_process(pid_t pid)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID };
	struct lttng_handle *handle = lttng_create_handle(NULL, &domain);
	struct lttng_event *events = NULL;
	bool found = false;
	int count;

	if (!handle) {
		return false;
	}
	count = lttng_list_tracepoints(handle, &events);
	for (int i = 0; i < count && !found; i++) {
		found = events[i].pid == pid && strcmp(events[i].name, "hipgrain:state") == 0;
	}
	free(events);
	lttng_destroy_handle(handle);
	return found;
}

int session_begin(struct session *session, const char *name, const char *path,
		  const struct session_plan *plan, char *why, size_t why_size)
{
	struct lttng_domain domain = {
		.type = LTTNG_DOMAIN_UST,
		.buf_type = LTTNG_BUFFER_PER_UID,
	};
	char ignored[256];
	int result;

	memset(session, 0, sizeof(*session));
	snprintf(session->name, sizeof(session->name), "%s", name);
	result = session_measure_buffers(&session->buffers, why, why_size);
	if (!result && plan->snapshot) {
		result = choose_ring(&session->buffers, plan->snapshot, why, why_size);
	}
	if (result) {
		return result;
	}
	result = create(session->name, path, plan, why, why_size);
	if (result) {
		return result;
	}
	session->handle = lttng_create_handle(session->name, &domain);
	if (!session->handle) {
		snprintf(why, why_size, "%s", strerror(ENOMEM));
		result = -ENOMEM;
		goto error;
	}
	/* Snapshots bring their own, and live sessions a timer. */
	result = plan->snapshot || plan->url ? 0 : enable_metadata(session, &domain, why, why_size);
	if (!result) {
		result = enable_channel(session, &domain, plan, why, why_size);
	}
	if (!result) {
		result = add_contexts(session, why, why_size);
	}
	if (!result) {
		result = enable_events(session, plan->filter, why, why_size);
	}
	if (!result) {
		result = track(session, plan, why, why_size);
	}
	if (!result && plan->user) {
		result = track_user(session, &domain, *plan->user, why, why_size);
	}
	if (!result) {
		int code = lttng_start_tracing(session->name);

		result = code < 0 ? fail(code, "starting", why, why_size) : 0;
	}
	if (!result) {
		session->path = plan->url ? NULL : strdup(path); /* NULL: not known, either */
		return 0;
	}
error:
	session_destroy(session->name, ignored, sizeof(ignored));
	lttng_destroy_handle(session->handle);
	session->handle = NULL;
	return result;
}

static void ask_losses(struct session *session, struct session_loss *loss)
{
	struct lttng_channel *channels = NULL;
	int count = lttng_list_channels(session->handle, &channels);

	for (int i = 0; i < count; i++) {
		uint64_t events, packets;

		if (strcmp(channels[i].name, CHANNEL_NAME) == 0 &&
		    lttng_channel_get_discarded_event_count(&channels[i], &events) == 0 &&
		    lttng_channel_get_lost_packet_count(&channels[i], &packets) == 0) {
			loss->events = (int64_t)events;
			loss->packets = (int64_t)packets;
		}
	}
	free(channels);
}

/* lttng_stop_tracing() waits as long as it takes, which may be for ever when a disk or relay hangs.
 */
int session_stop(const char *name, char *why, size_t why_size)
{
	int code = lttng_stop_tracing_no_wait(name), waited = 0;

	if (code < 0 && code != -LTTNG_ERR_TRACE_ALREADY_STOPPED) {
		return fail(code, "stopping", why, why_size);
	}
	while ((code = lttng_data_pending(name)) == 1) {
		if (waited >= END_TIMEOUT_MS) {
			snprintf(why, why_size, "LTTng did not write what was recorded within %d s",
				 END_TIMEOUT_MS / 1000);
			return -ETIMEDOUT;
		}
		usleep(10 * 1000);
		waited += 10;
	}
	return code < 0 ? fail(code, "writing what was recorded", why, why_size) : 0;
}

int session_destroy(const char *name, char *why, size_t why_size)
{
	struct lttng_destruction_handle *handle = NULL;
	enum lttng_error_code code = lttng_destroy_session_ext(name, &handle), outcome = LTTNG_OK;
	enum lttng_destruction_handle_status status;
	int result = 0;

	if (code != LTTNG_OK) {
		return fail(-(int)code, "ending the session", why, why_size);
	}
	status = lttng_destruction_handle_wait_for_completion(handle, DESTROY_TIMEOUT_MS);
	if (status != LTTNG_DESTRUCTION_HANDLE_STATUS_COMPLETED) {
		snprintf(why, why_size, "LTTng did not end the session within %d s",
			 DESTROY_TIMEOUT_MS / 1000);
		result = -ETIMEDOUT;
	} else if (lttng_destruction_handle_get_result(handle, &outcome) ==
		       LTTNG_DESTRUCTION_HANDLE_STATUS_OK &&
		   outcome != LTTNG_OK) {
		result = fail(-(int)outcome, "ending the session", why, why_size);
	}
	lttng_destruction_handle_destroy(handle);
	return result;
}

int session_snapshot(struct session *session, char *why, size_t why_size)
{
	int code = lttng_snapshot_record(session->name, NULL, 0);

	return code < 0 ? fail(code, "taking a snapshot", why, why_size) : 0;
}

int session_tell(struct session *session, char *why, size_t why_size)
{
	int code = lttng_regenerate_statedump(session->name);

	return code < 0 ? fail(code, "asking for the state", why, why_size) : 0;
}

/* What a child process of ours found when it ended the session. */
struct outcome {
	int result;
	struct session_loss loss;
	char why[512];
};

static void end_here(struct session *session, struct outcome *outcome)
{
	char ignored[256];
	int code;

	outcome->loss = (struct session_loss){ .events = -1, .packets = -1 };
	/* Returns when the consumer has written every sub-buffer. */
	outcome->result = session_stop(session->name, outcome->why, sizeof(outcome->why));
	if (!outcome->result) {
		ask_losses(session, &outcome->loss);
	}
	code = session_destroy(session->name, outcome->result ? ignored : outcome->why,
			       outcome->result ? sizeof(ignored) : sizeof(outcome->why));
	outcome->result = outcome->result ? outcome->result : code;
}

/*
 * A daemon whose consumer cannot write (a disk that is full) does not answer at all, and nothing in
 * liblttng-ctl gives up: so another process asks, which can be ended.
 */
static int end_elsewhere(struct session *session, struct outcome *outcome, int timeout_ms)
{
	struct pollfd fd = { .events = POLLIN };
	int channel[2], result = -ETIMEDOUT;
	pid_t child;

	if (pipe2(channel, O_CLOEXEC)) {
		return -errno;
	}
	child = fork();
	if (child == 0) {
		end_here(session, outcome);
		(void)!write(channel[1], outcome, sizeof(*outcome));
		_exit(0);
	}
	close(channel[1]);
	fd.fd = channel[0];
	if (child < 0) {
		result = -EAGAIN;
	} else if (poll(&fd, 1, timeout_ms) == 1 &&
		   read(channel[0], outcome, sizeof(*outcome)) == sizeof(*outcome)) {
		result = 0;
	}
	close(channel[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return result;
}

static bool disk_is_full(const char *path)
{
	struct statvfs filesystem;

	return path && !statvfs(path, &filesystem) && filesystem.f_bavail == 0;
}

int session_end(struct session *session, struct session_loss *loss, char *why, size_t why_size)
{
	struct outcome outcome = { .loss = { .events = -1, .packets = -1 } };
	bool full = disk_is_full(session->path);
	int error = end_elsewhere(session, &outcome, full ? FULL_TIMEOUT_MS : 2 * END_TIMEOUT_MS);

	if (error == -ETIMEDOUT) {
		snprintf(outcome.why, sizeof(outcome.why),
			 full ? "the disk is full: what is not written by now is lost"
			      : "LTTng's daemon does not answer: what is not written by now is "
				"lost");
		outcome.result = error;
	} else if (error) {
		end_here(session, &outcome);
	}
	*loss = outcome.loss;
	snprintf(why, why_size, "%s", outcome.why);
	lttng_destroy_handle(session->handle);
	session->handle = NULL;
	free(session->path);
	session->path = NULL;
	return outcome.result;
}
