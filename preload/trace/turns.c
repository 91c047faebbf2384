/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns of threads that write batches.
 *
 * LTTng-UST drops an event for whose place a whole round of the CPU's sub-buffers would have to be
 * overwritten while one of that round is still being written (lib_ring_buffer_try_reserve_slow(),
 * "records_lost_wrap", lttng-ust 2.13): it does not wait for it, as it does for a reader. That is
 * where a thread has lost its CPU in the middle of an event, and others have it for long enough to
 * fill 64 KiB. So of the threads of a process that record batches on one CPU, which are what fills
 * it, one at a time is at it.
 */
#include "preload/trace/turns.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/parts.h"

#define TURNS       256u /* CPUs share them */
#define TURN_YIELDS 50u
#define TURN_NAPS   1000u

static struct {
	uintptr_t thread; /* atomic; &hg_tls of the one whose turn it is; 0: nobody's */
} __attribute__((aligned(64))) turns[TURNS];

uintptr_t *hg_turn_take(void)
{
	struct timespec nap = { .tv_nsec = 100000 };
	uintptr_t *turn, nobody;
	int cancel;

	for (unsigned tries = 0; tries < TURN_YIELDS + TURN_NAPS; tries++) {
		nobody = 0;
		turn = &turns[(unsigned)sched_getcpu() % TURNS].thread;
		if (HG_LIKELY(__atomic_compare_exchange_n(turn, &nobody, (uintptr_t)&hg_tls, false,
							  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
			return turn;
		if (tries < TURN_YIELDS) {
			sched_yield();
			continue;
		}
		cancel = hg_keep_thread();
		nanosleep(&nap, NULL);
		hg_release_thread(cancel);
	}
	/* It waits for a reader, or left our code by a jump out of a signal's handler. */
	__atomic_store_n(turn, (uintptr_t)&hg_tls, __ATOMIC_RELAXED);
	return turn;
}

void hg_turn_end(uintptr_t *turn)
{
	uintptr_t own = (uintptr_t)&hg_tls;

	__atomic_compare_exchange_n(turn, &own, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static void fork_child(void)
{
	memset(turns, 0, sizeof(turns));
}

HG_PART(.name = "turns", .order = 72, .fork_child = fork_child);
