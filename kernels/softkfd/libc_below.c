// SPDX-License-Identifier: Apache-2.0
/*
 * The libc below. The driver's own needs are system calls, so that libraries that are preloaded or
 * intercept see the program's calls only. The program's calls go on to the next library that has
 * the function.
 */
#include "kernels/softkfd/kfd.h"
#include "kernels/softkfd/libc_below.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGH_FD 1000

int kfd_real_open(const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int kfd_real_ioctl(int fd, unsigned long request, void *argument)
{
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

void *kfd_real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	/* The result is an address, or -1 with errno: MAP_FAILED. */
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

int kfd_real_madvise(void *address, size_t size, int advice)
{
	return (int)syscall(SYS_madvise, address, size, advice);
}

int kfd_real_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

int kfd_high(int fd)
{
	int high = fd < 0 ? -1 : (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD);

	if (high < 0)
		return fd;
	kfd_real_close(fd);
	return high;
}

static bool identify(int fd, struct stat *status)
{
	int saved = errno;
	bool known = fd >= 0 && !syscall(SYS_fstat, fd, status);

	errno = saved;
	return known;
}

struct kfd_own kfd_own(int fd)
{
	struct kfd_own own = { .fd = kfd_high(fd) };
	struct stat status;

	if (identify(own.fd, &status)) {
		own.device = status.st_dev;
		own.inode = status.st_ino;
	}
	return own;
}

bool kfd_is_own(const struct kfd_own *own)
{
	struct stat status;

	return identify(own->fd, &status) && status.st_dev == own->device &&
	       status.st_ino == own->inode;
}

void kfd_close_own(struct kfd_own *own)
{
	if (kfd_is_own(own))
		kfd_real_close(own->fd);
	own->fd = -1;
}

void *kfd_next(struct kfd_next *next)
{
	void *found = __atomic_load_n(&next->found, __ATOMIC_ACQUIRE);

	if (!found) {
		int saved = errno;

		found = dlsym(RTLD_NEXT, next->name);
		errno = saved;
		__atomic_store_n(&next->found, found, __ATOMIC_RELEASE);
	}
	return found;
}

/* The linker's names for the ends of the section. */
extern struct kfd_next __start_softkfd_next[] __attribute__((visibility("hidden")));
extern struct kfd_next __stop_softkfd_next[] __attribute__((visibility("hidden")));

/*
 * Runs before this library's other constructors and, as it is linked with -z initfirst, before
 * those of all others: a constructor that allocates memory starts the recorder, which starts
 * threads.
 */
static __attribute__((constructor(101))) void look_up_all(void)
{
	for (struct kfd_next *next = __start_softkfd_next; next < __stop_softkfd_next; next++)
		kfd_next(next);
}
