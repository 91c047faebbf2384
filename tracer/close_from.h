/* SPDX-License-Identifier: Apache-2.0 */
/* Closing what a process inherited, with C libraries before glibc 2.34 and kernels before
 * Linux 5.9, too. */
#ifndef HIPGRAIN_TRACER_CLOSE_FROM_H
#define HIPGRAIN_TRACER_CLOSE_FROM_H

#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range \
	436 /* linux/include/uapi/asm-generic/unistd.h, the same on every architecture */
#endif

/* Close the descriptors from `first` on. Before Linux 5.9 (no close_range()): those below 65536 at
 * most. */
static inline void close_from(int first)
{
	long limit;

	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
		return;
	limit = sysconf(_SC_OPEN_MAX);
	if (limit < 0 || limit > 65536)
		limit = 65536;
	for (int fd = first; fd < limit; fd++)
		close(fd);
}

#endif
