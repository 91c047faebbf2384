/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of the process's file. Threads take and give them without a lock.
 *
 * The file grows by pages that were never used. Of a file that the recorder drains, pages become
 * free again, and when it has its greatest size, threads wait for them; as long as the recorder
 * empties pages, no record is lost. A recorder that was killed or hangs empties none: after one
 * wait in vain a thread waits no longer than a tenth of the time. They wait as long for one that
 * makes the file larger.
 *
 * What a child that shares nothing of this must not write to is in memory that the kernel clears in
 * every child, also in those that were made without the C library's knowledge.
 */
#include "preload/trace/own_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/signals.h"
#include "preload/trace/count_missed.h"
#include "tracer/event_record.h"

#define FIRST_PAGES 1u
#define MORE_PAGES  128u /* by which it grows at most at a time */
/* So many has a process that may soon not be able to make it larger. */
#define RESERVED_PAGES 32u
/* The file takes no more than this part of a limit on the process's address space. */
#define SPACE_PART 16u

/* A thread waits so long for a page; after a wait in vain it does not wait for the time of the
 * pause, and then the shorter time. */
#define WAIT_NS  UINT64_C(10000000000)
#define RETRY_NS UINT64_C(1000000000)
#define PAUSE_NS UINT64_C(10000000000)
/* A file that could not be made larger is left as it is for so long. */
#define FULL_NS UINT64_C(1000000000)

static const uint32_t no_epoch;
const uint32_t *hg_ring_epoch = &no_epoch;

/* Below HIPGRAIN_DIR: where the file is. Another one for each recording of a process on standby. */
static char folder[HG_RINGS_NAME] = HG_RINGS;

static struct own {
	struct hg_ring *ring; /* NULL: there is none */
	bool tried;
	int growing;             /* atomic: a thread makes the file larger */
	uint32_t next;           /* atomic: the page that was never used; or where to look first */
	uint64_t full_until;     /* atomic; ns: there is no room on the disk */
	uint64_t hopeless_until; /* atomic; ns */
	uint64_t patience;       /* atomic; ns */
	uint32_t again;          /* ring->again when the state was recorded last */
	char path[PATH_MAX];
} * own; /* atomic */

static struct hg_ring_page *page_at(struct hg_ring *ring, uint32_t index)
{
	return (struct hg_ring_page *)(void *)(ring + 1) + index;
}

/* ---- the file ---- */

/* Returns true if the recorder empties pages. */
static bool is_drained(void)
{
	char path[PATH_MAX];

	return (size_t)snprintf(path, sizeof(path), "%s/%s/" HG_RINGS_DRAINED, hg_config.dir,
				folder) < sizeof(path) &&
	       !hg_syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
}

