/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that records what the driver tells of pages that fault and move. It exists only in a
 * process that is recorded, has a GPU and gets such events. The driver's time is that of
 * CLOCK_BOOTTIME and the trace's another; so each event says how long ago it happened when it was
 * recorded.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "hip.h"
#include "smi.h"
#include "smi_text.h"

/* What the process waits at its end, at most, until everything that was told is recorded. */
#define LAST_WAIT_MS 3000
#define LAST_PASSES  1000

static struct hg_smi_source sources[HG_SMI_SOURCES];
static struct hg_smi_cutter cutters[HG_SMI_SOURCES];
static unsigned source_count;
static uint64_t malformed, unknown, dropped; /* lines; the thread's */
static int bell = -1;                        /* eventfd: drain and say so */
static int drained;                          /* futex-less: polled at the end */
static int started, tried;
static pid_t owner;

/* HIP's number of the GPU that the driver calls `id`. */
static int32_t device_of(uint64_t id)
{
	if (!id)
		return HG_PLACE_HOST;
	for (unsigned i = 0; i < source_count; i++) {
		if (sources[i].gpu_id == id || !sources[i].gpu_id)
			return sources[i].device >= 0 ? sources[i].device : HG_PLACE_UNKNOWN;
	}
	return HG_PLACE_UNKNOWN;
}

static void record(const struct hg_smi_line *line)
{
	struct timespec now;
	int64_t age;
	struct hg_ev_migration event = {
		.kind = (uint8_t)line->kind,
		.start = line->start,
		.size = line->size,
		.from = device_of(line->from),
		.to = device_of(line->to),
		.trigger = (int32_t)line->trigger,
		.detail = line->letter ? (int32_t)line->letter : (int32_t)line->error,
	};

	clock_gettime(CLOCK_BOOTTIME, &now);
	age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - line->ns;
	event.age = line->ns && age > 0 ? (uint64_t)age : 0;
	if (*hg_provider->recording)
		hg_provider->migration(&event);
}

static void take(void *data, const char *text, size_t length, bool whole)
{
	struct hg_smi_line line;

	(void)data;
	switch (whole ? hg_smi_parse(text, length, &line) : HG_SMI_MALFORMED) {
	case HG_SMI_MALFORMED:
		malformed++;
		break;
	case HG_SMI_UNWANTED:
		unknown++;
		break;
	case HG_SMI_EVENT:
		if (line.kind == HG_SMI_DROPPED)
			dropped += line.count;
		/* A privileged process may be told of others. */
		else if (!line.pid || line.pid == owner)
			record(&line);
		break;
	}
}

/* Read all that is there; whether there was anything. */
static bool drain(unsigned index, struct pollfd *fd)
{
	char bytes[8192];
	bool any = false;
	ssize_t got;

	if (fd->fd < 0)
		return false;
	while ((got = read(fd->fd, bytes, sizeof(bytes))) > 0) {
		hg_smi_cut(&cutters[index], bytes, (size_t)got, take, NULL);
		any = true;
	}
	/* A FIFO without writer, or a file's end. */
	if (!got || (errno != EAGAIN && errno != EINTR))
		fd->fd = -1;
	return any;
}

/* Until nothing more comes: a source may hold back what did not fit, also half a line. */
static void drain_all(struct pollfd *fds)
{
	struct timespec nap = { .tv_nsec = 2000000 };
	bool any = true;

	for (int i = 0; any && i < LAST_PASSES; i++) {
		any = false;
		for (unsigned s = 0; s < source_count; s++)
			any |= drain(s, &fds[s]) || (fds[s].fd >= 0 && cutters[s].used);
		if (any)
			nanosleep(&nap, NULL);
	}
}

static void report_counts(const char *problem)
{
	struct hg_ev_smi_source event = { .sources = source_count,
					  .malformed = malformed,
					  .unknown = unknown,
					  .dropped = dropped,
					  .problem = problem };

	if (*hg_provider->recording)
		hg_provider->smi_source(&event);
}

static void *run(void *unused)
{
	struct pollfd fds[HG_SMI_SOURCES + 1];
	uint64_t lost = 0;

	(void)unused;
	hg_tls.busy = 1; /* for good: nothing that this thread does is the program's */
	for (unsigned i = 0; i < source_count; i++)
		fds[i] = (struct pollfd){ .fd = sources[i].fd, .events = POLLIN };
	fds[source_count] = (struct pollfd){ .fd = bell, .events = POLLIN };
	for (;;) {
		uint64_t rings;

		poll(fds, source_count + 1, -1);
		for (unsigned i = 0; i < source_count; i++)
			drain(i, &fds[i]);
		if (dropped > lost) {
			lost = dropped;
			report_counts("");
		}
		if (fds[source_count].revents & POLLIN &&
		    read(bell, &rings, sizeof(rings)) == (ssize_t)sizeof(rings)) {
			drain_all(fds);
			for (unsigned i = 0; i < source_count; i++)
				malformed += cutters[i].used > 0 || cutters[i].overlong;
			report_counts("");
			__atomic_store_n(&drained, 1, __ATOMIC_RELEASE);
		}
	}
	return NULL;
}

/* At the end of the process: what it was told so far is worth a moment. */
static void finish(void)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	uint64_t one = 1;
	int saved = errno;

	if (!started || owner != getpid() || write(bell, &one, sizeof(one)) != (ssize_t)sizeof(one))
		return;
	for (int i = 0; i < LAST_WAIT_MS && !__atomic_load_n(&drained, __ATOMIC_ACQUIRE); i++)
		nanosleep(&nap, NULL);
	errno = saved;
}

static int start_thread(void)
{
	sigset_t all, old;
	pthread_t thread;
	int error;

	/* The program's signals are for its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error)
		pthread_detach(thread);
	return error;
}

void hg_smi_start(int devices)
{
	static bool registered;
	const char *problem;

	if (!hg_config.migration || devices <= 0 || !*hg_provider->recording ||
	    __atomic_exchange_n(&tried, 1, __ATOMIC_ACQ_REL))
		return;
	owner = getpid();
	source_count = hg_smi_open(sources, devices, &problem);
	if (source_count) {
		bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (!registered)
			registered = !atexit(finish);
		started = bell >= 0 && registered && !start_thread();
		if (!started)
			problem = "the thread that records migrations can't be started";
	}
	report_counts(problem);
}

bool hg_smi_owns(int fd)
{
	if (HG_LIKELY(!started))
		return false;
	for (unsigned i = 0; i < source_count; i++)
		if (sources[i].fd == fd)
			return true;
	return fd == bell;
}

void hg_smi_reset(void)
{
	for (unsigned i = 0; i < source_count; i++)
		hg_libc.close(sources[i].fd);
	if (bell >= 0)
		hg_libc.close(bell);
	bell = -1;
	source_count = 0;
	started = tried = drained = 0;
	malformed = unknown = dropped = 0;
	memset(cutters, 0, sizeof(cutters));
}
