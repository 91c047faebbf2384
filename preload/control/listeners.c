/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program can notice threads that it did not make. unshare(2) and setns(2) fail with EINVAL in a
 * process with several threads. Rights that a thread changes for itself only (capset(2),
 * PR_SET_KEEPCAPS, setuid(2) without the C library) differ from those of the other threads, and the
 * C library's setuid() then calls abort(). A process whose only thread ended itself does not end.
 *
 * LTTng-UST has two listener threads, which receive commands of session daemons. They are not
 * needed to record: events are written to memory that is shared with the consumer. So in a process
 * that is recorded until it ends, the listeners, which have no threads there (threadless.c), end as
 * soon as the session records it. To the daemon such a process has ended, which does not affect
 * buffers that belong to the user (LTTNG_BUFFER_PER_UID). Whether the session still records, which
 * the daemon would have reported, is read from memory that the process shares with the recorder
 * (struct hg_missed_table: recording).
 *
 * Other processes keep their listeners: those that can be attached to, and those whose state is to
 * be recorded repeatedly (a flight recorder's). Their listeners end before a call that fails beside
 * other threads, and the process is not recorded from then on.
 *
 * A listener ends itself, at a place where it waits and holds no lock: in recvmsg() between two
 * commands (elsewhere LTTng-UST has disabled cancellation, ust_lock()), at the futex on which it
 * waits for a daemon to appear, or in sleep() before it looks for one again (lttng-ust 2.13,
 * ust_listener_thread()).
 */
#include "preload/control/listeners.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/control/descriptors.h"
#include "preload/control/missed.h"
#include "preload/control/process_exit.h"
#include "preload/control/seccomp.h"
#include "preload/control/threadless.h"
#include "preload/control/thread_exit_watch.h"
#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/fork.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "tracer/provider.h"

#define LISTENERS_MAX 4u
#define WAIT_STEP_NS  50000
#define WAIT_STEPS    10000u /* half a second at least */
#define START_STEPS   4000u  /* 0.2 s at least; then the program begins with them */

enum work {
	WORK_CONNECTS, /* or sleeps before it does; it may be cancelled */
	WORK_WAITS,    /* for a daemon; it may be cancelled */
	WORK_SERVES,   /* a command */
	WORK_RECEIVES, /* the next command, on `fd` */
	WORK_ENDS,
};

struct listener {
	pid_t tid; /* 0: a free place */
	pthread_t thread;
	enum work work;
	int fd;
	bool cancelled;
};

static struct listener listeners[LISTENERS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of these; held without waiting */
static __thread struct listener *own __attribute__((tls_model("initial-exec")));

static bool ending; /* atomic */

/* A copy of the provider in which another word tells whether a session records. */
static struct hg_provider quiet;
static const struct hg_provider *original; /* NULL: it is not in use */
static void (*real_exit)(void *) __attribute__((noreturn));
static int (*real_cancel)(pthread_t);
static int (*real_cancel_type)(int, int *);

static void set_up(void)
{
	if (original) {
		hg_provider = original;
		original = NULL;
		hg_changed();
	}
	memset(listeners, 0, sizeof(listeners));
	hg_threadless_reset();
	pthread_mutex_init(&lock, NULL);
	ending = false;
	own = NULL;
	if (real_exit)
		return;
	real_cancel = (__typeof__(real_cancel))hg_libc.dlsym(RTLD_NEXT, "pthread_cancel");
	real_cancel_type =
	    (__typeof__(real_cancel_type))hg_libc.dlsym(RTLD_NEXT, "pthread_setcanceltype");
	real_exit = (__typeof__(real_exit))hg_libc.dlsym(RTLD_NEXT, "pthread_exit");
}

/* ---- in a listener ---- */

static bool is_ending(void)
{
	return __atomic_load_n(&ending, __ATOMIC_ACQUIRE);
}

static void set_work(enum work work, int fd)
{
	pthread_mutex_lock(&lock);
	own->work = work;
	own->fd = fd;
	pthread_mutex_unlock(&lock);
}

static __attribute__((noreturn)) void leave(void)
{
	if (hg_threadless_runs())
		hg_threadless_leave();
	set_work(WORK_ENDS, -1);
	real_exit(NULL);
}

bool hg_is_listener(void)
{
	return own || hg_threadless_runs();
}

void hg_listener_left(void)
{
	pthread_mutex_lock(&lock);
	if (own)
		own->tid = 0;
	own = NULL;
	pthread_mutex_unlock(&lock);
}

void hg_listener_connects(void)
{
	pid_t self = (pid_t)hg_syscall(SYS_gettid);

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; !own && i < LISTENERS_MAX; i++)
		if (!listeners[i].tid)
			own = &listeners[i];
	if (own) {
		own->tid = self;
		own->thread = pthread_self();
		own->work = WORK_CONNECTS;
	}
	pthread_mutex_unlock(&lock);
}

static bool may_be_cancelled(void)
{
	int before = hg_keep_thread();

	hg_release_thread(before);
	return before == PTHREAD_CANCEL_ENABLE;
}

void hg_listener_receives(int fd)
{
	if (hg_threadless_runs()) {
		hg_threadless_receives(fd, may_be_cancelled());
		return;
	}
	if (!own)
		return;
	if (!may_be_cancelled()) { /* part of a command */
		if (own->work != WORK_SERVES)
			set_work(WORK_SERVES, -1);
		return;
	}
	set_work(WORK_RECEIVES, fd);
	if (is_ending())
		leave();
}

void hg_listener_received(void)
{
	if (hg_threadless_runs())
		hg_threadless_received();
	if (!own || own->work != WORK_RECEIVES)
		return;
	if (is_ending())
		leave();
	set_work(WORK_SERVES, -1);
}

/* A process that `record` started has one daemon, which does not return. */
long hg_listener_waits(long a, long b, long c, long d, long e, long f)
{
	int saved;
	long rc;

	if (hg_config.recorded || is_ending())
		leave();
	set_work(WORK_WAITS, -1);
	/* It holds no lock here. futex() is not a cancellation point. */
	real_cancel_type(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	rc = hg_syscall(SYS_futex, a, b, c, d, e, f);
	saved = errno;
	real_cancel_type(PTHREAD_CANCEL_DEFERRED, NULL);
	set_work(WORK_CONNECTS, -1);
	errno = saved;
	return rc;
}

/* ---- in a thread of the program ---- */

/* Under the lock, so that the listener is there. */
static void wake(struct listener *listener)
{
	switch (listener->work) {
	case WORK_RECEIVES:
		/* Also notifies the daemon, which then does not wait for answers. */
		hg_descriptor_forget(listener->fd);
		shutdown(listener->fd, SHUT_RDWR);
		break;
	case WORK_CONNECTS:
	case WORK_WAITS:
		if (!listener->cancelled)
			real_cancel(listener->thread);
		listener->cancelled = true;
		break;
	case WORK_SERVES:
	case WORK_ENDS:
		break;
	}
}

/* By now another thread may have this number. */
static bool is_there(const struct listener *listener)
{
	return listener->tid && !hg_syscall(SYS_tgkill, getpid(), listener->tid, 0) &&
	       ((listener->work != WORK_ENDS && !listener->cancelled) ||
		hg_is_tracers(listener->tid));
}

/* Wake the listeners that exist; returns whether there are any. */
static bool wake_all(void)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < LISTENERS_MAX; i++) {
		if (is_there(&listeners[i])) {
			wake(&listeners[i]);
			any = true;
		} else {
			listeners[i].tid = 0;
		}
	}
	pthread_mutex_unlock(&lock);
	return any;
}

