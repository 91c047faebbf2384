/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng-UST registers with two session daemons: root's in /var/run/lttng, whoever the user is, and
 * the one below LTTNG_HOME or HOME. It connects while it holds the lock that fork() and exit()
 * take, and its constructor waits until both have answered (lttng-ust 2.13, lttng-ust-comm.c). So a
 * session daemon that hangs delays every process. Where the preload library is what loads LTTng-UST
 * into the process, this is avoided:
 *
 * - a process that `record` started has its daemon below LTTNG_HOME, and connects to no other;
 * - in a process on standby, if a daemon did not answer `standby`, the first connection to each
 *   daemon fails. LTTng-UST then continues at once, and tries again in its own thread.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/start.h"
#include "preload/control/listeners.h"

/* The last part of both sockets' names, before the protocol's number. */
static const char socket_name[] = "/lttng-ust-sock-";
static const char *const root_places[] = { "/var/run/lttng/", "/run/lttng/" };

static bool is_roots(const char *path)
{
	for (size_t i = 0; i < HG_COUNT(root_places); i++)
		if (strncmp(path, root_places[i], strlen(root_places[i])) == 0)
			return true;
	return false;
}

/* Of this process: a child of fork() registers anew. */
static bool is_first(bool roots)
{
	static pid_t known[2]; /* atomic */
	pid_t self = getpid();

	return __atomic_exchange_n(&known[roots], self, __ATOMIC_RELAXED) != self;
}

static bool is_daemons(const struct sockaddr_un *address, socklen_t length)
{
	return length >= sizeof(*address) && address->sun_family == AF_UNIX &&
	       memchr(address->sun_path, '\0', sizeof(address->sun_path)) &&
	       strstr(address->sun_path, socket_name);
}

static bool is_refused(const struct sockaddr_un *address)
{
	bool roots = is_roots(address->sun_path);

	if (hg_config.recorded)
		return roots;
	return hg_config.mute_daemon && is_first(roots);
}

HG_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	if (HG_UNLIKELY(hg_config.own_lttng) && hg_is_tracer() &&
	    is_daemons(address.__sockaddr_un__, length)) {
		hg_listener_connects();
		if (is_refused(address.__sockaddr_un__)) {
			errno = ECONNREFUSED;
			return -1;
		}
	}
	return hg_libc.connect(fd, address.__sockaddr__, length);
}
