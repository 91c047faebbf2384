/* SPDX-License-Identifier: Apache-2.0 */
/* A process that ends because its last thread does. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_THREAD_EXIT_WATCH_H
#define HIPGRAIN_PRELOAD_CONTROL_THREAD_EXIT_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

bool hg_is_tracers(pid_t tid); /* a thread of LTTng-UST's, or of ours */

/* The first thread may end alone. */
void hg_exit_watch_begin(void);
/* The calling thread, and nothing else, is about to end by SYS_exit; may end the process. */
void hg_exit_watch_thread_ends(int status);

#endif
