/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This process stands beside a recorder that owns a session daemon. It outlives a recorder that is
 * killed: it stops and destroys the recorder's session (so that everything recorded so far is on
 * disk) and ends the daemon.
 *
 * All processes that the daemon has started are ended with it, consumers too: the guard is their
 * subreaper (prctl(2)), and signals them through pidfds. A private daemon that does not answer any
 * more is ended while the program still runs, so that no process waits for it.
 */
#ifndef HIPGRAIN_TRACER_GUARD_H
#define HIPGRAIN_TRACER_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracer/client.h"

/* The guard sends these to the recorder, one message each. */
enum guard_word {
	GUARD_READY = 'r',  /* the daemon answers */
	GUARD_FAILED = 'f', /* the text says why */
};

/* The recorder sends these messages when it has ended its session, or could not. */
enum recorder_word {
	RECORDER_DONE = 'd',
	RECORDER_WRITTEN = 'w', /* its session was left to the daemon, all of it is on disk */
	RECORDER_STUCK = 's',
	/* Comes before, with a descriptor of the table (tracer/missed.h) by which processes
	 * stop. */
	RECORDER_TABLE = 't',
};

struct guard {
	int channel; /* SOCK_SEQPACKET to the recorder */
	const char *session;
	struct client client;
	const char *program; /* the lttng-sessiond to start; NULL: one runs already */
	const char *shim;    /* to preload into it: tracer/daemon_shim.c; NULL: nothing */
	/* The guard's own: */
	pid_t daemon;
	int table; /* the descriptor that came with RECORDER_TABLE, or -1 */
};

/* This is the guard's main function, in a process made for it; it returns when it is no longer
 * needed. */
void guard_main(struct guard *guard);

#endif
