/* SPDX-License-Identifier: Apache-2.0 */
/* A session's recording of this process begins and ends by these. */
#ifndef HIPGRAIN_PRELOAD_TRACE_SESSION_RECORDING_H
#define HIPGRAIN_PRELOAD_TRACE_SESSION_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"

/*
 * Records the process and its modules, once a session; if recording began late, at the first event,
 * and then what the process has (live_state.c), too. Waits for a thread that does so already.
 * Returns false if it cannot here.
 */
bool hg_begin_recording(bool late);
extern HG_HIDDEN int hg_recording_begun; /* atomic */

/* Returns how many ns small blocks have been counted, 0 if they are not. It is NULL if nobody could
 * count them. */
extern HG_HIDDEN uint64_t (*hg_counted_age)(void);

#endif
