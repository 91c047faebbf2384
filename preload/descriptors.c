/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng-UST has a dozen descriptors open in a recorded program, of the lowest numbers that were
 * free. Programs give descriptors numbers of their choice (dup2(); a shell's `exec 9<>file`): what
 * LTTng-UST had there was gone, and it went on to use, and to close, the program's. So its own are
 * moved out of the way, before it knows them: it gets them by socket(), and from the session
 * daemon by recvmsg() (lttng-ust 2.13, src/common/ustcomm.c).
 *
 * Between the two calls that takes a number is still the kernel's choice; no longer than that.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

/* From where on, as far as the limit allows; programs are written with small numbers. */
static const int bases[] = { 512, 128 };

static bool is_tracers(void)
{
	if (HG_LIKELY(!hg_config.dir))
		return false;
	return hg_tls.busy || (hg_tls.looked < HG_LOOKS && hg_is_tracers_thread());
}

/* A descriptor in place of that one; the same where there is no better. */
static int move(int fd)
{
	int flags = fcntl(fd, F_GETFD), moved = -1;

	if (fd <= STDERR_FILENO || fd >= bases[HG_COUNT(bases) - 1] || flags < 0)
		return fd;
	for (size_t i = 0; moved < 0 && i < HG_COUNT(bases); i++)
		moved = fcntl(fd, flags & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, bases[i]);
	if (moved < 0)
		return fd;
	syscall(SYS_close, fd);
	return moved;
}

HG_EXPORT int socket(int domain, int type, int protocol)
{
	int fd = hg_libc.socket(domain, type, protocol), saved = errno;

	if (fd >= 0 && is_tracers())
		fd = move(fd);
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
	ssize_t size = hg_libc.recvmsg(fd, message, flags);
	int saved = errno;

	if (HG_UNLIKELY(hg_tls.busy) && size >= 0 && message->msg_controllen && is_tracers())
		move_received(message);
	errno = saved;
	return size;
}
