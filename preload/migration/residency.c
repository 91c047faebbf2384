/* SPDX-License-Identifier: Apache-2.0 */
/* Samples where the pages of followed allocations are. */
#include "preload/migration/residency.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events.h"
#include "tracer/events/ev_residency.h"
#include "tracer/provider.h"

/* /proc/PID/pagemap: an entry of 64 bits a page [KPM]. */
#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)

#define RUN     512u /* pages that are looked at together: a block of migration */
#define LEAST   16u  /* pages of an allocation that are looked at in any case */
#define PROBE   16u  /* pages of an allocation whose node is queried */

int32_t (*hg_residency_last_prefetch)(uint64_t ptr, uint64_t size, bool *known);

struct range {
	uint64_t ptr, size;
	bool managed;
	uint32_t queried_at; /* prefetches when the runtime was last queried */
	int32_t answer;
};

static struct range ranges[HG_RESIDENCY_RANGES];
static unsigned count;
static uint32_t left_out; /* that there was no room for */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int sampling;            /* atomic: a thread is sampling */
static uint32_t prefetches = 1; /* atomic */
static uint64_t last_ns;
static uint32_t rounds;

static int init(void)
{
	const char *text = getenv("HIPGRAIN_RESIDENCY");
	char *end;
	unsigned long interval;

	if (!text || !*text)
		return 0;
	interval = strtoul(text, &end, 10);
	if (*end || end == text || interval >= UINT32_MAX) {
		hg_say("HIPGRAIN_RESIDENCY=%s is no number of milliseconds: nothing is sampled",
		       text);
		return 0;
	}
	hg_config.residency = (uint32_t)interval + 1;
	return 0;
}

void hg_residency_add(uint64_t ptr, uint64_t size, bool managed)
{
	if (HG_LIKELY(!hg_config.residency) || !ptr || size < HG_RESIDENCY_LEAST)
		return;
	pthread_mutex_lock(&lock);
	if (count < HG_RESIDENCY_RANGES)
		ranges[count++] = (struct range){ .ptr = ptr, .size = size, .managed = managed };
	else
		left_out++;
	pthread_mutex_unlock(&lock);
}

void hg_residency_remove(uint64_t ptr, uint64_t size)
{
	if (HG_LIKELY(!hg_config.residency) || !ptr)
		return;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < count;)
		if (ranges[i].ptr < ptr + size && ptr < ranges[i].ptr + ranges[i].size)
			ranges[i] = ranges[--count];
		else
			i++;
	pthread_mutex_unlock(&lock);
}

void hg_residency_prefetched(void)
{
	__atomic_fetch_add(&prefetches, 1, __ATOMIC_RELAXED);
}

static void fork_child(void)
{
	pthread_mutex_init(&lock, NULL);
	sampling = 0;
}

/* ---- a round ---- */

/* With a swap device in use an entry for swap may be one; else it is a device's memory
 * (docs/memory-model.md#residency). */
static bool has_swap(void)
{
	char text[4096];
	int file = open("/proc/swaps", O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, text, sizeof(text) - 1);

	if (file >= 0)
		hg_libc.close(file);
	if (got < 0)
		return true;
	text[got] = 0;
	/* The first line is a heading. */
	return strchr(text, '\n') && strchr(text, '\n')[1];
}

static void count_pages(int pagemap, uint64_t first, uint64_t pages, bool swap, uint64_t page,
			struct hg_ev_residency *event)
{
	uint64_t entries[RUN];
	ssize_t got = pread(pagemap, entries, pages * sizeof(entries[0]),
			    (off_t)(first * sizeof(entries[0])));

	for (size_t i = 0; got > 0 && i < (size_t)got / sizeof(entries[0]); i++) {
		event->looked += page;
		if (entries[i] & PRESENT)
			event->on_host += page;
		else if (entries[i] & SWAPPED && swap)
			event->swapped += page;
		else if (entries[i] & SWAPPED)
			event->away += page;
	}
}

/* Node of most of a few pages; a query: nothing is moved (move_pages(2) with nodes NULL). */
static int32_t node_of(uint64_t first, uint64_t pages, uint64_t page)
{
	void *addresses[PROBE];
	int nodes[PROBE];
	unsigned wanted = pages < PROBE ? (unsigned)pages : PROBE, best = 0;
	int32_t node = -1;

	for (unsigned i = 0; i < wanted; i++)
		addresses[i] = (void *)(uintptr_t)((first + pages * i / wanted) * page);
	if (hg_syscall(SYS_move_pages, 0, (unsigned long)wanted, addresses, NULL, nodes, 0))
		return -1;
	for (unsigned i = 0; i < wanted; i++) {
		unsigned same = 0;

		for (unsigned k = 0; k < wanted && nodes[i] >= 0; k++)
			same += nodes[k] == nodes[i];
		if (same > best) {
			best = same;
			node = nodes[i];
		}
	}
	return node;
}