/* Returns how many pages the file may have under the process's limits. */
static uint32_t page_limit(bool drained)
{
	uint64_t pages = drained ? HG_RING_PAGES_DRAINED : HG_RING_PAGES;
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / SPACE_PART / HG_RING_PAGE < pages)
		pages = limit.rlim_cur / SPACE_PART / HG_RING_PAGE;
	/* A process that makes a larger file than it may is sent a signal. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur / HG_RING_PAGE < pages + 1)
		pages = limit.rlim_cur / HG_RING_PAGE ? limit.rlim_cur / HG_RING_PAGE - 1 : 0;
	return (uint32_t)pages;
}

static uint64_t namespace_number(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : status.st_ino;
}

static uint64_t hash_of_clock(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ namespace_number("/proc/self/ns/time");
	struct utsname machine;

	if (!uname(&machine)) {
		const char *const parts[] = { machine.nodename, machine.release, machine.version };

		for (unsigned i = 0; i < HG_COUNT(parts); i++)
			for (const char *at = parts[i]; *at; at++)
				hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	}
	return hash;
}

/* `epoch` differs from those of files that the process had before. */
static bool make(struct own *mine, uint32_t epoch)
{
	bool drained = is_drained();
	uint32_t limit = page_limit(drained);
	struct hg_ring *ring = NULL;
	struct timespec real;

	mine->tried = true;
	mine->patience = WAIT_NS;
	/* If there is no room for so many addresses, a smaller file will do. */
	while (
	    limit >= FIRST_PAGES &&
	    !(ring = hg_mapped_file_part(folder, hg_ring_bytes(limit), hg_ring_bytes(FIRST_PAGES),
					 mine->path, sizeof(mine->path))))
		limit /= 8;
	if (!ring)
		return false;
	/* A child reads words of the first page, until it has a file of its own. */
	hg_libc.madvise(ring + 1, hg_ring_bytes(limit) - sizeof(*ring), MADV_DONTFORK);
	hg_libc.madvise(ring, hg_ring_bytes(limit), MADV_DONTDUMP);
	hg_clock_gettime(CLOCK_REALTIME, &real);
	ring->origin = hg_ns(&real) - hg_now();
	ring->page_bytes = HG_RING_PAGE;
	ring->page_limit = limit;
	ring->pid = (int32_t)getpid();
	ring->pages = FIRST_PAGES;
	ring->clock = hash_of_clock();
	ring->pids = namespace_number("/proc/self/ns/pid");
	ring->drained = drained;
	ring->exact = 1;
	ring->epoch = epoch;
	ring->recording = 1;
	ring->expected = hg_config.recorded;
	strncpy(ring->program, program_invocation_short_name, HG_RING_PROGRAM - 1);
	__atomic_store_n(&ring->magic, HG_RING_MAGIC, __ATOMIC_RELEASE);
	/* Not before: a process that is killed in between has no file that could be missing. */
	if (!strcmp(folder, HG_RINGS))
		hg_missed_count_file();
	mine->ring = ring;
	__atomic_store_n(&hg_ring_epoch, &ring->epoch, __ATOMIC_RELEASE);
	return true;
}

static struct own *new_own(void)
{
	size_t page = (size_t)getpagesize();

	return hg_wiped_memory((sizeof(struct own) + page - 1) & -page);
}

static struct own *current(void)
{
	return __atomic_load_n(&own, __ATOMIC_ACQUIRE);
}

bool hg_ring_open(void)
{
	int saved = errno, cancel = hg_keep_thread();
	struct own *mine = current();
	bool made;

	if (!mine) {
		mine = new_own();
		__atomic_store_n(&own, mine, __ATOMIC_RELEASE);
	}
	made = mine && (mine->ring || (!mine->tried && make(mine, 0)));
	hg_release_thread(cancel);
	errno = saved;
	return made;
}

/* Gives back the addresses of the pages that a file might still have got. Pages that threads have
 * stay. */
