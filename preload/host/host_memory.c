/* SPDX-License-Identifier: Apache-2.0 */
/* Events of host memory: blocks of the C library and mappings. */
#include "preload/host/host_memory.h"

#include <errno.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/fork.h"
#include "preload/core/hip_call.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/start.h"
#include "preload/host/block.h"
#include "preload/host/small_block_stats.h"
#include "preload/migration/residency.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/recorder_requests.h"
#include "preload/standby/live_state.h"
#include "preload/trace/batch.h"
#include "preload/trace/batch_add.h"
#include "preload/trace/enter.h"
#include "preload/stacks/passed_over.h"
#include "preload/trace/own_ring.h"
#include "tracer/api/host.h"
#include "tracer/ring.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/provider.h"

/*
 * The process's file is not made in a call from the loader or, with `anywhere`, in one that may
 * come from a handler that interrupted malloc().
 */
static bool wake(const void *caller, bool anywhere)
{
	return !hg_tls.busy && !hg_is_loader(caller) && (!anywhere || !hg_stack_in_handler()) &&
	       hg_fork_wake();
}

/* This describes a call for a function that may run on another stack: own_stack.c. */
struct call {
	uint16_t api;
	int code; /* errno after it */
	void *ptr, *caller;
	size_t size;
	uint64_t flags;
	enum hg_unrecorded what;
};

/* This is the group of the record that a call would make. */
static const enum hg_group groups[] = {
	[HG_UNRECORDED_CALL] = HG_GROUP_OTHER,
	[HG_UNRECORDED_ALLOC] = HG_GROUP_ALLOC,
	[HG_UNRECORDED_FREE] = HG_GROUP_FREE,
	[HG_UNRECORDED_OURS] = HG_GROUPS,
};

/*
 * A call was made inside of our code or of a call of HIP's. It is the program's, and lost, if a
 * signal's handler made it: our code makes none itself, but for what it calls of the C library, the
 * loader and the runtime; the runtime does, and other libraries on its behalf.
 */
static void pass_over(enum hg_unrecorded what, const void *caller)
{
	if (what == HG_UNRECORDED_OURS || hg_libc_is_c_library(caller) || hg_is_loader(caller) ||
	    hg_modules_is_tool(caller))
		return;
	if (hg_in_hip() ? hg_interrupts_call(hg_tls.hip_frame) : hg_tls.busy)
		hg_give_up(groups[what]);
}

/*
 * Begin an event about host memory: not for what the HIP runtime or the tracer's own threads do,
 * which is not the program's memory. `anywhere`: the call may come from a handler that has
 * interrupted malloc(), as calls of malloc() itself may not (signal-safety(7)).
 */
static bool enter(const void *caller, bool anywhere, enum hg_unrecorded what)
{
	bool entered;

	if (hg_in_hip()) {
		pass_over(what, caller);
		return false;
	}
	if (hg_modules_is_tool(caller))
		return false;
	if ((HG_UNLIKELY(hg_active != HG_ACTIVE) && !wake(caller, anywhere)) ||
	    (HG_UNLIKELY(!hg_tls.prepared) && !hg_thread_prepare(anywhere))) {
		if (hg_active != HG_DORMANT)
			hg_give_up(groups[what]);
		return false;
	}
	hg_tls.keeping++;
	hg_tls.unrecorded = (int)what;
	entered = hg_enter_batched();
	hg_tls.unrecorded = HG_UNRECORDED_CALL;
	hg_tls.keeping--;
	return entered;
}

static void emit_error(const struct call *call)
{
	struct hg_ev_error event = { .api = call->api,
				     .code = call->code,
				     .ptr = (uintptr_t)call->ptr,
				     .size = call->size,
				     .flags = call->flags,
				     .stack_id = hg_stack_id(call->caller) };

	hg_provider->error(&event);
}

static struct hg_ev_alloc alloc_event(const struct call *call)
{
	return (struct hg_ev_alloc){ .api = call->api,
				     .ptr = (uintptr_t)call->ptr,
				     .device_ptr = (uintptr_t)call->ptr,
				     .size = call->size,
				     .flags = call->flags,
				     .device = -1,
				     .symbol = "",
				     .stack_id = hg_stack_id(call->caller) };
}

/* Returns true if live_state.c remembers a block. The answer is the same when the block is
 * freed. */
static bool is_kept(void *ptr)
{
	return HG_UNLIKELY(hg_config.standby) &&
	       hg_libc.malloc_usable_size(ptr) >= hg_config.standby_threshold;
}

static void emit_block(const struct call *call)
{
	struct hg_ev_alloc event = alloc_event(call);
	bool kept = is_kept(call->ptr);

	if (kept)
		hg_live_block_lock(event.ptr);
	if (call->flags || call->size > UINT32_MAX)
		hg_provider->alloc(&event);
	else
		hg_batch_record_block(&(struct hg_batch_block){ .address = event.ptr,
								.size = (uint32_t)call->size,
								.stack_id = event.stack_id,
								.api = call->api });
	hg_residency_add(event.ptr, call->size, false);
	if (kept) {
		hg_live_block(&event);
		hg_live_block_unlock(event.ptr);
	}
}

