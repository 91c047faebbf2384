/* SPDX-License-Identifier: Apache-2.0 */
/* These stand around making events. */
#ifndef HIPGRAIN_PRELOAD_TRACE_ENTER_H
#define HIPGRAIN_PRELOAD_TRACE_ENTER_H

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/fork.h"
#include "preload/core/start.h"
#include "preload/trace/batch.h"
#include "preload/trace/session_recording.h"
#include "preload/trace/own_ring.h"
#include "tracer/provider.h"

/* Returns true if events can be made; is called in a function that makes one. */
static inline bool hg_awake(void)
{
	return HG_LIKELY(hg_active == HG_ACTIVE) ||
	       (HG_UNLIKELY(hg_active > HG_NEW) && hg_fork_wake());
}

/* Returns true if the call is remembered (live_state.c), or recorded by a session that has just
 * begun, in a process that was not recorded. */
bool hg_enter_unrecorded(void);

/* These measure the processor time of some calls, as an estimate of that of all: cost.c. */
void hg_cost_begin(void);
void hg_cost_end(void);

/* Returns how often the calling thread has begun to make events. */
static inline uint32_t hg_entered(void)
{
	return hg_tls.timed_at + (uint32_t)hg_tls.until_timed;
}

/* Does what hg_enter() does, for callers that look after old batches themselves. */
static inline bool hg_enter_batched(void)
{
	if (HG_UNLIKELY(!hg_awake()) || hg_tls.busy) {
		if (HG_UNLIKELY(hg_confined) && !hg_tls.busy)
			hg_ring_confined_call(HG_UNRECORDED_CALL);
		return false;
	}
	if (HG_UNLIKELY((hg_tls.kind | 1) != HG_ORDINARY_THREAD)) /* prepared or not */
		hg_keep_async();
	if (HG_UNLIKELY(!*hg_provider->recording)) {
		if (hg_enter_unrecorded())
			return true;
		hg_release_async();
		return false;
	}
	if (HG_UNLIKELY(!__atomic_load_n(&hg_recording_begun, __ATOMIC_ACQUIRE)) &&
	    !hg_begin_recording(true)) {
		hg_release_async();
		return false;
	}
	hg_tls.busy = 1;
	if (HG_UNLIKELY(++hg_tls.until_timed >= 0))
		hg_cost_begin();
	return true;
}

/* Does the same for a call that is made often: what mostly holds is inline. */
static inline __attribute__((always_inline)) bool hg_enter_often(void)
{
	if (HG_LIKELY(hg_active == HG_ACTIVE && !hg_tls.busy &&
		      (hg_tls.kind | 1) == HG_ORDINARY_THREAD && *hg_provider->recording &&
		      __atomic_load_n(&hg_recording_begun, __ATOMIC_ACQUIRE) &&
		      hg_tls.until_timed < -1)) {
		hg_tls.busy = 1;
		hg_tls.until_timed++;
		return true;
	}
	return hg_enter_batched();
}

/* Begins to make events in the calling thread. Returns false if none are to be made. errno is
 * kept. */
static inline bool hg_enter(void)
{
	return hg_enter_batched();
}

static inline void hg_leave(void)
{
	if (HG_UNLIKELY(hg_tls.leaving)) {
		if (hg_tls.timing)
			hg_cost_end();
		hg_tls.busy = 0;
		hg_release_async();
	} else {
		hg_tls.busy = 0;
	}
}

#endif
