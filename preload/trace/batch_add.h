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
	int owner;            /* atomic: its thread has it */
	int others;           /* atomic: enum hg_batch_others */
	int open;             /* atomic for others */
	uint64_t *next, *end; /* room in the page; NULL if it is not open */
	uint64_t begin;       /* page->begin, while it is open; atomic for others */
	struct hg_open_batch *page;
} __attribute__((aligned(128)));

/*
 * A lock that costs its own thread no locked instruction: the thread sets `owner` and then looks at
 * `others`; whoever else wants the batch sets `others`, has all threads of the process pass a
 * barrier (membarrier(2)), and then looks at `owner`. Where there is no such call, each lock has a
 * barrier.
 */
enum hg_batch_others {
	HG_BATCH_TAKEN = 1,  /* one of them has it, or is about to look whether it can */
	HG_BATCH_FENCED = 2, /* no membarrier(2) */
};

/* What hg_batch_lock() does if anything of `others` is set. */
bool hg_batch_lock_fenced(struct hg_batch *batch);

/* Not 0: nothing is to be stored, the recording is about to end. */
extern HG_HIDDEN const uint64_t *hg_batches_hold;

/* By its own thread. */
static inline __attribute__((always_inline)) bool hg_batch_lock(struct hg_batch *batch)
{
	if (HG_UNLIKELY(batch->owner))
		return false;
	__atomic_store_n(&batch->owner, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return HG_LIKELY(!__atomic_load_n(&batch->others, __ATOMIC_ACQUIRE)) ||
	       hg_batch_lock_fenced(batch);
}

static inline __attribute__((always_inline)) void hg_batch_unlock(struct hg_batch *batch)
{
	__atomic_store_n(&batch->owner, 0, __ATOMIC_RELEASE);
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
