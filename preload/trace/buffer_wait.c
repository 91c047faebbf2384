/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event for which a trace buffer has no room waits for it, as long as the session allows (10
 * seconds), and is then discarded. This limit is for each event: when the buffers are no longer
 * emptied (LTTng's consumer was killed, or hangs) the program would wait so long at each event.
 * Here a process stops waiting when it has once waited in vain.
 *
 * LTTng-UST waits by poll() without descriptors, 100 ms at a time, and then tries again (lttng-ust
 * 2.13, src/common/ringbuffer/ring_buffer_frontend.c, handle_blocking_retry()). It calls our
 * poll(), which returns at once if waiting is useless. LTTng-UST adds up the times that it
 * requested, and does not read the clock.
 */
#include "preload/trace/buffer_wait.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/libc.h"
#include "preload/core/message.h"
#include "preload/core/parts.h"
#include "preload/trace/enter.h"

/* tracer/session.c: what an event waits at most. */
#define LIMIT_MS 10000u

/*
 * After a wait in vain the next attempt is this short, and follows after this long: at most a tenth
 * of the time is spent waiting.
 */
#define RETRY_MS 1000u
#define PAUSE_NS 10000000000u

/* The session lets events wait without limit: returning early would only use CPU time. */
#define ENDLESS_MS (20 * LIMIT_MS)

static uint64_t hopeless_until;      /* ns, monotonic; atomic */
static uint32_t patience = LIMIT_MS; /* atomic */
static uint64_t given_up;            /* events; atomic */

/* Of the calling thread's last entry that waited. */
static __thread struct {
	uint32_t entry;
	uint32_t waited; /* ms, as LTTng-UST counts */
	bool hurried;
} last __attribute__((tls_model("initial-exec")));

/* That entry has ended: every event that was given up has waited for the limit exactly. */
static void account(void)
{
	uint32_t lost = last.waited / LIMIT_MS;

	if (lost)
		__atomic_fetch_add(&given_up, lost, __ATOMIC_RELAXED);
	else if (last.waited && !last.hurried) /* somebody reads */
		__atomic_store_n(&patience, LIMIT_MS, __ATOMIC_RELAXED);
	last.waited = 0;
	last.hurried = false;
}

static int wait_for_room(int timeout)
{
	uint64_t now = hg_now();
	int cancel, rc;

	if (last.entry != hg_entered()) {
		account();
		last.entry = hg_entered();
	}
	last.waited += (uint32_t)timeout;
	/* LTTng-UST comes back a hundred times for an event that was given up. */
	if (last.hurried && last.waited < ENDLESS_MS)
		return 0;
	if (HG_ANY_PART(orphaned)) {
		last.hurried = true;
		return 0;
	}
	if (last.waited < ENDLESS_MS) {
		if (now < __atomic_load_n(&hopeless_until, __ATOMIC_RELAXED)) {
			last.hurried = true;
			return 0;
		}
		if (last.waited >= __atomic_load_n(&patience, __ATOMIC_RELAXED)) {
			__atomic_store_n(&hopeless_until, now + PAUSE_NS, __ATOMIC_RELAXED);
			__atomic_store_n(&patience, RETRY_MS, __ATOMIC_RELAXED);
			last.hurried = true;
			return 0;
		}
	}
	cancel = hg_keep_thread();
	rc = hg_libc.poll(NULL, 0, timeout);
	hg_release_thread(cancel);
	return rc;
}

HG_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (HG_LIKELY(!hg_tls.busy || fds || count || timeout <= 0))
		return hg_libc.poll(fds, count, timeout);
	return wait_for_room(timeout);
}

void hg_buffer_wait_give_up(void)
{
	__atomic_fetch_add(&given_up, 1, __ATOMIC_RELAXED);
}

static void fork_child(void)
{
	given_up = 0;
	hopeless_until = 0;
	patience = LIMIT_MS;
	last.waited = 0;
}

static void end(void)
{
	char line[64], path[4096 + sizeof(HG_GIVEN_UP_FILE)];
	uint64_t lost;
	int length, fd;

	account();
	lost = __atomic_exchange_n(&given_up, 0, __ATOMIC_RELAXED);
	if (!lost || snprintf(path, sizeof(path), "%s/" HG_GIVEN_UP_FILE, hg_config.dir) >=
			 (int)sizeof(path))
		return;
	/* The buffers are full, so this is reported in a file. */
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	length = snprintf(line, sizeof(line), "%d %llu\n", (int)getpid(), (unsigned long long)lost);
	if (write(fd, line, (size_t)length) != length)
		hg_say("%llu events were given up", (unsigned long long)lost);
	hg_libc.close(fd);
}

HG_PART(.name = "buffer-wait", .order = 96, .fork_child = fork_child, .exit = end);
