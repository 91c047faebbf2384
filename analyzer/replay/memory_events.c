/* SPDX-License-Identifier: Apache-2.0 */
/* Events about memory: allocation, release, advice, prefetches, attributes. */
#include "memory_events.h"

#include "mappings.h"
#include "ranges.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fix.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_memory.h"
#include "tracer/events/ev_prefetch.h"

/* Returns how many bytes this allocation keeps from being paged out: none if it is registered in
 * place. */
static uint64_t pinned_bytes(const struct allocation *allocation)
{
	switch (allocation->api) {
	case HG_API_hipHostMalloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
		return allocation->size;
	case HG_API_hipHostRegister:
		return allocation_is_in_place(allocation) ? 0 : allocation->size;
	default:
		return 0;
	}
}

static void unpin(struct process *process, const struct allocation *allocation)
{
	process->pinned -= MIN(process->pinned, pinned_bytes(allocation));
}

/* Counts the allocation as pinned. Memory there that was released unseen no longer is. */
static void pin(struct process *process, const struct allocation *allocation)
{
	uint64_t start = allocation->ptr, end = allocation->ptr + allocation->size;
	struct allocation *found;

	while (pinned_bytes(allocation) && start < end &&
	       (found = address_space_overlapping(&process->space, allocation->layer, start,
						  end - start)) != NULL) {
		unpin(process, found);
		start = found->ptr + MAX(found->size, 1);
	}
	process->pinned += pinned_bytes(allocation);
}

/* A block of the C library like most: nothing is known of it but what a host_block holds. */
static bool add_block(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_alloc *from = event->alloc;
	struct host_block block = { .ptr = from->ptr,
				    .size = (uint32_t)from->size,
				    .stack_id = from->stack_id,
				    .ns = event->ns,
				    .tid = event->tid,
				    .api = (uint8_t)from->api };

	return layer_of_api(from->api) == LAYER_HOST && from->api <= UINT8_MAX &&
	       from->size <= UINT32_MAX && from->flags == 0 && from->device == -1 &&
	       from->stream == 0 && from->symbol[0] == 0 &&
	       (from->device_ptr == from->ptr || from->device_ptr == 0) &&
	       address_space_add_block(&process->space, &block);
}

/*
 * The call makes pages fine-grained that were not, and gives GPUs access to them, which stays
 * [SEENROCR].
 */
static void register_in_place(struct process *process, const struct allocation *allocation)
{
	const struct page_call call = { .api = allocation->api,
					.ptr = allocation->ptr,
					.size = allocation->size,
					.ns = allocation->ns,
					.stack_id = allocation->stack_id };

	page_map_advise(&process->attributed, &call);
	if (allocation->api == HG_API_hipHostRegister &&
	    page_map_summary(&process->pages, call.ptr, call.size).coarse)
		page_map_advise(&process->pages, &call);
}

void memory_alloc(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_alloc *from = event->alloc;
	struct allocation *allocation;

	if (from->ptr == 0)
		return;
	process->allocations++;
	process->epoch++;
	if (add_block(process, event))
		return;
	allocation = g_new0(struct allocation, 1);
	allocation->references = 1;
	allocation->api = from->api;
	allocation->layer = layer_of_api(allocation->api);
	allocation->ptr = allocation->origin = from->ptr;
	allocation->device_ptr = from->device_ptr ? from->device_ptr : from->ptr;
	allocation->size = from->size;
	allocation->flags = from->flags;
	allocation->device = from->device;
	allocation->stream = from->stream;
	allocation->stack_id = from->stack_id;
	allocation->tid = event->tid;
	allocation->ns = event->ns;
	allocation->symbol = from->symbol[0] ? g_strdup(from->symbol) : NULL;
	allocation->range = ranges_of_thread(process, event->tid).path;
	if (allocation->layer == LAYER_MAPPING)
		mapping_make_room(process, event);
	if (allocation_is_in_place(allocation))
		register_in_place(process, allocation);
	pin(process, allocation);
	address_space_add(&process->space, allocation);
}

/*
 * Does releasing this memory unmap its pages, so that advice about them is forgotten?
 * Managed memory: yes, hipFree is an munmap there. glibc's blocks of their own mapping
 * (M_MMAP_THRESHOLD and larger): yes; malloc returns them 16 bytes into a page.
 */
static bool release_unmaps(uint16_t api, uint64_t ptr, uint64_t size, uint64_t page_size)
{
	if (api == HG_API_hipMallocManaged)
		return true;
	return layer_of_api(api) == LAYER_HOST && size >= 128 * 1024 &&
	       (ptr & (page_size - 1)) == 16;
}

