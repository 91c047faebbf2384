/* SPDX-License-Identifier: Apache-2.0 */
/* A process that ends because its last thread does. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_THREAD_EXIT_WATCH_H
#define HIPGRAIN_PRELOAD_CONTROL_THREAD_EXIT_WATCH_H

#include <stdbool.h>

/* A thread of ours was started, which does not end by itself. */
void hg_exit_watch_started(void);
/* The calling thread is that one, from now on or until now: it does not keep the process alive. */
void hg_exit_watch_reader(bool runs);

/* The first thread may end alone. */
void hg_exit_watch_begin(void);
/* The calling thread, and nothing else, is about to end by SYS_exit; may end the process. */
void hg_exit_watch_thread_ends(int status);

#endif
