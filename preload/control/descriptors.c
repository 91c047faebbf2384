/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves libunwind's pipe, which it makes in the midst of a program, and by which it checks memory
 * before it reads that. Programs choose numbers themselves (dup2(); a shell's `exec 9<>file`), and
 * would close the pipe; its numbers are none that programs choose.
 *
 * Between the two calls that this takes, a descriptor has the number that the kernel chose.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/stacks/stack.h"

/* The lowest number to use, if the limit allows it; programs are written with small numbers. */
static const int bases[] = { 512, 128 };

/* A descriptor to use in place of that one; the same if there is no better number. */
static int move_up(int fd)
{
	int flags = fcntl(fd, F_GETFD), moved = -1;

	if (fd >= bases[HG_COUNT(bases) - 1] || flags < 0)
		return fd;
	for (size_t i = 0; moved < 0 && i < HG_COUNT(bases); i++)
		moved = fcntl(fd, flags & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, bases[i]);
	if (moved < 0)
		return fd;
	hg_syscall(SYS_close, fd);
	return moved;
}

/* libunwind's pipe, 0: none. A program that closed it would have its own files written to. */
static int unwinders[2]; /* atomic */

static bool owns(int fd)
{
	return fd > 0 && (fd == __atomic_load_n(&unwinders[0], __ATOMIC_RELAXED) ||
			  fd == __atomic_load_n(&unwinders[1], __ATOMIC_RELAXED));
}

HG_EXPORT int pipe2(int ends[2], int flags)
{
	int rc = hg_libc.pipe2(ends, flags), saved = errno;

	if (HG_UNLIKELY(hg_tls.busy) && !rc && hg_stack_is_unwinder(HG_CALLER()))
		for (unsigned i = 0; i < HG_COUNT(unwinders); i++) {
			ends[i] = move_up(ends[i]);
			__atomic_store_n(&unwinders[i], ends[i], __ATOMIC_RELAXED);
		}
	errno = saved;
	return rc;
}

HG_PART(.name = "descriptors", .order = 11, .owns = owns);
