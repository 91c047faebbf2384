/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that processes have stored and not recorded yet (batch_events.h), when a recording ends
 * before they do. Those of a program that continues would be recorded too late.
 */
#ifndef HIPGRAIN_TRACER_OPEN_BATCHES_H
#define HIPGRAIN_TRACER_OPEN_BATCHES_H

#include <stdbool.h>

/*
 * Before the session is stopped: have the processes whose files are below `directory` gather
 * nothing more, and keep what they have by now in the bundle of which `bundle` is the descriptor;
 * what they record after all is there twice, and counts once. Without such files it does nothing.
 * Called again, when events are not counted any more, it does the same for processes that began to
 * gather meanwhile.
 */
void open_batches_keep(const char *directory, int bundle);

/*
 * The recorder's, in its bundle: make the file that processes without LTTng-UST share
 * (early_events.h), 0 or -errno; at the end remove it, if no process uses it.
 */
int open_batches_share(int bundle);
void open_batches_unshare(int bundle);

/* They may gather again. */
void open_batches_release(const char *directory);

#endif
