/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to a running recorder, through a socket in its bundle. `detach` and `snapshot` do not
 * signal a process by number: a number in a file may be that of any process, and differs inside a
 * container.
 *
 * Both sides verify each other by SO_PEERCRED, unix(7): the recorder serves its own user and root;
 * the requester expects the owner of the bundle.
 */
#ifndef HIPGRAIN_TRACER_CONTROL_H
#define HIPGRAIN_TRACER_CONTROL_H

#include <stddef.h>

/* The recorder's socket is in the bundle's directory, while it records. */
#define CONTROL_SOCKET "recorder.socket"

enum control_request {
	CONTROL_DETACH = 'd',
	CONTROL_SNAPSHOT = 's',
};

/* Listens in the bundle whose descriptor is `bundle`. Returns a file descriptor, or -errno. */
int control_listen(int bundle);

/* Listens no more. A descriptor of -1 is none. */
void control_end(int bundle, int listener);

/*
 * Receives a request into *request. Returns a file descriptor for control_answer(), or -1 if there
 * is no request by a permitted user. It waits at most half a second, for a client that has
 * connected and not sent its request yet.
 */
int control_accept(int listener, enum control_request *request);

/* Sends `text`, at most 500 bytes, and closes the descriptor, which may be -1. */
void control_answer(int client, const char *text);

/*
 * Sends a request to the recorder of the bundle whose descriptor is `bundle`, and waits at most
 * `timeout_ms` for its answer. Returns 0 with its text in `answer`, or -errno with one line in
 * `why`: -ECONNREFUSED if no recorder listens, -ETIMEDOUT.
 */
int control_ask(int bundle, enum control_request request, int timeout_ms, char *answer,
		size_t answer_size, char *why, size_t why_size);

#endif
