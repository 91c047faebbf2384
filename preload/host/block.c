/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of which anything is out of the ordinary: block.h has those of which nothing is. */
#include "preload/host/block.h"

#include <errno.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/libc.h"
#include "preload/host/host_memory.h"
#include "preload/trace/recorder_requests.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack_cache.h"
#include "preload/trace/batch_add.h"
#include "preload/trace/session_recording.h"
#include "tracer/events.h"
#include "tracer/provider.h"

/*
 * Marks the thread, so that the next call from thereabouts is known to be ordinary. Once the
 * recording has begun, only what hg_changes stands for changes what is determined here: a process
 * that is not on standby begins once, and once more in each child. A mark that was made before that
 * may not hold any more.
 */
static void look_around(const void *caller)
{
	size_t changes = __atomic_load_n(&hg_changes, __ATOMIC_ACQUIRE);

	if (hg_tls.ordinary == changes || hg_tls.ordinary_but_async == changes)
		return;
	hg_tls.ordinary = hg_tls.ordinary_stacks = hg_tls.ordinary_but_async = 0;
	if ((hg_tls.kind != HG_ORDINARY_THREAD && hg_tls.kind != HG_ASYNC_THREAD) ||
	    hg_active != HG_ACTIVE || !__atomic_load_n(&hg_recording_begun, __ATOMIC_ACQUIRE) ||
	    hg_config.standby || hg_config.totals || hg_config.residency || !hg_tls.batch ||
	    hg_modules_is_tool(caller) ||
	    hg_tls.apart_known != __atomic_load_n(&hg_tools_known, __ATOMIC_ACQUIRE))
		return;
	hg_stack_unmark();
	hg_tls.recording = hg_provider->recording;
	if (hg_tls.kind == HG_ASYNC_THREAD) {
		hg_tls.ordinary_but_async = changes;
		return;
	}
	hg_tls.ordinary = changes;
	if (hg_config.stack_depth && hg_stack_cache_begin())
		hg_tls.ordinary_stacks = changes;
}

/* Returns true if a block is below the threshold and needs nothing else: nobody counts it, and no
 * recording begins. */
static bool is_below(void *ptr)
{
	if (hg_active != HG_ACTIVE || hg_config.totals ||
	    (hg_config.standby && hg_request_may_be()) ||
	    hg_libc.malloc_usable_size(ptr) >= hg_threshold)
		return false;
	hg_tls.named_api = 0; /* as hg_take_name() */
	return true;
}

__attribute__((noinline)) void hg_host_block(uint16_t api, void *ptr, size_t size, void *caller)
{
	if (!hg_tls.busy && size < hg_threshold && is_below(ptr))
		return;
	hg_host_alloc(api, ptr, size, 0, caller);
	if (!hg_tls.busy)
		look_around(caller);
}

__attribute__((noinline)) void hg_host_block_free(uint16_t api, void *ptr, void *caller)
{
	if (!hg_tls.busy && is_below(ptr))
		return;
	hg_host_free(api, ptr, caller);
	if (!hg_tls.busy)
		look_around(caller);
}

static bool is_ordinary(const void *ptr, const uintptr_t *frame, const void *caller)
{
	return (hg_block_is_outside(false) || hg_block_is_outside(true)) && hg_block_fits(ptr) &&
	       hg_block_is_ordinary(false) && hg_block_is_recorded() &&
	       frame[1] == (uintptr_t)caller && hg_block_is_place_ordinary(caller);
}

/* The stack's number; the next call from there is to find it, once known, by one comparison. */
static uint32_t stack_id_of(const uintptr_t *frame, const void *caller)
{
	uint32_t id = hg_stack_id_of(frame, caller);

	if (!hg_tls.walked)
		hg_stack_mark(frame, caller, id);
	return id;
}

/*
 * A thread that may be cancelled anywhere is ordinary while that is deferred: Redis has such
 * threads. Whether it was deferred now; the flag comes first, for a signal's handler in between.
 */
static bool begin_deferred(void)
{
	if (HG_LIKELY(!hg_tls.ordinary_but_async) || hg_tls.async_kept)
		return false;
	hg_tls.async_kept = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_defer_cancel(true);
	hg_tls.ordinary = hg_tls.ordinary_but_async;
	return true;
}

static void end_deferred(void)
{
	hg_tls.ordinary = 0;
	hg_release_async();
}

static bool add(uint16_t api, void *ptr, size_t size, const uintptr_t *frame, void *caller)
{
	struct hg_batch_block block = { .address = (uintptr_t)ptr, .size = (uint32_t)size };

	if (size >> 32 || !is_ordinary(ptr, frame, caller) || !hg_block_enter(true))
		return false;
	hg_take_name(&api, &caller);
	block.api = api;
	block.stack_id = stack_id_of(frame, caller);
	hg_batch_record_block(&block);
	hg_block_leave();
	return true;
}

static bool add_free(uint16_t api, void *ptr, const uintptr_t *frame, void *caller)
{
	struct hg_batch_block block = { .address = (uintptr_t)ptr, .freed = true };

	if (!is_ordinary(ptr, frame, caller) || !hg_block_enter(true))
		return false;
	hg_take_name(&api, &caller);
	block.api = api;
	if (__atomic_load_n(&hg_gpu_seen, __ATOMIC_RELAXED))
		block.stack_id = stack_id_of(frame, caller);
	hg_batch_record_block(&block);
	hg_block_leave();
	return true;
}

__attribute__((noinline)) bool hg_block_add(uint16_t api, void *ptr, size_t size,
					    const uintptr_t *frame, void *caller)
{
	bool added;

	if (HG_LIKELY(!begin_deferred()))
		return add(api, ptr, size, frame, caller);
	added =
	    (hg_tls.trails && hg_config.stack_depth && hg_block_is_outside(false) &&
	     hg_block_is_ordinary(false) && hg_block_add_quickly(api, ptr, size, frame, false)) ||
	    add(api, ptr, size, frame, caller);
	end_deferred();
	return added;
}

__attribute__((noinline)) bool hg_block_add_free(uint16_t api, void *ptr, const uintptr_t *frame,
						 void *caller)
{
	bool added;

	if (HG_LIKELY(!begin_deferred()))
		return add_free(api, ptr, frame, caller);
	added = (hg_block_is_outside(false) && hg_block_add_free_quickly(api, ptr, frame, false)) ||
		add_free(api, ptr, frame, caller);
	end_deferred();
	return added;
}
