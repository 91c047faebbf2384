/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider of a process that has no LTTng-UST yet: it stores events in a mapped file of the
 * bundle (tracer/early_events.h), so that they are there however the process ends.
 *
 * Such a process has one thread, because LTTng-UST is loaded before it makes another. The lock is
 * for threads that were made without the C library.
 */
#include "preload/trace/early_events.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "tracer/counts.h"
#include "tracer/early_events.h"

/* A process that runs longer loads LTTng-UST. */
#define ENOUGH_NS UINT64_C(1000000000)
#define TRIES_MAX 10000u

/* So much of the file has room on the disk at first, and four times as much whenever it is full. */
#define FIRST_PART 16384u

/*
 * In memory that the kernel clears in every child, also in those that were made without the C
 * library's knowledge: they do not write to their parent's file. A child of vfork() has its
 * parent's.
 */
struct own {
	struct hg_early_file *file; /* NULL: there is none */
	bool tried;                 /* to make one */
	int locked;                 /* atomic */
	size_t reserved;            /* bytes that have room on the disk */
	uint64_t begin;             /* ns */
	char path[PATH_MAX];
};

static struct own *own;
static const volatile int *recording;
static void (*at_exit)(void);
static void (*counted)(unsigned kind);
int hg_early_due;

static bool make_file(void)
{
	struct hg_early_file *file;
	struct timespec real;

	own->tried = true;
	own->reserved = FIRST_PART;
	file =
	    hg_mapped_file_part(HG_EARLY, HG_EARLY_MOST, FIRST_PART, own->path, sizeof(own->path));
	if (!file)
		return false;
	hg_libc.madvise(file, HG_EARLY_MOST, MADV_DONTFORK);
	clock_gettime(CLOCK_REALTIME, &real);
	own->begin = hg_now();
	file->origin = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec - own->begin;
	file->pid = (int32_t)getpid();
	__atomic_store_n(&file->magic, HG_EARLY_MAGIC, __ATOMIC_RELEASE);
	own->file = file;
	return true;
}

/* ---- entries ---- */

/* Make a file, or room for `size` bytes in it; errno stays, and no thread is cancelled in it. */
static bool make_room(size_t size)
{
	int saved = errno, cancel = hg_keep_thread();
	size_t more = own->reserved;
	bool made = size <= HG_EARLY_MOST;

	if (!own->file) {
		made = !own->tried && make_file();
	} else if (made) {
		while (more < size)
			more *= 4;
		made = hg_mapped_file_grow(own->path, own->reserved, more);
		if (made)
			own->reserved = more;
	}
	hg_release_thread(cancel);
	errno = saved;
	return made;
}

/* Threads that take the shortest way look again at what they do (host/block.c). */
static void load_soon(void)
{
	if (__atomic_exchange_n(&hg_early_due, 1, __ATOMIC_RELAXED))
		return;
	hg_changed();
}

