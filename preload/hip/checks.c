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
#include "preload/hip/hip_capture_stream.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/provider.h"

/* The runtime gives memory in these. */
#define PAGE ((size_t)4096)

/* So much more than a page is set aside behind an allocation at most. */
#define ASIDE_MOST ((size_t)64 << 10)

/* Released blocks that are kept, and the size from which on none is. */
#define KEPT      64u
#define KEPT_MOST ((size_t)16 << 20)

/* Blocks that are known at once. An mmap()ed table takes memory as it fills. */
#define LIVE_MOST ((size_t)1 << 20)

/* enum softgpu_check_kind: SOFTGPU_CHECK_UNWRITTEN_FETCHED */
#define UNWRITTEN_FETCHED 15u
/* Fewer bytes may be the padding of a structure. */
#define FETCHED_LEAST 64u

/* enum softgpu_memory_state */
enum { UNKNOWN, LIVE, FREED };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*tell)(uint64_t address, uint64_t size, uint64_t whole, int state);
static void (*unwritten)(uint64_t address, uint64_t size);
static uint64_t (*unread)(uint64_t address, uint64_t size, uint64_t *first);
void (*hg_checks_written)(uint64_t to, uint64_t from, uint64_t size);

/* A block is released by hipFree(), by a function of pinned memory, or by another one, at once. */
enum owner { DEVICE, HOST, OTHER };

