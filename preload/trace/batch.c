/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of records. An event of LTTng-UST costs several times what it takes to store a time, an
 * address and a size; so threads store these, and one event carries some three hundred of them.
 *
 * A buffer belongs to its thread, but a thread that has to write all buffers, or notices that one
 * has become old, writes those of others: each buffer has a lock, for which only its own thread
 * waits (the others try; batch_add.h). A reader of the trace has to wait for an open buffer: it is
 * closed when it is older than AGE_MAX and any thread records something.
 *
 * Buffers lie in pages of a mapped file of the bundle (batch_pages.c), so that they are preserved
 * when the process is killed; the owner of each page is in memory that the kernel clears in every
 * child, also in those that were made without the C library's knowledge.
 */
#include "preload/trace/batch.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "preload/core/tracer_threads.h"
#include "preload/trace/batch_add.h"
#include "preload/trace/batch_pages.h"
#include "preload/trace/turns.h"
#include "tracer/early_events.h"
#include "tracer/events.h"
#include "tracer/provider.h"

#define BATCHES_MAX 4096u      /* threads at a time */
#define AGE_MAX     100000000u /* ns */
#define TRIES_MAX   2000u

/* Lines of their own, too: each record reads the second. */
int hg_batches_open __attribute__((aligned(128)));
uint64_t hg_batches_due __attribute__((aligned(128)));

static struct hg_batch *batches; /* NULL: nothing is gathered */
static uint32_t batches_used;    /* atomic */
static int forking, ended;       /* atomic */
static bool fenced;              /* there is no membarrier(2) */

static void loaded(const struct hg_provider *provider)
{
	void *memory;

	(void)provider;
	if (batches && !hg_early_events()) /* a child of a process that had none */
		hg_batch_pages_leave_common();
	if (!hg_config.batch || batches)
		return;
	memory = hg_wiped_memory(BATCHES_MAX * sizeof(*batches));
	if (!memory)
		return;
	fenced = hg_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) < 0;
	hg_batch_pages_begin();
	batches = memory;
}

/* LTTng-UST is there: the process goes on, and may have many threads. */
static void early_end(bool recorded)
{
	if (recorded)
		hg_batch_pages_leave_common();
}

/* ---- one buffer ---- */

/* Every thread of the process passes a barrier. A forked child may have to register anew. */
static bool all_pass_barrier(void)
{
	int saved = errno;
	bool done = !hg_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) ||
		    (!hg_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) &&
		     !hg_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0));

	errno = saved;
	return done;
}

static void unlock_for_others(struct hg_batch *batch)
{
	__atomic_fetch_and(&batch->others, ~HG_BATCH_TAKEN, __ATOMIC_RELEASE);
}

/* For others than its thread, or for that thread where it may have the lock already. */
static bool try_lock(struct hg_batch *batch)
{
	int before = __atomic_fetch_or(&batch->others, HG_BATCH_TAKEN, __ATOMIC_SEQ_CST);

	if (before & HG_BATCH_TAKEN)
		return false;
	if ((before & HG_BATCH_FENCED || all_pass_barrier()) &&
	    !__atomic_load_n(&batch->owner, __ATOMIC_ACQUIRE))
		return true;
	unlock_for_others(batch);
	return false;
}

__attribute__((noinline)) bool hg_batch_lock_fenced(struct hg_batch *batch)
{
	/* Once more, as a barrier. */
	__atomic_exchange_n(&batch->owner, 1, __ATOMIC_SEQ_CST);
	if (!(__atomic_load_n(&batch->others, __ATOMIC_ACQUIRE) & HG_BATCH_TAKEN))
		return true;
	hg_batch_unlock(batch);
	return false;
}

/* For others than its thread: that may have been interrupted permanently while it held the lock. */
static bool lock_patiently(struct hg_batch *batch)
{
	struct timespec nap = { .tv_nsec = 100000 };
	int cancel;

	for (unsigned tries = 0; !try_lock(batch); tries++) {
		if (tries == TRIES_MAX)
			return false;
		if (tries < 100)
			sched_yield();
		else {
			cancel = hg_keep_thread();
			nanosleep(&nap, NULL);
			hg_release_thread(cancel);
		}
	}
	return true;
}

/*
 * Under its lock: the run of packed records at its end, which had the room that there was, is as
 * long as these, and others may follow. Whoever reads the page of a process that was killed finds
 * whole records: a processor of this kind stores in order, and a run's length may exceed what the
 * batch has.
 */
