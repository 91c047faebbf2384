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
#include "tracer/packed_record.h"

/*
 * What each block changes comes first, in two lines of the cache, as processors fetch them in
 * pairs.
 */
struct hg_batch {
	int owner;      /* atomic: its thread has it */
	int others;     /* atomic: enum hg_batch_others */
	int open;       /* atomic for others */
	uint64_t begin; /* page->begin, while it is open; atomic for others */
	/* Of hg_now(): until then it is not old, nobody has to look for others that are, and a time
	 * after `begin` has 32 bits. 0 if it is not open. */
	uint64_t until;
	char *packed;      /* where the next record of the run begins */
	uintptr_t run_end; /* of the run, which is `next`; 0 without a run */
	struct hg_batch_counts counts;
	struct hg_packed before; /* the last packed record */
	uint64_t *next, *end;    /* room in the page; NULL if it is not open */
	uint64_t *run; /* of packed records, the last record of all; NULL: there is none */
	struct hg_open_batch *page;
	bool kept; /* the page is in a file */
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

/* Under its lock: whether a record can be stored that is `since` ns after the batch's begin. */
static inline __attribute__((always_inline)) bool hg_batch_takes(uint64_t since)
{
	return HG_LIKELY(!(since >> 32) && !__atomic_load_n(hg_batches_hold, __ATOMIC_RELAXED));
}

/* Under its lock: a record of that time was stored. Gives the lock back. */
static inline __attribute__((always_inline)) void hg_batch_filled(struct hg_batch *batch,
								  uint64_t when)
{
	hg_batch_unlock(batch);
	if (HG_UNLIKELY(when > __atomic_load_n(&hg_batches_due, __ATOMIC_RELAXED)))
		hg_batches_look(when);
}

/* Under its lock: a record of this kind is added. */
static inline __attribute__((always_inline)) void hg_batch_count(struct hg_batch *batch,
								 enum hg_record kind)
{
	batch->counts.of[kind]++;
}

/* Under its lock: whether its run has room for a packed record of at most so many bytes. */
static inline __attribute__((always_inline)) bool hg_batch_has_run(const struct hg_batch *batch,
								   uint32_t most)
{
	return HG_LIKELY((uintptr_t)batch->packed + most <= batch->run_end);
}

/*
 * A block that was allocated or freed, in the calling thread's batch. Of one that was freed `size`
 * is 0. 0 as `stack_id` is none.
 */
struct hg_batch_block {
	uint64_t address;
	uint32_t size, stack_id;
	uint16_t api;
	bool freed;
};

/* Needs hg_enter(); false: not now; record an event instead. */
bool hg_batch_add_block(const struct hg_batch_block *block);
/* The same where nobody has entered; keeps errno. */
bool hg_batch_add_block_otherwise(const struct hg_batch_block *block);

/*
 * The same, where nothing is in the way; the calling thread's batch is known, and not locked by it.
 * false: nothing was done.
 */
static inline __attribute__((always_inline)) bool hg_batch_add_here(struct hg_batch_block block)
{
	struct hg_batch *batch = hg_tls.batch;
	uint64_t when, since, address = block.address / 16, folded;
	char *end;

	if (HG_UNLIKELY(!hg_packed_fits(block.api, block.address)))
		return false;
	__atomic_store_n(&batch->owner, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (HG_UNLIKELY(!hg_is_zero(&batch->others)))
		goto not_here;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (HG_UNLIKELY(!hg_batch_has_run(batch, HG_PACKED_BLOCK_MOST)) ||
	    HG_UNLIKELY(*hg_batches_hold != 0))
		goto not_here;
	folded = hg_packed_fold(address - batch->before.address);
	when = hg_now_counted();
	since = when - batch->begin;
	if (HG_UNLIKELY(since > batch->until - batch->begin))
		goto not_here;
	end = hg_packed_put_block(batch->packed, &batch->before, (uint8_t)block.api, block.freed,
				  address, folded, block.size, block.stack_id, (uint32_t)since);
	batch->packed = end;
	hg_batch_count(batch, block.freed ? HG_RECORD_FREE : HG_RECORD_ALLOC);
	hg_batch_unlock(batch);
	return true;
not_here:
	hg_batch_unlock(hg_tls.batch);
	return false;
}

#endif