struct block {
	void *ptr;
	uint64_t at;        /* where the GPU finds it */
	size_t size, whole; /* bytes that the program requested; with those set aside */
	enum owner owner;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* These blocks have more bytes than the program requested: LIVE_MOST rows, mapped with the first.
 */
static struct block *live;
static size_t live_count;
static struct block kept[OTHER][KEPT];
static unsigned kept_next[OTHER];

/* The thread's allocation has no bytes set aside. */
static __thread bool plain __attribute__((tls_model("initial-exec")));

static void find(void)
{
	const char *tools = getenv("SOFTGPU_CHECK");

	if (tools && strstr(tools, "memcheck"))
		tell = (void (*)(uint64_t, uint64_t, uint64_t, int))hg_hsa_query(
		    "softgpu_check_memory");
	if (tools && strstr(tools, "initcheck"))
		unwritten = (void (*)(uint64_t, uint64_t))hg_hsa_query("softgpu_check_unwritten");
	if (unwritten)
		unread = (uint64_t(*)(uint64_t, uint64_t, uint64_t *))hg_hsa_query(
		    "softgpu_check_unread");
	if (unwritten)
		hg_checks_written =
		    (void (*)(uint64_t, uint64_t, uint64_t))hg_hsa_query("softgpu_check_copied");
}

static bool checking(void)
{
	pthread_once(&once, find);
	return tell != NULL;
}

static size_t to_pages(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

size_t hg_checks_size(size_t size)
{
	if (HG_LIKELY(!checking()) || !size || size > SIZE_MAX - 2 * PAGE - ASIDE_MOST)
		return size;
	plain = false;
	return to_pages(size + PAGE + (size < ASIDE_MOST ? size : ASIDE_MOST));
}

size_t hg_checks_rows(size_t row, size_t rows)
{
	size_t more;

	if (HG_LIKELY(!checking()) || !row || !rows)
		return rows;
	plain = false;
	more = (PAGE + row - 1) / row;
	return rows > SIZE_MAX - more ? rows : rows + more;
}

struct extent hg_checks_extent(struct extent extent)
{
	size_t slice;

	if (!__builtin_mul_overflow(extent.width, extent.height, &slice))
		extent.depth = hg_checks_rows(slice, extent.depth);
	return extent;
}

bool hg_checks_plain(void)
{
	return HG_UNLIKELY(checking()) && (plain = true);
}

/* Without retries of faults a kernel reaches host memory only by what was registered or mapped. */
static bool host_faults(void)
{
	const char *xnack = getenv("HSA_XNACK");

	return xnack && strcmp(xnack, "0") != 0;
}

/* Returns what an allocation has with the bytes behind it that nothing else gets; 0 if there are
 * none. */
static size_t given(const struct hg_ev_alloc *event)
{
	switch (event->api) {
	case HG_API_hipMalloc:
	case HG_API_hipExtMallocWithFlags:
	case HG_API_hipMallocAsync:
	case HG_API_hipMallocFromPoolAsync:
	case HG_API_hipMallocManaged:
	case HG_API_hipHostMalloc:
	case HG_API_hipHostAlloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
		return plain ? 0 : hg_checks_size(event->size);
	case HG_API_hipMallocPitch:
	case HG_API_hipMemAllocPitch:
	case HG_API_hipMalloc3D:
		return plain || !event->size ? 0 : event->size + PAGE;
	/* The rest of the last page. */
	case HG_API_hipHostRegister:
		return host_faults()
			   ? 0
			   : to_pages(event->ptr % PAGE + event->size) - event->ptr % PAGE;
	default:
		return 0;
	}
}

static enum owner owner_of(uint32_t api)
{
	switch (api) {
	case HG_API_hipHostMalloc:
	case HG_API_hipHostAlloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
	case HG_API_hipHostFree:
	case HG_API_hipFreeHost:
		return HOST;
	case HG_API_hipMallocAsync:
	case HG_API_hipMallocFromPoolAsync:
	case HG_API_hipHostRegister:
	case HG_API_hipFreeAsync:
	case HG_API_hipHostUnregister:
		return OTHER;
	default:
		return DEVICE;
	}
}

/* Returns true when the stream has ended its work. */
static bool wait_for(uint64_t stream)
{
	int (*wait)(uint64_t stream) = (int (*)(uint64_t))hg_hip_query("hipStreamSynchronize");

	return !hg_hip_any_capture() && wait && !wait(stream);
}

/* Tells the GPU of memory that nothing has written. */
static void tell_unwritten(const struct hg_ev_alloc *event)
{
	pthread_once(&once, find);
	if (!unwritten || !event->ptr || !event->size)
		return;
	switch (event->api) {
	case HG_API_hipMallocAsync:
	case HG_API_hipMallocFromPoolAsync:
		/* Work that is queued may still use the memory as a released block. */
		if (!wait_for(event->stream))
			return;
		break;
	case HG_API_hipMalloc:
	case HG_API_hipExtMallocWithFlags:
	case HG_API_hipMallocPitch:
		break;
	default:
		return;
	}
	unwritten(event->ptr, event->size);
}

void hg_checks_alloc(const struct hg_ev_alloc *event)
{
	struct block block = { (void *)(uintptr_t)event->ptr, event->device_ptr, event->size, 0,
			       owner_of(event->api) };

	tell_unwritten(event);
	if (!checking() || !event->ptr)
		return;
	block.whole = given(event);
	pthread_mutex_lock(&lock);
	if (!live) {
		void *table = hg_libc.mmap(NULL, LIVE_MOST * sizeof(*live), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		live = table == MAP_FAILED ? NULL : table;
	}
	/* One that is not noted is released at once, and nothing is known of it. */
	if (block.whole > block.size && live && live_count < LIVE_MOST) {
		live[live_count++] = block;
		tell(block.at, block.size, block.whole, LIVE);
	} else {
		tell(block.at, block.size, block.size, UNKNOWN);
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
	for (unsigned owner = 0; ptr && owner < OTHER; owner++)
		for (unsigned i = 0; i < KEPT; i++)
			if (kept[owner][i].ptr == ptr)
				return true;
	return false;
}

/* Keeps a released block; returns the one that was kept longest. */
static struct block keep(struct block block)
{
	unsigned *next = &kept_next[block.owner];
	struct block out = kept[block.owner][*next];

	kept[block.owner][*next] = block;
	*next = (*next + 1) % KEPT;
	tell(block.at, block.size, block.whole, FREED);
	return out;
}

void hg_checks_note_copy(const struct hg_checks_copy *copy)
{
	enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };
	uint64_t first = 0, size;

	if (copy->kind == HOST_TO_DEVICE)
		hg_checks_written(copy->dst, 0, copy->size);
	/* Other copies may not have ended. */
	if (copy->kind != DEVICE_TO_HOST || copy->api != HG_API_hipMemcpy || !unread)
		return;
	size = unread(copy->src, copy->size, &first);
	if (size >= FETCHED_LEAST) {
		struct hg_ev_call event = { .api = HG_API_gpu_checked,
					    .ptr = first,
					    .size = size,
					    .flags = copy->size,
					    .value = UNWRITTEN_FETCHED | 1 << 9,
					    .device = -1,
					    .text = "- - 0,0,0 0,0,0 0,0,0 0 - 0,0,0",
					    .stack_id = copy->stack_id };

		hg_provider->call(&event);
	}
}

void hg_checks_release_async(void *ptr, uint64_t stream)
{
	if (HG_LIKELY(!unwritten) || !ptr)
		return;
	wait_for(stream);
	unwritten((uintptr_t)ptr, 0);
}

void *hg_checks_release(uint32_t api, void *ptr)
{
	static char nothing; /* which the runtime refuses */
	enum owner owner = owner_of(api);
	int (*wait)(void);
	struct block block, out = { .ptr = ptr };
	bool checks = checking();

	if (HG_LIKELY(!checks && !unwritten))
		return ptr;
	wait = (int (*)(void))hg_hip_query("hipDeviceSynchronize");
	/* Kernels may use the memory until then. */
	if (ptr && owner != OTHER && wait)
		wait();
	if (unwritten && ptr)
		unwritten((uintptr_t)ptr, 0);
	if (!checks)
		return ptr;
	pthread_mutex_lock(&lock);
	if (is_kept(ptr)) {
		out.ptr = &nothing;
	} else if (take(ptr, &block)) {
		/* What another function releases is the runtime's to judge. */
		bool may_keep =
		    owner != OTHER && owner == block.owner && block.size <= KEPT_MOST && wait;

		out = may_keep ? keep(block) : block;
		if (out.ptr)
			tell(out.at, out.size, out.whole, UNKNOWN);
	}
	pthread_mutex_unlock(&lock);
	return out.ptr;
}
