/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "counts.h"
#include "residency.h"
#include "state.h"
#include "totals.h"

/*
 * Begin an event about host memory: not for what the HIP runtime or the tracer's own threads do,
 * which is not the program's memory. `anywhere`: the call may come from a handler that has
 * interrupted malloc(), as calls of malloc() itself may not (signal-safety(7)).
 */
static bool enter(const void *caller, bool anywhere, enum hg_unrecorded what)
{
	bool entered;

	if (hg_in_hip() || hg_modules_is_tool(caller))
		return false;
	if (HG_UNLIKELY(!hg_tls.prepared) && !hg_thread_prepare(anywhere))
		return false;
	hg_tls.keeping++;
	hg_tls.unrecorded = what;
	entered = hg_enter_batched();
	hg_tls.unrecorded = HG_UNRECORDED_CALL;
	hg_tls.keeping--;
	return entered;
}

/* operator new and delete, if one of them made this call; only the first call is theirs. */
static void take_name(uint16_t *api, void **caller)
{
	if (hg_tls.named_api) {
		*api = hg_tls.named_api;
		*caller = hg_tls.named_caller;
		hg_tls.named_api = 0;
	}
}

static void emit_error(uint16_t api, int code, uint64_t ptr, uint64_t size, uint64_t flags,
		       void *caller)
{
	struct hg_ev_error event = { .api = api,
				     .code = code,
				     .ptr = ptr,
				     .size = size,
				     .flags = flags,
				     .stack_id = hg_stack_id(caller) };

	hg_provider->error(&event);
}

/* Whether a block is remembered by state.c; the same when it is freed. */
static bool is_kept(void *ptr)
{
	return HG_UNLIKELY(hg_config.standby) &&
	       hg_libc.malloc_usable_size(ptr) >= hg_config.standby_threshold;
}

static bool add_block(const struct hg_ev_host_alloc *event)
{
	uint64_t kind = event->stack_id ? HG_RECORD_ALLOC_STACK : HG_RECORD_ALLOC;
	uint64_t words[] = { kind << 56 | (uint64_t)event->api << 48 | event->ptr,
			     (uint64_t)event->size << 32, event->stack_id };

	return event->ptr <= HG_RECORD_ADDRESS && hg_batch_add(words, event->stack_id ? 3 : 2, 0);
}

static bool add_block_free(const struct hg_ev_host_free *event)
{
	uint64_t words[] = { (uint64_t)HG_RECORD_FREE << 56 | (uint64_t)event->api << 48 |
				 event->ptr,
			     (uint64_t)event->stack_id << 32 };

	return event->ptr <= HG_RECORD_ADDRESS && hg_batch_add(words, 2, 0);
}

/* Ids of the host's functions are below 100 (api.def): the events of blocks hold them in 8 bits. */
static void emit_block(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	uint32_t stack_id = hg_stack_id(caller);
	struct hg_ev_host_alloc small = { .api = (uint8_t)api,
					  .ptr = (uintptr_t)ptr,
					  .size = (uint32_t)size,
					  .stack_id = stack_id };
	struct hg_ev_alloc event = { .api = api,
				     .ptr = (uintptr_t)ptr,
				     .device_ptr = (uintptr_t)ptr,
				     .size = size,
				     .flags = flags,
				     .device = -1,
				     .symbol = "",
				     .stack_id = stack_id };
	bool kept = is_kept(ptr);

	if (kept)
		hg_state_block_lock(event.ptr);
	if (flags || size > UINT32_MAX)
		hg_provider->alloc(&event);
	else if (!add_block(&small))
		hg_provider->host_alloc(&small);
	hg_residency_add(event.ptr, size, false);
	if (kept) {
		hg_state_block(&event);
		hg_state_block_unlock(event.ptr);
	}
}

/*
 * From where a block was freed is asked where a GPU might still use it. Elsewhere, in compilers and
 * shells, the stacks of frees would be nearly half of what recording costs.
 */
static uint32_t stack_of_free(const void *caller)
{
	return __atomic_load_n(&hg_gpu_seen, __ATOMIC_RELAXED) ? hg_stack_id(caller) : 0;
}

static void emit_block_free(uint16_t api, void *ptr, void *caller)
{
	struct hg_ev_host_free event = { .api = (uint8_t)api,
					 .ptr = (uintptr_t)ptr,
					 .stack_id = stack_of_free(caller) };
	bool kept = is_kept(ptr);

	if (kept)
		hg_state_block_lock(event.ptr);
	if (!add_block_free(&event))
		hg_provider->host_free(&event);
	hg_residency_remove(event.ptr, 1);
	if (kept) {
		hg_state_block_free(event.ptr);
		hg_state_block_unlock(event.ptr);
		hg_state_block_gone(event.ptr, hg_libc.malloc_usable_size(ptr));
	}
}

/* A realloc() failed: the block that it would have moved was forgotten before the call. */
static void remember_again(uint16_t api, void *ptr, void *caller)
{
	struct hg_ev_alloc event = { .api = api,
				     .ptr = (uintptr_t)ptr,
				     .size = hg_libc.malloc_usable_size(ptr),
				     .stack_id = hg_stack_id(caller) };

	hg_state_block_lock(event.ptr);
	hg_state_block(&event);
	hg_state_block_unlock(event.ptr);
}

