/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the C library that this library calls, as system calls. A program may have a
 * function of its own by such a name, say open(), for a purpose of its own; the loader would bind
 * our calls to it, as the executable comes first. These here are hidden: nobody else reaches them.
 * None is a point where a thread may be cancelled.
 */
#undef _FORTIFY_SOURCE

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/kernel_call.h"

#define CALL(type, name, parameters, ...)                   \
	type name parameters                                \
	{                                                   \
		return (type)hg_syscall(SYS_##__VA_ARGS__); \
	}

CALL(int, access, (const char *path, int mode), access, path, mode)
CALL(int, clock_getres, (clockid_t clock, struct timespec *time), clock_getres, clock, time)
CALL(int, fallocate, (int fd, int mode, off_t at, off_t size), fallocate, fd, mode, at, size)
CALL(ssize_t, fgetxattr, (int fd, const char *name, void *value, size_t size), fgetxattr, fd, name,
     value, size)
CALL(int, flock, (int fd, int operation), flock, fd, operation)
CALL(int, fstat, (int fd, struct stat *status), fstat, fd, status)
CALL(int, fstatat, (int folder, const char *path, struct stat *status, int flags), newfstatat,
     folder, path, status, flags)
CALL(gid_t, getegid, (void), getegid)
CALL(uid_t, geteuid, (void), geteuid)
CALL(gid_t, getgid, (void), getgid)
CALL(pid_t, getpid, (void), getpid)
CALL(pid_t, getppid, (void), getppid)
CALL(ssize_t, getrandom, (void *buffer, size_t size, unsigned flags), getrandom, buffer, size,
     flags)
CALL(int, getrlimit, (__rlimit_resource_t resource, struct rlimit *limit), prlimit64, 0, resource,
     NULL, limit)
CALL(pid_t, gettid, (void), gettid)
CALL(uid_t, getuid, (void), getuid)
CALL(off_t, lseek, (int fd, off_t at, int from), lseek, fd, at, from)
CALL(int, mincore, (void *address, size_t size, unsigned char *pages), mincore, address, size,
     pages)
CALL(int, mkdirat, (int folder, const char *path, mode_t mode), mkdirat, folder, path, mode)
CALL(int, mprotect, (void *address, size_t size, int access), mprotect, address, size, access)
CALL(int, nanosleep, (const struct timespec *time, struct timespec *left), nanosleep, time, left)
CALL(int, poll, (struct pollfd * fds, nfds_t count, int timeout), poll, fds, count, timeout)
CALL(ssize_t, pread, (int fd, void *buffer, size_t size, off_t at), pread64, fd, buffer, size, at)
CALL(ssize_t, process_vm_readv,
     (pid_t pid, const struct iovec *to, unsigned long tos, const struct iovec *from,
      unsigned long froms, unsigned long flags),
     process_vm_readv, pid, to, tos, from, froms, flags)
CALL(ssize_t, pwrite, (int fd, const void *buffer, size_t size, off_t at), pwrite64, fd, buffer,
     size, at)
CALL(ssize_t, read, (int fd, void *buffer, size_t size), read, fd, buffer, size)
CALL(ssize_t, readlink, (const char *path, char *buffer, size_t size), readlink, path, buffer, size)
CALL(int, renameat, (int from, const char *before, int to, const char *after), renameat, from,
     before, to, after)
CALL(int, sched_yield, (void), sched_yield)
CALL(int, stat, (const char *path, struct stat *status), stat, path, status)
CALL(int, uname, (struct utsname * machine), uname, machine)
CALL(int, unlink, (const char *path), unlink, path)
CALL(int, unlinkat, (int folder, const char *path, int flags), unlinkat, folder, path, flags)
CALL(ssize_t, write, (int fd, const void *buffer, size_t size), write, fd, buffer, size)

/* The last argument of these, which need not be there. */
#define LAST(type, before)                 \
	({                                 \
		va_list list;              \
		type last;                 \
                                           \
		va_start(list, before);    \
		last = va_arg(list, type); \
		va_end(list);              \
		last;                      \
	})

int open(const char *path, int flags, ...)
{
	return (int)hg_syscall(SYS_openat, AT_FDCWD, path, flags, LAST(mode_t, flags));
}

int openat(int folder, const char *path, int flags, ...)
{
	return (int)hg_syscall(SYS_openat, folder, path, flags, LAST(mode_t, flags));
}

int fcntl(int fd, int command, ...)
{
	return (int)hg_syscall(SYS_fcntl, fd, command, LAST(long, command));
}

char *getenv(const char *name)
{
	size_t length = strlen(name);

	for (char **at = environ; at && *at; at++)
		if (!strncmp(*at, name, length) && (*at)[length] == '=')
			return *at + length + 1;
	return NULL;
}
