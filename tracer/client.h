/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of liblttng-ctl, each in a process of its own that can be ended.
 *
 * liblttng-ctl has no time limits: connect() waits while the session daemon's queue is full, and
 * recvmsg() for the answer. A daemon whose consumer hangs answers nobody, and a thread in one of
 * these calls cannot be interrupted without losing the library's state.
 *
 * The process is also where root's calls are led to a private daemon: liblttng-ctl knows one socket
 * for root, in /var/run/lttng. There, connect() of the session daemon's socket takes the one below
 * the private LTTNG_HOME instead.
 */
#ifndef HIPGRAIN_TRACER_CLIENT_H
#define HIPGRAIN_TRACER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CLIENT_HOME_SIZE 80

struct client {
	char home[CLIENT_HOME_SIZE]; /* LTTNG_HOME of the private daemon */
	int interrupt; /* a file descriptor; when it is readable a call is abandoned; -1: none */
	int grace_ms;  /* ... but so long after the call began to wait, at most; 0: at once */
};

struct client_answer {
	int result;
	int64_t numbers[2];
	char why[512]; /* one line, for a negative result */
};

/* Runs in the other process: what it changes in memory, except *answer, is lost. */
typedef void client_function(void *argument, struct client_answer *answer);

/*
 * Call `function` and wait for its end, at most `limit_ms`. Returns answer->result, or with one
 * line in answer->why: -ETIMEDOUT, -EINTR (client->interrupt), -EPIPE (the process died), or the
 * -errno of what starting a process needs. It must be called by a process with one thread.
 */
int client_call(const struct client *client, client_function *function, void *argument,
		int limit_ms, struct client_answer *answer);

/* The state of a session daemon. */
enum client_daemon {
	CLIENT_NO_DAEMON,
	CLIENT_DAEMON_ANSWERS,
	CLIENT_DAEMON_MUTE, /* it accepts connections, and answers nothing */
	CLIENT_DAEMON_UNKNOWN,
};

/* Queries the daemon for its sessions, waiting at most `limit_ms`. Returns what that tells of its
 * state. */
enum client_daemon client_probe(const struct client *client, int limit_ms);

/* Gives this process, its new threads, and what it executes stacks of 8 MiB where the user's limit
 * is less, if that may be raised. */
void client_raise_stack(void);

/*
 * Prepares a process that is to load LTTng-UST: it will register with the daemon of `client`, for
 * which it waits at most `limit_ms`. The process must keep to itself what it changes here.
 */
void client_be_application(const struct client *client, int limit_ms);

/*
 * Start a process with LTTng-UST and provider library `provider` in it, which registers as every
 * recorded program does, and ends. This makes the session daemon start its consumer and the trace
 * buffers, and, when the process ends, write the metadata of all our events (lttng-tools 2.13,
 * ust-app.c, ust_app_unregister()): so no timer of the consumer is needed for that.
 * 0, or -errno with one line in `why`: -ETIMEDOUT if the daemon has not answered it within
 * `limit_ms`.
 */
int client_register(const struct client *client, const char *provider, int limit_ms, char *why,
		    size_t why_size);

#endif