static void forget_pages(struct process *process, uint16_t api, uint64_t ptr, uint64_t size)
{
	uint64_t mask = process->page_size - 1, start = ptr & ~mask;

	if (release_unmaps(api, ptr, size, process->page_size))
		mapping_drop(process, start, ((ptr + size + mask) & ~mask) - start);
}

static bool free_block(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_free *from = event->free;
	struct host_block how = { .free_api = (uint8_t)from->api,
				  .free_tid = event->tid,
				  .free_ns = event->ns,
				  .free_stack_id = from->stack_id };
	struct host_block *block = address_space_block(&process->space, from->ptr);

	if (!block || layer_of_api(from->api) != LAYER_HOST || from->api > UINT8_MAX)
		return false;
	forget_pages(process, block->api, block->ptr, block->size);
	address_space_release_block(&process->space, block, &how);
	process->epoch++;
	return true;
}

static void release(struct process *process, struct allocation *allocation,
		    const struct hg_event *event)
{
	allocation->free_api = event->free->api;
	allocation->free_tid = event->tid;
	allocation->free_ns = event->ns;
	allocation->free_stack_id = event->free->stack_id;
	unpin(process, allocation);
	address_space_release(&process->space, allocation);
	process->epoch++;
}

/* Ends whole mappings for hipMemUnmap, one or several that lie side by side (CLR62, H62). */
static void unmap_range(struct process *process, const struct hg_event *event)
{
	uint64_t start = event->free->ptr, end = start + event->free->size;
	struct allocation *found;
	bool any = false;

	while (start < end && (found = address_space_overlapping(&process->space, LAYER_MAPPED,
								 start, end - start)) != NULL) {
		start = found->ptr + MAX(found->size, 1);
		release(process, found, event);
		any = true;
	}
	process->unresolved_frees += !any;
}

void memory_free(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_free *from = event->free;
	uint16_t api = from->api;
	struct allocation *allocation;

	if (layer_of_api(api) == LAYER_MAPPED) {
		unmap_range(process, event);
		return;
	}
	if (layer_of_api(api) == LAYER_MAPPING) {
		mapping_free(process, event);
		return;
	}
	if (free_block(process, event))
		return;
	allocation = address_space_find_base(&process->space, from->ptr, api);
	if (!allocation) {
		address_space_released_again(&process->space, from->ptr, api);
		process->unresolved_frees++;
		return;
	}
	forget_pages(process, allocation->api, allocation->ptr, allocation->size);
	release(process, allocation, event);
}

/* hipMemoryAdvise, H523. */
enum {
	ADVICE_SET_ACCESSED_BY = 5,
	ADVICE_SET_COARSE_GRAIN = 100,
	ADVICE_UNSET_COARSE_GRAIN = 101,
};

/* The runtime is queried again at the next launch; until then its answers are out of date. */
static void forget_attributes(const struct process *process, uint64_t start, uint64_t size)
{
	struct allocation *found;
	uint64_t end = start + size;

	while (start < end && (found = address_space_overlapping(&process->space, LAYER_HIP, start,
								 end - start)) != NULL) {
		found->attributes.known = false;
		start = found->ptr + MAX(found->size, 1);
	}
}

void memory_prefetch(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_prefetch *from = event->prefetch;
	uint64_t start = from->ptr, end = from->ptr + from->size;
	struct allocation *found;

	while (from->target >= 0 && start < end &&
	       (found = address_space_overlapping(&process->space, LAYER_HIP, start,
						  end - start)) != NULL) {
		process->epoch += !found->prefetched_to_gpu;
		found->prefetched_to_gpu = true;
		start = found->ptr + MAX(found->size, 1);
	}
}

/* A driver with shared virtual memory gives GPUs access to these pages of the host. */
static void attribute(struct process *process, int64_t ns, unsigned api, uint64_t ptr,
		      uint64_t size, uint32_t stack_id)
{
	const struct device *device = process_device(process, 0);
	const struct page_call call = {
		.api = api, .ptr = ptr, .size = size, .ns = ns, .stack_id = stack_id
	};

	if (device && device->managed == 1)
		page_map_advise(&process->attributed, &call);
}

static bool is_system(const struct process *process, uint64_t address)
{
	struct place place = process_place(process, address);

	return place.kind == PLACE_HEAP || place.kind == PLACE_STACK ||
	       place.kind == PLACE_STATIC ||
	       (place.kind == PLACE_ALLOCATION && (place.allocation->layer == LAYER_HOST ||
						   place.allocation->layer == LAYER_MAPPING));
}

