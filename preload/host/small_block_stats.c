/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each place where a block can begin, one 32-bit word holds the call stack that allocated the
 * block and the requested size: a shadow of the heap, one eighth of its size, in parts that are
 * mapped where blocks are. So there is nothing to search and nothing to lock; the word belongs to
 * the owner of the block.
 *
 * Each thread counts into a table of its own, by stack. From time to time one of the threads adds
 * up all tables and writes what has changed. Numbers only grow, so what is lost of one writing (a
 * program that is killed, a buffer that was overwritten) is in the next.
 *
 * Where recordings begin and end while the process runs (live_state.c), each counts from 0 in an
 * epoch of its own: blocks of an older epoch are unknown, because what happened to them in between
 * is unknown. A call that began in the old epoch ends in that epoch's shadow and table, which are
 * no longer read.
 */
#include "preload/host/small_block_stats.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/libc.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/threads.h"
#include "preload/stacks/stack.h"
#include "preload/trace/session_recording.h"
#include "tracer/events.h"
#include "tracer/events/ev_host_totals.h"
#include "tracer/provider.h"

/* ---- the shadow ---- */

#define ADDRESS_BITS 47u /* of user space on x86-64 */
#define PART_BITS    26u /* of an address: 64 MiB, as large as glibc aligns its arenas */
#define PARTS        ((size_t)1 << (ADDRESS_BITS - PART_BITS))
#define SIZE_BITS    12u /* size plus one, so that no block's word is 0 */
#define MAX_STACK    ((1u << (32 - SIZE_BITS)) - 1)

/* Each of them serves every other epoch. */
static struct shadow {
	_Atomic(uint32_t *) *parts;
	uint32_t *all; /* its parts; atomic */
} shadows[2];
static unsigned granule_shift;

static uint32_t epoch;      /* atomic; 0: nothing is counted */
static uint32_t last_epoch; /* that there was */
static uint64_t began;      /* the epoch, ns of hg_now() */

/* When hg_small_blocks_take() was called last. */
static __thread uint32_t taken_in __attribute__((tls_model("initial-exec")));

static uint32_t current(void)
{
	return __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
}

static size_t part_bytes(void)
{
	return ((size_t)1 << (PART_BITS - granule_shift)) * sizeof(uint32_t);
}

/* Behind a part's words: the one that was mapped before it. */
struct part_end {
	uint32_t *next;
};

static struct part_end *end_of(uint32_t *part)
{
	return (struct part_end *)((char *)part + part_bytes());
}

