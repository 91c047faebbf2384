/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One LTTng session: a user-space channel that records the events of provider `hipgrain`.
 */
#ifndef HIPGRAIN_TRACER_SESSION_H
#define HIPGRAIN_TRACER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lttng_handle;

struct session_buffers {
	uint64_t size;  /* bytes of a sub-buffer, a power of two */
	uint64_t count; /* sub-buffers per CPU, a power of two */
};

/* -1: could not be asked. */
struct session_loss {
	int64_t events;  /* discarded because the buffers were full */
	int64_t packets; /* overwritten; impossible in discard mode */
};

/* What a session is to record, and where to. All 0: everything, as it comes. */
struct session_plan {
	const char *filter; /* LTTng's filter language; NULL: none */
	const pid_t *pids;  /* only of these processes, as they number themselves */
	size_t pid_count;   /* 0: of all */
	const uid_t *user;  /* only of this user's processes; NULL: of all */
	uint64_t snapshot;  /* keep the latest bytes in memory, for session_snapshot(); 0: no */
	const char *url;    /* to the relay daemon there, which readers can watch; NULL: `path` */
};

struct session {
	char name[80];
	struct lttng_handle *handle;
	struct session_buffers buffers;
	char *path; /* what it writes to; NULL: a relay daemon */
};

/*
 * Buffers for `cpus` possible CPUs of which each gets its own, when `available` bytes of shared
 * memory are free. Larger ones ride out a slower consumer before the program has to wait.
 * 0, or -ENOSPC with the smallest useful size in *buffers.
 */
int session_choose_buffers(struct session_buffers *buffers, unsigned cpus, uint64_t available);

/*
 * The same for this machine: its CPUs, and what is free of the shared memory that LTTng's buffers
 * live in. Returns 0 or -errno with one line in `why`.
 */
int session_measure_buffers(struct session_buffers *buffers, char *why, size_t why_size);

/*
 * Create and start session `name`, which writes below directory `path` (absolute) or, with
 * plan->url, to a relay daemon; programs never wait for that one. Returns 0 (session_end() later)
 * or -errno with one line in `why`; then no session is left.
 */
int session_begin(struct session *session, const char *name, const char *path,
		  const struct session_plan *plan, char *why, size_t why_size);

/* Whether the session daemon knows a process (as it numbers itself) with our provider in it. */
bool session_has_process(pid_t pid);

/*
 * Write what a snapshot session has in memory into a new folder below the session's path; `folder`
 * gets nothing. Returns 0 or -errno with one line in `why`.
 */
int session_snapshot(struct session *session, char *why, size_t why_size);

/* Have the processes tell once more what they have. The same. */
int session_tell(struct session *session, char *why, size_t why_size);

/* Stop a session by name and wait until all of it is written; the same. */
int session_stop(const char *name, char *why, size_t why_size);

/* Destroy a session by name. Returns 0 or -errno with one line in `why`, within a minute. */
int session_destroy(const char *name, char *why, size_t why_size);

/*
 * Stop, wait until everything recorded is written, ask for losses, destroy. Returns 0 or -errno
 * with one line in `why`; the session is destroyed as far as possible in any case.
 */
int session_end(struct session *session, struct session_loss *loss, char *why, size_t why_size);

#endif