/* Returns true for what HIP allocated, but not for pinned memory of the host. */
static bool is_hip(const struct process *process, uint64_t address)
{
	struct place place = process_place(process, address);

	return place.kind == PLACE_ALLOCATION && place.allocation->layer == LAYER_HIP &&
	       !pinned_bytes(place.allocation);
}

/* Larger copies lock the host's memory [SEENROCR]. */
#define STAGED_SIZE (UINT64_C(1) << 20)
/* Nor does HIP 5.2 register in place [SEENROCR]; of releases before 5.7 it is not known. */
#define COPIES_LOCK_SINCE 50700000

/*
 * A copy between memory of the host and of a GPU locks the host's, also of rows. Where that is in
 * place GPUs keep their access.
 */
void memory_copy(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_copy *copy = event->copy;
	bool to = is_hip(process, copy->dst);
	uint64_t ptr = to ? copy->src : copy->dst;
	uint64_t pitch = MAX(copy->size, to ? copy->src_pitch : copy->dst_pitch), size;

	if (!copy->rows || copy->depth > 1 || pitch > UINT32_MAX || copy->rows > UINT32_MAX ||
	    process->runtime_version < COPIES_LOCK_SINCE)
		return;
	size = (copy->rows - 1) * pitch + copy->size;
	if (size > STAGED_SIZE && (to || is_hip(process, copy->src)) && is_system(process, ptr))
		attribute(process, event->ns, copy->api, ptr, size, copy->stack_id);
}

void memory_advise(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_advise *from = event->advise;

	if (from->advice == ADVICE_SET_COARSE_GRAIN || from->advice == ADVICE_UNSET_COARSE_GRAIN) {
		const struct page_call call = { .api = from->api,
						.ptr = from->ptr,
						.size = from->size,
						.coarse = from->advice == ADVICE_SET_COARSE_GRAIN,
						.ns = event->ns,
						.stack_id = from->stack_id };

		page_map_advise(&process->pages, &call);
		forget_attributes(process, from->ptr, from->size);
	}
	/* That gives access to the host's memory with XNACK off, too [SEENROCR]. */
	if (from->advice == ADVICE_SET_ACCESSED_BY && from->target >= 0)
		attribute(process, event->ns, from->api, from->ptr, from->size, from->stack_id);
	process->epoch++; /* other advice decides where pages go */
}

void memory_fix(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_fix *from = event->fix;
	struct hg_event as = { .ns = event->ns, .pid = event->pid, .tid = event->tid };

	if (from->outcome != HG_FIX_DONE)
		return;
	if (from->fix == HG_FIX_COARSE_MANAGED) {
		as.type = HG_EVENT_advise;
		as.advise = &(struct hg_ev_advise){ .ptr = from->ptr,
						    .size = from->size,
						    .advice = ADVICE_SET_COARSE_GRAIN,
						    .target = from->device,
						    .stack_id = from->stack_id };
		memory_advise(process, &as);
	} else if (from->fix == HG_FIX_PREFETCH) {
		as.type = HG_EVENT_prefetch;
		as.prefetch = &(struct hg_ev_prefetch){ .ptr = from->ptr,
							.size = from->size,
							.target = from->device };
		memory_prefetch(process, &as);
	}
}

/*
 * The flags of a pool are about memory that the runtime knows. Older recordings have those that
 * ROCr 5.2.3 answers for any other as well [SEENROCR].
 */
static uint64_t pool_flags(const struct hg_ev_memory *from)
{
	return from->hsa_type == HG_POINTER_UNKNOWN || from->hsa_type == HG_POINTER_RESERVED
		   ? 0
		   : from->pool_flags;
}

/* Keeps what was known before until the next answer, except that it is out of date. */
void memory_attributes_apply(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_memory *from = event->memory;
	struct allocation *allocation = address_space_find(&process->space, from->ptr, NULL);

	if (!allocation || (allocation->ptr != from->ptr && allocation->device_ptr != from->ptr))
		return;
	allocation->attributes = (struct memory_attributes){
		.known = true,
		.type = from->type,
		.managed = from->managed,
		.coherency = from->coherency,
		.preferred = from->preferred,
		.last_prefetch = from->last_prefetch,
		.pool_flags = pool_flags(from),
	};
	process->epoch++;
}

void memory_restored(struct process *process, const struct allocation *allocation)
{
	process->pinned += pinned_bytes(allocation);
	process->epoch++;
}
