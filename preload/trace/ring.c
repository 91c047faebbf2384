/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of the process's file. Threads take and give them without a lock: each page has a state.
 *
 * The file grows while no page is free. When it has its greatest size, threads wait for the
 * recorder, which empties full pages; as long as it does, no record is lost. A recorder that was
 * killed or hangs empties none: after one wait in vain a thread waits no longer than a tenth of the
 * time, and what finds no page is counted.
 *
 * What a child that shares nothing of this must not write to is in memory that the kernel clears in
 * every child, also in those that were made without the C library's knowledge.
 */
#include "preload/trace/ring.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"

#define FIRST_PAGES 2u
#define MORE_PAGES  16u /* by which it grows at most at a time */

/* How long a thread waits for a page; the shorter time after a wait in vain, and the pause. */
#define WAIT_NS  UINT64_C(10000000000)
#define RETRY_NS UINT64_C(1000000000)
#define PAUSE_NS UINT64_C(10000000000)

static const uint32_t stopped = 1;
const uint32_t *hg_ring_stop = &stopped;

static struct own {
	struct hg_ring *ring; /* NULL: there is none */
	bool tried;
	int growing;             /* atomic: a thread makes the file larger */
	bool full;               /* it cannot become larger */
	uint32_t next;           /* atomic: where to look for a free page first */
	uint64_t hopeless_until; /* atomic; ns */
	uint64_t patience;       /* atomic; ns */
	char path[PATH_MAX];
} * own;

static struct hg_ring_page *page_at(struct hg_ring *ring, uint32_t index)
{
	return (struct hg_ring_page *)(void *)(ring + 1) + index;
}

static bool make(void)
{
	struct hg_ring *ring;
	struct timespec real;
	size_t first = sizeof(*ring) + (size_t)FIRST_PAGES * HG_RING_PAGE;

	own->tried = true;
	own->patience = WAIT_NS;
	ring = hg_mapped_file_part(HG_RINGS, HG_RING_BYTES, first, own->path, sizeof(own->path));
	if (!ring)
		return false;
	hg_libc.madvise(ring, HG_RING_BYTES, MADV_DONTFORK);
	clock_gettime(CLOCK_REALTIME, &real);
	ring->origin = hg_ns(&real) - hg_now();
	ring->page_bytes = HG_RING_PAGE;
	ring->page_limit = HG_RING_PAGES;
	ring->pid = (int32_t)getpid();
	ring->pages = FIRST_PAGES;
	strncpy(ring->program, program_invocation_short_name, HG_RING_PROGRAM - 1);
	__atomic_store_n(&ring->magic, HG_RING_MAGIC, __ATOMIC_RELEASE);
	own->ring = ring;
	__atomic_store_n(&hg_ring_stop, &ring->stop, __ATOMIC_RELEASE);
	return true;
}

bool hg_ring_open(void)
{
	size_t page = (size_t)getpagesize();
	int saved = errno, cancel = hg_keep_thread();
	bool made;

	if (!own)
		own = hg_wiped_memory((sizeof(*own) + page - 1) & -page);
	made = own && (own->ring || (!own->tried && make()));
	hg_release_thread(cancel);
	errno = saved;
	return made;
}

/* ---- a page ---- */

