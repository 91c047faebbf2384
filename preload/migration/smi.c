/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that records the page faults and migrations that the driver reports. It exists only in
 * a process that is recorded, has a GPU and gets such events. The driver's times are of
 * CLOCK_BOOTTIME and the trace's of another clock, so each event says how long ago it happened when
 * it was recorded.
 *
 * It does not end before the process does, which therefore does not end by its last thread. Nor
 * does it without this one: the HSA runtime has such a thread from hsa_init() on where there is a
 * GPU, for the events of faults (ROCr, Runtime::BindVmFaultHandler()).
 */
#include "preload/migration/smi.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "preload/control/descriptors.h"
#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/signals.h"
#include "preload/migration/smi_text.h"
#include "tracer/events.h"
#include "tracer/events/ev_migration.h"
#include "tracer/events/ev_smi_source.h"
#include "tracer/provider.h"

/* At its end the process looks so often, 2 ms apart, until every event is recorded. */
#define LAST_PASSES 1000

static struct hg_smi_source sources[HG_SMI_SOURCES];
static struct hg_smi_cutter cutters[HG_SMI_SOURCES];
static char names[HG_SMI_SOURCES][64]; /* the descriptors' targets according to /proc */
static unsigned source_count;
static uint64_t malformed, unknown, dropped; /* lines, of this session */
static const char *problem = "";
static bool wanted;        /* the events are requested */
static unsigned reading;   /* the source at hand */
static int started, tried; /* tried: atomic */
static bool paused;        /* the process may end at any moment: the thread reads nothing */
static pid_t owner;
/* This guards what the thread shares with the functions that begin and end its work. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t resumed = PTHREAD_COND_INITIALIZER;

/* Returns HIP's number of the GPU that the driver calls `id`; HG_PLACE_HOST for 0. */
static int32_t device_of(uint64_t id)
{
	if (!id)
		return HG_PLACE_HOST;
	for (unsigned i = 0; i < source_count; i++)
		if (sources[i].gpu_id == id || !sources[i].gpu_id)
			return sources[i].device >= 0 ? sources[i].device : HG_PLACE_UNKNOWN;
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

	hg_clock_gettime(CLOCK_BOOTTIME, &now);
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
		/*
		 * The kernel reports no other process; its number of this one may differ in a
		 * container, before Linux 7.
		 */
		else if (!sources[reading].others || !line.pid || line.pid == owner)
			record(&line);
		break;
	}
}

/* Puts into `name` what /proc says that a descriptor is, or "". */
static void name_of(int fd, char name[64])
{
	char path[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, name, 63);
	name[length > 0 ? length : 0] = 0;
}

/* The program closed it by the system call itself; by now the number may be another file's. */
static bool is_lost(unsigned index)
{
	char name[64];

	name_of(sources[index].fd, name);
	if (!strcmp(name, names[index]))
		return false;
	sources[index].fd = -1;
	problem = "the program closed a descriptor of the driver's events";
	return true;
}

/*
 * Returns true if a read would return at once. The program may close the descriptor, and another
 * file get its number, at any time: a read of that one could wait forever, and with it all threads
 * that want the lock.
 */
static bool is_ready(unsigned index)
{
	struct pollfd fd = { .fd = sources[index].fd, .events = POLLIN };
	int ready;

	do
		ready = poll(&fd, 1, 0);
	while (ready < 0 && errno == EINTR);
	return ready > 0;
}

/* Reads all that is there. Returns true if there was anything. The caller holds the lock. */
static bool drain(unsigned index)
{
	struct hg_smi_source *source = &sources[index];
	char bytes[8192];
	bool any = false;

	reading = index;
	/* The name is compared as late as possible, so that no bytes of the program's are taken. */
	while (source->fd >= 0 && is_ready(index) && !is_lost(index)) {
		ssize_t got = read(source->fd, bytes, sizeof(bytes));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			/* A FIFO without writer, or a file's end, or a GPU that was removed. */
			if (!got || errno != EAGAIN) {
				hg_libc.close(source->fd);
				source->fd = -1;
			}
			break;
		}
		if (*hg_provider->recording && wanted)
			hg_smi_cut(&cutters[index], bytes, (size_t)got, take, NULL);
		any = true;
	}
	return any;
}

/* Until nothing more comes: a source may hold back what did not fit, also half a line. */
static void drain_all(void)
{
	struct timespec nap = { .tv_nsec = 2000000 };
	bool any = true;

	for (int i = 0; any && i < LAST_PASSES; i++) {
		any = false;
		for (unsigned s = 0; s < source_count; s++)
			any |= drain(s) || (sources[s].fd >= 0 && cutters[s].used);
		if (any)
			nanosleep(&nap, NULL);
	}
}

static void report_counts(void)
{
	struct hg_ev_smi_source event = { .sources = source_count,
					  .malformed = malformed,
					  .unknown = unknown,
					  .dropped = dropped,
					  .problem = problem };

	if (*hg_provider->recording)
		hg_provider->smi_source(&event);
}

