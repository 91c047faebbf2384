/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that share work-groups. They start when first needed and sleep between steps. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include "kernels/softgpu/softgpu.h"
#include "worker_threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static unsigned started = 1; /* the caller is number 0 */
static unsigned wanted;      /* threads of this round */
static unsigned busy;        /* number of threads that still work, without number 0 */
static uint64_t round_number;
static void (*round_body)(void *, unsigned);
static void *round_argument;

static void *work(void *data)
{
	unsigned number = (unsigned)(uintptr_t)data;
	uint64_t seen = 0;

	pthread_mutex_lock(&lock);
	for (;;) {
		void (*body)(void *, unsigned);
		void *argument;

		while (round_number == seen || number >= wanted) {
			seen = round_number;
			pthread_cond_wait(&wake, &lock);
		}
		seen = round_number;
		body = round_body;
		argument = round_argument;
		pthread_mutex_unlock(&lock);
		body(argument, number);
		pthread_mutex_lock(&lock);
		if (!--busy)
			pthread_cond_signal(&done);
	}
	return NULL;
}

unsigned sg_threads_prepare(unsigned n)
{
	sigset_t all, old;
	unsigned have;

	if (n > SG_MAX_THREADS)
		n = SG_MAX_THREADS;
	if (n <= 1)
		return 1;
	pthread_mutex_lock(&lock);
	/* Signals are the application's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (started < n) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)started))
			break;
		pthread_detach(thread);
		started++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	have = started < n ? started : n;
	pthread_mutex_unlock(&lock);
	return have;
}

void sg_threads_run(unsigned n, void (*body)(void *argument, unsigned i), void *argument)
{
	if (n > 1) {
		pthread_mutex_lock(&lock);
		wanted = n;
		busy = n - 1;
		round_body = body;
		round_argument = argument;
		round_number++;
		pthread_cond_broadcast(&wake);
		pthread_mutex_unlock(&lock);
	}
	body(argument, 0);
	if (n > 1) {
		pthread_mutex_lock(&lock);
		while (busy)
			pthread_cond_wait(&done, &lock);
		/* A thread that starts late must not take this round for its own. */
		wanted = 0;
		pthread_mutex_unlock(&lock);
	}
}

void softgpu_forked(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
	static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;

	lock = unlocked;
	wake = done = fresh;
	started = 1;
	wanted = busy = 0;
}
