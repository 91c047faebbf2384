/* SPDX-License-Identifier: Apache-2.0 */
/* This is one LTTng session: a user-space channel that records the events of provider
 * `hipgrain`. */
#ifndef HIPGRAIN_TRACER_SESSION_H
#define HIPGRAIN_TRACER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/buffers.h"
#include "tracer/client.h"
#include "tracer/rotation.h"

/* -1 means that it could not be queried. */
struct session_loss {
	int64_t events;  /* discarded because the buffers were full */
	int64_t packets; /* overwritten; impossible in discard mode */
};

/* This says what a session is to record, and where to. All 0: everything, as it comes. */
struct session_plan {
	uint64_t snapshot; /* keep the latest bytes in memory, for session_snapshot(); 0: no */
	const char *url;   /* to the relay daemon there, which readers can watch; NULL: `path` */
	const struct rotation_plan *rotation; /* NULL: none */
	const char *provider;                 /* path of our provider library, needed */
	bool last;                            /* the daemon ends after it, and serves no other */
};

struct session {
	char name[80];
	const struct client *client; /* the caller's */
	struct buffers buffers;
	char *path; /* the directory to which it writes; NULL: a relay daemon */
	bool mute;  /* the daemon has not answered in time */
	bool left;  /* to the daemon, which is to end: it need not be destroyed */
};

/*
 * Creates and starts session `name`, which writes below directory `path` (absolute) or, with
 * plan->url, to a relay daemon; programs never wait for that one. A process that registers as
 * programs do has ended when this returns: the daemon serves them, and the trace has its metadata.
 *
 * Returns 0 (session_end() later) or -errno with one line in `why`; then no session is left, unless
 * the daemon does not answer (-ETIMEDOUT) or the call was interrupted (-EINTR).
 */
int session_begin(struct session *session, const struct client *client, const char *name,
		  const char *path, const struct session_plan *plan, char *why, size_t why_size);

/*
 * Writes what a snapshot session has in memory into a new directory below the session's path.
 * Returns 0 or -errno with one line in `why`.
 */
int session_snapshot(struct session *session, char *why, size_t why_size);

/*
 * Stops a session by name and waits until all of it is written. Returns the same. This one and the
 * next are for functions of client_call(): nothing bounds them if the daemon does not answer.
 */
int session_stop(const char *name, char *why, size_t why_size);

/* Destroys a session by name. Returns 0 or -errno with one line in `why`, within a minute. */
int session_destroy(const char *name, char *why, size_t why_size);

/*
 * Stops the session, waits until everything recorded is written, queries losses, destroys it.
 * Returns 0 or -errno with one line in `why`; the session is destroyed as far as possible in any
 * case. A plan's `last` that writes a plain trace here is not destroyed: nothing follows what was
 * written, and LTTng takes half a second to look whether it is (DEFAULT_ROTATE_PENDING_TIMER of
 * lttng-tools).
 */
int session_end(struct session *session, struct session_loss *loss, char *why, size_t why_size);

#endif
