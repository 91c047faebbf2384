/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, stops and destroys the LTTng session of a recording. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "tracer/message.h"
#include "tracer/session.h"

#define CHANNEL_NAME "hipgrain"

/*
 * A thread of the program waits so long for room in a full buffer before its event is discarded and
 * counted. That is long enough for a consumer on a busy disk, short enough that a program whose
 * consumer died continues. LTTng counts in microseconds; the program must also run with
 * LTTNG_UST_ALLOW_BLOCKING (lttng-enable-channel(1), --blocking-timeout).
 */
#define BLOCKING_TIMEOUT_US (10 * 1000 * 1000)

/* Limits the loss when the consumer itself is killed. */
#define SWITCH_TIMER_US (1000 * 1000)

/* Time limit of calls that write nothing: milliseconds, if CPU time is available. */
#define BEGIN_TIMEOUT_MS (15 * 1000)
#define CALL_TIMEOUT_MS  (5 * 1000)
/* The end of a session may take so long; sub-buffers are a few MiB at most. */
#define END_TIMEOUT_MS (30 * 1000)
/* When it has stopped, everything is written except what a killed process has left unfinished. */
#define DESTROY_TIMEOUT_MS (15 * 1000)
/* A disk that is full now will hardly have room later. */
#define FULL_TIMEOUT_MS (10 * 1000)

/* Recorded events are sent to a relay so often, for readers there. */
#define LIVE_TIMER_US (1000 * 1000)

/* LTTng's own defaults (lttng-tools 2.13, src/common/defaults.h); a channel needs them named. */
#define METADATA_SUBBUFFER_SIZE  4096
#define METADATA_SUBBUFFER_COUNT 2

/*
 * From LTTng 2.15 on a session is in CTF 2 by default (its release notes), before in CTF 1.8
 * always. enum lttng_trace_format and the function are those of lttng/session-descriptor.h of 2.16.
 * The library may be newer or older than the headers were: NULL where it knows one format only.
 */
#define FORMAT_CTF_1_8 1
__attribute__((weak)) int
set_trace_format(struct lttng_session_descriptor *descriptor,
		 int format) __asm__("lttng_session_descriptor_set_trace_format");

/* Returns an errno for LTTng's negative code: callers only distinguish success and failure. */
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
	if (set_trace_format && set_trace_format(descriptor, FORMAT_CTF_1_8)) {
		lttng_session_descriptor_destroy(descriptor);
		snprintf(why, why_size, "LTTng refuses traces in CTF 1.8");
		return -EINVAL;
	}
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	return code == LTTNG_OK ? 0 : fail(-(int)code, "creating the session", why, why_size);
}

static int enable_channel(struct lttng_handle *handle, const struct session *session,
			  struct lttng_domain *domain, const struct session_plan *plan, char *why,
			  size_t why_size)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	bool snapshot = plan->snapshot, wait = !plan->snapshot && !plan->url;
	int result;

	if (!channel) {
		snprintf(why, why_size, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	snprintf(channel->name, sizeof(channel->name), "%s", CHANNEL_NAME);
	/* From 2.16 on nothing is recorded without it, earlier ones ignore it. */
	channel->enabled = 1;
	/*
	 * A snapshot session overwrites its oldest events. A relay may be unreachable: no program
	 * waits.
	 */
	channel->attr.overwrite = snapshot;
	channel->attr.subbuf_size = session->buffers.size;
	channel->attr.num_subbuf = session->buffers.count;
	/* In a live session LTTng uses that session's timer instead. */
	channel->attr.switch_timer_interval = snapshot ? 0 : SWITCH_TIMER_US;
	channel->attr.output = LTTNG_EVENT_MMAP;
	result = wait ? lttng_channel_set_blocking_timeout(channel, BLOCKING_TIMEOUT_US) : 0;
	if (result == 0)
		result = lttng_enable_channel(handle, channel);
	lttng_channel_destroy(channel);
	return result < 0 ? fail(result, "creating the channel", why, why_size) : 0;
}

/*
 * Named, so that nothing is left to the daemon's defaults: without a timer. In lttng-consumerd 2.13
 * its thread waits for the metadata to be written while the channel's end, holding the channel's
 * lock, waits for that thread: so it is where a disk is full, and the session daemon, which waits
 * for the consumer, then serves nobody. What the timer was for, metadata on disk while the program
 * runs, client_register() does. LTTng 2.16 has no such channel any more and refuses the name.
 */
static int enable_metadata(struct lttng_handle *handle, struct lttng_domain *domain, char *why,
			   size_t why_size)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int result;

	if (!channel)
		return refuse(why, why_size, ENOMEM, "%s", strerror(ENOMEM));
	snprintf(channel->name, sizeof(channel->name), "metadata");
	channel->attr.overwrite = 0;
	channel->attr.subbuf_size = METADATA_SUBBUFFER_SIZE;
	channel->attr.num_subbuf = METADATA_SUBBUFFER_COUNT;
	channel->attr.switch_timer_interval = 0;
	channel->attr.output = LTTNG_EVENT_MMAP;
	result = lttng_enable_channel(handle, channel);
	lttng_channel_destroy(channel);
	if (result == -LTTNG_ERR_INVALID_CHANNEL_NAME)
		return 0;
	return result < 0 ? fail(result, "setting up the metadata", why, why_size) : 0;
}