static struct hg_ring_page *free_page(struct hg_ring *ring)
{
	uint32_t pages = __atomic_load_n(&ring->pages, __ATOMIC_ACQUIRE);
	uint32_t from = __atomic_load_n(&own->next, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < pages; i++) {
		struct hg_ring_page *page = page_at(ring, (from + i) % pages);
		uint32_t nobody = HG_RING_FREE;

		if (__atomic_load_n(&page->state, __ATOMIC_RELAXED) != HG_RING_FREE ||
		    !__atomic_compare_exchange_n(&page->state, &nobody, HG_RING_OPEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&own->next, (from + i + 1) % pages, __ATOMIC_RELAXED);
		return page;
	}
	return NULL;
}

/* Makes room for more pages. False: another thread is at it, or there is none. */
static bool grow(struct hg_ring *ring)
{
	uint32_t pages, more;
	int nobody = 0;
	bool done = false;

	if (__atomic_load_n(&own->full, __ATOMIC_RELAXED) ||
	    !__atomic_compare_exchange_n(&own->growing, &nobody, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	pages = ring->pages;
	more = pages < MORE_PAGES ? pages : MORE_PAGES;
	if (pages + more > HG_RING_PAGES)
		more = HG_RING_PAGES - pages;
	if (more)
		done = hg_mapped_file_grow(own->path, sizeof(*ring) + (size_t)pages * HG_RING_PAGE,
					   sizeof(*ring) + (size_t)(pages + more) * HG_RING_PAGE);
	if (done)
		__atomic_store_n(&ring->pages, pages + more, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&own->full, true, __ATOMIC_RELAXED);
	__atomic_store_n(&own->growing, 0, __ATOMIC_RELEASE);
	return done;
}

/* Sleeps until the recorder has emptied a page since `freed` was read, or a moment. */
static void nap(struct hg_ring *ring, uint32_t freed)
{
	struct timespec most = { .tv_nsec = 10000000 };

	__atomic_fetch_add(&ring->waiting, 1, __ATOMIC_SEQ_CST);
	hg_syscall(SYS_futex, &ring->freed, FUTEX_WAIT, freed, &most, NULL, 0);
	__atomic_fetch_sub(&ring->waiting, 1, __ATOMIC_SEQ_CST);
}

static struct hg_ring_page *wait_for_page(struct hg_ring *ring)
{
	uint64_t begin = hg_now(), now = begin;
	struct hg_ring_page *page = NULL;

	if (begin < __atomic_load_n(&own->hopeless_until, __ATOMIC_RELAXED))
		return NULL;
	while (!page && now - begin < __atomic_load_n(&own->patience, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&ring->stop, __ATOMIC_RELAXED)) {
		uint32_t freed = __atomic_load_n(&ring->freed, __ATOMIC_ACQUIRE);

		page = free_page(ring);
		if (!page && !grow(ring))
			nap(ring, freed);
		now = hg_now();
	}
	if (page) {
		__atomic_store_n(&own->patience, WAIT_NS, __ATOMIC_RELAXED);
	} else {
		__atomic_store_n(&own->patience, RETRY_NS, __ATOMIC_RELAXED);
		__atomic_store_n(&own->hopeless_until, now + PAUSE_NS, __ATOMIC_RELAXED);
	}
	return page;
}

struct hg_ring_page *hg_ring_take(void)
{
	int saved = errno, cancel = hg_keep_thread();
	struct hg_ring *ring = hg_ring_open() ? own->ring : NULL;
	struct hg_ring_page *page = NULL;

	if (ring && !__atomic_load_n(&ring->stop, __ATOMIC_RELAXED)) {
		page = free_page(ring);
		if (!page && grow(ring))
			page = free_page(ring);
		if (!page)
			page = wait_for_page(ring);
	}
	if (page) {
		page->words = 0;
		page->lost = 0;
		page->thread = (int32_t)hg_syscall(SYS_gettid);
		page->begin = hg_now();
		__atomic_store_n(&page->number,
				 __atomic_add_fetch(&ring->number, 1, __ATOMIC_RELAXED),
				 __ATOMIC_RELEASE);
	}
	hg_release_thread(cancel);
	errno = saved;
	return page;
}

void hg_ring_give(struct hg_ring_page *page)
{
	__atomic_store_n(&page->writing, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&page->state, HG_RING_FULL, __ATOMIC_RELEASE);
}

void hg_ring_lost(uint32_t records)
{
	if (own && own->ring)
		__atomic_fetch_add(&own->ring->lost_records, records, __ATOMIC_RELAXED);
}

void hg_ring_end(enum hg_ring_end how)
{
	if (own && own->ring)
		__atomic_store_n(&own->ring->end, how, __ATOMIC_RELEASE);
}
