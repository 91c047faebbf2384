/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LTTng session daemon of a recording: the user's running one, or one of our own.
 *
 * liblttng-ctl and liblttng-ust find a daemon by fixed rules (lttng-tools 2.13,
 * src/lib/lttng-ctl/lttng-ctl.c set_session_daemon_path; lttng-ust 2.13, lttng-ust-comm.c):
 * root's sockets are always in /var/run/lttng, an ordinary user's in $LTTNG_HOME/.lttng. Hence:
 *
 *  - a daemon that answers is used and left alone ("shared");
 *  - else, for an ordinary user, one of our own runs in a temporary LTTNG_HOME ("private");
 *  - else, for root, one of our own runs in root's place. Recordings that start meanwhile share
 *    it: each holds a shared flock(2), and the daemon ends when nobody holds it any more.
 *
 * Whichever it is, a guard process outlives a recorder that is killed: it stops and destroys the
 * recorder's session (so that everything recorded so far is on disk) and ends our own daemon.
 */
#ifndef HIPGRAIN_TRACER_DAEMON_H
#define HIPGRAIN_TRACER_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Sessions of this prefix are ours: the guard ends a daemon although one of them is left over. */
#define DAEMON_SESSION_PREFIX "hipgrain-"

/*
 * A name for a session of this process, begun at that time. It is how a recording tells its own
 * processes from others in a daemon that several users share, so nobody can guess it.
 */
void daemon_name_session(char *name, size_t size, int64_t start_ns);
#define DAEMON_SESSION_NAME_SIZE 80

enum daemon_choice {
	DAEMON_ANY,    /* the user's running one, else one of our own */
	DAEMON_OWN,    /* one of our own; for root the same as DAEMON_ANY */
	DAEMON_COMMON, /* the one in the user's place, where every program of his finds it */
};

struct daemon_link {
	pid_t guard;
	int channel;   /* our end of the guard's socket pair */
	int lock;      /* root's shared lock, -1 if none */
	bool stuck;    /* set by the caller: the session could not be ended, nor can its daemon */
	bool shared;   /* other sessions may live in the daemon */
	char home[80]; /* LTTNG_HOME of a private daemon, else empty */
};

/*
 * Connect to a session daemon, starting one if necessary, and start the guard, which will destroy
 * session `session` if this process dies. Sets LTTNG_HOME in our environment when the daemon is
 * private: the command inherits it. To be called before any other use of liblttng-ctl.
 *
 * Returns 0 (daemon_disconnect() later) or -errno with one line in `why`.
 */
int daemon_connect(struct daemon_link *link, const char *session, enum daemon_choice choice,
		   char *why, size_t why_size);

/*
 * The session is destroyed and the daemon no longer needed. Returns when our own daemon has
 * ended, or when it is clear that another recording still uses it.
 */
void daemon_disconnect(struct daemon_link *link);

/* The lttng-sessiond that would be started: malloc'ed, NULL if there is none. */
char *daemon_program(void);

#endif
