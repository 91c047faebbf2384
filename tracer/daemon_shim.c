/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into lttng-sessiond and lttng-consumerd of a private daemon (daemon.h).
 *
 * Daemons of root put their sockets, locks and pid files into /var/run/lttng because getuid() is 0,
 * those of others below LTTNG_HOME: here getuid() returns another number to those of root. Nothing
 * else of the process changes, so where they pass that number on it is replaced by the real one.
 *
 * lttng-sessiond connects to its own notification socket, but prefers the one in /var/run/lttng if
 * it has the permission (lttng-tools 2.13, src/lib/lttng-ctl/channel.c): that is another daemon's,
 * which may hang.
 *
 * A segment in /dev/shm, one for each user, says whether a daemon runs, and the last one that
 * starts or ends writes it. Other programs with LTTng-UST wait there for theirs, which is not this
 * one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* It is no user's. */
#define OTHER_USER ((uid_t)2147483646)

/* Both, because LTTng ignores its environment where they differ, as in a setuid program. */
EXPORT uid_t getuid(void)
{
	uid_t user = (uid_t)syscall(SYS_getuid);

	return user ? user : OTHER_USER;
}

EXPORT uid_t geteuid(void)
{
	uid_t user = (uid_t)syscall(SYS_geteuid);

	return user ? user : OTHER_USER;
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	static const char place[] = "/var/run/lttng/";
	const struct sockaddr_un *local = address.__sockaddr_un__;

	if (length >= sizeof(*local) && local->sun_family == AF_UNIX &&
	    strncmp(local->sun_path, place, sizeof(place) - 1) == 0) {
		errno = ECONNREFUSED;
		return -1;
	}
	return (int)syscall(SYS_connect, fd, local, length);
}

/* That segment (lttng-tools 2.13, src/common/shm.c) is one of its own. */
EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
	int (*real)(const char *name, int flags, mode_t mode) =
	    (__typeof__(real))dlsym(RTLD_NEXT, "shm_open");

	if (strncmp(name, "/lttng-ust-wait-", 16) == 0)
		return memfd_create("lttng-ust-wait", MFD_CLOEXEC);
	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	return real(name, flags, mode);
}

/* The process that does what users may do returns to "its" user afterwards (lttng-tools 2.12,
 * src/common/runas.c). */
EXPORT int seteuid(uid_t user)
{
	int (*real)(uid_t user) = (__typeof__(real))dlsym(RTLD_NEXT, "seteuid");

	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	return real(user == OTHER_USER ? 0 : user);
}

EXPORT int fchown(int fd, uid_t owner, gid_t group)
{
	return (int)syscall(SYS_fchown, fd, owner == OTHER_USER ? 0 : owner, group);
}

/*
 * Credentials of messages, which the kernel verifies (src/common/unix.c): ours are sent unchanged,
 * and those of our user are received as the number that the daemon takes for its own. So its
 * sessions belong to it, and it need not change to another user.
 */
static void translate(struct msghdr *message, uid_t from, uid_t to)
{
	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		struct ucred credentials;

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS ||
		    part->cmsg_len < CMSG_LEN(sizeof(credentials)))
			continue;
		memcpy(&credentials, CMSG_DATA(part), sizeof(credentials));
		if (credentials.uid == from) {
			credentials.uid = to;
			memcpy(CMSG_DATA(part), &credentials, sizeof(credentials));
		}
	}
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (message->msg_controllen)
		translate((struct msghdr *)message, OTHER_USER, 0);
	return syscall(SYS_sendmsg, fd, message, flags);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t size = syscall(SYS_recvmsg, fd, message, flags);

	if (size >= 0 && message->msg_controllen && getuid() == OTHER_USER)
		translate(message, 0, getuid());
	return size;
}