static bool lock(void)
{
	for (unsigned i = 0; i < TRIES_MAX; i++)
		if (!__atomic_exchange_n(&own->locked, 1, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

/*
 * Room for an entry with `size` bytes of fields; NULL: it is lost, and counted all the same. The
 * lock is held then.
 */
static struct hg_early_entry *take(unsigned type, size_t size)
{
	struct hg_early_entry *entry;
	struct hg_early_file *file;
	uint64_t used;

	if (!own->file && !make_room(0)) /* in a child that was made without fork() */
		return NULL;
	if (!lock())
		return NULL;
	file = own->file;
	used = file->used;
	size = (sizeof(*entry) + size + 7) & ~(size_t)7;
	if (sizeof(*file) + used + size > own->reserved &&
	    !make_room(sizeof(*file) + used + size)) {
		load_soon();
		__atomic_store_n(&own->locked, 0, __ATOMIC_RELEASE);
		return NULL;
	}
	entry = (struct hg_early_entry *)(void *)((char *)(file + 1) + used);
	entry->size = (uint32_t)size;
	entry->type = (uint16_t)type;
	entry->thread = (int32_t)hg_syscall(SYS_gettid);
	entry->ns = hg_now();
	if (used + size >= HG_EARLY_ENOUGH || entry->ns - own->begin >= ENOUGH_NS)
		load_soon();
	return entry;
}

static void put(const struct hg_early_entry *entry)
{
	__atomic_store_n(&own->file->used, own->file->used + entry->size, __ATOMIC_RELEASE);
	__atomic_store_n(&own->locked, 0, __ATOMIC_RELEASE);
}

static char *add(char *at, const void *data, size_t size)
{
	memcpy(at, data, size);
	return at + size;
}

/* Bytes of an event's fields. */
#define HG_FIELD(type, name, show, description) +sizeof(event->name)
#define HG_TEXT(name, description)              +strlen(event->name) + 1
#define HG_SEQUENCE(type, name, length, description) \
	+sizeof(uint32_t) + event->length * sizeof(*event->name)
#define HG_EVENT(name, ...)                                            \
	static size_t size_of_##name(const struct hg_ev_##name *event) \
	{                                                              \
		return 0 __VA_ARGS__;                                  \
	}
#include "tracer/events.def"

#define HG_FIELD(type, name, show, description) at = add(at, &event->name, sizeof(event->name));
#define HG_TEXT(name, description)              at = add(at, event->name, strlen(event->name) + 1);
#define HG_SEQUENCE(type, name, length, description)         \
	at = add(at, &event->length, sizeof(event->length)); \
	at = add(at, event->name, event->length * sizeof(*event->name));
#define HG_EVENT(name, ...)                                                     \
	static void emit_##name(const struct hg_ev_##name *event)               \
	{                                                                       \
		struct hg_early_entry *entry = NULL;                            \
		char *at;                                                       \
                                                                                \
		if (!*recording)                                                \
			return;                                                 \
		entry = take((unsigned)HG_COUNT_##name, size_of_##name(event)); \
		if (entry) {                                                    \
			at = (char *)(entry + 1);                               \
			__VA_ARGS__(void) at;                                   \
			put(entry);                                             \
		}                                                               \
		if (counted)                                                    \
			counted((unsigned)HG_COUNT_##name);                     \
	}
#include "tracer/events.def"

static void ignore(sigset_t *saved)
{
	(void)saved;
}

static void nothing(void)
{
}

static struct hg_provider provider = {
	.version = HG_PROVIDER_VERSION,
#define HG_EVENT(name, ...) .name = emit_##name,
#include "tracer/events.def"
	.before_fork = ignore,
	.after_fork_parent = ignore,
	.after_fork_child = ignore,
	.forget_threads = nothing,
	.at_exit = &at_exit,
	.counted = &counted,
};

/* ---- beginning and end ---- */

static bool early_begin(const volatile int *wanted, const struct hg_provider **found)
{
	size_t page = (size_t)getpagesize();

	if (!hg_config.early || hg_config.totals)
		return false;
	if (!own && !(own = hg_wiped_memory((sizeof(*own) + page - 1) & -page)))
		return false;
	memset(own, 0, sizeof(*own));
	if (!make_file())
		return false;
	recording = provider.recording = wanted;
	hg_early_due = 0;
	*found = &provider;
	return true;
}

static void early_end(bool recorded)
{
	(void)recorded;
	hg_early_due = 0;
	if (own->file)
		hg_libc.munmap(own->file, HG_EARLY_MOST);
	own->file = NULL;
}

/* LTTng-UST has a function for the end; it is called when its library is finished. */
__attribute__((destructor)) static void destruct(void)
{
	if (hg_early_events() && at_exit)
		at_exit();
}

static void fork_child(void)
{
	hg_early_provider = NULL;
	hg_early_due = 0;
}

HG_PART(.name = "early-events", .order = 73, .early_begin = early_begin, .early_end = early_end,
	.fork_child = fork_child);
