/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in the pages of the process's file (own_ring.h). A thread has a page of its own, in which
 * it stores records without a lock or a locked instruction; whatever ends the process, they are
 * there.
 *
 * A signal's handler that interrupts the storing of a record, and records something itself, gets a
 * page for that alone.
 */
#include "preload/trace/batch.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "preload/trace/batch_add.h"
#include "preload/trace/own_ring.h"
#include "tracer/event_layout.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_free.h"
#include "tracer/provider.h"

#define BATCHES_MAX 4096u /* threads at a time */
#define SPARES      16u

static struct hg_batch *batches; /* NULL: nothing is stored; the spare ones come first */
static uint32_t batches_used;    /* atomic; with the spare ones */

bool hg_batches_init(void)
{
	if (!hg_ring_open())
		return false;
	if (!batches) {
		batches = hg_wiped_memory(BATCHES_MAX * sizeof(*batches));
		batches_used = SPARES;
	}
	return batches != NULL;
}

/* ---- the page of a batch ---- */

/* The recorder may have it. */
static void give_page(struct hg_batch *batch)
{
	struct hg_ring_page *page = batch->page;

	if (!page)
		return;
	batch->page = NULL;
	batch->at = NULL;
	batch->end = 0;
	batch->until = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_ring_give(batch->ring, page, batch->records);
}

/* Another page in its place. */
static __attribute__((noinline)) bool renew_page(struct hg_batch *batch)
{
	struct hg_ring_page *page;
	uint32_t epoch;

	give_page(batch);
	/* It may point into what a child does not have. */
	if (!hg_ring_open())
		return false;
	epoch = __atomic_load_n(hg_ring_epoch, __ATOMIC_ACQUIRE);
	page = hg_ring_take(&batch->ring);
	if (!page)
		return false;
	memset(batch->records, 0, sizeof(batch->records));
	batch->epoch = epoch;
	batch->begin = page->begin;
	batch->until = page->begin + UINT32_MAX;
	batch->at = (char *)page->records;
	batch->end = (uintptr_t)(page->records + sizeof(page->records));
	batch->before = (struct hg_record_before){ 0 };
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	batch->page = page;
	return true;
}

/* ---- whose batch ---- */

static __attribute__((noinline)) struct hg_batch *find_batch(void)
{
	struct hg_thread *thread = hg_thread();
	uint32_t at;

	if (!batches || !thread)
		return NULL;
	if (!thread->batch) {
		at = __atomic_fetch_add(&batches_used, 1, __ATOMIC_RELAXED);
		if (at >= BATCHES_MAX) {
			__atomic_store_n(&batches_used, BATCHES_MAX, __ATOMIC_RELAXED);
			return NULL;
		}
		thread->batch = &batches[at];
	}
	hg_tls.batch = thread->batch;
	return thread->batch;
}

/* A batch for one record of a thread that has none, or is at another one. */
static __attribute__((noinline)) struct hg_batch *find_spare(void)
{
	for (uint32_t i = 0; batches && i < SPARES; i++)
		if (!__atomic_exchange_n(&batches[i].spare, 1, __ATOMIC_ACQUIRE))
			return &batches[i];
	return NULL;
}

/* Returns the batch that the calling thread has until leave(). */
static inline struct hg_batch *own_batch(void)
{
	struct hg_batch *batch = HG_LIKELY(hg_tls.batch != NULL) ? hg_tls.batch : find_batch();

	return HG_LIKELY(batch && hg_batch_enter(batch)) ? batch : find_spare();
}

static void leave(struct hg_batch *batch)
{
	if (batch->page)
		hg_batch_done(batch->page);
	if (HG_UNLIKELY(batch->spare))
		__atomic_store_n(&batch->spare, 0, __ATOMIC_RELEASE);
	else
		hg_batch_leave(batch);
}

/* A spare batch keeps its page for the thread whose records that has. */
static bool is_others(const struct hg_batch *batch)
{
	return batch->spare && batch->page->thread != (int32_t)hg_syscall(SYS_gettid);
}

/* ---- records ---- */

/* Times of the records that follow count from that moment. False: the page has no room. */
static __attribute__((noinline)) bool begin_anew(struct hg_batch *batch, uint64_t when)
{
	if (!hg_batch_has_room(batch, HG_RECORD_BEGIN_BYTES + 1))
		return false;
	batch->at = hg_record_put_begin(batch->at, &batch->before, when);
	batch->begin = when;
	batch->until = when + UINT32_MAX;
	return true;
}

