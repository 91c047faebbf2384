/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stack allocated a block, and how large it was asked to be, stands in one word of 32 bits
 * per place where a block can begin: a shadow of the heap, one eighth of its size, in parts that
 * are mapped where blocks are. So there is nothing to search and nothing to lock; the word belongs
 * to whoever owns the block.
 *
 * Each thread counts into a table of its own, by stack. Now and then one of the threads adds up
 * all tables and writes what has changed. Numbers only grow, so what is lost of one writing (a
 * program that is killed, a buffer that was overwritten) is in the next.
 */
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include "totals.h"

/* ---- the shadow ---- */

#define ADDRESS_BITS 47u /* of user space on x86-64 */
#define PART_BITS    26u /* of an address: 64 MiB, as large as glibc aligns its arenas */
#define PARTS        ((size_t)1 << (ADDRESS_BITS - PART_BITS))
#define SIZE_BITS    12u /* size plus one, so that no block's word is 0 */
#define MAX_STACK    ((1u << (32 - SIZE_BITS)) - 1)

static _Atomic(uint32_t *) *parts; /* NULL: totals are off */
static unsigned granule_shift;

static size_t part_bytes(void)
{
	return ((size_t)1 << (PART_BITS - granule_shift)) * sizeof(uint32_t);
}

/* Behind a part's words: the one that was mapped before it. */
struct part_end {
	uint32_t *next;
};
static uint32_t *all_parts; /* atomic */

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

