/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of streams, the same in all formats of the report: by their numbers in the order in which
 * the process created them, or used them first if that was not recorded. A handle's number is that
 * of the latest stream that has it. Programs name streams by roctxNameHipStream().
 */
#ifndef HIPGRAIN_STREAM_NAMES_H
#define HIPGRAIN_STREAM_NAMES_H

#include "replay.h"

/* Notes the stream that an event creates, uses or names. */
void stream_names_event(struct process *process, const struct hg_event *event);

/* Returns the number of the stream with that handle, from 1; 0: a default stream, or unknown. */
unsigned stream_number(const struct process *process, uint64_t handle);

/*
 * Returns "stream 2", "the null stream" or the like, with the name that the program gave it:
 * 'stream 2 "copies"'; the caller frees it. `number`: of that handle.
 */
char *stream_name(const struct process *process, uint64_t handle, unsigned number);
/* Returns the same for a stream that has a number. */
char *stream_number_name(const struct process *process, unsigned number);

#endif
