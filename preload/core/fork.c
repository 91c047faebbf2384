/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To LTTng-UST a process that fork() made is another one, with threads, sockets and buffers of its
 * own; setting them up takes as long as starting a program does. Most such processes of shells and
 * servers execute another program or end before they do anything that is recorded. So at first they
 * are only kept from using what is their parent's (HG_FORKED), and LTTng-UST is set up anew by the
 * first call that makes an event (HG_WAKING, then HG_ACTIVE). A process that makes none is not in
 * the trace.
 *
 * For LTTng-UST the child is treated like the parent after a fork: its locks and signals are
 * restored. What remains of the parent's is
 * - readers of threads that do not exist here, for which it would wait: these are removed from its
 *   list;
 * - sockets, at which the session daemon would wait for an answer when the parent has ended: inert
 *   descriptors replace them, because LTTng-UST closes these numbers when it is set up anew;
 * - threads that it cancels at the end of the process, whose memory may be in other use by then:
 *   its functions for the end (gABI, DT_FINI_ARRAY) are removed.
 */
#include "preload/core/fork.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
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

/* How long a thread waits for another that sets LTTng-UST up: that may take its whole time limit.
 */
#define WAIT_STEP_NS 200000
#define WAIT_STEPS   500u

/* Held from before fork() until after it, and while HG_FORKED becomes HG_WAKING. */
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;

enum kind {
	NOT_OURS, /* LTTng-UST's own fork(), of a process that ends at once */
	ASLEEP,   /* of a process that is HG_FORKED itself */
	AWAKE,
};
static __thread enum kind kind __attribute__((tls_model("initial-exec")));
static __thread bool waited __attribute__((tls_model("initial-exec")));

