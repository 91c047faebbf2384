/* SPDX-License-Identifier: Apache-2.0 */
/* The block of memory that each thread has, and the list of all of them. */
#include "preload/core/threads.h"

#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"

size_t hg_changes = 1;

static struct hg_thread *all; /* atomic; only grows */
static pthread_key_t key;
static bool key_made;

/*
 * The thread ends. What destructors of other keys do after this one is recorded without a block:
 * a new one could not be given back.
 */
static void give_back(void *data)
{
	struct hg_thread *thread = data;

	HG_EACH_PART(thread_end);
	hg_tls.ending = true;
	hg_tls.thread = NULL;
	hg_tls.ordinary = hg_tls.ordinary_stacks = hg_tls.ordinary_but_async = 0; /* block.c */
	hg_tls.batch = NULL;
	hg_tls.trails = NULL;
	__atomic_store_n(&thread->used, 0, __ATOMIC_RELEASE);
}

int hg_threads_init(void)
{
	int rc = pthread_key_create(&key, give_back);

	key_made = !rc;
	return -rc;
}

static struct hg_thread *take_over(void)
{
	struct hg_thread *thread = __atomic_load_n(&all, __ATOMIC_ACQUIRE);

	for (; thread; thread = thread->next) {
		int unused = 0;

		if (!__atomic_load_n(&thread->used, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&thread->used, &unused, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED)) {
			thread->launches_stale = true;
			return thread;
		}
	}
	return NULL;
}

static struct hg_thread *make(void)
{
	struct hg_thread *thread = hg_libc.mmap(NULL, sizeof(*thread), PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (thread == MAP_FAILED)
		return NULL;
	thread->used = 1;
	thread->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &thread->next, thread, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return thread;
}

static __attribute__((noinline)) struct hg_thread *acquire(void)
{
	struct hg_thread *thread;

	if (hg_tls.ending || !key_made)
		return NULL;
	thread = take_over();
	if (!thread)
		thread = make();
	if (!thread)
		return NULL;
	/* May allocate, which is our own doing: hg_tls.busy is set. */
	if (pthread_setspecific(key, thread)) {
		__atomic_store_n(&thread->used, 0, __ATOMIC_RELEASE);
		return NULL;
	}
	hg_tls.thread = thread;
	return thread;
}

struct hg_thread *hg_thread(void)
{
	return HG_LIKELY(hg_tls.thread != NULL) ? hg_tls.thread : acquire();
}

void hg_threads_each(void (*function)(struct hg_thread *thread))
{
	for (struct hg_thread *thread = __atomic_load_n(&all, __ATOMIC_ACQUIRE); thread;
	     thread = thread->next)
		function(thread);
}

void hg_threads_reset(void)
{
	for (struct hg_thread *thread = all; thread; thread = thread->next) {
		thread->used = thread == hg_tls.thread;
		thread->launches_stale = true;
	}
}
