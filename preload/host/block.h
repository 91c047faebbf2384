/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks, where nothing is out of the ordinary: the process is recorded, the thread is known and on
 * its own stack, and the call is neither the runtime's nor one of ours. Then recording one is a few
 * comparisons, inline in malloc() and free(). All else is host.c's. The processor time of some
 * calls is taken there, too (cost.c).
 */
#ifndef HIPGRAIN_PRELOAD_HOST_BLOCK_H
#define HIPGRAIN_PRELOAD_HOST_BLOCK_H

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/start.h"
#include "preload/host/host.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack_cache.h"
#include "preload/trace/batch_add.h"
#include "tracer/provider.h"

#define HG_BLOCK_ALWAYS static inline __attribute__((always_inline))

/*
 * `frame` is that of the interposed function, whose second word is the return address; any other
 * frame is as good as none. hg_tools_known, which is not 0 as we are one ourselves, stands for the
 * configuration, too: look_around() in host.c.
 */
HG_BLOCK_ALWAYS bool hg_block_is_ordinary(const uintptr_t *frame, const void *caller)
{
	const struct hg_tls *tls = &hg_tls;

	return !tls->inside && tls->kind == HG_ORDINARY_THREAD && hg_active == HG_ACTIVE &&
	       hg_has_room() && frame[1] == (uintptr_t)caller && *hg_provider->recording &&
	       (uintptr_t)caller - tls->apart_from < tls->apart_size &&
	       tls->ordinary_known == __atomic_load_n(&hg_tools_known, __ATOMIC_ACQUIRE) &&
	       (int32_t)(tls->entered + 1 - tls->timed_next) < 0;
}

/* Whether an address and a size have room in a record. */
HG_BLOCK_ALWAYS bool hg_block_fits(uint64_t address, uint64_t size)
{
	return !(address >> 48 | size >> 32);
}

/* Nothing in between is moved out of it: a signal's handler finds the thread in our code. */
HG_BLOCK_ALWAYS void hg_block_enter(void)
{
	hg_tls.busy = 1;
	hg_tls.entered++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

HG_BLOCK_ALWAYS void hg_block_leave(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_tls.busy = 0;
}

/* operator new and delete, if one of them made this call; only the first call is theirs. */
HG_BLOCK_ALWAYS void hg_take_name(uint16_t *api, void **caller)
{
	if (HG_UNLIKELY(hg_tls.named_api)) {
		*api = hg_tls.named_api;
		*caller = hg_tls.named_caller;
		hg_tls.named_api = 0;
	}
}

/* Record what malloc() or calloc() returned, of at least the threshold; false: host.c is to. */
HG_BLOCK_ALWAYS bool hg_block_add(uint16_t api, void *ptr, size_t size, const uintptr_t *frame,
				  void *caller)
{
	struct hg_batch *batch = hg_tls.batch;
	uint32_t stack_id;

	if (HG_UNLIKELY(!batch || !hg_block_is_ordinary(frame, caller) ||
			!hg_block_fits((uintptr_t)ptr, size)))
		return false;
	hg_take_name(&api, &caller);
	hg_block_enter();
	stack_id = hg_stack_known_id(frame, caller);
	if (HG_UNLIKELY(!hg_batch_add_block(
		batch,
		(uint64_t)(stack_id ? HG_RECORD_ALLOC_STACK : HG_RECORD_ALLOC) << 56 |
		    (uint64_t)api << 48 | (uintptr_t)ptr,
		(uint32_t)size, stack_id)))
		hg_host_block_event(api, ptr, (uint32_t)size, stack_id);
	hg_block_leave();
	return true;
}

/*
 * Record that free() is about to free such a block; false: host.c is to. The place of a free is
 * recorded where a GPU might still use the block: stack_of_free() in host.c.
 */
HG_BLOCK_ALWAYS bool hg_block_add_free(uint16_t api, void *ptr, const uintptr_t *frame,
				       void *caller)
{
	struct hg_batch *batch = hg_tls.batch;
	uint32_t stack_id = 0;

	if (HG_UNLIKELY(!batch || !hg_block_is_ordinary(frame, caller) ||
			!hg_block_fits((uintptr_t)ptr, 0)))
		return false;
	hg_take_name(&api, &caller);
	hg_block_enter();
	if (__atomic_load_n(&hg_gpu_seen, __ATOMIC_RELAXED))
		stack_id = hg_stack_known_id(frame, caller);
	if (HG_UNLIKELY(!hg_batch_add_block(
		batch, (uint64_t)HG_RECORD_FREE << 56 | (uint64_t)api << 48 | (uintptr_t)ptr,
		stack_id, 0)))
		hg_host_block_free_event(api, ptr, stack_id);
	hg_block_leave();
	return true;
}

#endif