static void *map(size_t size)
{
	void *memory = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static __attribute__((noinline)) uint32_t *add_part(struct shadow *shadow, size_t number)
{
	static int reported; /* atomic */
	struct part_end *end;
	uint32_t *part = map(part_bytes() + sizeof(*end)), *expected = NULL;

	if (!part) {
		if (!__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED))
			hg_say("no memory for the totals of small blocks: some are not counted");
		return NULL;
	}
	if (__atomic_compare_exchange_n((uint32_t **)&shadow->parts[number], &expected, part, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		end = end_of(part);
		end->next = __atomic_load_n(&shadow->all, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&shadow->all, &end->next, part, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		return part;
	}
	hg_libc.munmap(part, part_bytes() + sizeof(*end));
	return expected;
}

/* The word of a block; NULL if there is none, and none is wanted or to be had. */
static inline uint32_t *shadow_of(uint32_t now, const void *ptr, bool wanted)
{
	struct shadow *shadow = &shadows[now & 1];
	uintptr_t address = (uintptr_t)ptr;
	size_t number = address >> PART_BITS;
	uint32_t *part;

	if (HG_UNLIKELY(number >= PARTS))
		return NULL;
	part = __atomic_load_n((uint32_t **)&shadow->parts[number], __ATOMIC_ACQUIRE);
	if (HG_UNLIKELY(!part)) {
		part = wanted ? add_part(shadow, number) : NULL;
		if (!part)
			return NULL;
	}
	return &part[(address & (((uintptr_t)1 << PART_BITS) - 1)) >> granule_shift];
}

/* ---- tables ---- */

struct total {
	uint32_t key; /* stack id plus one; 0: the row is free. Written last. */
	uint16_t api; /* of the first allocation; 0: only freed here so far */
	uint16_t largest;
	uint64_t count, bytes, freed, freed_bytes;
};

struct hg_small_blocks {
	uint32_t size; /* rows, a power of two */
	uint32_t used;
	uint32_t epoch; /* atomic; of another than the current one, it counts as empty */
	struct total rows[];
};

#define FIRST_ROWS 64u

static struct hg_small_blocks *new_table(uint32_t size)
{
	struct hg_small_blocks *table = map(sizeof(*table) + size * sizeof(struct total));

	if (table)
		table->size = size;
	return table;
}

/* Its row, or the free one where it would stand. */
static struct total *row_of(struct hg_small_blocks *table, uint32_t key)
{
	uint32_t mask = table->size - 1, at = (key * 0x9e3779b1u >> 7) & mask;

	while (table->rows[at].key != key && table->rows[at].key)
		at = (at + 1) & mask;
	return &table->rows[at];
}

/* Clears a table for an epoch. */
static void forget(struct hg_small_blocks *table, uint32_t now)
{
	table->used = 0;
	memset(table->rows, 0, table->size * sizeof(struct total));
	__atomic_store_n(&table->epoch, now, __ATOMIC_RELEASE);
}

/* Replaces the table by one twice as large with the same rows. Returns false if there is no
 * memory. */
static bool grow(struct hg_small_blocks **table, uint32_t now)
{
	struct hg_small_blocks *old = *table, *larger = new_table(old ? 2 * old->size : FIRST_ROWS);

	if (!larger)
		return false;
	for (uint32_t i = 0; old && i < old->size; i++)
		if (old->rows[i].key)
			*row_of(larger, old->rows[i].key) = old->rows[i];
	larger->used = old ? old->used : 0;
	larger->epoch = now;
	__atomic_store_n(table, larger, __ATOMIC_RELEASE);
	return true;
}

/* Returns a stack's row, made if need be, or NULL if there is no memory. */
static inline struct total *find(struct hg_small_blocks **table, uint32_t now, uint32_t stack_id)
{
	uint32_t key = stack_id + 1;
	struct total *row;

	if (HG_LIKELY(*table && (*table)->epoch == now)) {
		row = row_of(*table, key);
		if (HG_LIKELY(row->key == key))
			return row;
	} else if (*table) {
		forget(*table, now);
	}
	if ((!*table || (*table)->used >= (*table)->size / 4 * 3) && !grow(table, now))
		return NULL;
	row = row_of(*table, key);
	(*table)->used++;
	__atomic_store_n(&row->key, key, __ATOMIC_RELEASE);
	return row;
}

/* Only its owner writes a table. */
static inline void bump(uint64_t *counter, uint64_t by)
{
	__atomic_store_n(counter, *counter + by, __ATOMIC_RELAXED);
}

/* ---- writing ---- */

#define CALLS_BETWEEN 1024u       /* looks at the clock */
#define NANOSECONDS   1000000000u /* between writings */

static struct hg_small_blocks
    *ending; /* of threads that have given their own back; under its lock */
static int ending_lock;
static int writing;                    /* a lock */
static uint64_t last_written;          /* atomic; ns of CLOCK_MONOTONIC_COARSE */
static struct hg_small_blocks *sums;   /* the tables together; under `writing` */
static struct hg_small_blocks *before; /* as they were last written */

static void lock(int *word)
{
	while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(int *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static void add(const struct hg_small_blocks *table, uint32_t now)
{
	if (!table || __atomic_load_n(&table->epoch, __ATOMIC_ACQUIRE) != now)
		return;
	for (uint32_t i = 0; i < table->size; i++) {
		const struct total *from = &table->rows[i];
		uint32_t key = __atomic_load_n(&from->key, __ATOMIC_ACQUIRE);
		struct total *to = key ? find(&sums, now, key - 1) : NULL;

		if (!to)
			continue;
		/* The freed blocks are read first, so that they are never more than there were. */
		to->freed += __atomic_load_n(&from->freed, __ATOMIC_RELAXED);
		to->freed_bytes += __atomic_load_n(&from->freed_bytes, __ATOMIC_RELAXED);
		to->count += __atomic_load_n(&from->count, __ATOMIC_RELAXED);
		to->bytes += __atomic_load_n(&from->bytes, __ATOMIC_RELAXED);
		if (from->api)
			to->api = from->api;
		if (from->largest > to->largest)
			to->largest = from->largest;
	}
}

static void emit_changed(uint32_t now)
{
	for (uint32_t i = 0; sums && i < sums->size; i++) {
		const struct total *sum = &sums->rows[i];
		struct total *written = sum->key ? find(&before, now, sum->key - 1) : NULL;
		struct hg_ev_host_totals event = { .stack_id = sum->key - 1,
						   .api = (uint8_t)sum->api,
						   .largest = sum->largest,
						   .count = sum->count,
						   .bytes = sum->bytes,
						   .freed = sum->freed,
						   .freed_bytes = sum->freed_bytes };

		if (!sum->key ||
		    (written && written->count == sum->count && written->freed == sum->freed))
			continue;
		if (written) {
			written->count = sum->count;
			written->freed = sum->freed;
		}
		if (hg_config.standby)
			hg_stack_define(event.stack_id); /* to this recording, perhaps */
		hg_provider->host_totals(&event);
	}
}

static uint32_t adding; /* the epoch that is added up; under `writing` */

static void add_thread(struct hg_thread *thread)
{
	add(__atomic_load_n(&thread->totals, __ATOMIC_ACQUIRE), adding);
}

/* Writes the sums of all threads. The caller holds `writing`. */
static void write_out(void)
{
	adding = current();
	if (!adding)
		return;
	if (sums && sums->epoch != adding)
		forget(sums, adding);
	else if (sums)
		for (uint32_t i = 0; i < sums->size; i++)
			sums->rows[i] = (struct total){ .key = sums->rows[i].key };
	hg_threads_each(add_thread);
	add(__atomic_load_n(&ending, __ATOMIC_ACQUIRE), adding);
	emit_changed(adding);
}

/*
 * Whoever writes now may have been cancelled in it: not waited for without end; but for long, for
 * it may only be off its processor, and what is not written here never will be.
 */
static bool begin_writing(void)
{
	struct timespec nap = { .tv_nsec = 1000000 };

	for (unsigned naps = 0; __atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE); naps++) {
		if (naps == 2000)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static void flush(void)
{
	int cancel;

	if (!current())
		return;
	cancel = hg_keep_thread();
	if (begin_writing()) {
		write_out();
		unlock(&writing);
	}
	hg_release_thread(cancel);
}

static void after_state(void)
{
	if (hg_config.totals)
		flush();
}

static uint64_t coarse_now(void)
{
	struct timespec time;

	hg_clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec * NANOSECONDS + (uint64_t)time.tv_nsec;
}

static __attribute__((noinline)) void write_if_due(void)
{
	uint64_t now = coarse_now(), last = __atomic_load_n(&last_written, __ATOMIC_RELAXED);

	if (now - last < NANOSECONDS ||
	    !__atomic_compare_exchange_n(&last_written, &last, now, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE))
		return;
	write_out();
	unlock(&writing);
}

/* ---- counting ---- */

/* Returns the calling thread's row of a stack, or NULL. *locked becomes true, and the lock is held,
 * if the thread has no table of its own any more. */
static inline struct total *own_row(uint32_t now, uint32_t stack_id, bool *locked)
{
	struct hg_thread *thread = hg_thread();

	*locked = !thread;
	if (HG_LIKELY(thread != NULL))
		return find(&thread->totals, now, stack_id);
	lock(&ending_lock);
	return now == current() ? find(&ending, now, stack_id) : NULL;
}

static inline void count_freed(uint32_t now, uint32_t taken)
{
	struct total *row;
	bool locked;

	if (!taken)
		return;
	row = own_row(now, taken >> SIZE_BITS, &locked);
	if (row) {
		bump(&row->freed, 1);
		bump(&row->freed_bytes, (taken & ((1u << SIZE_BITS) - 1)) - 1);
	}
	if (HG_UNLIKELY(locked))
		unlock(&ending_lock);
}

void hg_small_blocks_count_freed(uint32_t taken)
{
	count_freed(taken_in, taken);
}

bool hg_small_blocks_count(void)
{
	return current();
}

void hg_small_blocks_alloc(uint16_t api, const void *ptr, size_t size, uint32_t stack_id)
{
	uint32_t now = current(), *shadow = now ? shadow_of(now, ptr, true) : NULL;
	struct total *row;
	bool locked;

	/* Larger where the threshold has just become another. */
	if (HG_UNLIKELY(!shadow || size >= HG_SMALL_BLOCKS_LIMIT))
		return;
	if (HG_UNLIKELY(stack_id > MAX_STACK))
		stack_id = 0; /* of a table of stacks that is full: counted without one */
	/* A block at this address was freed while nothing was recorded. */
	count_freed(now, *shadow);
	row = own_row(now, stack_id, &locked);
	*shadow = row ? stack_id << SIZE_BITS | ((uint32_t)size + 1) : 0;
	if (HG_LIKELY(row != NULL)) {
		bump(&row->count, 1);
		bump(&row->bytes, size);
		if (HG_UNLIKELY(!row->api))
			row->api = api;
		if (HG_UNLIKELY(size > row->largest))
			row->largest = (uint16_t)size;
	}
	if (HG_UNLIKELY(locked))
		unlock(&ending_lock);
	if (HG_UNLIKELY(++hg_tls.totalled >= CALLS_BETWEEN)) {
		hg_tls.totalled = 0;
		write_if_due();
	}
}

static inline uint32_t take(uint32_t now, const void *ptr)
{
	uint32_t *shadow = now ? shadow_of(now, ptr, false) : NULL, taken = shadow ? *shadow : 0;

	if (taken)
		*shadow = 0;
	return taken;
}

uint32_t hg_small_blocks_take(const void *ptr)
{
	taken_in = current();
	return take(taken_in, ptr);
}

void hg_small_blocks_put(const void *ptr, uint32_t taken)
{
	uint32_t *shadow = taken ? shadow_of(taken_in, ptr, false) : NULL;

	if (shadow)
		*shadow = taken;
}

void hg_small_blocks_free(const void *ptr)
{
	uint32_t now = current();

	count_freed(now, take(now, ptr));
}

/* ---- beginning, and beginning again ---- */

static int get_ready(bool packed)
{
	granule_shift = packed ? 5 : 3;
	for (size_t i = 0; i < HG_COUNT(shadows); i++) {
		shadows[i].parts = map(PARTS * sizeof(*shadows[i].parts));
		if (!shadows[i].parts)
			return -ENOMEM;
	}
	return 0;
}

static void wipe(struct shadow *shadow)
{
	for (uint32_t *part = __atomic_load_n(&shadow->all, __ATOMIC_ACQUIRE); part;
	     part = end_of(part)->next)
		hg_libc.madvise(part, part_bytes(), MADV_DONTNEED);
}

static void begin_counting(void)
{
	uint32_t next = last_epoch + 1 ? last_epoch + 1 : 2;

	if (!hg_config.totals)
		return;
	if (!begin_writing()) {
		hg_say("small blocks are not counted: somebody is writing totals");
		return;
	}
	if (current()) {
		if (before)
			forget(before, current()); /* all is written once more */
		unlock(&writing);
		return;
	}
	lock(&ending_lock); /* whoever has it and an older epoch looks at that */
	wipe(&shadows[next & 1]);
	last_epoch = next;
	began = hg_now();
	last_written = coarse_now();
	__atomic_store_n(&epoch, next, __ATOMIC_RELEASE);
	unlock(&ending_lock);
	unlock(&writing);
}

static void end(void)
{
	__atomic_store_n(&epoch, 0, __ATOMIC_RELEASE);
}

static void fork_child(void)
{
	writing = ending_lock = 0;
	end();
}

static uint64_t age(void)
{
	return current() ? hg_now() - began : 0;
}

static int init(void)
{
	int rc;

	if (!hg_config.totals)
		return 0;
	rc = get_ready(hg_small_chunk);
	if (rc)
		return rc;
	hg_counted_age = age;
	/* From here on no block is small enough to be of no interest; else session_recording.c says
	 * when.
	 */
	if (!hg_config.standby) {
		hg_libc_limit(0);
		begin_counting();
	}
	return 0;
}

static void begin(bool late)
{
	(void)late;
	if (hg_config.standby)
		begin_counting();
}

static void fork_record(void)
{
	if (!hg_config.standby)
		begin_counting();
}

HG_PART(.name = "small-blocks", .order = 85, .init = init, .begin = begin, .end = end,
	.after_state = after_state, .fork_child = fork_child, .fork_record = fork_record,
	.flush = flush);