static void want(bool yes)
{
	wanted = yes;
	for (unsigned i = 0; i < source_count; i++)
		if (sources[i].fd >= 0 && !is_lost(i))
			hg_smi_ask(&sources[i], yes);
}

/* Records what came. The caller holds the lock. */
static void look(void)
{
	const char *before = problem;
	uint64_t lost = dropped;

	for (unsigned i = 0; i < source_count; i++)
		drain(i);
	if (dropped > lost || problem != before)
		report_counts();
	/* The session ended. */
	if (wanted && !*hg_provider->recording)
		want(false);
}

static void *run(void *unused)
{
	struct pollfd fds[HG_SMI_SOURCES];

	(void)unused;
	hg_tls.busy = 1; /* permanently: nothing that this thread does is the program's */
	prctl(PR_SET_NAME, "hipgrain-events");
	for (bool any = true; any;) {
		any = false;
		pthread_mutex_lock(&lock);
		for (unsigned i = 0; i < source_count; i++) {
			fds[i] = (struct pollfd){ .fd = sources[i].fd, .events = POLLIN };
			any |= sources[i].fd >= 0;
		}
		pthread_mutex_unlock(&lock);
		if (any)
			poll(fds, source_count, -1);
		pthread_mutex_lock(&lock);
		while (paused)
			pthread_cond_wait(&resumed, &lock);
		look();
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/*
 * Before _exit() and exec(), which end the thread wherever it is: what it has read is recorded, and
 * it reads no more. At exit(), finish() has been here.
 */
static void flush(void)
{
	if (!started || owner != getpid())
		return;
	pthread_mutex_lock(&lock);
	drain_all();
	report_counts();
	paused = true;
	pthread_mutex_unlock(&lock);
}

/* Goes on because exec() failed. */
static void again(void)
{
	if (!started || owner != getpid())
		return;
	pthread_mutex_lock(&lock);
	paused = false;
	pthread_cond_signal(&resumed);
	pthread_mutex_unlock(&lock);
}

/* At the end of the process: the events so far are worth a moment. */
static void finish(void)
{
	int saved = errno, cancel;

	if (!started || owner != getpid())
		return;
	cancel = hg_keep_thread();
	hg_tls.busy++;
	pthread_mutex_lock(&lock);
	drain_all();
	for (unsigned i = 0; i < source_count; i++) {
		malformed += cutters[i].used > 0 || cutters[i].overlong;
		cutters[i].used = cutters[i].overlong = 0;
	}
	report_counts();
	pthread_mutex_unlock(&lock);
	hg_tls.busy--;
	hg_release_thread(cancel);
	errno = saved;
}

static int start_thread(void)
{
	struct hg_signals signals;
	pthread_t thread;
	int error;

	/* The program's signals are for its own threads. */
	if (!hg_signals_block(&signals))
		return errno;
	error = pthread_create(&thread, NULL, run, NULL);
	hg_signals_restore(&signals);
	if (!error)
		pthread_detach(thread);
	return error;
}

static void begin(const int64_t *places, int count)
{
	static bool registered;

	owner = getpid();
	source_count = hg_smi_open(sources, places, count, &problem);
	__atomic_store_n(&hg_descriptors_owned, source_count > 0, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < source_count; i++)
		name_of(sources[i].fd, names[i]);
	wanted = true;
	if (source_count) {
		if (!registered)
			registered = !atexit(finish);
		started = registered && !start_thread();
		if (!started)
			problem = "the thread that records migrations can't be started";
	}
}

/* For another session: what came since the last one ended is not its. */
static void go_on(void)
{
	if (wanted)
		return;
	malformed = unknown = dropped = 0;
	for (unsigned i = 0; i < source_count; i++)
		drain(i);
	memset(cutters, 0, sizeof(cutters));
	want(true);
}

void hg_smi_start(const int64_t *places, int count)
{
	int cancel;

	if (!hg_config.migration || count <= 0 || !*hg_provider->recording)
		return;
	cancel = hg_keep_thread();
	pthread_mutex_lock(&lock);
	if (!__atomic_exchange_n(&tried, 1, __ATOMIC_ACQ_REL))
		begin(places, count);
	else
		go_on();
	report_counts();
	pthread_mutex_unlock(&lock);
	hg_release_thread(cancel);
}

static unsigned descriptor_from(unsigned first)
{
	unsigned least = UINT_MAX;

	for (unsigned i = 0; i < source_count; i++)
		if (sources[i].fd >= (int)first && (unsigned)sources[i].fd < least)
			least = (unsigned)sources[i].fd;
	return least;
}

static void fork_child(void)
{
	for (unsigned i = 0; i < source_count; i++)
		if (sources[i].fd >= 0 && !is_lost(i))
			hg_libc.close(sources[i].fd);
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&resumed, NULL);
	paused = false;
	source_count = 0;
	hg_descriptors_owned = false;
	started = tried = 0;
	wanted = false;
	problem = "";
	malformed = unknown = dropped = 0;
	memset(cutters, 0, sizeof(cutters));
}

HG_PART(.name = "driver-events", .order = 83, .fork_child = fork_child, .flush = flush,
	.again = again, .descriptor_from = descriptor_from);
