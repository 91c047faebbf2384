/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that add much to their batch use this: what mostly happens is inline, and the rest is
 * done by batch.c. Both keep errno.
 */
#ifndef HIPGRAIN_PRELOAD_TRACE_BATCH_ADD_H
#define HIPGRAIN_PRELOAD_TRACE_BATCH_ADD_H

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/trace/batch.h"
#include "preload/trace/own_ring.h"
#include "tracer/event_record.h"

/* The members that each block changes come first, in two lines of the cache, as processors fetch
 * them in pairs. */
struct hg_batch {
	/* A record of a later time than this, by hg_now(), needs another page. 0 without a page. */
	uint64_t until;
	uint64_t begin;              /* page->begin */
	char *at;                    /* the next record begins here */
	uintptr_t end;               /* of the page; 0 without one */
	uint32_t records[HG_GROUPS]; /* that its page has */
	struct hg_record_before before;
	struct hg_ring_page *page; /* NULL: there is none */
	struct hg_ring *ring;      /* the page is this one's */
	int spare;      /* atomic: of those that are no thread's, whether it is in use; else 0 */
	uint32_t epoch; /* *hg_ring_epoch when it got its page */
	bool busy;      /* its thread is at it: a signal's handler leaves it alone */
} __attribute__((aligned(128)));

/* Begins to use the calling thread's batch. Returns false if a handler has interrupted the thread
 * in that. */
static inline __attribute__((always_inline)) bool hg_batch_enter(struct hg_batch *batch)
{
	if (HG_UNLIKELY(batch->busy))
		return false;
	batch->busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static inline __attribute__((always_inline)) void hg_batch_leave(struct hg_batch *batch)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	batch->busy = false;
}

/* Announces that the thread is about to read the clock and to store a record; the recorder sees
 * that. */
static inline __attribute__((always_inline)) void hg_batch_begin(struct hg_ring_page *page)
{
	__atomic_store_n(&page->writing, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Announces that the record is published, or that there is none. */
static inline __attribute__((always_inline)) void hg_batch_done(struct hg_ring_page *page)
{
	__atomic_store_n(&page->writing, 0, __ATOMIC_RELEASE);
}

/* Returns true if the page that it has is to be used further. */
static inline __attribute__((always_inline)) bool hg_batch_may_store(const struct hg_batch *batch)
{
	return __atomic_load_n(hg_ring_epoch, __ATOMIC_RELAXED) == batch->epoch;
}

/* Returns true if its page has room for so many bytes. */
static inline __attribute__((always_inline)) bool hg_batch_has_room(const struct hg_batch *batch,
								    size_t most)
{
	return HG_LIKELY((uintptr_t)batch->at + most <= batch->end);
}

/*
 * This is a block that was allocated or freed, in the calling thread's batch. If it was freed
 * `size` is 0. A `stack_id` of 0 is none.
 */
struct hg_batch_block {
	uint64_t address;
	uint32_t size, stack_id;
	uint16_t api;
	bool freed;
};

/* Needs hg_enter(); false: not now, or there is no such record of it. */
bool hg_batch_add_block(const struct hg_batch_block *block);
/* Records it in any case, if need be by an event. Needs no hg_enter(). Keeps errno. */
void hg_batch_record_block(const struct hg_batch_block *block);

/*
 * Does the same if nothing is in the way; the calling thread's batch is known, and it stores no
 * record just now. Returns false if nothing was done.
 */
static inline __attribute__((always_inline)) bool hg_batch_add_here(struct hg_batch_block block)
{
	struct hg_batch *batch = hg_tls.batch;
	uint64_t when, since, address = block.address / 16, folded;
	bool added = false;

	if (HG_UNLIKELY(!hg_record_fits(block.api, block.address)) ||
	    HG_UNLIKELY(!hg_batch_enter(batch)))
		return false;
	if (HG_LIKELY(hg_batch_has_room(batch, HG_RECORD_BLOCK_MOST)) &&
	    HG_LIKELY(hg_batch_may_store(batch))) {
		hg_batch_begin(batch->page);
		folded = hg_record_fold(address - batch->before.address);
		when = hg_now_counted();
		since = when - batch->begin;
		added = HG_LIKELY(since <= batch->until - batch->begin);
		if (added) {
			batch->at = hg_record_put_block(
			    batch->at, &batch->before, (uint8_t)block.api, block.freed, address,
			    folded, block.size, block.stack_id, (uint32_t)since);
			batch->records[block.freed ? HG_GROUP_FREE : HG_GROUP_ALLOC]++;
		}
		hg_batch_done(batch->page);
	}
	hg_batch_leave(batch);
	return added;
}

#endif