/* Queried again only after a prefetch: what else it depends on ends with the allocation. */
static void remember(const struct range *range, uint32_t queried_at, int32_t answer)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < count; i++) {
		if (ranges[i].ptr != range->ptr || ranges[i].size != range->size)
			continue;
		ranges[i].queried_at = queried_at;
		ranges[i].answer = answer;
	}
	pthread_mutex_unlock(&lock);
}

static int32_t last_prefetch(const struct range *range)
{
	uint32_t now = __atomic_load_n(&prefetches, __ATOMIC_RELAXED);
	int32_t answer;
	bool known;

	if (range->managed && range->queried_at == now)
		return range->answer;
	if (!range->managed || !hg_residency_last_prefetch)
		return HG_MEMORY_UNKNOWN;
	answer = hg_residency_last_prefetch(range->ptr, range->size, &known);
	if (!known)
		return answer;
	remember(range, now, answer);
	return answer;
}

/* Looks at about `budget` of the range's pages, in runs that are spread evenly, and records what it
 * saw. */
static void look(int pagemap, const struct range *range, uint64_t budget, bool swap, uint64_t page,
		 uint32_t missing)
{
	struct hg_ev_residency event = { .round = rounds,
					 .ptr = range->ptr,
					 .size = range->size,
					 .left_out = missing,
					 .last_prefetch = last_prefetch(range) };
	uint64_t first = range->ptr / page;
	uint64_t pages = (range->ptr + range->size + page - 1) / page - first;
	uint64_t length = budget < LEAST ? LEAST : budget < RUN ? budget : RUN;
	uint64_t runs = (pages + RUN - 1) / RUN, allowed = budget / length;
	uint64_t taken = runs < allowed ? runs : allowed ? allowed : 1;

	for (uint64_t i = 0; i < taken; i++) {
		uint64_t run = runs * i / taken, left = pages - run * RUN;

		count_pages(pagemap, first + run * RUN, left < length ? left : length, swap, page,
			    &event);
	}
	event.node = event.on_host ? node_of(first, pages, page) : -1;
	hg_provider->residency(&event);
}

static void sample(void)
{
	static struct range copy[HG_RESIDENCY_RANGES]; /* the sampling thread's */
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), total = 0;
	uint32_t missing;
	unsigned length;
	int pagemap;
	bool swap;

	pthread_mutex_lock(&lock);
	length = count;
	missing = left_out;
	memcpy(copy, ranges, length * sizeof(copy[0]));
	pthread_mutex_unlock(&lock);
	pagemap = length ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
	if (pagemap < 0)
		return;
	rounds++;
	swap = has_swap();
	for (unsigned i = 0; i < length; i++)
		total += copy[i].size / page + 1;
	for (unsigned i = 0; i < length; i++) {
		uint64_t pages = copy[i].size / page + 1;

		look(pagemap, &copy[i],
		     total <= HG_RESIDENCY_PAGES ? pages + RUN : HG_RESIDENCY_PAGES * pages / total,
		     swap, page, missing);
	}
	hg_libc.close(pagemap);
}

void hg_residency_waited(uint16_t api)
{
	uint64_t now;
	int cancel;

	if (HG_LIKELY(!hg_config.residency) || !*hg_provider->recording ||
	    (api != HG_API_hipDeviceSynchronize && api != HG_API_hipCtxSynchronize &&
	     api != HG_API_hipStreamSynchronize && api != HG_API_hipEventSynchronize))
		return;
	now = hg_now();
	if (__atomic_exchange_n(&sampling, 1, __ATOMIC_ACQUIRE))
		return;
	if (!last_ns || now - last_ns >= (hg_config.residency - 1) * UINT64_C(1000000)) {
		last_ns = now;
		cancel = hg_keep_thread();
		sample();
		hg_release_thread(cancel);
	}
	__atomic_store_n(&sampling, 0, __ATOMIC_RELEASE);
}

HG_PART(.name = "residency", .order = 82, .init = init, .fork_child = fork_child);
