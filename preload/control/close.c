/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that close file descriptors which they did not open (daemons and shells close every
 * number up to the limit) must not close those of ours: we would write to the program's files. To
 * the program they look as if they were not open, which is what such programs expect of most
 * numbers.
 */
#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control/close_range.h"
#include "preload/control/descriptors.h"
#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"

bool hg_descriptors_owned;

/* Returns the least of our descriptors from `first` on, or UINT_MAX if there is none. */
static unsigned next_ours(unsigned first)
{
	unsigned least = UINT_MAX;

	if (HG_LIKELY(!__atomic_load_n(&hg_descriptors_owned, __ATOMIC_RELAXED)))
		return least;
	for (unsigned i = 0; i < hg_part_count; i++) {
		unsigned fd =
		    hg_parts[i]->descriptor_from ? hg_parts[i]->descriptor_from(first) : UINT_MAX;

		if (fd < least)
			least = fd;
	}
	return least;
}

static bool is_ours(int fd)
{
	return fd >= 0 && next_ours((unsigned)fd) == (unsigned)fd;
}

int hg_close_of_program(int fd)
{
	if (is_ours(fd)) {
		errno = EBADF;
		return -1;
	}
	return (int)hg_syscall(SYS_close, fd);
}

HG_EXPORT int close(int fd)
{
	if (HG_UNLIKELY(is_ours(fd))) {
		errno = EBADF;
		return -1;
	}
	return hg_libc.close(fd);
}

static int range(unsigned first, unsigned last, int flags)
{
	return (int)hg_syscall(SYS_close_range, first, last, flags);
}

HG_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	unsigned ours = next_ours(first);
	int rc = 0;

	if (ours > last || ours == UINT_MAX)
		return range(first, last, flags);
	while (!rc && ours <= last && ours != UINT_MAX) {
		if (ours > first)
			rc = range(first, ours - 1, flags);
		first = ours + 1;
		ours = next_ours(first);
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
