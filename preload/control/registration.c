/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng-UST describes each type of event to the session daemon in three messages, and waits for an
 * answer to the last: a fixed part, which has the lengths of the others, a signature, and the
 * fields (lttng-ust 2.13, ustcomm_register_event()). Each message wakes the daemon. Here the first
 * two are kept until the third one is sent, and are sent with it: to the daemon, which reads a
 * stream of bytes, it is the same. What does not look so is sent as it is.
 *
 * LTTng-UST does this with its lock held, which protects what is kept, also over a fork().
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/start.h"

/* struct ustcomm_notify_hdr and ustcomm_notify_event_msg (ustcomm.h). */
#define COMMAND_EVENT 0u
struct event_message {
	uint32_t command;
	uint32_t session, channel;
	char name[256];
	int32_t level;
	uint32_t signature, fields, uri; /* lengths; 0: there is no such message */
	char padding[32];
} __attribute__((packed));
_Static_assert(sizeof(struct event_message) == 316, "the size that is sent");

static struct {
	size_t used; /* bytes; 0: nothing is kept */
	int fd;
	uint32_t signature;
	char bytes[sizeof(struct event_message) + 512];
} kept;

/* Whether it is the first of several messages, and the second has room. */
static bool begins(const struct iovec *part)
{
	struct event_message event;

	if (part->iov_len != sizeof(event))
		return false;
	memcpy(&event, part->iov_base, sizeof(event));
	if (event.command != COMMAND_EVENT || !event.signature || !event.fields ||
	    event.signature > sizeof(kept.bytes) - sizeof(event) ||
	    !memchr(event.name, 0, sizeof(event.name)))
		return false;
	kept.signature = event.signature;
	return true;
}

/* What is kept, and the message; how much of the message was sent, or -1. */
static ssize_t send_all(int fd, const struct msghdr *message, int flags)
{
	size_t before = kept.used, done = 0;

	kept.used = 0;
	while (done < before) {
		struct iovec parts[] = {
			{ .iov_base = kept.bytes + done, .iov_len = before - done },
			*message->msg_iov,
		};
		struct msghdr all = { .msg_iov = parts, .msg_iovlen = HG_COUNT(parts) };
		ssize_t sent = hg_libc.sendmsg(fd, &all, flags);

		if (sent < 0 && errno != EINTR)
			return -1;
		if (sent > 0)
			done += (size_t)sent;
	}
	/* A part of it is a result that LTTng-UST expects, too. */
	return done > before ? (ssize_t)(done - before) : hg_libc.sendmsg(fd, message, flags);
}

/* Whether the message is kept, as the first or second of three. */
static bool is_kept(int fd, const struct iovec *part)
{
	if (!kept.used ? !begins(part)
		       : kept.used != sizeof(struct event_message) || kept.fd != fd ||
			     part->iov_len != kept.signature)
		return false;
	memcpy(kept.bytes + kept.used, part->iov_base, part->iov_len);
	kept.used += part->iov_len;
	kept.fd = fd;
	return true;
}

HG_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (HG_UNLIKELY(hg_tls.busy) && message->msg_iovlen == 1 && !message->msg_controllen &&
	    hg_is_tracer()) {
		if (is_kept(fd, message->msg_iov))
			return (ssize_t)message->msg_iov->iov_len;
		if (kept.used && kept.fd == fd)
			return send_all(fd, message, flags);
	}
	return hg_libc.sendmsg(fd, message, flags);
}
