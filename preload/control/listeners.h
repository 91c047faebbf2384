/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng-UST's listener threads, which take a session daemon's commands. */
#ifndef HIPGRAIN_PRELOAD_LISTENERS_H
#define HIPGRAIN_PRELOAD_LISTENERS_H

#include <stdbool.h>

/* A listener of LTTng-UST calls connect(): from now on its thread is known. */
void hg_listener_connects(void);

/*
 * Around recvmsg() of a listener: the first returns at once, or ends the thread. Nothing happens in
 * other threads.
 */
void hg_listener_receives(int fd);
void hg_listener_received(void);

/* Whether the calling thread is a listener; the futex(2) at which it waits for a daemon. */
bool hg_is_listener(void);
/* The calling thread was one, without a thread of its own, and is the program's again. */
void hg_listener_left(void);
long hg_listener_waits(long a, long b, long c, long d, long e, long f);

/* No thread of LTTng-UST or of this library is left, or will be in a moment. */
bool hg_listeners_ended(void);

/*
 * Called before a call that concerns a single thread, or fails in a process with several: ends the
 * threads that the program did not make, and waits until they have ended. A recording that cannot
 * continue without them ends here, with a message. Keeps errno.
 */
void hg_listeners_alone(void);

#endif
