/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes the HIP call that each thread is in, where it outlives the process
 * (tracer/open_calls.h).
 */
#ifndef HIPGRAIN_PRELOAD_TRACE_ENTER_CALLS_H
#define HIPGRAIN_PRELOAD_TRACE_ENTER_CALLS_H

#include <stdint.h>

#include "preload/core/base.h"
#include "tracer/open_calls.h"

/*
 * A thread that has no slot yet has the first in its place, one that gets none the second. Neither
 * is read.
 */
extern HG_HIDDEN struct hg_open_call hg_open_call_new, hg_open_call_none;

/* Gives the calling thread a slot: hg_tls.open_call is then set. Needs hg_enter(). */
void hg_open_call_find(void);

/*
 * Publishes that the calling thread is about to enter a function, without arguments, which the
 * caller stores in hg_tls.open_call. Needs hg_enter().
 */
static inline __attribute__((always_inline)) void
hg_open_call_begin(uint16_t api, uint64_t start, const void *caller, uint32_t stack_id)
{
	struct hg_open_call *open;

	if (HG_UNLIKELY(!hg_tls.open_call || hg_tls.open_call == &hg_open_call_new))
		hg_open_call_find();
	open = hg_tls.open_call;
	open->start = start;
	open->caller = (uintptr_t)caller;
	open->stack_id = stack_id;
	open->stream = open->ptr = open->src = open->size = 0;
	open->rows = open->depth = 0;
	open->kind = 0;
	open->kernel_id = 0;
	open->event = 0;
	__atomic_store_n(&open->state, api, __ATOMIC_RELEASE);
}

/* Notes that the function has returned, also if none was published. */
static inline void hg_open_call_end(void)
{
	if (HG_LIKELY(hg_tls.open_call != NULL))
		__atomic_store_n(&hg_tls.open_call->state, 0, __ATOMIC_RELEASE);
}

#endif