static void emit_map(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	struct hg_ev_alloc event = { .api = api,
				     .ptr = (uintptr_t)ptr,
				     .device_ptr = (uintptr_t)ptr,
				     .size = size,
				     .flags = flags,
				     .device = -1,
				     .symbol = "",
				     .stack_id = hg_stack_id(caller) };

	hg_state_lock();
	hg_provider->alloc(&event);
	hg_residency_add(event.ptr, size, false);
	hg_state_map(&event);
	hg_state_unlock();
}

static void emit_unmap(uint16_t api, void *ptr, size_t size, void *caller)
{
	struct hg_ev_free event = {
		.api = api, .ptr = (uintptr_t)ptr, .size = size, .stack_id = hg_stack_id(caller)
	};

	hg_state_lock();
	hg_provider->free(&event);
	hg_residency_remove(event.ptr, api == HG_API_shmdt ? 1 : size);
	hg_state_unmap(&event);
	hg_state_unlock();
}

static void count_alloc(uint16_t api, void *ptr, size_t size, void *caller)
{
	if (!enter(caller, false, HG_UNRECORDED_OURS))
		return;
	if (HG_LIKELY(hg_totals_count()))
		hg_totals_alloc(api, ptr, size, hg_stack_id(caller));
	hg_leave();
}

/* Whoever frees it, and be it while nothing is recorded: the block is gone. */
static void count_free(void *ptr)
{
	hg_tls.busy = 1;
	hg_totals_free(ptr);
	hg_tls.busy = 0;
}

void hg_host_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	int saved = errno;

	if (hg_tls.busy || (HG_UNLIKELY(hg_active != HG_ACTIVE) && !hg_start(caller)))
		return;
	take_name(&api, &caller);
	if (size < hg_threshold && (!ptr || hg_libc.malloc_usable_size(ptr) < hg_threshold)) {
		if (hg_config.totals && ptr)
			count_alloc(api, ptr, size, caller);
		errno = saved;
		return;
	}
	if (!enter(caller, false, HG_UNRECORDED_ALLOC))
		return;
	if (ptr)
		emit_block(api, ptr, size, flags, caller);
	else
		emit_error(api, saved, 0, size, flags, caller);
	hg_leave();
	errno = saved;
}

void hg_host_free(uint16_t api, void *ptr, void *caller)
{
	int saved = errno;

	if (hg_tls.busy || (HG_UNLIKELY(hg_active != HG_ACTIVE) && !hg_start(caller)))
		return;
	take_name(&api, &caller);
	if (hg_libc.malloc_usable_size(ptr) < hg_threshold) {
		if (hg_config.totals)
			count_free(ptr);
		errno = saved;
		return;
	}
	if (!enter(caller, false, HG_UNRECORDED_FREE))
		return;
	emit_block_free(api, ptr, caller);
	hg_leave();
	errno = saved;
}

uint32_t hg_host_take(void *ptr)
{
	if (!hg_config.totals || hg_tls.busy || hg_active != HG_ACTIVE)
		return 0;
	return hg_totals_take(ptr);
}

void hg_host_taken(void *ptr, uint32_t taken, bool gone)
{
	int saved = errno;

	hg_tls.busy = 1;
	if (gone)
		hg_totals_count_freed(taken);
	else
		hg_totals_put(ptr, taken);
	hg_tls.busy = 0;
	errno = saved;
}

void hg_host_failed(uint16_t api, void *ptr, size_t size, int code, void *caller)
{
	int saved = errno;

	if ((HG_UNLIKELY(hg_active != HG_ACTIVE) && !hg_start(caller)) ||
	    !enter(caller, false, HG_UNRECORDED_CALL))
		return;
	emit_error(api, code, (uintptr_t)ptr, size, 0, caller);
	if (is_kept(ptr))
		remember_again(api, ptr, caller);
	hg_leave();
	errno = saved;
}

void hg_map_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	int saved = errno;

	if (hg_libc_is_allocator(caller) ||
	    (HG_UNLIKELY(hg_active != HG_ACTIVE) && !hg_start(caller)) ||
	    !enter(caller, true, HG_UNRECORDED_ALLOC))
		return;
	if (api == HG_API_mremap)
		hg_state_freed(false);
	emit_map(api, ptr, size, flags, caller);
	hg_leave();
	errno = saved;
}

void hg_map_free(uint16_t api, void *ptr, size_t size, void *caller)
{
	int saved = errno;

	if (hg_libc_is_allocator(caller) ||
	    (HG_UNLIKELY(hg_active != HG_ACTIVE) && !hg_start(caller)) ||
	    !enter(caller, true, HG_UNRECORDED_FREE))
		return;
	emit_unmap(api, ptr, size, caller);
	hg_leave();
	errno = saved;
}

void hg_map_failed(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	int saved = errno;

	if (hg_libc_is_allocator(caller) ||
	    (HG_UNLIKELY(hg_active != HG_ACTIVE) && !hg_start(caller)) ||
	    !enter(caller, true, HG_UNRECORDED_CALL))
		return;
	emit_error(api, saved, (uintptr_t)ptr, size, flags, caller);
	if (api == HG_API_munmap || api == HG_API_mremap || api == HG_API_shmdt)
		hg_state_freed(true);
	hg_leave();
	errno = saved;
}
