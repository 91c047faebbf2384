/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process also ends when its last thread ends, if its first thread ended before: by
 * pthread_exit(), by cancellation, by itself (SYS_exit), or because it does not exist, as in the
 * child of another thread's fork(). The C library detects this by counting threads, and the kernel
 * when no thread is left; but the thread that reads what the driver reports (migration/smi.c) does
 * not end by itself. So where that is there and this can happen, a thread of ours checks
 * periodically whether any other thread is left, and if not does what the C library would, exit(0),
 * or the kernel.
 */
#include "preload/control/thread_exit_watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/files.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/signals.h"
#include "preload/core/start.h"
#include "tracer/provider.h"

#define HIGH_FD   512     /* descriptors of the program are lower */
#define NAP_LEAST 1000000 /* ns */
#define NAP_MOST  50000000

static int others; /* atomic: there is a thread that the program did not make */
static int begun;  /* atomic */
/* Atomic: what the program did not make, the driver's reader and the thread here; 0: none. */
static pid_t reader, watcher;
static int folder = -1;

/* The C library's count of threads never becomes 0: some ended without its knowledge. */
static int uncounted;    /* atomic */
static int first_status; /* atomic; of the first thread, if it ended so */

/* The latest of the threads that ended so, in a ring. */
#define LEFT_MAX 16u
static uint64_t left[LEFT_MAX]; /* atomic; tid << 32 | status */
static uint32_t left_count;     /* atomic */

static pid_t seen; /* of the program's threads, when one was found last */

/* The first thread is about to end, or may be: the kernel did not end it. */
static bool first_leaves; /* atomic */

static pthread_t first;
static bool first_known;

/* The first thread of this process was not started as one: it ends as others do. */
static bool borrowed;
static bool forked_by_first; /* under fork()'s locks */

/* struct linux_dirent64 (getdents64(2)) */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

static pid_t own_tid(void)
{
	return (pid_t)hg_syscall(SYS_gettid);
}

/* Its descriptor is not of the numbers that programs count on, but for a moment. */
static void open_folder(void)
{
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder >= 0)
		hg_libc.close(folder);
	folder = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (fd >= 0 && folder >= 0)
		hg_libc.close(fd);
	else
		folder = fd;
}

/*
 * Calls `look` for each thread except the calling one until it returns true. Returns 1 if it did, 0
 * if it did not, -errno if the threads cannot be listed. `list` is a descriptor of /proc/self/task.
 */
