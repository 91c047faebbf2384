/* SPDX-License-Identifier: Apache-2.0 */
/* Names of threads, the same in all formats: by their numbers, and what roctxNameOsThread() said.
 */
#ifndef HIPGRAIN_THREAD_NAMES_H
#define HIPGRAIN_THREAD_NAMES_H

#include "replay.h"

/* Notes the thread that an event names. */
void thread_names_event(struct process *process, const struct hg_event *event);

/* Returns the name that the program gave it, printable, or NULL; it holds until the next one. */
const char *thread_label(const struct process *process, int32_t tid);

/* Returns 'thread 12', or 'thread 12 "loader"' where the program gave it a name; the caller frees.
 */
char *thread_name(const struct process *process, int32_t tid);

#endif
