/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adding to the calling thread's batch, for those who add much: what mostly happens, inline, and
 * calls of batch.c for the rest, which keep errno.
 */
#ifndef HIPGRAIN_PRELOAD_TRACE_BATCH_ADD_H
#define HIPGRAIN_PRELOAD_TRACE_BATCH_ADD_H

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/trace/batch.h"
#include "tracer/batch_events.h"

/* Two lines of the cache, as processors fetch them in pairs. */
struct hg_batch {
	int lock;             /* atomic: enum hg_batch_holder */
	int open;             /* atomic for others */
	uint64_t *next, *end; /* room in the page; NULL if it is not open */
	uint64_t begin;       /* page->begin, while it is open */
	struct hg_open_batch *page;
} __attribute__((aligned(128)));

enum hg_batch_holder { HG_BATCH_NOBODY, HG_BATCH_THREAD, HG_BATCH_OTHER };

/* Not 0: nothing is to be stored, the recording is about to end. */
extern HG_HIDDEN const uint64_t *hg_batches_hold;

static inline __attribute__((always_inline)) bool hg_batch_lock(struct hg_batch *batch)
{
	int nobody = HG_BATCH_NOBODY;

	return __atomic_compare_exchange_n(&batch->lock, &nobody, HG_BATCH_THREAD, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void hg_batch_unlock(struct hg_batch *batch)
{
	__atomic_store_n(&batch->lock, HG_BATCH_NOBODY, __ATOMIC_RELEASE);
}

/*
 * Under its lock: whether there is room for so many words at batch->next, of a record `since` ns
 * after the batch's begin. If not, it is to be begun or written first, or nothing can be stored.
 */
static inline __attribute__((always_inline)) bool hg_batch_has_room(const struct hg_batch *batch,
								    uint32_t words, uint64_t since)
{
	return HG_LIKELY((uintptr_t)batch->next + words * sizeof(uint64_t) <=
			     (uintptr_t)batch->end &&
			 !(since >> 32) && !__atomic_load_n(hg_batches_hold, __ATOMIC_RELAXED));
}

/*
 * Under its lock: so many words of that room were filled. Gives the lock back. Whoever reads the
 * page of a process that was killed finds whole records: a processor of this kind stores in order.
 */
static inline __attribute__((always_inline)) void hg_batch_filled(struct hg_batch *batch,
								  uint32_t words, uint64_t when)
{
	batch->next += words;
	__atomic_signal_fence(__ATOMIC_RELEASE);
	batch->page->words += words;
	hg_batch_unlock(batch);
	if (HG_UNLIKELY(when > __atomic_load_n(&hg_batches_due, __ATOMIC_RELAXED)))
		hg_batches_look(when);
}

/* hg_batch_add() of two or three words, now. */
bool hg_batch_add_otherwise(uint64_t first, uint64_t second, uint64_t third);

/*
 * hg_batch_add() of two words, now, or of three if the third is not 0; the second is the upper half
 * of its word. `batch` is the calling thread's.
 */
static inline __attribute__((always_inline)) bool
hg_batch_add_block(struct hg_batch *batch, uint64_t first, uint32_t second, uint32_t third)
{
	uint64_t when, since, *words;

	if (HG_LIKELY(hg_batch_lock(batch))) {
		when = hg_now();
		since = when - batch->begin;
		if (HG_LIKELY(hg_batch_has_room(batch, 3, since))) {
			words = batch->next;
			words[0] = first;
			words[1] = (uint64_t)second << 32 | since;
			if (third)
				words[2] = third;
			hg_batch_filled(batch, third ? 3 : 2, when);
			return true;
		}
		hg_batch_unlock(batch);
	}
	return hg_batch_add_otherwise(first, (uint64_t)second << 32, third);
}

#endif