static __attribute__((noinline)) uint32_t *add_part(size_t number)
{
	static int said; /* atomic */
	struct part_end *end;
	uint32_t *part = map(part_bytes() + sizeof(*end)), *expected = NULL;

	if (!part) {
		if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
			hg_say("no memory for the totals of small blocks: some are not counted");
		return NULL;
	}
	if (__atomic_compare_exchange_n((uint32_t **)&parts[number], &expected, part, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		end = end_of(part);
		end->next = __atomic_load_n(&all_parts, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&all_parts, &end->next, part, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		return part;
	}
	hg_libc.munmap(part, part_bytes() + sizeof(*end));
	return expected;
}

/* The word of a block; NULL if there is none, and none is wanted or to be had. */
static inline uint32_t *shadow_of(const void *ptr, bool wanted)
{
	uintptr_t address = (uintptr_t)ptr;
	size_t number = address >> PART_BITS;
	uint32_t *part;

	if (HG_UNLIKELY(number >= PARTS))
		return NULL;
	part = __atomic_load_n((uint32_t **)&parts[number], __ATOMIC_ACQUIRE);
	if (HG_UNLIKELY(!part)) {
		part = wanted ? add_part(number) : NULL;
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

struct hg_totals {
	uint32_t size; /* rows, a power of two */
	uint32_t used;
	struct total rows[];
};

#define FIRST_ROWS 64u

static struct hg_totals *new_table(uint32_t size)
{
	struct hg_totals *table = map(sizeof(*table) + size * sizeof(struct total));

	if (table)
		table->size = size;
	return table;
}

/* Its row, or the free one where it would stand. */
static struct total *row_of(struct hg_totals *table, uint32_t key)
{
	uint32_t mask = table->size - 1, at = (key * 0x9e3779b1u >> 7) & mask;

	while (table->rows[at].key != key && table->rows[at].key)
		at = (at + 1) & mask;
	return &table->rows[at];
}

/* A table twice as large with the same rows in its place; false without memory. */
static bool grow(struct hg_totals **table)
{
	struct hg_totals *old = *table, *larger = new_table(old ? 2 * old->size : FIRST_ROWS);

	if (!larger)
		return false;
	for (uint32_t i = 0; old && i < old->size; i++) {
		if (old->rows[i].key)
			*row_of(larger, old->rows[i].key) = old->rows[i];
	}
	larger->used = old ? old->used : 0;
	__atomic_store_n(table, larger, __ATOMIC_RELEASE);
	return true;
}

/* A stack's row, made if need be; NULL without memory. */
static inline struct total *find(struct hg_totals **table, uint32_t stack_id)
{
	uint32_t key = stack_id + 1;
	struct total *row;

	if (HG_LIKELY(*table != NULL)) {
		row = row_of(*table, key);
		if (HG_LIKELY(row->key == key))
			return row;
	}
	if ((!*table || (*table)->used >= (*table)->size / 4 * 3) && !grow(table))
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

static struct hg_totals *ending; /* of threads that have given their own back; under its lock */
static int ending_lock;
static int writing;              /* a lock */
static uint64_t last_written;    /* atomic; ns of CLOCK_MONOTONIC_COARSE */
static struct hg_totals *sums;   /* the tables together; under `writing` */
static struct hg_totals *before; /* as they were last written */

static void lock(int *word)
{
	while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(int *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static void add(const struct hg_totals *table)
{
	for (uint32_t i = 0; table && i < table->size; i++) {
		const struct total *from = &table->rows[i];
		uint32_t key = __atomic_load_n(&from->key, __ATOMIC_ACQUIRE);
		struct total *to = key ? find(&sums, key - 1) : NULL;

		if (!to)
			continue;
		/* What is freed first, so that it is never more than there was. */
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

static void emit_changed(void)
{
	for (uint32_t i = 0; sums && i < sums->size; i++) {
		const struct total *sum = &sums->rows[i];
		struct total *written = sum->key ? find(&before, sum->key - 1) : NULL;
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
		hg_provider->host_totals(&event);
	}
}

static void add_thread(struct hg_thread *thread)
{
	add(__atomic_load_n(&thread->totals, __ATOMIC_ACQUIRE));
}

/* With `writing` held. */
static void write_out(void)
{
	if (sums) {
		for (uint32_t i = 0; i < sums->size; i++)
			sums->rows[i] = (struct total){ .key = sums->rows[i].key };
	}
	hg_threads_each(add_thread);
	add(__atomic_load_n(&ending, __ATOMIC_ACQUIRE));
	emit_changed();
}

/*
 * Whoever writes now may have been cancelled in it: not waited for without end; but for long, for
 * it may only be off its processor, and what is not written here never will be.
 */
void hg_totals_write(void)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	unsigned naps = 0;
	int cancel;

	if (!parts)
		return;
	cancel = hg_keep_thread();
	while (__atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE)) {
		if (naps++ == 2000) {
			hg_release_thread(cancel);
			return;
		}
		nanosleep(&nap, NULL);
	}
	write_out();
	unlock(&writing);
	hg_release_thread(cancel);
}

static uint64_t coarse_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
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

/* The calling thread's row of a stack, under the lock if it has no table of its own any more. */
static inline struct total *own_row(uint32_t stack_id, bool *locked)
{
	struct hg_thread *thread = hg_thread();

	*locked = !thread;
	if (HG_LIKELY(thread != NULL))
		return find(&thread->totals, stack_id);
	lock(&ending_lock);
	return find(&ending, stack_id);
}

void hg_totals_count_freed(uint32_t taken)
{
	struct total *row;
	bool locked;

	if (!taken)
		return;
	row = own_row(taken >> SIZE_BITS, &locked);
	if (row) {
		bump(&row->freed, 1);
		bump(&row->freed_bytes, (taken & ((1u << SIZE_BITS) - 1)) - 1);
	}
	if (HG_UNLIKELY(locked))
		unlock(&ending_lock);
}

void hg_totals_alloc(uint16_t api, const void *ptr, size_t size, uint32_t stack_id)
{
	uint32_t *shadow = shadow_of(ptr, true);
	struct total *row;
	bool locked;

	if (HG_UNLIKELY(!shadow))
		return;
	if (HG_UNLIKELY(stack_id > MAX_STACK))
		stack_id = 0; /* of a table of stacks that is full: counted without one */
	/* A block here before was freed where nobody looked. */
	hg_totals_count_freed(*shadow);
	row = own_row(stack_id, &locked);
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

uint32_t hg_totals_take(const void *ptr)
{
	uint32_t *shadow = shadow_of(ptr, false), taken = shadow ? *shadow : 0;

	if (taken)
		*shadow = 0;
	return taken;
}

void hg_totals_put(const void *ptr, uint32_t taken)
{
	uint32_t *shadow = taken ? shadow_of(ptr, false) : NULL;

	if (shadow)
		*shadow = taken;
}

void hg_totals_free(const void *ptr)
{
	hg_totals_count_freed(hg_totals_take(ptr));
}

/* ---- beginning, and beginning again ---- */

int hg_totals_init(bool packed)
{
	granule_shift = packed ? 5 : 3;
	parts = map(PARTS * sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	last_written = coarse_now();
	return 0;
}

static void forget(struct hg_totals **table)
{
	if (*table) {
		/* Back to zero pages; its size is all that is kept. */
		uint32_t size = (*table)->size;

		madvise(*table, sizeof(**table) + size * sizeof(struct total), MADV_DONTNEED);
		(*table)->size = size;
	}
}

static void forget_thread(struct hg_thread *thread)
{
	forget(&thread->totals);
}

void hg_totals_reset(void)
{
	if (!parts)
		return;
	writing = ending_lock = 0;
	hg_threads_each(forget_thread);
	forget(&ending);
	forget(&sums);
	forget(&before);
	for (uint32_t *part = all_parts; part; part = end_of(part)->next)
		madvise(part, part_bytes(), MADV_DONTNEED);
}