/*
 * The place of a free is recorded where a GPU might still use the block. Elsewhere, in compilers
 * and shells, the stacks of frees would be nearly half of what recording costs.
 */
static uint32_t stack_of_free(const void *caller)
{
	return __atomic_load_n(&hg_gpu_seen, __ATOMIC_RELAXED) ? hg_stack_id(caller) : 0;
}

static void emit_block_free(const struct call *call)
{
	struct hg_batch_block block = { .address = (uintptr_t)call->ptr,
					.stack_id = stack_of_free(call->caller),
					.api = call->api,
					.freed = true };
	bool kept = is_kept(call->ptr);

	if (kept)
		hg_live_block_lock(block.address);
	hg_batch_record_block(&block);
	hg_residency_remove(block.address, 1);
	if (kept) {
		hg_live_block_free(block.address);
		hg_live_block_unlock(block.address);
		hg_live_block_gone(block.address, hg_libc.malloc_usable_size(call->ptr));
	}
}

/* A realloc() failed: the block that it would have moved was forgotten before the call. */
static void remember_again(const struct call *call)
{
	struct hg_ev_alloc event = alloc_event(call);

	event.size = hg_libc.malloc_usable_size(call->ptr);
	hg_live_block_lock(event.ptr);
	hg_live_block(&event);
	hg_live_block_unlock(event.ptr);
}

static void emit_map(const struct call *call)
{
	struct hg_ev_alloc event = alloc_event(call);

	hg_live_lock();
	hg_provider->alloc(&event);
	hg_residency_add(event.ptr, call->size, false);
	hg_live_map(&event);
	hg_live_unlock();
}

static void emit_unmap(const struct call *call)
{
	struct hg_ev_free event = { .api = call->api,
				    .ptr = (uintptr_t)call->ptr,
				    .size = call->size,
				    .stack_id = hg_stack_id(call->caller) };

	hg_live_lock();
	hg_provider->free(&event);
	hg_residency_remove(event.ptr, call->api == HG_API_shmdt ? 1 : call->size);
	hg_live_unmap(&event);
	hg_live_unlock();
}

static void count_alloc(uint16_t api, void *ptr, size_t size, void *caller)
{
	if (!enter(caller, false, HG_UNRECORDED_OURS))
		return;
	if (HG_LIKELY(hg_small_blocks_count()))
		hg_small_blocks_alloc(api, ptr, size, hg_stack_id(caller));
	hg_leave();
}

/* A process whose blocks are all small is to notice that it is wanted, too. */
static void look_for_request(const void *caller)
{
	if (hg_config.standby && !hg_config.recorded && hg_request_may_be() &&
	    enter(caller, false, HG_UNRECORDED_OURS))
		hg_leave();
}

static bool is_counted(void)
{
	return hg_config.recorded || !hg_config.standby || *hg_provider->recording;
}

/* Whoever frees it, also while nothing is recorded: the block is freed. */
static void count_free(void *ptr)
{
	hg_keep_async();
	hg_tls.busy = 1;
	hg_small_blocks_free(ptr);
	hg_tls.busy = 0;
	hg_release_async();
}

/* ---- calls ---- */

static __attribute__((noinline)) void do_elsewhere(void (*work)(void *), struct call *call,
						   bool anywhere)
{
	/* Before the library has started it needs no room, and the C library may not be there
	 * yet. */
	if (hg_active == HG_NEW) {
		work(call);
		return;
	}
	hg_room_note_caller(call->caller);
	if (!anywhere) {
		hg_room_find();
		if (hg_has_room()) {
			work(call);
			return;
		}
	}
	/* The place of the call cannot be seen from the other stack. */
	if (hg_in_hip()) {
		hg_take_name(&call->api, &call->caller);
		if (anywhere || (call->ptr ? hg_libc.malloc_usable_size(call->ptr) : call->size) >=
				    hg_threshold)
			pass_over(call->what, call->caller);
	} else if (!hg_room_elsewhere(work, call)) {
		hg_ring_lost(groups[call->what]);
	}
}

/* Keeps errno. `anywhere`: as in enter(). */
static inline void run(void (*work)(void *), struct call *call, bool anywhere)
{
	int saved = errno;

	call->code = saved;
	if (hg_has_room())
		work(call);
	else
		do_elsewhere(work, call, anywhere);
	errno = saved;
}

/* Runs it, or passes over a call that was made inside of our code. */
static inline void run_outside(void (*work)(void *), struct call *call, bool anywhere)
{
	if (HG_LIKELY(!hg_tls.busy))
		run(work, call, anywhere);
	else
		pass_over(call->what, call->caller);
}

static inline bool is_started(const void *caller)
{
	return HG_LIKELY(hg_active == HG_ACTIVE) || hg_start(caller);
}

/* Does what enter() does, and starts the library before. */
static inline bool begin(const struct call *call, bool anywhere)
{
	return is_started(call->caller) && enter(call->caller, anywhere, call->what);
}