static void begin_end(void)
{
	__atomic_store_n(&ending, true, __ATOMIC_RELEASE);
	/* LTTng-UST would cancel them, but they have ended. */
	hg_fork_ends_only(hg_process_at_exit);
}

/* Wait until they have ended, for a limited number of steps. */
static void wait_for_end(unsigned steps)
{
	struct timespec nap = { .tv_nsec = WAIT_STEP_NS };

	for (unsigned i = 0; wake_all() && i < steps; i++)
		nanosleep(&nap, NULL);
}

static void dismiss(bool needed)
{
	const volatile int *recording;

	if (!hg_config.recorded || hg_config.standby || !hg_config.own_lttng || is_ending() ||
	    !*hg_provider->recording || !(recording = hg_missed_recording()) ||
	    (hg_missed_keep() && !needed))
		return;
	original = hg_provider;
	quiet = *hg_provider;
	quiet.recording = recording;
	__atomic_store_n(&hg_provider, &quiet, __ATOMIC_RELEASE);
	hg_changed(); /* threads have looked at the other provider's word (block.c) */
	begin_end();
	hg_threadless_hang_up();
	wait_for_end(START_STEPS);
}

static void recorded(void)
{
	dismiss(false);
}

bool hg_listeners_ended(void)
{
	return is_ending();
}

void hg_listeners_alone(void)
{
	int saved = errno, cancel;

	/* Later it may no longer be possible to start LTTng-UST. */
	hg_fork_load();
	if (hg_active > HG_NEW)
		hg_fork_wake();
	if (hg_tls.busy || hg_active != HG_ACTIVE || getpid() != hg_process_id)
		return;
	hg_missed_open();
	cancel = hg_keep_thread();
	hg_tls.busy++;
	HG_EACH_PART(alone);
	/* Otherwise it is on standby: another provider is used. */
	if (hg_config.own_lttng && (original || hg_provider == hg_opened_provider)) {
		dismiss(true);
		if (!is_ending()) {
			begin_end();
			hg_confine_alone();
		}
		wait_for_end(WAIT_STEPS);
	}
	hg_tls.busy--;
	hg_release_thread(cancel);
	errno = saved;
}

/* ---- when nobody reads ---- */

/* The recorder holds a lock on its directory. */
static bool has_recorder(void)
{
	int fd = open(hg_config.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked = fd < 0 || flock(fd, LOCK_SH | LOCK_NB);

	if (fd >= 0)
		hg_libc.close(fd);
	return locked;
}

static bool orphaned(void)
{
	static const volatile int never;

	if (!original || (*quiet.recording && !hg_descriptors_hung_up() && has_recorder()))
		return false;
	quiet.recording = &never;
	hg_changed();
	return true;
}

HG_PART(.name = "listeners", .order = 13, .early = set_up, .fork_attach = set_up,
	.recorded = recorded, .orphaned = orphaned);
