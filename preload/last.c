/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process also ends when its last thread does, if the first left by pthread_exit() or is not
 * there, as in the child of another thread's fork(). The C library notices by counting threads, and
 * LTTng-UST's never end by themselves. So where that may come to be, a thread of ours looks now and
 * then whether anybody else is left, and does what the C library would: exit(0).
 *
 * Not where the first thread is cancelled.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

#define HIGH_FD     512 /* where programs do not put their own */
#define TRACERS_MAX 16u
#define NAP_LEAST   1000000 /* ns */
#define NAP_MOST    50000000

static int begun; /* atomic */
static int folder = -1;
static pid_t tracers[TRACERS_MAX];
static unsigned tracer_count;

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
	return (pid_t)syscall(SYS_gettid);
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

/* Calls `look` for each thread but the calling one until it says true; -errno if they cannot be
 * told. */
static int each_thread(bool (*look)(pid_t tid))
{
	char buffer[2048] __attribute__((aligned(8)));
	pid_t self = own_tid();
	long size;

	if (lseek(folder, 0, SEEK_SET) < 0)
		return -errno;
	while ((size = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < size; at += ((struct entry *)(buffer + at))->size) {
			pid_t tid = (pid_t)atoi(((struct entry *)(buffer + at))->name);

			if (tid > 0 && tid != self && look(tid))
				return 1;
		}
	}
	return size < 0 ? -errno : 0;
}

static bool add_tracer(pid_t tid)
{
	if (tracer_count < TRACERS_MAX)
		tracers[tracer_count++] = tid;
	return false;
}

static bool add_if_named(pid_t tid)
{
	static const char suffix[] = "-ust\n"; /* as hg_is_tracers_thread() */
	char path[48], name[32];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, name, sizeof(name));
	hg_libc.close(fd);
	if (length >= (ssize_t)sizeof(suffix) - 1 &&
	    !memcmp(name + length - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1))
		add_tracer(tid);
	return false;
}

/* A thread that has ended, as the first may have, has no working directory any more (proc(5)). */
static bool is_programs(pid_t tid)
{
	char path[48], target[8];

	for (unsigned i = 0; i < tracer_count; i++) {
		if (tracers[i] == tid)
			return false;
	}
	snprintf(path, sizeof(path), "/proc/self/task/%d/cwd", (int)tid);
	return readlink(path, target, sizeof(target)) >= 0 || (errno != ENOENT && errno != ESRCH);
}

static void *watch(void *unused)
{
	struct timespec nap = { .tv_nsec = NAP_LEAST };

	(void)unused;
	hg_tls.busy = 1;
	prctl(PR_SET_NAME, "hipgrain-last");
	for (;;) {
		int rc;

		nanosleep(&nap, NULL);
		if (nap.tv_nsec < NAP_MOST / 2)
			nap.tv_nsec *= 2;
		rc = each_thread(is_programs);
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
	exit(EXIT_SUCCESS);
}

/* `alone`: the calling thread is the program's only one. */
static void begin(bool alone)
{
	pthread_attr_t attributes;
	sigset_t blocked, before;
	pthread_t thread;

	if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL))
		return;
	hg_tls.busy++;
	tracer_count = 0;
	open_folder();
	if (folder >= 0 && each_thread(alone ? add_tracer : add_if_named) >= 0 &&
	    !pthread_attr_init(&attributes)) {
		sigfillset(&blocked);
		pthread_sigmask(SIG_SETMASK, &blocked, &before);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		pthread_create(&thread, &attributes, watch, NULL); /* else it is as it was */
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		pthread_attr_destroy(&attributes);
	}
	hg_tls.busy--;
}

void hg_last_before_fork(void)
{
	forked_by_first = getpid() == own_tid() && !borrowed;
}

void hg_last_after_fork(void)
{
	begun = 0;
	if (forked_by_first)
		return;
	borrowed = true;
	begin(true);
}

static void leaving(void)
{
	if (hg_active == HG_ACTIVE && getpid() == own_tid())
		begin(false);
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