/* Returns true if its page has room for that; then *when is the record's time. */
static inline __attribute__((always_inline)) bool fits(struct hg_batch *batch, size_t most,
						       uint64_t *when)
{
	if (!*when)
		*when = hg_now();
	/* No record comes before the page's begin. */
	if (HG_UNLIKELY(*when < batch->begin))
		*when = batch->begin;
	return (HG_LIKELY(*when <= batch->until) || begin_anew(batch, *when)) &&
	       HG_LIKELY(hg_batch_may_store(batch)) && hg_batch_has_room(batch, most);
}

/* Records that are made before a change of `*hg_ring_epoch` is seen are there. */
bool hg_batch_take(struct hg_batch_room *room, size_t most, uint64_t when)
{
	struct hg_batch *batch = own_batch();

	if (HG_UNLIKELY(!batch))
		return false;
	most++; /* for what says that none follows */
	if (HG_LIKELY(batch->page != NULL))
		hg_batch_begin(batch->page);
	if (HG_UNLIKELY(!batch->page) || HG_UNLIKELY(is_others(batch)) ||
	    HG_UNLIKELY(!fits(batch, most, &when))) {
		if (!renew_page(batch) || !hg_batch_has_room(batch, most)) {
			leave(batch);
			return false;
		}
		when = batch->begin;
	}
	room->batch = batch;
	room->at = batch->at;
	room->before = &batch->before;
	room->when = when;
	room->number = batch->page->number;
	room->since = (uint32_t)(when - batch->begin);
	return true;
}

void hg_batch_put(const struct hg_batch_room *room, char *end, enum hg_group group)
{
	if (end) {
		room->batch->at = end;
		room->batch->records[group]++;
	}
	leave(room->batch);
}

/* Whatever finds no page becomes an event in the end, so these are all that are lost. */
static void count_lost(unsigned type)
{
	if (hg_ring_stopped() && !hg_ring_orphaned())
		return;
	hg_ring_lost(hg_group_of_type(type));
}

char *hg_batch_take_event(struct hg_batch_room *room, unsigned type, size_t bytes)
{
	if (bytes > sizeof(((struct hg_ring_page *)NULL)->records) ||
	    !hg_batch_take(room, HG_RECORD_EVENT_HEAD + bytes, 0)) {
		count_lost(type);
		return NULL;
	}
	return hg_record_put_event(room->at, room->before, type, bytes, room->since);
}

void hg_batch_put_event(const struct hg_batch_room *room, unsigned type, char *end)
{
	hg_record_finish(room->at, end, HG_RECORD_EVENT);
	hg_batch_put(room, end, hg_group_of_type(type));
}

bool hg_batch_add_block(const struct hg_batch_block *block)
{
	uint64_t address = block->address / 16;
	struct hg_batch_room room;
	char *end;

	if (!hg_record_fits(block->api, block->address) ||
	    !hg_batch_take(&room, HG_RECORD_BLOCK_MOST, 0))
		return false;
	end = hg_record_put_block(room.at, room.before, (uint8_t)block->api, block->freed, address,
				  hg_record_fold(address - room.before->address), block->size,
				  block->stack_id, room.since);
	hg_batch_put(&room, end, block->freed ? HG_GROUP_FREE : HG_GROUP_ALLOC);
	return true;
}

__attribute__((noinline)) void hg_batch_record_block(const struct hg_batch_block *block)
{
	int saved = errno;

	if (hg_batch_add_block(block)) {
		/* Nearly all blocks are added so. */
	} else if (block->freed) {
		hg_provider->free(&(struct hg_ev_free){
		    .api = block->api, .ptr = block->address, .stack_id = block->stack_id });
	} else {
		hg_provider->alloc(&(struct hg_ev_alloc){ .api = block->api,
							  .ptr = block->address,
							  .device_ptr = block->address,
							  .size = block->size,
							  .device = -1,
							  .symbol = "",
							  .stack_id = block->stack_id });
	}
	errno = saved;
}

/* ---- threads ---- */

/* The calling thread ends, or the process does. */
static void give_own_page(void)
{
	struct hg_batch *batch = hg_tls.thread ? hg_tls.thread->batch : NULL;

	if (!batch)
		return;
	hg_tls.busy++;
	if (hg_batch_enter(batch)) {
		give_page(batch);
		hg_batch_leave(batch);
	}
	hg_tls.busy--;
}

HG_PART(.name = "batches", .order = 70, .thread_end = give_own_page, .exit = give_own_page);
