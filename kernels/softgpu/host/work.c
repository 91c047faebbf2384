// SPDX-License-Identifier: Apache-2.0
/* Time, threads, and units of their work. */
#include "softgpu_host.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

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

/* A unit may take so long once the process wants to end. */
#define PATIENCE_SECONDS 5

static pthread_mutex_t units[SG_WORKS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static __thread bool inside[SG_WORKS];
static bool stopped;
static uint32_t guests[SG_WORKS]; /* number of threads that wait in sg_work_exclude */
static pid_t owner;

void sg_work_begin(enum sg_work work)
{
	for (;;) {
		while (__atomic_load_n(&stopped, __ATOMIC_SEQ_CST))
			usleep(1000);
		/* A mutex is not fair: a spinning kernel's units would leave no other thread a
		 * turn. */
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

/* Let no unit begin any more, and wait a while for those that run, except one of the calling
 * thread's own. */
static void stop(void)
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
 * Runs after the destructors of the users of this library, and before those of the libraries it
 * uses. The library is never unloaded before (-z nodelete): its threads would lose the ground under
 * their feet.
 */
static __attribute__((destructor)) void end(void)
{
	stop();
}