static int add_contexts(struct lttng_handle *handle, char *why, size_t why_size)
{
	static const enum lttng_event_context_type types[] = {
		LTTNG_EVENT_CONTEXT_VPID,
		LTTNG_EVENT_CONTEXT_VTID,
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct lttng_event_context context = { .ctx = types[i] };
		int result = lttng_add_context(handle, &context, NULL, CHANNEL_NAME);

		if (result < 0)
			return fail(result, "adding contexts", why, why_size);
	}
	return 0;
}

static int enable_events(struct lttng_handle *handle, char *why, size_t why_size)
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
	result = lttng_enable_event(handle, event, CHANNEL_NAME);
	lttng_event_destroy(event);
	return result < 0 ? fail(result, "enabling events", why, why_size) : 0;
}

/* ---- begin ---- */

struct beginning {
	const struct session *session;
	const char *path;
	const struct session_plan *plan;
};

static int set_up(struct lttng_handle *handle, const struct beginning *beginning, char *why,
		  size_t why_size)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID };
	const struct session *session = beginning->session;
	const struct session_plan *plan = beginning->plan;
	int result = 0;

	/* Snapshots bring their own, and live sessions a timer. */
	if (!plan->snapshot && !plan->url)
		result = enable_metadata(handle, &domain, why, why_size);
	if (!result)
		result = enable_channel(handle, session, &domain, plan, why, why_size);
	if (!result)
		result = add_contexts(handle, why, why_size);
	if (!result)
		result = enable_events(handle, why, why_size);
	if (!result) {
		int code = lttng_start_tracing(session->name);

		result = code < 0 ? fail(code, "starting", why, why_size) : 0;
	}
	if (!result && plan->rotation)
		result = rotation_begin(session->name, plan->rotation, why, why_size);
	return result;
}

static void begin_here(void *argument, struct client_answer *answer)
{
	const struct beginning *beginning = argument;
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID };
	const char *name = beginning->session->name;
	struct lttng_handle *handle;
	char ignored[256];

	answer->result =
	    create(name, beginning->path, beginning->plan, answer->why, sizeof(answer->why));
	if (answer->result)
		return;
	handle = lttng_create_handle(name, &domain);
	answer->result =
	    handle ? set_up(handle, beginning, answer->why, sizeof(answer->why))
		   : refuse(answer->why, sizeof(answer->why), ENOMEM, "%s", strerror(ENOMEM));
	if (answer->result)
		session_destroy(name, ignored, sizeof(ignored));
	lttng_destroy_handle(handle);
}

int session_begin(struct session *session, const struct client *client, const char *name,
		  const char *path, const struct session_plan *plan, char *why, size_t why_size)
{
	struct beginning beginning = { .session = session, .path = path, .plan = plan };
	struct client_answer answer;
	struct session_loss loss;
	char ignored[256];
	int result;

	*session = (struct session){ .client = client };
	snprintf(session->name, sizeof(session->name), "%s", name);
	result = buffers_measure(&session->buffers, why, why_size);
	if (!result && plan->snapshot)
		result = buffers_ring(&session->buffers, plan->snapshot, why, why_size);
	if (result)
		return result;
	result = client_call(client, begin_here, &beginning, BEGIN_TIMEOUT_MS, &answer);
	if (result) {
		snprintf(why, why_size, "%s", answer.why);
		return result;
	}
	result = client_register(client, plan->provider, BEGIN_TIMEOUT_MS, why, why_size);
	if (result) {
		session->mute = result == -ETIMEDOUT;
		session_end(session, &loss, ignored, sizeof(ignored));
		return result;
	}
	session->left = plan->last && !plan->url && !plan->rotation && !plan->snapshot;
	session->path = plan->url ? NULL : strdup(path); /* NULL: not known, either */
	return 0;
}

