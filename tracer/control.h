/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to a live recorder, through a socket in its bundle. `detach` and `snapshot` signal no
 * process: a number in a file may be that of any process, and inside a container is another one.
 *
 * Both sides verify each other by SO_PEERCRED, unix(7): the recorder serves its own user and root;
 * who asks expects the user whose bundle it is.
 */
#ifndef HIPGRAIN_TRACER_CONTROL_H
#define HIPGRAIN_TRACER_CONTROL_H

#include <stddef.h>

/* Of a bundle's folder: the recorder's socket, while it records. */
#define CONTROL_SOCKET "recorder.socket"

enum control_request {
	CONTROL_DETACH = 'd',
	CONTROL_SNAPSHOT = 's',
};

/* Listen in the bundle of which `bundle` is the descriptor. A descriptor, or -errno. */
int control_listen(int bundle);

/* Listen no more. A descriptor of -1 is none. */
void control_end(int bundle, int listener);

/*
 * What somebody asks for: *request, and a descriptor for control_answer(), or -1 if nobody asks who
 * may. Waits at most half a second, for a client that has connected and not sent its request yet.
 */
int control_accept(int listener, enum control_request *request);

/* `text`, at most 500 bytes; closes the descriptor, which may be -1. */
void control_answer(int client, const char *text);

/*
 * Ask the recorder of the bundle of which `bundle` is the descriptor, and wait at most `timeout_ms`
 * for its answer. 0 with its text in `answer`, or -errno with one line in `why`: -ECONNREFUSED if
 * nobody listens, -ETIMEDOUT.
 */
int control_ask(int bundle, enum control_request request, int timeout_ms, char *answer,
		size_t answer_size, char *why, size_t why_size);

#endif
