// SPDX-License-Identifier: Apache-2.0
/*
 * One counter for everything that can wake anybody. Device code changes signals by plain atomic
 * stores that no futex sees, so a single process-wide counter, bumped by the queue worker after
 * each time slice, is simpler than one futex a signal and can't lose a wake-up.
 */
#include "runtime.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
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
