/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps memory of each thread. */
#ifndef HIPGRAIN_PRELOAD_CORE_THREADS_H
#define HIPGRAIN_PRELOAD_CORE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * This is data of a thread beside hg_tls: mapped when the thread first needs it, and reused for
 * another thread when it has ended, so that blocks are never unmapped.
 */
struct hg_thread {
	struct hg_thread *next;          /* of all there ever were */
	int used;                        /* atomic */
	void *trails;                    /* stack_cache.c */
	bool trails_marked;              /* some, by whoever had them: hg_cached_walk.marked_sp */
	struct hg_past *past;            /* unwind.c */
	struct hg_python_thread *python; /* stacks/python.c */
	void *launches;                  /* hip_launch.c */
	void *pointers;                  /* hip/pointer_words.c */
	bool launches_stale;             /* they are not this thread's */
	struct hg_small_blocks *totals;  /* small_block_stats.c; atomic */
	struct hg_batch *batch;          /* batch.c */
};

int hg_threads_init(void);
void hg_threads_reset(void); /* in a forked child: the other threads are not there */
/* Returns the calling thread's, or NULL when it is ending, or if there is no memory. Needs
 * hg_enter(). */
struct hg_thread *hg_thread(void);
/* Calls the function for all there ever were, in use or not. */
void hg_threads_each(void (*function)(struct hg_thread *thread));

#endif
