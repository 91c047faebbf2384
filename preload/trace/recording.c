/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a session's recording of this process begins and ends. begin_lock is held meanwhile; it is
 * taken before all others (docs/INTERNALS.md).
 */
#include "preload/trace/recording.h"

#include <errno.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/message.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/trace/batch.h"
#include "preload/trace/cost.h"
#include "preload/trace/counts.h"
#include "preload/trace/enter.h"
#include "preload/trace/process.h"
#include "preload/trace/ring.h"
#include "tracer/provider.h"

static pthread_mutex_t begin_lock = PTHREAD_MUTEX_INITIALIZER;
static int wanted; /* atomic: a session needs the state */

int hg_recording_begun;
uint64_t (*hg_counted_age)(void);

/* `all`: blocks below it are of interest, too. */
static void set_threshold(uint32_t threshold, bool all)
{
	__atomic_store_n(&hg_threshold, threshold, __ATOMIC_RELAXED);
	hg_libc_limit(all ? 0 : threshold);
}

/*
 * Under begin_lock. A session creates its events in the process one by one, before it starts: a
 * thread that records in the meantime gets here, and what it records is lost. Whoever requests the
 * state from now on gets it once more, because the request may come in the middle of this.
 */
static void begin(bool late)
{
	__atomic_store_n(&wanted, 0, __ATOMIC_SEQ_CST);
	if (hg_config.standby)
		set_threshold(hg_config.threshold, hg_config.totals);
	if (late && hg_config.standby) {
		__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELEASE); /* others wait */
		__atomic_fetch_add(&hg_generation, 1, __ATOMIC_RELAXED);
		HG_EACH_PART(forget);
	}
	hg_counts_begun();
	hg_process_record(late);
	if (hg_config.standby)
		hg_cost_record();
	HG_EACH_PART(begin, late);
	if (late && hg_config.standby) {
		HG_EACH_PART(record_all);
		HG_EACH_PART(after_state);
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
		set_threshold(hg_config.standby_threshold, false);
	}
	pthread_mutex_unlock(&begin_lock);
}

/*
 * A recording that forgets what was before wants the state once more: this thread records it, and
 * its own call then. Returns true if it has.
 */
static bool begin_again(void)
{
	bool done;

	if (!hg_early_events())
		return false;
	hg_tls.busy++;
	pthread_mutex_lock(&begin_lock);
	done = *hg_provider->recording;
	if (!done && hg_ring_again()) {
		__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELEASE);
		done = true;
	}
	pthread_mutex_unlock(&begin_lock);
	hg_tls.busy--;
	if (!done ||
	    (!__atomic_load_n(&hg_recording_begun, __ATOMIC_ACQUIRE) && !hg_begin_recording(true)))
		return false;
	hg_tls.busy = 1;
	return true;
}

bool hg_enter_unrecorded(void)
{
	if (hg_config.standby && begin_again())
		return true;
	hg_counts_unrecorded();
	if (!hg_config.standby)
		return false;
	if (HG_UNLIKELY(__atomic_load_n(&hg_recording_begun, __ATOMIC_RELAXED)))
		end();
	if (!hg_tls.keeping)
		return false;
	hg_tls.busy = 1;
	return true;
}

static void *record_late(void *unused)
{
	(void)unused;
	hg_tls.busy = 1;
	pthread_mutex_lock(&begin_lock);
	if (__atomic_load_n(&wanted, __ATOMIC_RELAXED) && *hg_provider->recording)
		begin(true);
	pthread_mutex_unlock(&begin_lock);
	return NULL;
}

/*
 * Called by LTTng-UST under its locks, which a fork() takes after ours: another thread records the
 * state.
 */
static void on_wanted(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	hg_tls.busy++;
	__atomic_store_n(&wanted, 1, __ATOMIC_SEQ_CST);
	if (!pthread_attr_init(&attributes)) {
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attributes, 256 * 1024);
		/* Without a thread the next event records it, as for the first session. */
		if (pthread_create(&thread, &attributes, record_late, NULL))
			__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELEASE);
		pthread_attr_destroy(&attributes);
	}
	hg_tls.busy--;
}

static void listen(const struct hg_provider *provider)
{
	if (hg_config.standby && provider->on_state_wanted && provider->on_state_wanted(on_wanted))
		hg_say("this LTTng-UST does not report when a session starts: a recording that "
		       "begins late hears of the program at its next call");
}

/* ---- start and fork ---- */

static int init(void)
{
	if (hg_config.standby)
		set_threshold(hg_config.standby_threshold, false);
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
	hg_tls.ordinary = hg_tls.ordinary_stacks = 0; /* block.c */
}

HG_PART(.name = "recording", .order = 20, .loaded = listen, .init = init,
	.record = hg_begin_recording, .fork_lock = fork_lock, .fork_unlock = fork_unlock,
	.fork_child = fork_child);
