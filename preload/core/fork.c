/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that fork() made has a file of its own. Most such processes of shells and servers
 * execute another program or end before they do anything that is recorded. So at first they are
 * only kept from using what is their parent's (HG_FORKED), and the first call that makes an event
 * begins the recording (HG_WAKING, then HG_ACTIVE). A process that makes none is not in the
 * recording.
 */
#include "preload/core/fork.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "tracer/provider.h"

/* A thread waits so long for another that begins the recording. */
#define WAIT_STEP_NS 200000
#define WAIT_STEPS   500u

/* Held from before fork() until after it, and while HG_FORKED becomes HG_WAKING. */
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;

/* hg_active was HG_ACTIVE before fork(). */
static __thread bool awake __attribute__((tls_model("initial-exec")));
static __thread bool waited __attribute__((tls_model("initial-exec")));

static bool set_state(int from, int to)
{
	return __atomic_compare_exchange_n(&hg_active, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* Waits for another thread that begins the recording. Returns true if the process is recorded
 * now. */
static bool wait_for_other(void)
{
	struct timespec nap = { .tv_nsec = WAIT_STEP_NS };

	for (unsigned i = 0; !waited && i < WAIT_STEPS; i++) {
		if (__atomic_load_n(&hg_active, __ATOMIC_ACQUIRE) != HG_WAKING)
			break;
		nanosleep(&nap, NULL);
	}
	waited = true;
	return __atomic_load_n(&hg_active, __ATOMIC_ACQUIRE) == HG_ACTIVE;
}

/* ---- the parent ---- */

/* A process that has recorded nothing since its own fork has the memory that it had then. */
static __thread struct hg_fork_origin next_origin __attribute__((tls_model("initial-exec")));

static void note_origin(void)
{
	next_origin = hg_fork_origin;
	if (awake)
		next_origin = (struct hg_fork_origin){ hg_process_id, hg_now() };
}

static void before_fork(void)
{
	hg_tls.fork_state = hg_keep_thread();
	hg_tls.busy++;
	if (hg_active == HG_WAKING)
		wait_for_other();
	pthread_mutex_lock(&state_lock);
	awake = hg_active == HG_ACTIVE;
	if (awake)
		HG_EACH_PART(fork_lock);
	hg_pool_lock();
	note_origin();
}

static void unlock(bool child)
{
	for (unsigned i = hg_part_count; i--;)
		if (hg_parts[i]->fork_unlock)
			hg_parts[i]->fork_unlock(child);
}

static void after_fork_parent(void)
{
	hg_pool_unlock();
	if (awake)
		unlock(false);
	pthread_mutex_unlock(&state_lock);
	hg_tls.busy--;
	hg_release_thread(hg_tls.fork_state);
}

/* ---- the child ---- */

/* This is cheap, and needed even if the process never records anything. */
static void begin_process(void)
{
	hg_threads_reset();
	hg_room_reset();
	hg_process_forked = true;
	hg_fork_origin = next_origin;
	HG_EACH_PART(fork_child);
	hg_process_id = getpid();
}

static void after_fork_child(void)
{
	/* On standby nothing has to be set up until a recorder requests it. */
	bool stands_by = awake && hg_config.standby && !hg_config.recorded;

	hg_pool_unlock();
	if (awake && !stands_by) {
		hg_changed();
		hg_active = HG_FORKED;
	}
	if (awake)
		unlock(true);
	begin_process();
	if (stands_by)
		HG_EACH_PART(fork_standby);
	HG_EACH_PART(fork_done);
	pthread_mutex_unlock(&state_lock);
	hg_tls.busy--;
	hg_release_thread(hg_tls.fork_state);
}

/* ---- its first event ---- */

static void wake(void)
{
	bool begun;

	begun = hg_begin_early();
	if (!begun)
		hg_small_request = SIZE_MAX;
	set_state(HG_WAKING, begun ? HG_ACTIVE : HG_DORMANT);
}

static void wake_here(void *done)
{
	*(bool *)done = hg_fork_wake();
}

bool hg_fork_wake(void)
{
	int saved = errno, cancel;
	bool first, done = false;

	/* In a child by vfork() all would become its parent's. */
	if (hg_tls.busy || hg_tls.in_phdr || hg_tls.resolving || getpid() != hg_process_id)
		return false;
	if (!hg_has_room() && !hg_tls.outside) {
		hg_room_elsewhere(wake_here, &done);
		return done;
	}
	hg_tls.busy++;
	cancel = hg_keep_thread();
	pthread_mutex_lock(&state_lock);
	first = set_state(HG_FORKED, HG_WAKING);
	pthread_mutex_unlock(&state_lock);
	if (first)
		wake();
	else
		wait_for_other();
	hg_release_thread(cancel);
	hg_tls.busy--;
	errno = saved;
	return hg_active == HG_ACTIVE;
}

void hg_fork_init(void)
{
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}