static void retire(struct own *mine)
{
	size_t used = hg_ring_bytes(mine->ring->pages);
	int nobody = 0;

	/* A thread that makes it larger just now keeps it as it is. */
	if (mine->ring->stop && __atomic_compare_exchange_n(&mine->growing, &nobody, 1, false,
							    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		hg_libc.munmap((char *)mine->ring + used,
			       hg_ring_bytes(mine->ring->page_limit) - used);
}

bool hg_ring_renew(const char *place)
{
	int saved = errno, cancel = hg_keep_thread();
	struct own *before = current(), *mine = new_own();
	bool made = false;

	snprintf(folder, sizeof(folder), "%s", place);
	if (mine)
		made = make(mine, before && before->ring ? before->ring->epoch + 2 : 0);
	if (made) {
		__atomic_store_n(&own, mine, __ATOMIC_RELEASE);
		if (before && before->ring)
			retire(before);
	} else if (mine) {
		hg_libc.munmap(mine, sizeof(*mine));
	}
	hg_release_thread(cancel);
	errno = saved;
	return made;
}

/* ---- a page ---- */

/* Returns a page of a drained file that is free. */
static struct hg_ring_page *free_page(struct own *mine)
{
	struct hg_ring *ring = mine->ring;
	uint32_t pages = __atomic_load_n(&ring->pages, __ATOMIC_ACQUIRE);
	uint32_t from = __atomic_load_n(&mine->next, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < pages; i++) {
		struct hg_ring_page *page = page_at(ring, (from + i) % pages);
		uint32_t nobody = HG_RING_FREE;

		if (__atomic_load_n(&page->state, __ATOMIC_RELAXED) != HG_RING_FREE ||
		    !__atomic_compare_exchange_n(&page->state, &nobody, HG_RING_TAKEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&mine->next, (from + i + 1) % pages, __ATOMIC_RELAXED);
		return page;
	}
	return NULL;
}

/* Returns a page that was never used. */
static struct hg_ring_page *fresh_page(struct own *mine)
{
	struct hg_ring *ring = mine->ring;
	uint32_t pages = __atomic_load_n(&ring->pages, __ATOMIC_ACQUIRE);
	uint32_t at = __atomic_load_n(&mine->next, __ATOMIC_RELAXED);

	while (at < pages) {
		if (!__atomic_compare_exchange_n(&mine->next, &at, at + 1, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&page_at(ring, at)->state, HG_RING_OPEN, __ATOMIC_RELAXED);
		return page_at(ring, at);
	}
	return NULL;
}

enum growth { GREW, ANOTHER_GROWS, CANNOT_GROW };

/*
 * The recorder was killed, which holds a lock on its bundle, or for a process on standby on the
 * directory of the files: nobody would end the recording of a process that goes on for ever.
 */
static bool is_orphan(void)
{
	char path[PATH_MAX];
	bool orphan;
	int fd;

	if ((!hg_config.recorded && !hg_config.standby) ||
	    (size_t)snprintf(path, sizeof(path), "%s%s%s", hg_config.dir,
			     hg_config.recorded ? "" : "/",
			     hg_config.recorded ? "" : folder) >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	orphan = fd >= 0 && !flock(fd, LOCK_SH | LOCK_NB);
	if (fd >= 0)
		hg_libc.close(fd);
	return orphan;
}

/* No handler interrupts it, which might record something and wait for its own thread. */
static enum growth make_room(struct own *mine)
{
	struct hg_ring *ring = mine->ring;
	uint32_t pages, more;
	int nobody = 0;
	bool done = false;

	if (!__atomic_compare_exchange_n(&mine->growing, &nobody, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return ANOTHER_GROWS;
	if (is_orphan()) {
		__atomic_store_n(&ring->stop, HG_RING_ORPHANED, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->recording, 0, __ATOMIC_RELAXED);
	}
	pages = ring->pages;
	more = pages < MORE_PAGES ? pages : MORE_PAGES;
	if (more > ring->page_limit - pages)
		more = ring->page_limit - pages;
	if (more && !ring->stop)
		done = hg_mapped_file_grow(ring, mine->path, hg_ring_bytes(pages),
					   hg_ring_bytes(pages + more));
	if (done)
		__atomic_store_n(&ring->pages, pages + more, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&mine->full_until, hg_now() + FULL_NS, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->growing, 0, __ATOMIC_RELEASE);
	return done ? GREW : CANNOT_GROW;
}

static enum growth grow(struct own *mine)
{
	struct hg_signals signals;
	enum growth growth;

	if (hg_now() < __atomic_load_n(&mine->full_until, __ATOMIC_RELAXED))
		return CANNOT_GROW;
	hg_signals_block(&signals);
	growth = make_room(mine);
	hg_signals_restore(&signals);
	return growth;
}

void hg_ring_reserve(void)
{
	int saved = errno, cancel = hg_keep_thread();
	struct own *mine = current();

	while (mine && mine->ring && mine->ring->pages < RESERVED_PAGES && grow(mine) == GREW) {
	}
	hg_release_thread(cancel);
	errno = saved;
}

/* Sleeps until the recorder has emptied a page since `freed` was read, or so many ns. */
static void nap(struct hg_ring *ring, uint32_t freed, long ns)
{
	struct timespec most = { .tv_nsec = ns };

	__atomic_fetch_add(&ring->waiting, 1, __ATOMIC_SEQ_CST);
	hg_syscall(SYS_futex, &ring->freed, FUTEX_WAIT, freed, &most, NULL, 0);
	__atomic_fetch_sub(&ring->waiting, 1, __ATOMIC_SEQ_CST);
}

/* Notes how a wait for a page has ended. */
static void note_wait(struct own *mine, bool in_vain)
{
	__atomic_store_n(&mine->patience, in_vain ? RETRY_NS : WAIT_NS, __ATOMIC_RELAXED);
	if (in_vain)
		__atomic_store_n(&mine->hopeless_until, hg_now() + PAUSE_NS, __ATOMIC_RELAXED);
}

/* Returns true if it is worth it to look for a page once more, maybe after a wait. */
static bool get_room(struct own *mine, uint32_t freed, uint64_t begin)
{
	struct hg_ring *ring = mine->ring;
	enum growth growth = grow(mine);
	uint64_t now = hg_now();

	if (growth == GREW)
		return true;
	/* A thread that makes the file larger may be kept from the processor, or by the disk. */
	if ((growth == CANNOT_GROW && !ring->drained) ||
	    now < __atomic_load_n(&mine->hopeless_until, __ATOMIC_RELAXED))
		return false;
	if (now - begin >= __atomic_load_n(&mine->patience, __ATOMIC_RELAXED)) {
		note_wait(mine, true);
		return false;
	}
	nap(ring, freed, growth == ANOTHER_GROWS ? 100000 : 10000000);
	return true;
}

static struct hg_ring_page *find_page(struct own *mine)
{
	struct hg_ring *ring = mine->ring;
	struct hg_ring_page *page = ring->drained ? free_page(mine) : fresh_page(mine);
	uint64_t begin = page ? 0 : hg_now();
	uint32_t freed;

	while (!page) {
		freed = __atomic_load_n(&ring->freed, __ATOMIC_ACQUIRE);
		page = ring->drained ? free_page(mine) : fresh_page(mine);
		if (!page && (__atomic_load_n(&ring->stop, __ATOMIC_RELAXED) ||
			      !get_room(mine, freed, begin)))
			return NULL;
	}
	if (begin)
		note_wait(mine, false);
	return page;
}

struct hg_ring_page *hg_ring_take(struct hg_ring **from)
{
	int saved = errno, cancel = hg_keep_thread();
	struct own *mine = hg_ring_open() ? current() : NULL;
	struct hg_ring *ring = mine ? mine->ring : NULL;
	struct hg_ring_page *page = NULL;

	*from = ring;
	if (ring && !__atomic_load_n(&ring->stop, __ATOMIC_RELAXED))
		page = find_page(mine);
	if (page) {
		/* Until the time of its first record is known. */
		__atomic_store_n(&page->writing, 1, __ATOMIC_RELAXED);
		page->records[0] = HG_RECORD_END;
		page->thread = (int32_t)hg_syscall(SYS_gettid);
		page->begin = hg_now();
		__atomic_store_n(&page->number,
				 __atomic_add_fetch(&ring->number, 1, __ATOMIC_RELAXED),
				 __ATOMIC_RELEASE);
		__atomic_store_n(&page->state, HG_RING_OPEN, __ATOMIC_RELEASE);
	}
	hg_release_thread(cancel);
	errno = saved;
	return page;
}

static struct hg_ring *own_ring(void)
{
	struct own *mine = current();

	return mine ? mine->ring : NULL;
}

void hg_ring_give(struct hg_ring *ring, struct hg_ring_page *page,
		  const uint32_t records[HG_GROUPS])
{
	for (unsigned group = 0; group < HG_GROUPS; group++) {
		page->counted[group] = records[group];
		if (records[group])
			__atomic_fetch_add(&ring->records[group], records[group], __ATOMIC_RELAXED);
	}
	__atomic_store_n(&page->writing, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&page->state, HG_RING_FULL, __ATOMIC_RELEASE);
	/* Nobody needs it in memory: what it has stays in the file. */
	if (!ring->drained && !hg_confined)
		hg_syscall(SYS_madvise, page, HG_RING_PAGE, MADV_DONTNEED);
}

void hg_ring_lost(enum hg_group group)
{
	struct hg_ring *ring = own_ring();

	if (ring)
		__atomic_fetch_add(&ring->lost[group], 1, __ATOMIC_RELAXED);
}

bool hg_ring_given_up(enum hg_group group)
{
	if (group < HG_GROUPS && (!hg_ring_stopped() || hg_ring_orphaned()))
		hg_ring_lost(group);
	return group >= HG_GROUPS || own_ring();
}

/* Returns the file of a process that should still be recorded: nobody has ended its recording as
 * the recorder does. */
static struct hg_ring *expected_ring(void)
{
	struct hg_ring *ring = own_ring();

	return ring && ring->expected &&
		       __atomic_load_n(&ring->stop, __ATOMIC_RELAXED) != HG_RING_STOPPED &&
		       __atomic_load_n(&ring->end, __ATOMIC_RELAXED) == HG_RING_RUNS
		   ? ring
		   : NULL;
}

void hg_ring_unrecorded(void)
{
	struct hg_ring *ring = hg_tls.unrecorded < HG_UNRECORDED_KINDS ? expected_ring() : NULL;

	if (ring)
		__atomic_fetch_add(&ring->unrecorded[hg_tls.unrecorded], 1, __ATOMIC_RELAXED);
}

void hg_ring_dropped(enum hg_group group)
{
	struct hg_ring *ring = hg_config.standby ? NULL : expected_ring();

	if (ring)
		__atomic_fetch_add(&ring->lost[group], 1, __ATOMIC_RELAXED);
}

void hg_ring_confined(bool confined)
{
	struct hg_ring *ring = own_ring();

	if (!ring)
		return;
	ring->confined_after = confined ? hg_now() - page_at(ring, 0)->begin : 0;
	__atomic_store_n(&ring->confined, confined, __ATOMIC_RELAXED);
}

void hg_ring_confined_call(enum hg_unrecorded what)
{
	struct hg_ring *ring = own_ring();

	if (ring && ring->expected)
		__atomic_fetch_add(&ring->unrecorded[what], 1, __ATOMIC_RELAXED);
}

bool hg_ring_orphaned(void)
{
	struct hg_ring *ring = own_ring();

	return ring && __atomic_load_n(&ring->stop, __ATOMIC_RELAXED) == HG_RING_ORPHANED;
}

bool hg_ring_is_open(void)
{
	return own_ring();
}

bool hg_ring_stopped(void)
{
	struct hg_ring *ring = own_ring();

	return !ring || __atomic_load_n(&ring->stop, __ATOMIC_RELAXED);
}

const volatile int *hg_ring_recording(void)
{
	return &own_ring()->recording;
}

bool hg_ring_again(void)
{
	struct own *mine = current();
	uint32_t again;

	if (hg_ring_stopped() || mine->ring->pid != (int32_t)getpid())
		return false;
	again = __atomic_load_n(&mine->ring->again, __ATOMIC_ACQUIRE);
	if (again == mine->again)
		return false;
	mine->again = again;
	__atomic_store_n(&mine->ring->recording, 1, __ATOMIC_RELEASE);
	return true;
}

void hg_ring_answer(void)
{
	struct own *mine = current();

	if (mine && mine->ring)
		__atomic_store_n(&mine->ring->answered, mine->again, __ATOMIC_RELEASE);
}

void hg_ring_end(enum hg_ring_end how)
{
	struct hg_ring *ring = own_ring();

	if (ring)
		__atomic_store_n(&ring->end, how, __ATOMIC_RELEASE);
}
