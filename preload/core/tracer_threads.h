/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of LTTng-UST's threads, and what it has of other threads (hg_tls.tracer), apart from the
 * program's: tracer_threads.c.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_TRACER_THREADS_H
#define HIPGRAIN_PRELOAD_CORE_TRACER_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/core/base.h"

extern HG_HIDDEN bool hg_tracers_heap; /* atomic: there are such blocks */

/* In the word before a block, where glibc has the size of its own: no size has these bits. It has
 * that of HG_CHUNK_MAPPED. */
#define HG_TRACERS_MARK (~(size_t)0 << 48 | 0x6867)

/* In such a thread; zeroed. */
void *hg_tracers_alloc(size_t alignment, size_t size);

/* Whether a block is of these, in whichever thread; and how large. */
static inline bool hg_tracers_own(const void *ptr)
{
	return HG_UNLIKELY(__atomic_load_n(&hg_tracers_heap, __ATOMIC_RELAXED)) && ptr &&
	       ((const size_t *)ptr)[-1] == HG_TRACERS_MARK;
}

size_t hg_tracers_size(const void *ptr);

/*
 * Between these two, what this thread allocates is of these blocks, wherever it is freed: variables
 * of threads, which the loader frees when they end.
 */
static inline void hg_tracers_begin(void)
{
	hg_tls.tracer = __atomic_load_n(&hg_tracers_heap, __ATOMIC_RELAXED);
}

static inline void hg_tracers_end(void)
{
	hg_tls.tracer = false;
}

/* A block that is of these, or that such a thread frees. Keeps errno. */
void hg_tracers_take(void *ptr);

/* false: neither the block nor the thread is of these, and nothing was done. In each free(). */
static inline bool hg_tracers_free(void *ptr)
{
	if (HG_LIKELY(!hg_tls.tracer && !hg_tracers_own(ptr)))
		return false;
	hg_tracers_take(ptr);
	return true;
}

bool hg_tracers_realloc(void *old, size_t size, void **ptr);

/* Start such a thread, as LTTng-UST does: detached, without signals. */
void hg_tracers_start(pthread_t *thread, void *(*function)(void *), void *data);

extern HG_HIDDEN struct hg_tracers_left *hg_tracers_all_left; /* atomic */
void hg_tracers_give_back(void);

/* Give back what such a thread could not. */
static inline void hg_tracers_clean(void)
{
	if (HG_UNLIKELY(__atomic_load_n(&hg_tracers_all_left, __ATOMIC_RELAXED) != NULL) &&
	    !hg_tls.tracer)
		hg_tracers_give_back();
}

#endif
