/* SPDX-License-Identifier: Apache-2.0 */
/* Where a session's recording of this process begins and ends. */
#ifndef HIPGRAIN_PRELOAD_TRACE_RECORDING_H
#define HIPGRAIN_PRELOAD_TRACE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"

/*
 * Record the process and its modules, once a session; at the first event if recording began late,
 * and then what the process has (live_state.c). Waits for a thread that is at it. false: it cannot
 * here.
 */
bool hg_begin_recording(bool late);
extern HG_HIDDEN int hg_recording_begun; /* atomic */

/* ns since small blocks are counted, 0: they are not. NULL where nobody could count them. */
extern HG_HIDDEN uint64_t (*hg_counted_age)(void);

#endif
