/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves LTTng-UST's file descriptors.
 *
 * LTTng-UST has a dozen file descriptors open in a recorded program, with the lowest numbers that
 * were free. Programs choose numbers themselves (dup2(); a shell's `exec 9<>file`): this closed
 * LTTng-UST's descriptor of that number, and LTTng-UST continued to use, and to close, the
 * program's. So its descriptors are moved to other numbers before it learns them: it gets them from
 * socket(), and from the session daemon by recvmsg() (lttng-ust 2.13, src/common/ustcomm.c). The
 * same happens to the pipe that libunwind makes in the midst of a program, by which it checks
 * memory before it reads that.
 *
 * Between the two calls that this takes, the descriptor has the number that the kernel chose.
 */
#include "preload/control/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/trace/counts.h"
#include "preload/control/descriptors.h"
#include "preload/control/listeners.h"
#include "preload/stacks/stack.h"

/* The lowest number to use, if the limit allows it; programs are written with small numbers. */
static const int bases[] = { 512, 128 };

/*
 * This many descriptors of LTTng-UST's are noted, also ones that it closed, or that the program
 * closed without the C library. It has some for each processor.
 */
#define NOTED_MAX 2048u
static struct noted {
	int fd; /* atomic; 0: not noted yet */
	dev_t device;
	ino_t inode;
} noted[NOTED_MAX];
static unsigned noted_count; /* atomic */

static void note(int fd)
{
	unsigned at = __atomic_fetch_add(&noted_count, 1, __ATOMIC_RELAXED);
	struct stat status;

	if (at < NOTED_MAX && !fstat(fd, &status)) {
		noted[at].device = status.st_dev;
		noted[at].inode = status.st_ino;
		__atomic_store_n(&noted[at].fd, fd, __ATOMIC_RELEASE);
	}
}

static bool is_same(const struct noted *one, int fd)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_dev == one->device && status.st_ino == one->inode;
}

/*
 * Returns true if a number that was LTTng-UST's, as far as is known, is now another file's or
 * nobody's.
 */
static bool is_lost(int fd)
{
	for (unsigned i = noted_count < NOTED_MAX ? noted_count : NOTED_MAX; fd > 0 && i-- > 0;)
		if (__atomic_load_n(&noted[i].fd, __ATOMIC_ACQUIRE) == fd)
			return !is_same(&noted[i], fd);
	return false;
}

static void attach(void)
{
	memset(noted, 0, (noted_count < NOTED_MAX ? noted_count : NOTED_MAX) * sizeof(*noted));
	noted_count = 0;
}

bool hg_descriptors_lost(void)
{
	for (unsigned i = 0; i < noted_count && i < NOTED_MAX; i++)
		if (noted[i].fd > 0 && !is_same(&noted[i], noted[i].fd))
			return true;
	return false;
}

/* Stops a thread of LTTng-UST that must not continue; it ends with the process. */
static void stay_here(void)
{
	for (;;)
		hg_syscall(SYS_futex, &(int){ 0 }, FUTEX_WAIT_PRIVATE, 0, NULL);
}

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

static int move(int fd)
{
	fd = move_up(fd);
	note(fd);
	return fd;
}

/* The latest sockets of LTTng-UST, which has up to four; atomic; 0: none. */
static int sockets[8];
static unsigned last_socket; /* atomic */

static void note_socket(int fd)
{
	unsigned at = __atomic_fetch_add(&last_socket, 1, __ATOMIC_RELAXED) % HG_COUNT(sockets);

	__atomic_store_n(&sockets[at], fd, __ATOMIC_RELAXED);
}

void hg_descriptor_forget(int fd)
{
	for (size_t i = 0; i < HG_COUNT(sockets); i++)
		if (sockets[i] == fd)
			sockets[i] = 0;
}

bool hg_descriptors_hung_up(void)
{
	for (size_t i = 0; i < HG_COUNT(sockets); i++) {
		struct pollfd one = { .fd = sockets[i] };

		if (one.fd > 0 && hg_descriptor_is_tools(one.fd) && hg_libc.poll(&one, 1, 0) > 0 &&
		    one.revents & POLLHUP)
			return true;
	}
	return false;
}

static void detach(void)
{
	int inert = -1;

	for (size_t i = 0; i < HG_COUNT(sockets); i++) {
		int fd = sockets[i];

		if (fd <= 0 || !hg_descriptor_is_tools(fd))
			continue;
		if (inert < 0)
			inert = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
		if (inert >= 0)
			hg_syscall(SYS_dup3, inert, fd, O_CLOEXEC);
		sockets[i] = 0;
	}
	if (inert >= 0)
		hg_syscall(SYS_close, inert);
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

HG_EXPORT int socket(int domain, int type, int protocol)
{
	int fd = hg_libc.socket(domain, type, protocol), saved = errno;

	if (fd >= 0 && hg_is_tracer()) {
		fd = move(fd);
		note_socket(fd);
	}
	errno = saved;
	return fd;
}

static void move_received(struct msghdr *message)
{
	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		unsigned char *data = CMSG_DATA(part);
		int fd;

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(fd) <= part->cmsg_len - CMSG_LEN(0);
		     at += sizeof(fd)) {
			memcpy(&fd, data + at, sizeof(fd));
			fd = move(fd);
			memcpy(data + at, &fd, sizeof(fd));
		}
	}
}

HG_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t size;
	int saved;

	if (HG_UNLIKELY(hg_tls.busy))
		hg_listener_receives(fd);
	size = hg_libc.recvmsg(fd, message, flags);
	saved = errno;
	if (HG_UNLIKELY(hg_tls.busy))
		hg_listener_received();

	/*
	 * It would continue with calls that may not be allowed; or the number is the program's by
	 * now, and it would close the program's descriptor.
	 */
	if (HG_UNLIKELY(hg_tls.busy) &&
	    (hg_confined || (size < 0 && (saved == EBADF || saved == ENOTSOCK))) && hg_is_tracer())
		stay_here();
	if (HG_UNLIKELY(hg_tls.busy) && size >= 0 && message->msg_controllen && hg_is_tracer())
		move_received(message);
	errno = saved;
	return size;
}

/*
 * LTTng-UST writes a byte to a pipe to wake its consumer. A program that closed the pipe without
 * the C library, as Go's runtime and asm() can, may have a file of its own by that number: the byte
 * would be in there.
 */
HG_EXPORT ssize_t write(int fd, const void *buffer, size_t size)
{
	if (HG_UNLIKELY(hg_tls.busy) && hg_code_is_lttngs(__builtin_return_address(0)) &&
	    is_lost(fd)) {
		hg_counts_confined(HG_CONFINED_CLOSED);
		errno = EBADF;
		return -1;
	}
	return hg_libc.write(fd, buffer, size);
}

HG_PART(.name = "descriptors", .order = 11, .fork_detach = detach, .fork_attach = attach,
	.owns = owns);
