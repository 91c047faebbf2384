/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation: a thread that the program cancels must not end inside of our code. */
#ifndef HIPGRAIN_PRELOAD_CORE_CANCEL_H
#define HIPGRAIN_PRELOAD_CORE_CANCEL_H

#include <stdbool.h>

#include "preload/core/base.h"

/*
 * Around our own calls of functions at which a thread may be cancelled: the program did not call
 * them, and what we hold would never be given back. The second is given what the first returned.
 */
static inline int hg_keep_thread(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void hg_release_thread(int before)
{
	pthread_setcancelstate(before, NULL);
}

/*
 * A thread that may be cancelled at any instruction is not between hg_enter() and hg_leave(), but
 * at cancellation points, of which there are none. Only such threads pay
 * for it.
 */
void hg_defer_cancel(bool yes);

static inline void hg_keep_async(void)
{
	if (HG_UNLIKELY(hg_tls.async)) {
		hg_defer_cancel(true);
		hg_tls.async_kept = true;
	}
}

static inline void hg_release_async(void)
{
	if (HG_UNLIKELY(hg_tls.async_kept)) {
		hg_tls.async_kept = false;
		hg_defer_cancel(false); /* may not return */
	}
}

#endif
