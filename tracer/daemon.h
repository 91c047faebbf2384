/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LTTng session daemon of a recording.
 *
 * `record` has one of its own, with its sockets in a temporary LTTNG_HOME: it is independent of
 * other recordings, disks and daemons, root's included. An ordinary user's lttng-sessiond follows
 * LTTNG_HOME by itself. Root's does not: lttng-sessiond and lttng-consumerd use /var/run/lttng when
 * getuid() is 0, and lttng-sessiond's options name most of its sockets, but not its lock, its pid
 * file and its health sockets, so a second one ends at once. So a library is preloaded into private
 * daemons of root that makes them behave like an ordinary user's (daemon_shim.c). A mount namespace
 * would do, too, but needs CAP_SYS_ADMIN, which root in a container does not have.
 *
 * What the drain of the recording records into it is all that registers with it (drain.h): programs
 * know nothing of it.
 *
 * Each has a guard process, see guard.h.
 */
#ifndef HIPGRAIN_TRACER_DAEMON_H
#define HIPGRAIN_TRACER_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/client.h"

/* Sessions of this prefix are ours: the guard ends a daemon although one of them is left over. */
#define DAEMON_SESSION_PREFIX "hipgrain-"

/*
 * Makes a name for a session of this process that begins at that time. By this name a recording
 * recognises its own processes in a daemon that several users share, so nobody must be able to
 * guess it.
 */
void daemon_name_session(char *name, size_t size, int64_t start_ns);
#define DAEMON_SESSION_NAME_SIZE 80

struct daemon_link {
	pid_t guard;
	int channel;  /* our end of the guard's socket pair */
	bool stuck;   /* set by the caller: the session could not be ended, nor can its daemon */
	bool written; /* set by the caller: all is on disk, so that a private daemon is killed */
	struct client client; /* for calls */
};

#define DAEMON_LINK_NONE                                                 \
	{                                                                \
		.guard = -1, .channel = -1, .client = {.interrupt = -1 } \
	}

/*
 * Start a session daemon, and the guard, which will destroy
 * session `session` if this process dies. When descriptor `interrupt` (-1: none) is readable,
 * waiting ends; link->client has it for later calls. `shim` is the path of daemon_shim.c's library.
 *
 * Returns 0 (daemon_disconnect() later) or -errno with one line in `why`: -EINTR.
 */
int daemon_connect(struct daemon_link *link, const char *session, const char *shim, int interrupt,
		   char *why, size_t why_size);

/*
 * Is called when the session is destroyed and the daemon no longer needed. Returns when our own
 * daemon has ended, or when it is clear that another recording still uses it.
 */
void daemon_disconnect(struct daemon_link *link);

/*
 * Returns true if the process that writes the traces of our own daemon lives, which LTTng does not
 * report when a session is stopped. It also returns false for a daemon that is not ours, if nothing
 * has been recorded yet, and if the kernel does not list children (CONFIG_PROC_CHILDREN).
 */
bool daemon_writer_lives(const struct daemon_link *link);

/* Returns the lttng-sessiond that would be started, malloc'ed, or NULL if there is none. */
char *daemon_program(void);

/* Has the guard stop the processes by that table if the recorder dies (tracer/missed.h). */
void daemon_entrust(const struct daemon_link *link, int table);

#endif
