/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng-UST's listeners, while they run in the thread that loads it: threadless.c. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_THREADLESS_H
#define HIPGRAIN_PRELOAD_CONTROL_THREADLESS_H

#include <stdbool.h>

/* Whether the calling thread runs a listener at the moment. */
bool hg_threadless_runs(void);

/* That listener returns to the thread's own work. It must hold no lock. */
void hg_threadless_leave(void) __attribute__((noreturn));

/*
 * Before and after that listener's recvmsg() from `fd`. The first returns when there is something
 * to receive. `between`: it waits for the next command and holds no lock. Then it may leave.
 */
void hg_threadless_receives(int fd, bool between);
void hg_threadless_received(void);

/* Close the connections of those that have left: to the daemon, the process ends. */
void hg_threadless_hang_up(void);

/* In a forked child, where LTTng-UST is about to start its listeners anew. */
void hg_threadless_reset(void);

#endif