static void end_run(struct hg_batch *batch)
{
	uint64_t *run = batch->run;
	size_t used;

	if (!run)
		return;
	used = (size_t)(batch->packed - (char *)run);
	memset(batch->packed, 0, -used % sizeof(*run));
	used = (used + sizeof(*run) - 1) / sizeof(*run);
	batch->page->words = (uint32_t)((size_t)(run - batch->page->records) + used);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*run = hg_packed_head(used);
	batch->next = run + used;
	batch->run = NULL;
	batch->run_end = 0;
}

/* Under its lock: the batch has so many words more, which are empty or in a run. */
static void claim(struct hg_batch *batch, uint32_t words)
{
	batch->next += words;
	__atomic_signal_fence(__ATOMIC_RELEASE);
	batch->page->words += words;
}

/* Under its lock: whether the page has room for so many words at its end. */
static bool has_words(const struct hg_batch *batch, uint32_t words)
{
	return (uintptr_t)batch->next + words * sizeof(uint64_t) <= (uintptr_t)batch->end;
}

/* Under its lock: whether there is a run with room for so many bytes; it is made. */
static bool has_run(struct hg_batch *batch, uint32_t most)
{
	uint32_t words;

	if (hg_batch_has_run(batch, most))
		return true;
	end_run(batch);
	if (!has_words(batch, HG_PACKED_WORDS_LEAST))
		return false;
	words = (uint32_t)(batch->end - batch->next);
	if (words > HG_PACKED_WORDS_MAX)
		words = HG_PACKED_WORDS_MAX;
	batch->run = batch->next;
	batch->packed = (char *)(batch->run + 1);
	*batch->packed = HG_PACKED_END;
	*batch->run = hg_packed_head(words);
	claim(batch, words);
	batch->run_end = (uintptr_t)batch->next;
	return true;
}

/*
 * Under its lock. The page is empty only when the event is there: if the recording has ended before
 * the process, as when the recorder was killed, the records stay in their file.
 */
static __attribute__((noinline)) void write_out(struct hg_batch *batch)
{
	struct hg_open_batch *page = batch->page;
	struct hg_ev_batch event = { .number = page->number,
				     .thread = page->thread,
				     .begin = page->begin,
				     .records = page->records };
	uintptr_t *turn;

	if (HG_UNLIKELY(hg_config.recorded && !*hg_provider->recording))
		return;
	end_run(batch);
	event.words = page->words;
	hg_tls.counted = &batch->counts;
	turn = hg_turn_take();
	hg_provider->batch(&event);
	hg_turn_end(turn);
	hg_tls.counted = NULL;
	batch->counts = (struct hg_batch_counts){ 0 };
	__atomic_store_n(&page->words, 0, __ATOMIC_RELEASE);
	batch->next = batch->end = NULL;
	batch->until = 0;
	__atomic_store_n(&batch->open, 0, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&hg_batches_open, 1, __ATOMIC_RELAXED);
}

/* Under its lock, by its thread. Its first record's time must not be before the event's. */
static __attribute__((noinline)) bool begin(struct hg_batch *batch)
{
	struct hg_ev_batch_open event;
	uintptr_t *turn;

	if (batch->open)
		write_out(batch);
	if (batch->open)
		return false;
	if (__atomic_load_n(&forking, __ATOMIC_ACQUIRE) ||
	    __atomic_load_n(&ended, __ATOMIC_ACQUIRE) || getpid() != hg_process_id)
		return false;
	if (!batch->page) {
		batch->page = hg_batch_page_new();
		if (!batch->page)
			return false;
		batch->kept = hg_batch_page_is_kept(batch->page);
	}
	event.number = hg_batch_number();
	/* Until there is a time its first record is about to come: the recorder waits for it. */
	__atomic_store_n(&batch->page->begin, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&batch->page->number, event.number, __ATOMIC_RELEASE);
	turn = hg_turn_take();
	hg_provider->batch_open(&event);
	hg_turn_end(turn);
	batch->page->thread = (int32_t)syscall(SYS_gettid);
	__atomic_store_n(&batch->begin, hg_now(), __ATOMIC_RELAXED);
	__atomic_store_n(&batch->page->begin, batch->begin, __ATOMIC_RELEASE);
	__atomic_fetch_add(&hg_batches_open, 1, __ATOMIC_RELAXED);
	batch->next = batch->page->records;
	batch->end = batch->page->records + HG_BATCH_WORDS;
	batch->before = (struct hg_packed){ 0 };
	__atomic_store_n(&batch->open, 1, __ATOMIC_RELAXED);
	return true;
}

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
	/* Again in a forked child, where the kernel has cleared it. */
	if (fenced)
		__atomic_fetch_or(&thread->batch->others, HG_BATCH_FENCED, __ATOMIC_SEQ_CST);
	hg_tls.batch = thread->batch;
	return thread->batch;
}

