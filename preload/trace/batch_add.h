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
	struct timespec now;  /* its thread's: a function that has it on the stack is longer */
	int owner;            /* atomic: its thread has it */
	int others;           /* atomic: enum hg_batch_others */
	int open;             /* atomic for others */
	uint64_t *next, *end; /* room in the page; NULL if it is not open */
	uint64_t begin;       /* page->begin, while it is open; atomic for others */
	/* Of hg_now(): until then it is not old, nobody has to look for others that are, and a time
	 * after `begin` has 32 bits. 0 if it is not open. */
	uint64_t until;
	struct hg_open_batch *page;
	struct hg_batch_counts counts; /* of its records; others are not counted */
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

/* Under its lock: a record of this kind is added. */
static inline __attribute__((always_inline)) void hg_batch_count(struct hg_batch *batch,
								 enum hg_record kind)
{
	if (kind == HG_RECORD_ALLOC_STACK)
		batch->counts.allocs_stack++;
	else if (kind == HG_RECORD_FREE)
		batch->counts.frees++;
	else if (kind == HG_RECORD_ALLOC)
		batch->counts.allocs++;
	else if (kind == HG_RECORD_COPY)
		batch->counts.copies++;
}

static inline void hg_batch_count_stack(struct hg_batch *batch, uint32_t words)
{
	batch->counts.stacks++;
	batch->counts.stack_words += words;
}

/* hg_batch_add() of two or three words, now; keeps errno. */
bool hg_batch_add_otherwise(uint64_t first, uint64_t second, uint64_t third);

/*
 * The same, where nothing is in the way: of a block, the second is the upper half of its word.
 * The calling thread's batch is known, and not locked by it. false: nothing was done.
 */
static inline __attribute__((always_inline)) bool
hg_batch_add_here(enum hg_record kind, uint64_t first, uint32_t second, uint64_t third)
{
	const uint32_t count = kind == HG_RECORD_ALLOC_STACK ? 3 : 2;
	struct hg_batch *batch = hg_tls.batch;
	uint64_t when, *words;
	uint32_t since;

	__atomic_store_n(&batch->owner, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (HG_UNLIKELY(!hg_is_zero(&batch->others)))
		goto not_here;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	words = batch->next;
	if (HG_UNLIKELY((uintptr_t)words + count * sizeof(*words) > (uintptr_t)batch->end) ||
	    HG_UNLIKELY(*hg_batches_hold != 0))
		goto not_here;
	words[0] = first;
	__builtin_memcpy((char *)&words[1] + sizeof(second), &second, sizeof(second));
	if (count > 2)
		words[2] = third;
	clock_gettime(CLOCK_MONOTONIC, &batch->now);
	batch = hg_tls.batch; /* a load is less than to keep it */
	when = hg_ns(&batch->now);
	if (HG_UNLIKELY(when > batch->until))
		goto not_here;
	since = (uint32_t)(when - batch->begin);
	__builtin_memcpy(&batch->next[1], &since, sizeof(since));
	batch->next += count;
	__atomic_signal_fence(__ATOMIC_RELEASE);
	batch->page->words += count;
	hg_batch_count(batch, kind);
	hg_batch_unlock(batch);
	return true;
not_here:
	hg_batch_unlock(hg_tls.batch);
	return false;
}

#endif
