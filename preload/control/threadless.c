/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng-UST's listeners without threads. Once a process has had a second thread, glibc's malloc(),
 * mutexes and streams use locked instructions until it ends, also if that thread ended long ago:
 * SQLite took 2 % more processor time. In a process that `record` started the listeners are
 * needed only until the session records (listeners.c). So no thread is made for them:
 * pthread_create() notes what LTTng-UST wants to run (lttng-ust 2.13, ust_listener_thread()), and
 * when its constructor waits until the daemon has sent what to record, in sem_timedwait() or
 * sem_wait(), that thread runs one after the other. A listener leaves, by a jump back to where it
 * was called, at a place where it holds no lock: where it waits for a daemon that is not there, or
 * for the next command when the constructor need not wait any more.
 *
 * As in a thread of theirs, all signals are blocked while they run, but for those that the program
 * does not block while they wait for the daemon; their memory is not the program's
 * (tracer_threads.c), and the thread keeps its name.
 *
 * If the session does not record the process, or the daemon did not answer in time, they get
 * threads after all, and begin anew there.
 */
#include "preload/control/threadless.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "preload/control/descriptors.h"
#include "preload/control/listeners.h"
#include "preload/control/missed.h"
#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/libc_symbols.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/core/tracer_threads.h"

#define LISTENERS_MAX 4u
#define NS            1000000000

/* The kernel's set of signals. */
typedef uint64_t signals;

static struct listener {
	pthread_t *thread; /* where LTTng-UST has its thread */
	void *(*function)(void *);
	void *data;
	int fd; /* from which it would receive the next command; -1: it is not connected */
} listeners[LISTENERS_MAX];
static unsigned count; /* of these; only the thread that loads LTTng-UST has to do with them */

/* What the calling thread does: NULL, or where it goes on when the listener leaves. */
static __thread struct run {
	void *place[5]; /* __builtin_setjmp() */
	struct listener *listener;
	sem_t *enough;                /* what the constructor waits for */
	const struct timespec *until; /* so long, of CLOCK_REALTIME; NULL: for ever */
	signals program;              /* blocked by the program */
	int cancel;                   /* the thread's state around recvmsg() */
} * run __attribute__((tls_model("initial-exec")));

/*
 * Stands for a thread that has ended: at the end of a process LTTng-UST cancels its threads, and
 * glibc does nothing where the kernel's number of a thread is 0.
 */
static char nobody[16384] __attribute__((aligned(64)));

/*
 * Whether LTTng-UST's calls arrive here. Otherwise, with another preloaded library that does not
 * pass them on, a listener would never leave.
 */
static bool is_called(void)
{
	static const char *const names[] = { "recvmsg",       "syscall", "sem_wait",
					     "sem_timedwait", "connect", "sleep" };

	for (size_t i = 0; i < HG_COUNT(names); i++)
		if (hg_is_function_before(names[i]))
			return false;
	return true;
}

static bool without_threads; /* decided before LTTng-UST is loaded */

static bool decide(void)
{
	without_threads = hg_config.recorded && !hg_config.standby && !hg_brings_lttng() &&
			  hg_missed_recording() && !hg_missed_keep() && is_called();
	return without_threads;
}

static bool postpone(pthread_t *thread, void *(*function)(void *), void *data)
{
	if (!without_threads || count == LISTENERS_MAX)
		return false;
	listeners[count++] =
	    (struct listener){ .thread = thread, .function = function, .data = data, .fd = -1 };
	*thread = (pthread_t)nobody;
	return true;
}

bool hg_threadless_runs(void)
{
	return run != NULL;
}

void hg_threadless_reset(void)
{
	count = 0;
	run = NULL;
}

/* ---- in a listener ---- */

void hg_threadless_leave(void)
{
	__builtin_longjmp(run->place, 1);
}

static bool is_enough(void)
{
	int value;

	return !sem_getvalue(run->enough, &value) && value > 0;
}

/* What is left of the time, at least 0; NULL: without limit. */
static struct timespec *time_left(struct timespec *left)
{
	if (!run->until)
		return NULL;
	clock_gettime(CLOCK_REALTIME, left);
	left->tv_sec = run->until->tv_sec - left->tv_sec;
	left->tv_nsec = run->until->tv_nsec - left->tv_nsec;
	if (left->tv_nsec < 0) {
		left->tv_nsec += NS;
		left->tv_sec--;
	}
	if (left->tv_sec < 0)
		*left = (struct timespec){ 0 };
	return left;
}

