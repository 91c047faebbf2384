/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as the software GPU's checks need it (checks.h). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/checks.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/api/hip_alloc_device.h"

/* The runtime gives memory in these. */
#define PAGE ((size_t)4096)

/* Released blocks that are kept, and the size from which on none is. */
#define KEPT      64u
#define KEPT_MOST ((size_t)16 << 20)

/* Blocks that are known at once. An mmap()ed table takes memory as it fills. */
#define LIVE_MOST ((size_t)1 << 20)

/* enum softgpu_memory_state */
enum { UNKNOWN, LIVE, FREED };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*tell)(uint64_t address, uint64_t size, uint64_t whole, int state);

struct block {
	void *ptr;
	size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* These blocks have more bytes than the program requested: LIVE_MOST rows, mapped with the first.
 */
static struct block *live;
static size_t live_count;
static struct block kept[KEPT];
static unsigned kept_next;

static void find(void)
{
	const char *tools = getenv("SOFTGPU_CHECK");

	if (tools && strstr(tools, "memcheck"))
		tell = (void (*)(uint64_t, uint64_t, uint64_t, int))hg_hsa_query(
		    "softgpu_check_memory");
}

static bool checking(void)
{
	pthread_once(&once, find);
	return tell != NULL;
}

/* Returns the bytes of a block with those set aside. */
static size_t whole(size_t size)
{
	return (size + 2 * PAGE - 1) / PAGE * PAGE;
}

size_t hg_checks_size(size_t size)
{
	return HG_LIKELY(!checking()) || !size || size > SIZE_MAX - 2 * PAGE ? size : whole(size);
}

void hg_checks_alloc(const struct hg_ev_alloc *event)
{
	struct block block = { (void *)(uintptr_t)event->ptr, event->size };

	if (!checking() || !event->ptr || hg_checks_size(event->size) == event->size ||
	    (event->api != HG_API_hipMalloc && event->api != HG_API_hipExtMallocWithFlags))
		return;
	pthread_mutex_lock(&lock);
	if (!live) {
		void *table = hg_libc.mmap(NULL, LIVE_MOST * sizeof(*live), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		live = table == MAP_FAILED ? NULL : table;
	}
	/* One that is not noted is released at once, and nothing is known of it. */
	if (live && live_count < LIVE_MOST) {
		live[live_count++] = block;
		tell(event->ptr, event->size, whole(event->size), LIVE);
	}
	pthread_mutex_unlock(&lock);
}

/* Takes the block out of those that are live. */
static bool take(const void *ptr, struct block *block)
{
	for (size_t i = live_count; i-- > 0;) {
		if (live[i].ptr != ptr)
			continue;
		*block = live[i];
		live[i] = live[--live_count];
		return true;
	}
	return false;
}

static bool is_kept(const void *ptr)
{
	for (unsigned i = 0; i < KEPT; i++)
		if (ptr && kept[i].ptr == ptr)
			return true;
	return false;
}

void *hg_checks_release(void *ptr)
{
	static char nothing; /* which the runtime refuses */
	int (*wait)(void);
	struct block block, out = { ptr, 0 };

	if (HG_LIKELY(!checking()))
		return ptr;
	wait = (int (*)(void))hg_hip_query("hipDeviceSynchronize");
	pthread_mutex_lock(&lock);
	if (is_kept(ptr)) {
		out.ptr = &nothing;
	} else if (take(ptr, &block)) {
		pthread_mutex_unlock(&lock);
		if (wait)
			wait();
		pthread_mutex_lock(&lock);
		out = block;
		if (block.size <= KEPT_MOST && wait) {
			out = kept[kept_next];
			kept[kept_next] = block;
			kept_next = (kept_next + 1) % KEPT;
			tell((uintptr_t)block.ptr, block.size, whole(block.size), FREED);
		}
		if (out.ptr)
			tell((uintptr_t)out.ptr, out.size, whole(out.size), UNKNOWN);
	}
	pthread_mutex_unlock(&lock);
	return out.ptr;
}
