/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what files of the replay share about one process. */
#ifndef HIPGRAIN_REPLAY_PROCESS_STATE_H
#define HIPGRAIN_REPLAY_PROCESS_STATE_H

#include "analyzer/replay/replay.h"

/* Returns a process of which nothing is known; process_free() frees it. */
struct process *process_new(int32_t pid);
void process_free(gpointer process);

/* Applies an `error` event. */
void process_call_failed(struct process *process, const struct hg_event *event);

#endif