static bool set_state(int from, int to)
{
	return __atomic_compare_exchange_n(&hg_active, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* Whether it is done. Not for threads of LTTng-UST's, which are waited for where they are known.
 */
static bool wait_for_other(void)
{
	struct timespec nap = { .tv_nsec = WAIT_STEP_NS };

	if (hg_is_tracers_thread())
		return false;
	for (unsigned i = 0; !waited && i < WAIT_STEPS; i++) {
		if (__atomic_load_n(&hg_active, __ATOMIC_ACQUIRE) != HG_WAKING)
			break;
		nanosleep(&nap, NULL);
	}
	waited = true;
	return __atomic_load_n(&hg_active, __ATOMIC_ACQUIRE) == HG_ACTIVE;
}

/* ---- the parent ---- */

/* How long a fork() waits for LTTng-UST to be loaded: LTTng-UST's time limit is 3 s. */
#define JOIN_STEPS 25000u

/* Whether it has ended; not for LTTng-UST's own fork() amid it. */
static bool wait_for_join(void)
{
	struct timespec nap = { .tv_nsec = WAIT_STEP_NS };

	for (unsigned i = 0; HG_ANY_PART(joining); i++) {
		if (i == JOIN_STEPS || hg_is_tracers_thread())
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

void hg_fork_barrier(void)
{
	pthread_mutex_lock(&state_lock);
	pthread_mutex_unlock(&state_lock);
}

/* The lock, while nobody loads LTTng-UST; false: that takes too long. */
static bool lock_state(void)
{
	for (;;) {
		if (!wait_for_join())
			return false;
		pthread_mutex_lock(&state_lock);
		if (!HG_ANY_PART(joining))
			return true;
		pthread_mutex_unlock(&state_lock);
	}
}

/* A process that has recorded nothing since its own fork has the memory that it had then. */
static __thread struct hg_fork_origin next_origin __attribute__((tls_model("initial-exec")));

static void note_origin(void)
{
	next_origin = hg_fork_origin;
	if (kind == AWAKE)
		next_origin = (struct hg_fork_origin){ hg_process_id, hg_now() };
	else if (kind == NOT_OURS)
		next_origin.pid = 0;
}

static void before_fork(void)
{
	hg_tls.fork_state = hg_keep_thread();
	hg_tls.busy++;
	kind = NOT_OURS;
	if (!hg_confined && (hg_active != HG_WAKING || wait_for_other()) && lock_state())
		kind = hg_active == HG_ACTIVE ? AWAKE : ASLEEP;
	if (kind != AWAKE) {
		hg_pool_lock(); /* LTTng-UST's threads allocate there, also in their own fork() */
		note_origin();
		return;
	}
	HG_EACH_PART(fork_lock);
	hg_provider->before_fork(&hg_tls.saved_signals);
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
	if (kind == AWAKE) {
		hg_provider->after_fork_parent(&hg_tls.saved_signals);
		unlock(false);
	}
	if (kind != NOT_OURS)
		pthread_mutex_unlock(&state_lock);
	hg_tls.busy--;
	hg_release_thread(hg_tls.fork_state);
}

/* ---- the child ---- */

/*
 * LTTng-UST's libraries do these things at the end of the process. Since they were loaded a
 * function of ours is in place of each: later the loader's read-only pages may not become writable,
 * if the limit of a process's data is reached (RLIMIT_DATA).
 */
#define ENDS_MAX 64u

typedef void end_function(void);

static end_function *ends[ENDS_MAX];
static unsigned end_count; /* of these; more: they are not known */
static unsigned first_end; /* the one of the provider's that is called first */
static bool unwanted;      /* atomic */
static end_function *instead;

static void end(unsigned i)
{
	if (!__atomic_load_n(&unwanted, __ATOMIC_ACQUIRE))
		ends[i]();
	else if (instead && i == first_end)
		instead();
}

/* clang-format off */
#define EIGHT(X, n)    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define OCTAL(X)       EIGHT(X, 00) EIGHT(X, 01) EIGHT(X, 02) EIGHT(X, 03) \
		       EIGHT(X, 04) EIGHT(X, 05) EIGHT(X, 06) EIGHT(X, 07)
#define STAND_IN(n)    static void end_##n(void) { end(n); }
#define STAND_IN_OF(n) end_##n,
OCTAL(STAND_IN)
static end_function *const stand_ins[ENDS_MAX] = { OCTAL(STAND_IN_OF) };
/* clang-format on */

/* Takes the functions over. The loader has made their pages read-only. */
static void take_ends(end_function **places, size_t count)
{
	uintptr_t page = (uintptr_t)getpagesize(), start = (uintptr_t)places & -page;
	size_t size = (uintptr_t)&places[count] - start;

	if (end_count + count > ENDS_MAX || mprotect((void *)start, size, PROT_READ | PROT_WRITE)) {
		end_count = ENDS_MAX + 1;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		ends[end_count] = places[i];
		places[i] = stand_ins[end_count++];
	}
	mprotect((void *)start, size, PROT_READ);
}

static void find_ends(const struct link_map *map)
{
	end_function **places = NULL;
	size_t count = 0;

	for (const ElfW(Dyn) *dyn = map->l_ld; dyn->d_tag != DT_NULL; dyn++)
		if (dyn->d_tag == DT_FINI_ARRAY)
			places = (end_function **)(map->l_addr + dyn->d_un.d_ptr);
		else if (dyn->d_tag == DT_FINI_ARRAYSZ)
			count = dyn->d_un.d_val / sizeof(*places);
	if (!places || !count)
		return;
	take_ends(places, count);
	if (strstr(map->l_name, "/libhipgrain-provider"))
		first_end = end_count - 1;
}

/* Sets the functions. `first` is called in place of all of them, unless it is NULL. */
static void set_ends(bool wanted, end_function *first)
{
	if (end_count > ENDS_MAX)
		return;
	instead = first;
	__atomic_store_n(&unwanted, !wanted, __ATOMIC_RELEASE);
}

void hg_fork_ends(bool wanted)
{
	set_ends(wanted, NULL);
}

void hg_fork_ends_only(void (*function)(void))
{
	set_ends(false, function);
}

/* Whether LTTng-UST can be left as it is for now. */
static bool can_sleep(void)
{
	return hg_early_events() ||
	       (hg_provider->forget_threads && end_count && end_count <= ENDS_MAX);
}

static void fall_asleep(void)
{
	hg_fork_ends(false);
	hg_provider->after_fork_parent(&hg_tls.saved_signals);
	hg_provider->forget_threads();
	HG_EACH_PART(fork_detach);
}

/* Cheap, and needed even if the process never records anything. */
static void begin_process(void)
{
	hg_threads_reset();
	hg_room_reset();
	hg_process_forked = true;
	hg_fork_origin = next_origin;
	HG_EACH_PART(fork_child);
	hg_process_id = getpid();
}

/* What the parent defined (stacks, modules, kernels) is not defined in the child's events. */
static void begin_recording(void)
{
	HG_EACH_PART(fork_record);
	hg_begin_first();
}

static void go_on_standing_by(bool sleeps)
{
	hg_pool_unlock();
	unlock(true);
	if (sleeps)
		fall_asleep();
	begin_process();
	HG_EACH_PART(fork_standby);
	HG_EACH_PART(fork_done, false);
	pthread_mutex_unlock(&state_lock);
	hg_tls.busy--;
	hg_release_thread(hg_tls.fork_state);
}

/*
 * While LTTng-UST starts its threads anew it waits for them, and they allocate, through the loader,
 * too: none of that is the program's, and they must not wait for a lock of ours.
 */
static void after_fork_child(void)
{
	bool sleeps = kind == AWAKE && can_sleep();

	/* On standby nothing has to be set up until a recorder requests it. */
	if (kind == AWAKE && hg_config.standby && !*hg_provider->recording &&
	    (sleeps || hg_provider != hg_opened_provider)) {
		go_on_standing_by(sleeps);
		return;
	}

	hg_pool_unlock();
	if (kind == NOT_OURS) {
		hg_libc_check();
		hg_active = HG_DORMANT; /* half of LTTng-UST is there */
		hg_changed();
	}
	if (kind == AWAKE) {
		hg_changed();
		hg_active = sleeps ? HG_FORKED : HG_WAKING;
		unlock(true);
		if (sleeps)
			fall_asleep();
		else {
			HG_EACH_PART(fork_attach);
			hg_provider->after_fork_child(&hg_tls.saved_signals);
		}
	}
	if (kind != NOT_OURS) {
		begin_process();
		HG_EACH_PART(fork_done, kind == AWAKE && !sleeps);
		pthread_mutex_unlock(&state_lock);
	}
	if (kind == AWAKE && !sleeps) {
		HG_EACH_PART(joined, hg_provider);
		begin_recording();
		hg_active = HG_ACTIVE; /* only now: others would wait for the beginning */
	}
	hg_tls.busy--;
	hg_release_thread(hg_tls.fork_state);
}

/* ---- its first event ---- */

void hg_fork_join(const struct hg_provider *provider)
{
	hg_fork_ends(true);
	HG_EACH_PART(fork_attach);
	provider->before_fork(&hg_tls.saved_signals);
	provider->after_fork_child(&hg_tls.saved_signals);
}

static void wake(void)
{
	HG_EACH_PART(waking);
	if (!hg_opened_provider && hg_begin_early()) {
		set_state(HG_WAKING, HG_ACTIVE);
		return;
	}
	if (!hg_opened_provider) {
		/* A program that was executed, and has had no LTTng-UST so far. */
		set_state(HG_WAKING, hg_load_late() ? HG_ACTIVE : HG_DORMANT);
		return;
	}
	/* Before LTTng-UST has threads, which may begin the recording: one file for a process. */
	HG_EACH_PART(joined, hg_provider);
	hg_fork_join(hg_provider);
	begin_recording();
	HG_EACH_PART(threads_started);
	set_state(HG_WAKING, HG_ACTIVE);
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

void hg_fork_load(void)
{
	if (hg_opened_provider || hg_active <= HG_NEW)
		return;
	hg_fork_wake();
}

void hg_fork_loaded(void)
{
	for (const struct link_map *map = _r_debug.r_map; map && !hg_brings_lttng();
	     map = map->l_next)
		if (hg_is_lttng_file(map->l_name) || strstr(map->l_name, "/libhipgrain-provider"))
			find_ends(map);
}

void hg_fork_init(void)
{
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}
