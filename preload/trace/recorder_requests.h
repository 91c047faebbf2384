/* SPDX-License-Identifier: Apache-2.0 */
/* Recorders that want a process on standby to be recorded: recorder_requests.c. */
#ifndef HIPGRAIN_PRELOAD_TRACE_RECORDER_REQUESTS_H
#define HIPGRAIN_PRELOAD_TRACE_RECORDER_REQUESTS_H

#include <stdbool.h>

/* Returns true if a recorder may want another recording of the process than the last one. */
bool hg_request_may_be(void);

/*
 * If one does, the process has a file for it, and the provider that stores events there: returns
 * true. Called with the lock of trace/session_recording.c.
 */
bool hg_request_take(void);

#endif