static void ask_losses(const char *name, int64_t *events, int64_t *packets)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID };
	struct lttng_handle *handle = lttng_create_handle(name, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;

	for (int i = 0; i < count; i++) {
		uint64_t discarded, lost;

		if (strcmp(channels[i].name, CHANNEL_NAME) == 0 &&
		    lttng_channel_get_discarded_event_count(&channels[i], &discarded) == 0 &&
		    lttng_channel_get_lost_packet_count(&channels[i], &lost) == 0) {
			*events = (int64_t)discarded;
			*packets = (int64_t)lost;
		}
	}
	free(channels);
	lttng_destroy_handle(handle);
}

/* lttng_stop_tracing() has no time limit, and may never return if a disk or relay hangs. */
int session_stop(const char *name, char *why, size_t why_size)
{
	int code = lttng_stop_tracing_no_wait(name), waited = 0;

	if (code < 0 && code != -LTTNG_ERR_TRACE_ALREADY_STOPPED)
		return fail(code, "stopping", why, why_size);
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

	if (code != LTTNG_OK)
		return fail(-(int)code, "ending the session", why, why_size);
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

/* ---- meanwhile ---- */

static void snapshot_here(void *argument, struct client_answer *answer)
{
	const struct session *session = argument;
	int code = lttng_snapshot_record(session->name, NULL, 0);

	if (code < 0)
		answer->result = fail(code, "taking a snapshot", answer->why, sizeof(answer->why));
}

/* A daemon that has not answered once is not waited for again. */
static int call(struct session *session, client_function *function, int limit_ms, char *why,
		size_t why_size)
{
	struct client_answer answer;
	int result;

	if (session->mute)
		return refuse(why, why_size, ETIMEDOUT, "LTTng's session daemon does not answer");
	result = client_call(session->client, function, session, limit_ms, &answer);
	if (result) {
		session->mute = result == -ETIMEDOUT;
		snprintf(why, why_size, "%s", answer.why);
	}
	return result;
}

int session_snapshot(struct session *session, char *why, size_t why_size)
{
	return call(session, snapshot_here, END_TIMEOUT_MS, why, why_size);
}

/* ---- the end of a session ---- */

static void end_here(void *argument, struct client_answer *answer)
{
	const struct session *session = argument;
	char ignored[256];
	int code;

	answer->numbers[0] = answer->numbers[1] = -1;
	/* Returns when the consumer has written every sub-buffer. */
	answer->result = session_stop(session->name, answer->why, sizeof(answer->why));
	if (!answer->result)
		ask_losses(session->name, &answer->numbers[0], &answer->numbers[1]);
	if (!answer->result && session->left)
		return;
	code = session_destroy(session->name, answer->result ? ignored : answer->why,
			       answer->result ? sizeof(ignored) : sizeof(answer->why));
	answer->result = answer->result ? answer->result : code;
}

static bool disk_is_full(const char *path)
{
	struct statvfs filesystem;

	return path && !statvfs(path, &filesystem) && filesystem.f_bavail == 0;
}

int session_end(struct session *session, struct session_loss *loss, char *why, size_t why_size)
{
	bool full = disk_is_full(session->path);
	int limit = session->mute ? CALL_TIMEOUT_MS : full ? FULL_TIMEOUT_MS : 2 * END_TIMEOUT_MS;
	struct client_answer answer;
	int result = client_call(session->client, end_here, session, limit, &answer);

	*loss = (struct session_loss){ .events = -1, .packets = -1 };
	if (result == -ETIMEDOUT || result == -EINTR) {
		snprintf(why, why_size, "%s: events that are not yet written are lost",
			 result == -EINTR ? "interrupted"
			 : full           ? "the disk is full"
					  : "LTTng's session daemon does not answer");
	} else {
		*loss = (struct session_loss){ .events = answer.numbers[0],
					       .packets = answer.numbers[1] };
		snprintf(why, why_size, "%s", answer.why);
	}
	free(session->path);
	session->path = NULL;
	return result;
}