static inline struct hg_batch *own_batch(void)
{
	return HG_LIKELY(hg_tls.batch != NULL) ? hg_tls.batch : find_batch();
}

bool hg_batches_keep(void)
{
	const struct hg_thread *thread = hg_tls.thread;
	const struct hg_batch *batch = thread ? thread->batch : NULL;

	return batches && (batch && batch->page ? batch->kept : hg_batch_pages_are_kept());
}

/* Under its lock, by its thread, which has room in it. */
static inline void set_until(struct hg_batch *batch)
{
	uint64_t most = batch->begin + UINT32_MAX;
	uint64_t due = __atomic_load_n(&hg_batches_due, __ATOMIC_RELAXED);

	batch->until = due < most ? due : most;
}

/* Whoever writes it out has the lock, for long only where buffers are full. */
static __attribute__((noinline)) bool wait_for_lock(struct hg_batch *batch)
{
	for (unsigned tries = 0; !hg_batch_lock(batch); tries++) {
		if (tries == TRIES_MAX)
			return false;
		sched_yield();
	}
	return true;
}

/* Under the lock, for what cannot go into the page as it is. false: nothing can. */
static __attribute__((noinline)) bool make_room_in(struct hg_batch *batch)
{
	if (__atomic_load_n(hg_batches_hold, __ATOMIC_RELAXED)) {
		if (batch->open)
			write_out(batch);
		return false;
	}
	return begin(batch);
}

/* Under its lock: whether it has room at its end for so many words, or a packed record. */
static inline bool has_room(struct hg_batch *batch, uint32_t words, uint32_t packed)
{
	if (packed)
		return has_run(batch, packed);
	end_run(batch);
	return has_words(batch, words);
}

static inline __attribute__((always_inline)) bool take(struct hg_batch_room *room, uint32_t words,
						       uint32_t packed, uint64_t when)
{
	struct hg_batch *batch = own_batch();

	if (HG_UNLIKELY(!batch))
		return false;
	if (HG_UNLIKELY(!hg_batch_lock(batch)) && !wait_for_lock(batch))
		return false;
	if (!when)
		when = hg_now();
	if (HG_UNLIKELY(!hg_batch_takes(when - batch->begin)) ||
	    HG_UNLIKELY(!has_room(batch, words, packed))) {
		if (!make_room_in(batch) || !has_room(batch, words, packed)) {
			hg_batch_unlock(batch);
			return false;
		}
		when = batch->begin;
	}
	if (HG_UNLIKELY(when > batch->until))
		set_until(batch);
	room->batch = batch;
	room->words = batch->next;
	room->when = when;
	room->number = batch->page->number;
	room->since = (uint32_t)(when - batch->begin);
	room->kept = batch->kept;
	return true;
}

bool hg_batch_take(struct hg_batch_room *room, uint32_t most, uint64_t when)
{
	return take(room, most, 0, when);
}

/* Whoever reads the page of a process that was killed finds whole records. */
void hg_batch_put(const struct hg_batch_room *room, uint32_t words)
{
	if (words) {
		hg_batch_count(room->batch, (enum hg_record)(room->words[0] >> 56));
		claim(room->batch, words);
	}
	hg_batch_filled(room->batch, room->when);
}

bool hg_batch_take_packed(struct hg_batch_room *room, uint32_t most, uint64_t when)
{
	return take(room, 0, most, when);
}

void hg_batch_put_packed(const struct hg_batch_room *room, char *end, unsigned kind)
{
	room->batch->packed = end;
	hg_batch_count(room->batch, (enum hg_record)kind);
	hg_batch_filled(room->batch, room->when);
}

bool hg_batch_add(const uint64_t *words, uint32_t count, uint64_t when)
{
	struct hg_batch_room room;

	if (!hg_batch_take(&room, count, when))
		return false;
	room.words[0] = words[0];
	room.words[1] = words[1] | room.since;
	for (uint32_t i = 2; i < count; i++)
		room.words[i] = words[i];
	hg_batch_put(&room, count);
	return true;
}