static int each_thread(int list, bool (*look)(pid_t tid))
{
	char buffer[2048] __attribute__((aligned(8)));
	pid_t self = own_tid();
	long size;

	if (lseek(list, 0, SEEK_SET) < 0)
		return -errno;
	while ((size = hg_syscall(SYS_getdents64, list, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < size; at += ((struct entry *)(buffer + at))->size) {
			pid_t tid = (pid_t)atoi(((struct entry *)(buffer + at))->name);

			if (tid > 0 && tid != self && look(tid))
				return 1;
		}
	}
	return size < 0 ? -errno : 0;
}

/* A thread that has ended, as the first may have, has no working directory any more (proc(5)). */
static bool is_programs(pid_t tid)
{
	char path[48], target[8];

	if (tid == __atomic_load_n(&reader, __ATOMIC_ACQUIRE) ||
	    tid == __atomic_load_n(&watcher, __ATOMIC_ACQUIRE))
		return false;
	snprintf(path, sizeof(path), "/proc/self/task/%d/cwd", (int)tid);
	if (readlink(path, target, sizeof(target)) < 0 && (errno == ENOENT || errno == ESRCH))
		return false;
	seen = tid;
	return true;
}

/*
 * A process that no thread ends by exit_group(2) has the status of its last thread, before
 * Linux 6.0 that of its first one.
 */
static int status_after(int of_last)
{
	struct utsname kernel;

	if (!uname(&kernel) && strtoul(kernel.release, NULL, 10) < 6)
		return __atomic_load_n(&first_status, __ATOMIC_RELAXED);
	return of_last;
}

/* The status of the thread that was seen last: 0 if the C library ended it. */
static int status_of_seen(void)
{
	for (unsigned i = 0; i < LEFT_MAX; i++) {
		uint64_t one = __atomic_load_n(&left[i], __ATOMIC_RELAXED);

		if (one >> 32 == (uint32_t)seen)
			return (int)(uint32_t)one;
	}
	return 0;
}

/*
 * Returns the status of the first thread, as wait(2) has it: the thread is a zombie until the
 * process ends, and the 52nd field of its line, the 50th behind its name, is the status (proc(5)).
 * Returns that of a filter's signal if it cannot be read.
 */
#define FIELDS_TO_STATUS 50

static int status_of_first(void)
{
	char path[48], text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	hg_read_file(path, text, sizeof(text));
	at = strrchr(text, ')');
	for (unsigned i = 0; at && i < FIELDS_TO_STATUS; i++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at) : SIGSYS;
}

/*
 * Ends the process as one ends whose only thread made a system call that a filter forbids, or that
 * ended itself where it may do little else (strict mode).
 */
static void end_as_first(void)
{
	int status = status_of_first(), number = WTERMSIG(status);
	struct sigaction fallback = { .sa_handler = SIG_DFL };
	sigset_t it;

	if (!number)
		_exit(WEXITSTATUS(status));
	sigemptyset(&it);
	sigaddset(&it, number);
	sigaction(number, &fallback, NULL);
	hg_syscall(SYS_tgkill, getpid(), own_tid(), number);
	pthread_sigmask(SIG_UNBLOCK, &it, NULL);
}

static void *watch(void *unused)
{
	struct timespec nap = { .tv_nsec = NAP_LEAST };

	(void)unused;
	hg_tls.busy = 1;
	hg_syscall(SYS_prctl, PR_SET_NAME, "hipgrain-end");
	__atomic_store_n(&watcher, own_tid(), __ATOMIC_RELEASE);
	for (;;) {
		int rc;

		nanosleep(&nap, NULL);
		if (nap.tv_nsec < NAP_MOST / 2)
			nap.tv_nsec *= 2;
		rc = each_thread(folder, is_programs);
		if (rc == -EBADF || rc == -ESPIPE || rc == -ENOTDIR) { /* the program closed it */
			folder = -1;
			open_folder();
		} else if (rc < 0) {
			return NULL;
		} else if (!rc) {
			break;
		}
	}
	hg_tls.busy = 0;
	if (__atomic_load_n(&uncounted, __ATOMIC_ACQUIRE))
		_exit(status_after(status_of_seen()));
	if (hg_confined && !__atomic_load_n(&first_leaves, __ATOMIC_RELAXED))
		end_as_first();
	exit(EXIT_SUCCESS);
}

static void begin(void)
{
	pthread_attr_t attributes;
	struct hg_signals signals;
	pthread_t thread;
	int saved = errno, cancel;

	if (!__atomic_load_n(&others, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL))
		return;
	cancel = hg_keep_thread();
	hg_tls.busy++;
	open_folder();
	if (folder >= 0 && !pthread_attr_init(&attributes)) {
		hg_signals_block(&signals);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		pthread_create(&thread, &attributes, watch, NULL); /* else it is as it was */
		hg_signals_restore(&signals);
		pthread_attr_destroy(&attributes);
	}
	hg_tls.busy--;
	hg_release_thread(cancel);
	errno = saved;
}

static void early(void)
{
	first_known = getpid() == own_tid();
	first = pthread_self();
}

static void fork_lock(void)
{
	forked_by_first = getpid() == own_tid() && !borrowed;
}

static void fork_done(void)
{
	reader = watcher = 0;
	others = begun = uncounted = first_status = 0;
	memset(left, 0, sizeof(left));
	if (forked_by_first)
		return;
	first_known = false;
	first_leaves = true;
	borrowed = true;
}

void hg_exit_watch_reader(bool runs)
{
	__atomic_store_n(&reader, runs ? own_tid() : 0, __ATOMIC_RELEASE);
}

void hg_exit_watch_started(void)
{
	__atomic_store_n(&others, 1, __ATOMIC_RELAXED);
	if (borrowed || __atomic_load_n(&first_leaves, __ATOMIC_RELAXED) || getpid() != own_tid())
		begin();
}

void hg_exit_watch_begin(void)
{
	begin();
}

static void leaving(void)
{
	if (!hg_provider || getpid() != hg_process_id || getpid() != own_tid())
		return;
	__atomic_store_n(&first_leaves, true, __ATOMIC_RELAXED);
	begin();
}

/* Returns true if the calling thread is the program's last. */
static bool is_last(void)
{
	int cancel = hg_keep_thread(), list, rc;

	hg_tls.busy++;
	list = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = list < 0 ? -errno : each_thread(list, is_programs);
	if (list >= 0)
		hg_libc.close(list);
	hg_tls.busy--;
	hg_release_thread(cancel);
	return !rc;
}

void hg_exit_watch_thread_ends(int status)
{
	bool is_first = getpid() == own_tid();
	uint32_t at;

	/* Not in a child that shares our memory. */
	if (getpid() != hg_process_id)
		return;
	if (is_first)
		__atomic_store_n(&first_status, status, __ATOMIC_RELAXED);
	at = __atomic_fetch_add(&left_count, 1, __ATOMIC_RELAXED) % LEFT_MAX;
	__atomic_store_n(&left[at], (uint64_t)own_tid() << 32 | (uint32_t)status, __ATOMIC_RELAXED);
	__atomic_store_n(&uncounted, 1, __ATOMIC_RELEASE);
	if ((is_first || __atomic_load_n(&begun, __ATOMIC_RELAXED)) && is_last())
		_exit(status_after(status));
	if (is_first) {
		__atomic_store_n(&first_leaves, true, __ATOMIC_RELAXED);
		begin();
	}
}

HG_EXPORT int pthread_cancel(pthread_t thread)
{
	static int (*real)(pthread_t);

	if (first_known && hg_provider && getpid() == hg_process_id &&
	    pthread_equal(thread, first)) {
		__atomic_store_n(&first_leaves, true, __ATOMIC_RELAXED);
		begin();
	}
	if (!real) {
		hg_libc_init();
		real = (__typeof__(real))hg_libc.dlsym(RTLD_NEXT, "pthread_cancel");
	}
	return real(thread);
}

HG_EXPORT void pthread_exit(void *value)
{
	static void (*real)(void *) __attribute__((noreturn));

	leaving();
	if (!real) {
		hg_libc_init();
		real = (__typeof__(real))hg_libc.dlsym(RTLD_NEXT, "pthread_exit");
	}
	real(value);
}

HG_EXPORT void thrd_exit(int value)
{
	static void (*real)(int) __attribute__((noreturn));

	leaving();
	if (!real) {
		hg_libc_init();
		real = (__typeof__(real))hg_libc.dlsym(RTLD_NEXT, "thrd_exit");
	}
	real(value);
}

HG_PART(.name = "thread-exit-watch", .order = 10, .early = early, .fork_lock = fork_lock,
	.fork_done = fork_done);
