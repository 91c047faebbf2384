/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of the events that make, change and end memory: one function an event type. */
#ifndef HIPGRAIN_REPLAY_MEMORY_EVENTS_H
#define HIPGRAIN_REPLAY_MEMORY_EVENTS_H

#include "replay.h"

/* The event must be of that type. */
void memory_alloc(struct process *process, const struct hg_event *event);
void memory_free(struct process *process, const struct hg_event *event);
void memory_advise(struct process *process, const struct hg_event *event);
void memory_copy(struct process *process, const struct hg_event *event);
void memory_prefetch(struct process *process, const struct hg_event *event);
/* Applies what the recorder did as if the program had done it. */
void memory_fix(struct process *process, const struct hg_event *event);
void memory_attributes_apply(struct process *process, const struct hg_event *event);

/* Its release failed: it was taken back out of the freed allocations. */
void memory_restored(struct process *process, const struct allocation *allocation);

#endif
