/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session's recording of this process begins and ends here. begin_lock is held meanwhile; it is
 * taken before all others (docs/INTERNALS.md).
 */
#include "preload/trace/session_recording.h"

#include <errno.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/trace/recorder_requests.h"
#include "preload/trace/batch.h"
#include "preload/trace/cost.h"
#include "preload/trace/enter.h"
#include "preload/trace/process.h"
#include "preload/trace/own_ring.h"
#include "tracer/provider.h"

static pthread_mutex_t begin_lock = PTHREAD_MUTEX_INITIALIZER;

int hg_recording_begun;
uint64_t (*hg_counted_age)(void);

/*
 * Sets the threshold. If `all` is true, blocks below it are of interest, too. A process on standby
 * notices by the blocks that a recording would have that it is wanted.
 */
static void set_threshold(uint32_t threshold, bool all)
{
	__atomic_store_n(&hg_threshold, threshold, __ATOMIC_RELAXED);
	hg_libc_limit(all ? 0 : hg_config.threshold);
}

/* Called with begin_lock. */
static void begin(bool late)
{
	if (hg_config.standby)
		set_threshold(hg_config.threshold, hg_config.totals);
	if (late && hg_config.standby) {
		__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELEASE); /* others wait */
		__atomic_fetch_add(&hg_generation, 1, __ATOMIC_RELAXED);
		HG_EACH_PART(forget);
	}
	hg_process_record(late);
	if (hg_config.standby)
		hg_cost_record();
	HG_EACH_PART(begin, late);
	if (late && hg_config.standby) {
		HG_EACH_PART(record_all);
		HG_EACH_PART(after_state);
		hg_ring_answer();
	}
	__atomic_store_n(&hg_recording_begun, 1, __ATOMIC_RELEASE);
}

static void begin_at(void *late)
{
	hg_begin_recording(*(bool *)late);
}

bool hg_begin_recording(bool late)
{
	int saved = errno, cancel;

	/* Recording the state needs the loader's lock, which this thread holds. */
	if (hg_tls.in_phdr)
		return false;
	if (!hg_has_room() && !hg_tls.outside)
		return hg_room_elsewhere(begin_at, &late);
	hg_tls.busy++;
	cancel = hg_keep_thread();
	pthread_mutex_lock(&begin_lock);
	if (!hg_recording_begun)
		begin(late);
	pthread_mutex_unlock(&begin_lock);
	hg_release_thread(cancel);
	hg_tls.busy--;
	errno = saved;
	return true;
}

/*
 * The session has ended, unless another has begun meanwhile; the state must be recorded again for
 * the next one.
 */
static __attribute__((noinline)) void end(void)
{
	if (pthread_mutex_trylock(&begin_lock))
		return;
	if (hg_recording_begun && !*hg_provider->recording) {
		__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELAXED);
		HG_EACH_PART(end);
		set_threshold(hg_config.standby_threshold, hg_config.totals);
	}
	pthread_mutex_unlock(&begin_lock);
}

/*
 * A recording that forgets what was before wants the state once more; or a recorder has requested
 * a process on standby. This thread records the state, and its own call then. Returns true if it
 * has.
 */
static bool begin_again(void)
{
	int cancel;
	bool done;

	/* Recording the state needs the loader's lock, which this thread holds. */
	if (hg_tls.in_phdr)
		return false;
	hg_tls.busy++;
	cancel = hg_keep_thread();
	pthread_mutex_lock(&begin_lock);
	done = *hg_provider->recording;
	if (!done && (hg_ring_again() || (hg_request_may_be() && hg_request_take()))) {
		__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELEASE);
		hg_changed(); /* threads have looked at another word (block.c) */
		done = true;
	}
	pthread_mutex_unlock(&begin_lock);
	hg_release_thread(cancel);
	hg_tls.busy--;
	if (!done ||
	    (!__atomic_load_n(&hg_recording_begun, __ATOMIC_ACQUIRE) && !hg_begin_recording(true)))
		return false;
	hg_tls.busy = 1;
	return true;
}

static void begin_again_at(void *done)
{
	*(bool *)done = begin_again();
	hg_tls.busy = 0;
}

/* Does the same on a stack that has room for it. */
static bool begin_again_here(void)
{
	bool done = false;

	if (hg_has_room() || hg_tls.outside)
		return begin_again();
	hg_room_elsewhere(begin_again_at, &done);
	if (done)
		hg_tls.busy = 1;
	return done;
}

static bool may_begin_again(void)
{
	return hg_ring_is_open() || hg_request_may_be();
}

bool hg_enter_unrecorded(void)
{
	int saved = errno;
	bool begun = hg_config.standby && may_begin_again() && begin_again_here();

	errno = saved;
	if (begun)
		return true;
	hg_ring_unrecorded();
	if (!hg_config.standby)
		return false;
	if (HG_UNLIKELY(__atomic_load_n(&hg_recording_begun, __ATOMIC_RELAXED)))
		end();
	if (!hg_tls.keeping)
		return false;
	hg_tls.busy = 1;
	return true;
}

/* ---- start and fork ---- */

static int init(void)
{
	if (hg_config.standby)
		set_threshold(hg_config.standby_threshold, hg_config.totals);
	return 0;
}

static void fork_lock(void)
{
	pthread_mutex_lock(&begin_lock);
}

static void fork_unlock(bool child)
{
	(void)child;
	pthread_mutex_unlock(&begin_lock);
}

static void fork_child(void)
{
	hg_recording_begun = 0;
	if (hg_config.standby && !hg_config.recorded)
		set_threshold(hg_config.standby_threshold, hg_config.totals);
	hg_tls.ordinary = hg_tls.ordinary_stacks = 0; /* block.c */
}

HG_PART(.name = "recording", .order = 20, .init = init, .record = hg_begin_recording,
	.fork_lock = fork_lock, .fork_unlock = fork_unlock, .fork_child = fork_child);
