/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drain is a process of its own, in which LTTng-UST lives; the recorder speaks with it through
 * a pair of sockets.
 *
 * One sweep looks at all pages of all files. Full pages are taken and become free; of open ones is
 * taken what was published, at most each OPEN_NS. `swept` tells a reader up to which time it has
 * all records of a process; while a thread is storing a record in an open page, that is the time of
 * the sweep before, unless the thread does not seem to go on.
 *
 * The files are the recorded processes': what they hold is checked, and a file that becomes shorter
 * while it is read (SIGBUS) is left alone from then on.
 */
#include "tracer/drain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracer/event_layout.h"
#include "tracer/event_record_reader.h"
#include "tracer/events/ev_page.h"
#include "tracer/events/ev_swept.h"
#include "tracer/process_lives.h"
#include "tracer/ring.h"
#include "tracer/ring_part.h"
#include "tracer/rings.h"

#define OPEN_NS  UINT64_C(100000000)  /* between two looks at open pages */
#define STUCK_NS UINT64_C(1000000000) /* a thread that stores one record for so long is gone */

struct file {
	struct file *next;
	char name[256];
	struct hg_ring *ring;
	uint64_t id;                 /* of the file, in events */
	uint64_t until;              /* that was told last */
	uint64_t lost;               /* that was told last */
	uint64_t records[HG_GROUPS]; /* of full pages that were taken */
	uint64_t rest[HG_GROUPS];    /* of the others, at the end */
	uint64_t taken_until;        /* by this sweep, as `until`; 0: not all was */
	uint64_t writing_since;      /* ns; 0: no thread was storing a record */
	bool broken;                 /* it is left alone */
	bool over;                   /* its process has ended, and all of it was taken */
	struct ring_cursor cursors[HG_RING_PAGES_DRAINED];
};

struct drain {
	DIR *folder;
	const struct hg_tracepoints *provider;
	struct file *files;
	uint64_t pids;   /* number of this process's namespace of processes; 0: unknown */
	uint64_t lost;   /* records, of files that are gone */
	uint64_t looked; /* ns: at open pages */
	uint64_t part[RING_PART_WORDS];
};

static sigjmp_buf shortened;

