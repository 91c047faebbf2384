// SPDX-License-Identifier: Apache-2.0
/*
 * One counter for everything that can wake anybody. Device code changes signals by plain atomic
 * stores that no futex sees, so a single process-wide counter, bumped by the queue worker after
 * each time slice, is simpler than one futex a signal and can't lose a wake-up.
 */
#include "host.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t event_count;
static uint32_t waiters;

uint32_t sg_event_count(void)
{
	return __atomic_load_n(&event_count, __ATOMIC_SEQ_CST);
}

void sg_event_post(void)
{
	int saved = errno;
	__atomic_add_fetch(&event_count, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&waiters, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &event_count, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

void sg_event_wait(uint32_t seen, uint64_t max_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(max_ns / 1000000000u),
		.tv_nsec = (long)(max_ns % 1000000000u),
	};
	int saved = errno;

	__atomic_add_fetch(&waiters, 1, __ATOMIC_SEQ_CST);
	/* The kernel compares event_count with `seen`: a post in between returns at once. */
	syscall(SYS_futex, &event_count, FUTEX_WAIT_PRIVATE, seen, &timeout, NULL, 0);
	__atomic_sub_fetch(&waiters, 1, __ATOMIC_SEQ_CST);
	errno = saved;
}

uint64_t sg_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int sg_thread_start(const char *name, void *(*body)(void *))
{
	sigset_t all, old;
	pthread_t thread;
	int error;

	/* The application's signal handlers must not run on our stacks. */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, body, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error)
		return -error;
	pthread_setname_np(thread, name);
	pthread_detach(thread);
	return 0;
}

/* ---- units of work ---- */

/* What a handler of the application may take when the process wants to end. */
#define PATIENCE_SECONDS 5

static pthread_mutex_t units[SG_WORKS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					   PTHREAD_MUTEX_INITIALIZER };
static __thread bool inside[SG_WORKS];
static bool stopped;
static uint32_t guests[SG_WORKS]; /* that wait in sg_work_exclude */
static pid_t owner;

void sg_work_begin(enum sg_work work)
{
	for (;;) {
		while (__atomic_load_n(&stopped, __ATOMIC_SEQ_CST))
			usleep(1000);
		/* A mutex is not fair: a spinning kernel's units would leave nobody else a turn. */
		while (__atomic_load_n(&guests[work], __ATOMIC_SEQ_CST))
			sched_yield();
		pthread_mutex_lock(&units[work]);
		if (!__atomic_load_n(&stopped, __ATOMIC_SEQ_CST))
			break;
		pthread_mutex_unlock(&units[work]);
	}
	inside[work] = true;
}

void sg_work_end(enum sg_work work)
{
	inside[work] = false;
	pthread_mutex_unlock(&units[work]);
}

void sg_work_exclude(enum sg_work work)
{
	__atomic_add_fetch(&guests[work], 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&units[work]);
	__atomic_sub_fetch(&guests[work], 1, __ATOMIC_SEQ_CST);
}

bool sg_work_may_wait(enum sg_work work)
{
	return owner == getpid() && !inside[work];
}

void sg_work_stop(void)
{
	struct timespec limit;

	__atomic_store_n(&stopped, true, __ATOMIC_SEQ_CST);
	/* A forked child has none of the threads, but perhaps a mutex that one of them held. */
	if (owner != getpid())
		return;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += PATIENCE_SECONDS;
	for (unsigned i = 0; i < SG_WORKS; i++)
		if (!inside[i] && !pthread_mutex_timedlock(&units[i], &limit))
			pthread_mutex_unlock(&units[i]);
}

void sg_work_forked(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	for (unsigned i = 0; i < SG_WORKS; i++) {
		units[i] = unlocked;
		inside[i] = false;
		guests[i] = 0;
	}
	__atomic_store_n(&stopped, false, __ATOMIC_SEQ_CST);
}

void sg_work_resume(void)
{
	owner = getpid();
	__atomic_store_n(&stopped, false, __ATOMIC_SEQ_CST);
}

/*
 * After the destructors of those who use this library, before those of what it uses. It is never
 * unloaded before (-z nodelete): its threads would lose the ground under their feet.
 */
static __attribute__((destructor)) void end(void)
{
	sg_work_stop();
}
