/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that close file descriptors which they did not open (daemons and shells close every
 * number up to the limit) must not close those of ours: we would write to the program's files. To
 * the program they look as if they were not open, which is what such programs expect of most
 * numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control/close_range.h"
#include "preload/control/descriptors.h"
#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"

bool hg_descriptors_owned;

static bool has_ours(void)
{
	return __atomic_load_n(&hg_descriptors_owned, __ATOMIC_RELAXED);
}

int hg_close_of_program(int fd)
{
	if (has_ours() && HG_ANY_PART(owns, fd)) {
		errno = EBADF;
		return -1;
	}
	return (int)hg_syscall(SYS_close, fd);
}

HG_EXPORT int close(int fd)
{
	if (HG_UNLIKELY(has_ours()) && HG_ANY_PART(owns, fd)) {
		errno = EBADF;
		return -1;
	}
	return hg_libc.close(fd);
}

/* The format of what getdents64(2) returns. */
struct entry {
	uint64_t inode, offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

#define OURS_MAX 64u

/* Finds our file descriptors in a range, in ascending order, and returns how many there are. It
 * does not allocate. */
static unsigned find_ours(unsigned first, unsigned last, unsigned found[OURS_MAX])
{
	char buffer[2048] __attribute__((aligned(8)));
	int folder = (int)hg_syscall(SYS_openat, AT_FDCWD, "/proc/self/fd",
				     O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	unsigned count = 0;
	long size;

	if (folder < 0)
		return 0;
	while ((size = hg_syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < size; at += ((struct entry *)(buffer + at))->size) {
			const char *name = ((struct entry *)(buffer + at))->name;
			unsigned fd = 0, place;

			if (*name < '0' || *name > '9')
				continue;
			for (; *name; name++)
				fd = fd * 10 + (unsigned)(*name - '0');
			if (fd < first || fd > last || count == OURS_MAX ||
			    !HG_ANY_PART(owns, (int)fd))
				continue;
			for (place = count++; place && found[place - 1] > fd; place--)
				found[place] = found[place - 1];
			found[place] = fd;
		}
	}
	hg_syscall(SYS_close, folder);
	return count;
}

static int range(unsigned first, unsigned last, int flags)
{
	return (int)hg_syscall(SYS_close_range, first, last, flags);
}

HG_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	unsigned ours[OURS_MAX], count;
	int saved = errno, rc = 0;

	if (!has_ours() || first > last)
		return range(first, last, flags);
	count = find_ours(first, last, ours);
	errno = saved;
	for (unsigned i = 0; i < count && !rc; i++) {
		if (ours[i] > first)
			rc = range(first, ours[i] - 1, flags);
		first = ours[i] + 1;
	}
	return rc || first > last ? rc : range(first, last, flags);
}

HG_EXPORT void closefrom(int first)
{
	int saved = errno;

	if (close_range(first > 0 ? (unsigned)first : 0, ~0u, 0)) {
		/* Before Linux 5.9. */
		for (long fd = first > 0 ? first : 0, end = sysconf(_SC_OPEN_MAX); fd < end; fd++)
			hg_close_of_program((int)fd);
	}
	errno = saved;
}