static void on_bus_error(int number)
{
	(void)number;
	siglongjmp(shortened, 1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct drain *drain_new(int rings, const struct hg_tracepoints *provider)
{
	struct sigaction action = { .sa_handler = on_bus_error, .sa_flags = SA_NODEFER };
	struct drain *drain = calloc(1, sizeof(*drain));
	struct stat status;

	if (drain)
		drain->folder = fdopendir(rings);
	if (!drain || !drain->folder) {
		close(rings);
		free(drain);
		return NULL;
	}
	sigaction(SIGBUS, &action, NULL);
	drain->provider = provider;
	drain->pids = stat("/proc/self/ns/pid", &status) ? 0 : status.st_ino;
	return drain;
}

/* ---- files ---- */

static struct file *find_file(const struct drain *drain, const char *name)
{
	struct file *file = drain->files;

	while (file && strcmp(file->name, name) != 0)
		file = file->next;
	return file;
}

/* Returns true if it is one. A file that is not made yet is tried again. */
static bool add_file(struct drain *drain, const char *name)
{
	int fd = openat(dirfd(drain->folder), name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct hg_ring *ring = MAP_FAILED;
	struct file *file = NULL, **place;
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_size >= (off_t)sizeof(*ring))
		ring = mmap(NULL, hg_ring_bytes(HG_RING_PAGES_DRAINED), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (ring == MAP_FAILED)
		return false;
	if (sigsetjmp(shortened, 1) == 0 &&
	    __atomic_load_n(&ring->magic, __ATOMIC_ACQUIRE) == HG_RING_MAGIC &&
	    ring->page_bytes == HG_RING_PAGE)
		file = calloc(1, sizeof(*file));
	if (!file) {
		munmap(ring, hg_ring_bytes(HG_RING_PAGES_DRAINED));
		return false;
	}
	strncpy(file->name, name, sizeof(file->name) - 1);
	file->ring = ring;
	file->id = hg_ring_id(name);
	/* In the order in which they were made: a process may have several, one after the other. */
	place = &drain->files;
	while (*place && (*place)->id < file->id)
		place = &(*place)->next;
	file->next = *place;
	*place = file;
	return true;
}

/* Returns true if there are files that were not known. */
static bool find_new_files(struct drain *drain)
{
	struct dirent *entry;
	bool any = false;

	rewinddir(drain->folder);
	while ((entry = readdir(drain->folder)) != NULL)
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < 256 &&
		    !find_file(drain, entry->d_name))
			any |= add_file(drain, entry->d_name);
	return any;
}

/* A look at a directory that changes may show a process's file and not the one before. */
static void find_files(struct drain *drain)
{
	if (find_new_files(drain))
		find_new_files(drain);
}

/* ---- one file ---- */

static void emit(struct drain *drain, const struct file *file, const struct hg_ring_page *page,
		 const struct ring_cursor *cursor, uint32_t part, uint8_t last)
{
	struct hg_ev_page event = { .pid = file->ring->pid,
				    .thread = page->thread,
				    .number = cursor->number,
				    .part = part,
				    .last = last,
				    .begin = page->begin,
				    .file = file->id,
				    .words = cursor->taken,
				    .records = drain->part };

	event.check = ring_part_check(&event);
	drain->provider->page(&event);
}

static enum hg_group of_type(unsigned type, void *unused)
{
	(void)unused;
	return hg_group_of_type(type);
}

/* Adds the records in the first so many bytes of a page. */
static void count(const struct hg_ring_page *page, uint32_t bytes, uint64_t sums[HG_GROUPS])
{
	struct hg_records records = { .at = page->records, .end = page->records + bytes };
	struct hg_record record;

	while (hg_record_next(&records, &record))
		if (record.kind != HG_KIND_BEGIN)
			sums[hg_record_group(&record, of_type, NULL)]++;
}

/* Takes what is new in a page. `last` is as in the event `page`. */
static void take(struct drain *drain, struct file *file, uint32_t index, uint8_t last)
{
	struct hg_ring_page *page = (struct hg_ring_page *)(void *)(file->ring + 1) + index;
	struct ring_cursor *cursor = &file->cursors[index];
	uint32_t number = __atomic_load_n(&page->number, __ATOMIC_ACQUIRE);

	if (cursor->number != number)
		*cursor = (struct ring_cursor){ .number = number };
	while (ring_part(page, cursor, drain->part))
		emit(drain, file, page, cursor, cursor->parts, 0);
	if (last == HG_PAGE_OPEN && cursor->parts)
		count(page, cursor->at, file->rest);
	/* An empty part, with which the page ends. Its next owner may store before its number is
	 * another one. */
	if (last && cursor->parts)
		emit(drain, file, page, cursor, cursor->parts + 1, last);
	if (last) {
		cursor->at = HG_RING_RECORDS;
		cursor->parts = 0;
	}
	for (unsigned group = 0; last == HG_PAGE_FULL && group < HG_GROUPS; group++)
		file->records[group] += page->counted[group];
}

/* If this process is killed in here, a reader of the file counts the page once. */
static void make_free(struct hg_ring *ring, struct hg_ring_page *page)
{
	uint64_t row = ring->emptying & 1;

	for (unsigned group = 0; group < HG_GROUPS; group++)
		ring->emptied[!row][group] = ring->emptied[row][group] + page->counted[group];
	__atomic_store_n(&ring->emptying, (uint64_t)page->number << 32 | !row, __ATOMIC_RELEASE);
	__atomic_store_n(&page->state, HG_RING_FREE, __ATOMIC_RELEASE);
}

static void wake(struct hg_ring *ring)
{
	__atomic_fetch_add(&ring->freed, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&ring->waiting, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &ring->freed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Returns true if a page was full. `open`: also what is in open pages; `over`: all of it. */
static bool take_pages(struct drain *drain, struct file *file, bool open, bool over, bool *writing)
{
	uint32_t pages = __atomic_load_n(&file->ring->pages, __ATOMIC_ACQUIRE);
	bool full = false;

	for (uint32_t i = 0; i < pages && i < HG_RING_PAGES_DRAINED; i++) {
		struct hg_ring_page *page = (struct hg_ring_page *)(void *)(file->ring + 1) + i;
		uint32_t state = __atomic_load_n(&page->state, __ATOMIC_ACQUIRE);

		if (state == HG_RING_FULL || (state == HG_RING_OPEN && over)) {
			take(drain, file, i, state == HG_RING_FULL ? HG_PAGE_FULL : HG_PAGE_OPEN);
			full = true;
			/*
			 * Nothing counts the records of an open page but the page itself, which is
			 * there as long as its file: nobody needs it to be free.
			 */
			if (state == HG_RING_OPEN)
				continue;
			make_free(file->ring, page);
			wake(file->ring);
		} else if (state == HG_RING_OPEN && open) {
			*writing |= __atomic_load_n(&page->writing, __ATOMIC_ACQUIRE) != 0;
			take(drain, file, i, 0);
		} else if (state == HG_RING_TAKEN) {
			*writing = true;
		}
	}
	return full;
}

/* Returns true if there is a later file of a process of that number: it executed a program. */
static bool is_followed(const struct drain *drain, const struct file *file)
{
	for (const struct file *other = drain->files; other; other = other->next)
		if (other != file && other->id > file->id && !other->broken &&
		    other->ring->pid == file->ring->pid && other->ring->pids == file->ring->pids)
			return true;
	return false;
}

/* Returns true if the process has ended. A process of which that cannot be known ends with the
 * recording. Destructors may record behind HG_RING_EXITED. */
static bool has_ended(const struct drain *drain, const struct file *file)
{
	if (file->ring->pids && file->ring->pids == drain->pids)
		return !process_lives(file->ring->pid) || is_followed(drain, file);
	return is_followed(drain, file);
}

static void tell(struct drain *drain, struct file *file, uint64_t until)
{
	uint64_t lost = hg_ring_sum(file->ring->lost);

	if (until == file->until && lost == file->lost)
		return;
	drain->provider->swept(&(struct hg_ev_swept){ .pid = file->ring->pid,
						      .file = file->id,
						      .until = until,
						      .lost = lost,
						      .records = hg_ring_sum(file->records) });
	file->until = until;
	file->lost = lost;
}

/* Puts a copy of the first page at the place. */
static bool copy_head(int folder, const struct hg_ring *head, const char *place)
{
	static const char copy[] = HG_RINGS_ENDED "/.new";
	int fd = openat(folder, copy, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool made = fd >= 0 && write(fd, head, sizeof(*head)) == (ssize_t)sizeof(*head) &&
		    !renameat(folder, copy, folder, place);

	if (!made)
		unlinkat(folder, copy, 0);
	if (fd >= 0)
		close(fd);
	return made;
}

/* Puts the file itself there: that takes no room. A process that lives has all of it mapped. */
static bool move_file(const struct drain *drain, const struct file *file,
		      const struct hg_ring *head, const char *place)
{
	int folder = dirfd(drain->folder), fd;

	*file->ring = *head;
	fd = has_ended(drain, file)
		 ? openat(folder, file->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
		 : -1;
	if (fd >= 0) {
		(void)!ftruncate(fd, sizeof(*head));
		close(fd);
	}
	return !renameat(folder, file->name, folder, place);
}

/* All was taken of the file, which the process may still have: its first page remains. */
static void keep_head(const struct drain *drain, const struct file *file)
{
	char kept[sizeof(HG_RINGS_ENDED) + sizeof(file->name)];
	struct hg_ring head = *file->ring;
	int folder = dirfd(drain->folder);

	snprintf(kept, sizeof(kept), HG_RINGS_ENDED "/%s", file->name);
	head.pages = 0;
	for (unsigned group = 0; group < HG_GROUPS; group++)
		head.records[group] = file->records[group] + file->rest[group];
	head.settled = 1;
	head.end = ring_end_by_now(file->ring);
	if (copy_head(folder, &head, kept) || !move_file(drain, file, &head, kept))
		unlinkat(folder, file->name, 0);
}

/*
 * Does what drain_sweep() does, for one file. A process may end, and its end be seen, after its
 * pages were looked at: they are taken once more then.
 */
static bool sweep(struct drain *drain, struct file *file, uint64_t now, bool open, bool over)
{
	bool writing = false, ended = over || has_ended(drain, file), full;

	full = take_pages(drain, file, open || ended, ended, &writing);
	file->taken_until = 0;
	if (ended) {
		file->taken_until = UINT64_MAX;
	} else if (open) {
		if (!writing)
			file->writing_since = 0;
		else if (!file->writing_since)
			file->writing_since = now;
		if (!writing || now - file->writing_since > STUCK_NS)
			file->taken_until = now - HG_RING_SLACK_NS;
	}
	return full;
}

/* Sweeps a file that may become shorter meanwhile. */
static bool try_sweep(struct drain *drain, struct file *file, uint64_t now, bool open, bool over)
{
	if (sigsetjmp(shortened, 1)) {
		file->broken = true;
		return false;
	}
	return sweep(drain, file, now, open, over);
}

/* Tells what sweep() has taken. */
static void settle(struct drain *drain, struct file *file)
{
	if (sigsetjmp(shortened, 1)) {
		file->broken = true;
		return;
	}
	tell(drain, file, file->taken_until);
	if (file->taken_until == UINT64_MAX) {
		drain->lost += file->lost;
		file->over = true;
		keep_head(drain, file);
	}
}

/*
 * A page that is full now may have been open when it was passed: what it had is in order all the
 * same, as `until` is earlier than the sweep. The pages of all processes come before it is told of
 * any: a file that is new may have records that are as early.
 */
static bool look(struct drain *drain, bool over)
{
	uint64_t now = now_ns();
	bool open = over || now - drain->looked >= OPEN_NS;
	bool full = false;

	find_files(drain);
	for (struct file *file = drain->files; file; file = file->next)
		if (!file->broken && !file->over)
			full |= try_sweep(drain, file, now, open, over);
	for (struct file *file = drain->files; file; file = file->next)
		if (!file->broken && !file->over && file->taken_until)
			settle(drain, file);
	if (open)
		drain->looked = now;
	return full;
}

static void forget_files(struct drain *drain)
{
	for (struct file **place = &drain->files; *place;) {
		struct file *file = *place;

		if (!file->over) {
			place = &file->next;
			continue;
		}
		*place = file->next;
		munmap(file->ring, hg_ring_bytes(HG_RING_PAGES_DRAINED));
		free(file);
	}
}

bool drain_sweep(struct drain *drain, bool open)
{
	bool full;

	if (open)
		drain->looked = 0;
	full = look(drain, false);

	forget_files(drain);
	return full;
}

static void stop(struct hg_ring *ring)
{
	__atomic_store_n(&ring->stop, HG_RING_STOPPED, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&ring->epoch, 1, __ATOMIC_SEQ_CST);
}

uint64_t drain_end(struct drain *drain)
{
	struct timespec slack = { .tv_nsec = 2 * HG_RING_SLACK_NS };

	find_files(drain);
	for (struct file *file = drain->files; file; file = file->next)
		if (sigsetjmp(shortened, 1) == 0)
			stop(file->ring);
	/* Threads that did not see that yet publish their record. */
	nanosleep(&slack, NULL);
	look(drain, true);
	forget_files(drain);
	return drain->lost;
}