/* A block whose address, or api, no packed record can have. */
static bool add_unpacked(const struct hg_batch_block *block)
{
	uint64_t kind = block->freed      ? HG_RECORD_FREE
			: block->stack_id ? HG_RECORD_ALLOC_STACK
					  : HG_RECORD_ALLOC;
	uint64_t words[] = { kind << 56 | (uint64_t)block->api << 48 | block->address,
			     (uint64_t)(block->freed ? block->stack_id : block->size) << 32,
			     block->stack_id };

	return block->address <= HG_RECORD_ADDRESS && block->api <= UINT8_MAX &&
	       hg_batch_add(words, hg_record_words(words[0]), 0);
}

bool hg_batch_add_block(const struct hg_batch_block *block)
{
	uint64_t address = block->address / 16;
	struct hg_batch_room room;
	struct hg_packed *before;
	char *end;

	if (!hg_packed_fits(block->api, block->address))
		return add_unpacked(block);
	if (!hg_batch_take_packed(&room, HG_PACKED_BLOCK_MOST, 0))
		return false;
	before = &room.batch->before;
	end = hg_packed_put_block(room.batch->packed, before, (uint8_t)block->api, block->freed,
				  address, hg_packed_fold(address - before->address), block->size,
				  block->stack_id, room.since);
	hg_batch_put_packed(&room, end, block->freed ? HG_RECORD_FREE : HG_RECORD_ALLOC);
	return true;
}

__attribute__((noinline)) bool hg_batch_add_block_otherwise(const struct hg_batch_block *block)
{
	int saved = errno;
	bool added;

	hg_tracers_clean();
	added = hg_batch_add_block(block);
	errno = saved;
	return added;
}

/* ---- those of others ---- */

/* Whoever has the lock of one is at it. */
void hg_batches_look(uint64_t now)
{
	uint64_t due = __atomic_load_n(&hg_batches_due, __ATOMIC_RELAXED);
	uint32_t used = __atomic_load_n(&batches_used, __ATOMIC_RELAXED);
	int saved = errno;

	if (now <= due || !__atomic_compare_exchange_n(&hg_batches_due, &due, now + AGE_MAX / 2,
						       false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	for (uint32_t i = 0; i < used && i < BATCHES_MAX; i++) {
		struct hg_batch *batch = &batches[i];

		if (!__atomic_load_n(&batch->open, __ATOMIC_RELAXED) ||
		    now <= __atomic_load_n(&batch->begin, __ATOMIC_RELAXED) + AGE_MAX / 2 ||
		    !try_lock(batch))
			continue;
		if (batch->open && now > batch->page->begin + AGE_MAX / 2)
			write_out(batch);
		unlock_for_others(batch);
	}
	errno = saved;
}

void hg_batches_poll(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	hg_batches_look((uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec);
}

static void close_batch(struct hg_batch *batch, bool for_good)
{
	if (!lock_patiently(batch))
		return;
	if (batch->open)
		write_out(batch);
	if (for_good && batch->page && !batch->open && hg_batch_page_give_back(batch->page))
		batch->page = NULL;
	unlock_for_others(batch);
}

static void close_all(bool for_good)
{
	uint32_t used = __atomic_load_n(&batches_used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; batches && i < used && i < BATCHES_MAX; i++)
		close_batch(&batches[i], for_good);
}

void hg_batches_flush(void)
{
	close_all(false);
}

static void thread_end(void)
{
	struct hg_batch *batch = hg_tls.thread ? hg_tls.thread->batch : NULL;

	if (!batch)
		return;
	/* It left our code by a jump out of a signal's handler, say. */
	if (hg_tls.busy)
		hg_batch_unlock(batch);
	hg_tls.busy++;
	close_batch(batch, true);
	hg_tls.busy--;
}

/* ---- ends ---- */

static void end(void)
{
	if (hg_tls.busy)
		return;
	hg_tls.busy = 1;
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	close_all(true);
	hg_batch_pages_leave();
	hg_tls.busy = 0;
}

static void again(void)
{
	__atomic_store_n(&ended, 0, __ATOMIC_RELEASE);
}

static void fork_lock(void)
{
	__atomic_store_n(&forking, 1, __ATOMIC_RELEASE);
	hg_batches_flush();
}

static void fork_unlock(bool child)
{
	if (!child)
		__atomic_store_n(&forking, 0, __ATOMIC_RELEASE);
}

static void fork_child(void)
{
	hg_batches_open = 0;
	forking = ended = 0;
}

HG_PART(.name = "batches", .order = 70, .loaded = loaded, .early_end = early_end,
	.fork_lock = fork_lock, .fork_unlock = fork_unlock, .fork_child = fork_child, .exit = end,
	.again = again, .thread_end = thread_end);