/* Until there is something to receive; false: the time is over, or the kernel does not wait. */
static bool await(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	struct timespec left;
	long got;

	do
		got = hg_syscall(SYS_ppoll, &one, 1L, time_left(&left), &run->program,
				 sizeof(run->program));
	while (got < 0 && errno == EINTR);
	return got > 0;
}

void hg_threadless_receives(int fd, bool between)
{
	if (between && is_enough()) {
		run->listener->fd = fd;
		hg_threadless_leave();
	}
	if (!await(fd)) {
		if (between)
			hg_threadless_leave();
		shutdown(fd, SHUT_RDWR); /* so that it gives the command up */
	}
	run->cancel = hg_keep_thread();
}

void hg_threadless_received(void)
{
	hg_release_thread(run->cancel);
}

/* ---- where LTTng-UST's constructor waits for them ---- */

static __attribute__((noinline)) void run_one(struct run *here)
{
	if (__builtin_setjmp(here->place))
		return;
	run = here;
	/* Between commands it may be cancelled, as in a thread: that is how its place is known. No
	 * cancellation point is called there. */
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	here->listener->function(here->listener->data);
}

static __attribute__((noinline)) void run_all(sem_t *enough, const struct timespec *until)
{
	static const signals all = ~UINT64_C(0);
	struct run here = { .enough = enough, .until = until };
	bool tracer = hg_tls.tracer, async = hg_tls.async && !hg_tls.async_kept;
	int cancel = hg_keep_thread();

	hg_syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, &here.program, sizeof(all));
	if (async)
		hg_keep_async();
	hg_tracers_begin();
	for (unsigned i = 0; i < count; i++) {
		here.listener = &listeners[i];
		run_one(&here);
		run = NULL;
		hg_keep_thread();
		hg_listener_left();
	}
	hg_tls.tracer = tracer;
	if (async)
		hg_release_async();
	hg_release_thread(cancel);
	hg_syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &here.program, NULL, sizeof(all));
}

/* Whether the call is the constructor's: nothing else of ours waits so. */
static inline bool is_constructors(void)
{
	return HG_UNLIKELY(hg_tls.busy) && count && !run;
}

#define REAL(name)                                                                    \
	({                                                                            \
		static __typeof__(name) *real_; /* atomic */                          \
		__typeof__(name) *found_ = __atomic_load_n(&real_, __ATOMIC_RELAXED); \
                                                                                      \
		if (HG_UNLIKELY(!found_)) {                                           \
			found_ = (__typeof__(name) *)hg_function_behind(#name);       \
			__atomic_store_n(&real_, found_, __ATOMIC_RELAXED);           \
		}                                                                     \
		found_;                                                               \
	})

HG_EXPORT int sem_wait(sem_t *semaphore)
{
	if (is_constructors())
		run_all(semaphore, NULL);
	return REAL(sem_wait)(semaphore);
}

HG_EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
	if (is_constructors())
		run_all(semaphore, until);
	return REAL(sem_timedwait)(semaphore, until);
}

/* A listener sleeps before it looks for a daemon again. */
HG_EXPORT unsigned sleep(unsigned seconds)
{
	if (HG_UNLIKELY(run != NULL))
		hg_threadless_leave();
	return REAL(sleep)(seconds);
}

/* A listener gives its thread a name of its own. */
HG_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	if (HG_UNLIKELY(run != NULL))
		return 0;
	return REAL(pthread_setname_np)(thread, name);
}

/* ---- afterwards ---- */

void hg_threadless_hang_up(void)
{
	for (unsigned i = 0; i < count; i++) {
		if (listeners[i].fd < 0)
			continue;
		hg_descriptor_forget(listeners[i].fd);
		shutdown(listeners[i].fd, SHUT_RDWR);
	}
	count = 0;
}

/* Nothing records, and something may later: they get their threads. */
static void begun(void)
{
	bool can_end = count && hg_load_thread_end();

	for (unsigned i = 0; can_end && i < count; i++)
		hg_tracers_start(listeners[i].thread, listeners[i].function, listeners[i].data);
	count = 0;
}

HG_PART(.name = "threadless", .order = 13, .no_threads = decide, .threadless = postpone,
	.begun = begun);
