/* SPDX-License-Identifier: Apache-2.0 */
/* The socket by which a running recorder receives requests. */
#include "tracer/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tracer/message.h"

#define REQUEST_TIMEOUT_MS 500
#define QUEUE_LENGTH       8

/* sun_path has 108 bytes, and a bundle any path: through the descriptor it is short. */
static void name_socket(struct sockaddr_un *address, int folder, const char *name)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d%s%s", folder,
		 *name ? "/" : "", name);
}

static bool peer_is(int fd, uid_t one, uid_t other)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == one || peer.uid == other);
}

int control_listen(int bundle)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;

	if (fd < 0)
		return -errno;
	name_socket(&address, bundle, CONTROL_SOCKET);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    fchmodat(bundle, CONTROL_SOCKET, 0600, 0) || listen(fd, QUEUE_LENGTH)) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

void control_end(int bundle, int listener)
{
	if (listener >= 0) {
		unlinkat(bundle, CONTROL_SOCKET, 0);
		close(listener);
	}
}

int control_accept(int listener, enum control_request *request)
{
	int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct pollfd asks = { .fd = client, .events = POLLIN };
	char letter = 0;

	if (client < 0)
		return -1;
	if (!peer_is(client, geteuid(), 0) || poll(&asks, 1, REQUEST_TIMEOUT_MS) != 1 ||
	    recv(client, &letter, 1, 0) != 1 ||
	    (letter != CONTROL_DETACH && letter != CONTROL_SNAPSHOT)) {
		close(client);
		return -1;
	}
	*request = (enum control_request)letter;
	return client;
}

void control_answer(int client, const char *text)
{
	if (client >= 0) {
		/* The requester may have ended. */
		(void)send(client, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
		close(client);
	}
}

/* Connects to the socket in the bundle. Returns a descriptor, or -errno with `why`. */
static int reach(int bundle, char *why, size_t why_size)
{
	/* The same node is examined and connected to, and it is no link. */
	int node = openat(bundle, CONTROL_SOCKET, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd, error;
	struct stat folder, status;
	struct sockaddr_un address;

	if (node < 0 || fstat(node, &status) || fstat(bundle, &folder)) {
		error = errno;
		if (node >= 0)
			close(node);
		return error == ENOENT ? refuse(why, why_size, ECONNREFUSED,
						"no recorder listens in %s", CONTROL_SOCKET)
				       : refuse(why, why_size, error, "%s: %s", CONTROL_SOCKET,
						strerror(error));
	}
	if (!S_ISSOCK(status.st_mode)) {
		close(node);
		return refuse(why, why_size, ENOTSOCK, "%s is not a socket", CONTROL_SOCKET);
	}
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	name_socket(&address, node, "");
	error = fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;
	close(node);
	if (error) {
		refuse(why, why_size, error, "%s: %s", CONTROL_SOCKET, strerror(error));
	} else if (!peer_is(fd, folder.st_uid, folder.st_uid) ||
		   (folder.st_uid != geteuid() && geteuid() != 0)) {
		error = EPERM;
		refuse(why, why_size, EPERM,
		       "%s does not belong to the user of the recording: it is not trusted",
		       CONTROL_SOCKET);
	}
	if (error && fd >= 0)
		close(fd);
	return error ? -error : fd;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int control_ask(int bundle, enum control_request request, int timeout_ms, char *answer,
		size_t answer_size, char *why, size_t why_size)
{
	const int64_t limit = now_ms() + timeout_ms;
	int fd = reach(bundle, why, why_size), result = 0;
	struct pollfd answers = { .fd = fd, .events = POLLIN };
	char letter = (char)request;
	ssize_t length = -1;

	if (fd < 0)
		return fd;
	if (send(fd, &letter, 1, MSG_NOSIGNAL) != 1)
		result = refuse(why, why_size, errno, "%s", strerror(errno));
	while (!result && length < 0) {
		int64_t left = limit - now_ms();

		if (left <= 0) {
			result =
			    refuse(why, why_size, ETIMEDOUT,
				   "its recorder did not answer within %d s", timeout_ms / 1000);
		} else if (poll(&answers, 1, (int)left) == 1) {
			length = recv(fd, answer, answer_size - 1, 0);
			if (length <= 0) {
				result = refuse(why, why_size, EPIPE,
						"its recorder ended without an answer");
			}
		}
	}
	if (!result)
		answer[length] = '\0';
	close(fd);
	return result;
}