static void host_alloc(void *data)
{
	struct call *call = data;
	size_t size = call->size;
	void *ptr = call->ptr;

	if (!is_started(call->caller))
		return;
	hg_take_name(&call->api, &call->caller);
	look_for_request(call->caller);
	if (size < hg_threshold && (!ptr || hg_libc.malloc_usable_size(ptr) < hg_threshold)) {
		if (hg_config.totals && ptr && is_counted())
			count_alloc(call->api, ptr, size, call->caller);
		return;
	}
	if (!enter(call->caller, false, call->what))
		return;
	if (ptr)
		emit_block(call);
	else
		emit_error(call);
	hg_leave();
}

void hg_host_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	struct call call = { .api = api,
			     .ptr = ptr,
			     .size = size,
			     .flags = flags,
			     .caller = caller,
			     .what = HG_UNRECORDED_ALLOC };

	if (HG_LIKELY(!hg_tls.busy))
		run(host_alloc, &call, false);
	else if (size >= hg_threshold)
		pass_over(call.what, caller);
}

static void host_free(void *data)
{
	struct call *call = data;

	if (!is_started(call->caller))
		return;
	hg_take_name(&call->api, &call->caller);
	look_for_request(call->caller);
	if (hg_libc.malloc_usable_size(call->ptr) < hg_threshold) {
		if (hg_config.totals)
			count_free(call->ptr);
		return;
	}
	if (!enter(call->caller, false, call->what))
		return;
	emit_block_free(call);
	hg_leave();
}

void hg_host_free(uint16_t api, void *ptr, void *caller)
{
	struct call call = { .api = api, .ptr = ptr, .caller = caller, .what = HG_UNRECORDED_FREE };

	if (HG_LIKELY(!hg_tls.busy))
		run(host_free, &call, false);
	else if (hg_libc.malloc_usable_size(ptr) >= hg_threshold)
		pass_over(call.what, caller);
}

uint32_t hg_host_take(void *ptr)
{
	if (!hg_config.totals || hg_tls.busy || hg_active != HG_ACTIVE)
		return 0;
	return hg_small_blocks_take(ptr);
}

void hg_host_taken(void *ptr, uint32_t taken, bool freed)
{
	int saved = errno;

	hg_keep_async();
	hg_tls.busy = 1;
	if (freed)
		hg_small_blocks_count_freed(taken);
	else
		hg_small_blocks_put(ptr, taken);
	hg_tls.busy = 0;
	hg_release_async();
	errno = saved;
}

static void host_failed(void *data)
{
	struct call *call = data;

	if (!begin(call, false))
		return;
	emit_error(call);
	if (is_kept(call->ptr))
		remember_again(call);
	hg_leave();
}

void hg_host_failed(uint16_t api, void *ptr, size_t size, int code, void *caller)
{
	struct call call = {
		.api = api, .ptr = ptr, .size = size, .caller = caller, .what = HG_UNRECORDED_CALL
	};
	int saved = errno;

	errno = code;
	run_outside(host_failed, &call, false);
	errno = saved;
}

static void map_alloc(void *data)
{
	struct call *call = data;

	if (!begin(call, true))
		return;
	if (call->api == HG_API_mremap)
		hg_live_freed(false);
	emit_map(call);
	hg_leave();
}

static void map_advised(void *data)
{
	struct call *call = data;
	struct hg_ev_call event = { .api = call->api,
				    .ptr = (uintptr_t)call->ptr,
				    .size = call->size,
				    .flags = call->flags,
				    .device = -1,
				    .text = "" };

	if (!begin(call, true))
		return;
	event.stack_id = hg_stack_id(call->caller);
	hg_provider->call(&event);
	hg_leave();
}

static void map_free(void *data)
{
	struct call *call = data;

	if (!begin(call, true))
		return;
	emit_unmap(call);
	hg_leave();
}

static void map_failed(void *data)
{
	struct call *call = data;
	uint16_t api = call->api;

	if (!begin(call, true))
		return;
	emit_error(call);
	if (api == HG_API_munmap || api == HG_API_mremap || api == HG_API_shmdt)
		hg_live_freed(true);
	hg_leave();
}

static inline __attribute__((always_inline)) void map_call(void (*work)(void *), struct call call)
{
	if (HG_LIKELY(!hg_libc_is_allocator(call.caller)))
		run_outside(work, &call, true);
}

void hg_map_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	map_call(map_alloc, (struct call){ api, 0, ptr, caller, size, flags, HG_UNRECORDED_ALLOC });
}

void hg_map_advised(void *ptr, size_t size, int advice, void *caller)
{
	map_call(map_advised, (struct call){ HG_API_madvise, 0, ptr, caller, size, (uint64_t)advice,
					     HG_UNRECORDED_CALL });
}

void hg_map_free(uint16_t api, void *ptr, size_t size, void *caller)
{
	map_call(map_free, (struct call){ api, 0, ptr, caller, size, 0, HG_UNRECORDED_FREE });
}

void hg_map_failed(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller)
{
	map_call(map_failed, (struct call){ api, 0, ptr, caller, size, flags, HG_UNRECORDED_CALL });
}

void hg_map_freed(void)
{
	hg_keep_async();
	hg_live_freed(false);
	hg_release_async();
}
