/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are on standby have the preload library, and wait for a session to be started. */
#ifndef HIPGRAIN_TRACER_STANDBY_H
#define HIPGRAIN_TRACER_STANDBY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct standby_process {
	pid_t pid;                /* as we see it */
	pid_t vpid;               /* as it numbers itself, and LTTng knows it */
	char directory[PATH_MAX]; /* HIPGRAIN_DIR: where its code objects go */
	bool totals;              /* it counts small blocks while it is recorded */
};

/* Examines a process. Returns 0, or -errno with one line in `why` saying why it cannot be attached
 * to. */
int standby_examine(pid_t pid, struct standby_process *process, char *why, size_t why_size);

/* A process stands so to the recording, or the directory, that its environment names. */
enum standby_state {
	STANDBY_RECORDED, /* from its beginning */
	STANDBY_WAITS,
	STANDBY_LEFT_OUT, /* it does not have the preload library */
};

/*
 * Does the same for any process with HIPGRAIN_DIR in its environment. *note is what else is known
 * of it, as why nothing is recorded, or NULL.
 */
int standby_inspect(pid_t pid, struct standby_process *process, enum standby_state *state,
		    const char **note);

/* The processes of these users are meant. */
struct standby_users {
	bool all;
	uid_t user; /* unless all */
};

struct standby_found {
	size_t count;    /* in the list */
	size_t recorded; /* left out: they are in other recordings */
	size_t foreign;  /* left out: on standby, of other users */
};

/*
 * Returns all processes of these users that are on standby, malloc'ed, or NULL if there are none.
 * Only root sees other users' processes.
 */
struct standby_process *standby_find_all(const struct standby_users *users,
					 struct standby_found *found);

#endif
