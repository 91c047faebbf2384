/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks, where nothing is out of the ordinary: the process is recorded, the thread is known and on
 * its own stack, and the call is neither the runtime's nor one of ours. Then recording one is a few
 * comparisons, inline in malloc() and free(), which change nothing until all of them are made. All
 * else is block.c's. The processor time of some calls is taken there, too (cost.c).
 */
#ifndef HIPGRAIN_PRELOAD_HOST_BLOCK_H
#define HIPGRAIN_PRELOAD_HOST_BLOCK_H

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/start.h"
#include "preload/host/host_memory.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack_cache.h"
#include "preload/trace/batch_add.h"
#include "tracer/provider.h"

#define HG_BLOCK_ALWAYS static inline __attribute__((always_inline))

/*
 * Returns true if the thread is in no code of ours or the runtime's; with `named`, if it is in none
 * but operator new or delete, which is about to call malloc() or free().
 */
HG_BLOCK_ALWAYS bool hg_block_is_outside(bool named)
{
	return named ? hg_tls.named_api && hg_tls.inside == hg_tls.named_api << 8
		     : HG_LIKELY(hg_is_zero(&hg_tls.inside));
}

/*
 * Returns true if the process and the thread are as they were when look_around() in block.c looked:
 * there are a batch, the configuration, and with `stacks` what is needed to record those.
 */
HG_BLOCK_ALWAYS bool hg_block_is_ordinary(bool stacks)
{
	size_t changes = __atomic_load_n(&hg_changes, __ATOMIC_ACQUIRE);

	return HG_LIKELY(changes == (stacks ? hg_tls.ordinary_stacks : hg_tls.ordinary));
}

/* ... and it is recorded now. */
HG_BLOCK_ALWAYS bool hg_block_is_recorded(void)
{
	return HG_LIKELY(!hg_is_zero(hg_tls.recording));
}

/* ... and of where the call comes from: of a marked trail this is known (hg_stack_mark()). */
HG_BLOCK_ALWAYS bool hg_block_is_place_ordinary(const void *caller)
{
	return HG_LIKELY(hg_has_room()) &&
	       HG_LIKELY((uintptr_t)caller - hg_tls.apart_from < hg_tls.apart_size);
}

/* Returns true if there is a block, and its address fits into the 48 bits of a record. */
HG_BLOCK_ALWAYS bool hg_block_fits(const void *ptr)
{
	return HG_LIKELY(!(((uintptr_t)ptr - 1) >> 47));
}

/*
 * Nothing in between is moved out of it: a signal's handler finds the thread in our code. All of
 * `inside` is stored, as a load of it waits for a store of less. false: the call's time is to be
 * taken, and nothing was done.
 */
HG_BLOCK_ALWAYS bool hg_block_enter(bool named)
{
	hg_tls.until_timed++;
	if (HG_UNLIKELY(hg_tls.until_timed >= 0)) {
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		hg_tls.until_timed--;
		return false;
	}
	if (named)
		hg_tls.busy = 1;
	else
		hg_tls.inside = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

/* Leaves our code. Only the first call of operator new or delete is recorded as theirs. */
HG_BLOCK_ALWAYS void hg_block_leave(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_tls.inside = 0;
}

/* Nothing was done. */
HG_BLOCK_ALWAYS bool hg_block_leave_undone(void)
{
	hg_tls.until_timed--;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_tls.busy = 0;
	return false;
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

/* Returns true if the size reaches the threshold, and has room in a record. */
HG_BLOCK_ALWAYS bool hg_block_has_size(size_t size)
{
	return HG_LIKELY(size - hg_block_least <= hg_block_span);
}

/*
 * Record what malloc() or calloc() returned, in an ordinary thread that is outside, or `named`,
 * with its stack. `frame` is that of the interposed function. false: nothing was done, it may have
 * to be recorded.
 */
HG_BLOCK_ALWAYS bool hg_block_add_quickly(uint16_t api, void *ptr, size_t size,
					  const uintptr_t *frame, bool named)
{
	struct hg_batch_block block = { .address = (uintptr_t)ptr,
					.size = (uint32_t)size,
					.api = named ? hg_tls.named_api : api };
	const void *caller = named ? hg_tls.named_caller : (const void *)frame[1];
	const struct hg_cached_walk *trail;

	if (!hg_block_has_size(size) || !hg_block_fits(ptr) || !hg_block_is_recorded() ||
	    !hg_block_enter(named))
		return false;
	trail = hg_stack_marked(frame, caller);
	if (HG_UNLIKELY(!trail))
		return hg_block_leave_undone();
	block.stack_id = trail->id;
	if (HG_UNLIKELY(!hg_batch_add_here(block)))
		return hg_block_leave_undone();
	hg_block_leave();
	return true;
}

/* Does the same if no stacks are recorded, in any thread. */
HG_BLOCK_ALWAYS bool hg_block_add_without_stack(uint16_t api, void *ptr, size_t size,
						const uintptr_t *frame)
{
	struct hg_batch_block block = { .address = (uintptr_t)ptr,
					.size = (uint32_t)size,
					.api = api };

	if (HG_UNLIKELY(hg_config.stack_depth) || !hg_block_has_size(size) ||
	    !hg_block_is_outside(false) || !hg_block_fits(ptr) || !hg_block_is_ordinary(false) ||
	    !hg_block_is_recorded() || !hg_block_is_place_ordinary((const void *)frame[1]) ||
	    !hg_block_enter(false))
		return false;
	if (HG_UNLIKELY(!hg_batch_add_here(block)))
		return hg_block_leave_undone();
	hg_block_leave();
	return true;
}

/*
 * Record that free() is about to free such a block; false as above. The place of a free is recorded
 * where a GPU might still use the block: stack_of_free() in host_memory.c.
 */
HG_BLOCK_ALWAYS bool hg_block_add_free_quickly(uint16_t api, void *ptr, const uintptr_t *frame,
					       bool named)
{
	struct hg_batch_block block = { .address = (uintptr_t)ptr,
					.api = named ? hg_tls.named_api : api,
					.freed = true };
	const void *place = (const void *)frame[1];
	const void *caller = named ? hg_tls.named_caller : place;
	const struct hg_cached_walk *trail;

	if (!hg_block_fits(ptr) || !hg_block_is_ordinary(false) || !hg_block_is_recorded() ||
	    !hg_block_is_place_ordinary(place) || !hg_block_enter(named))
		return false;
	if (HG_UNLIKELY(!hg_is_zero(&hg_gpu_seen)) && hg_config.stack_depth) {
		trail = hg_tls.trails ? hg_stack_marked(frame, caller) : NULL;
		if (HG_UNLIKELY(!trail))
			return hg_block_leave_undone();
		block.stack_id = trail->id;
	}
	if (HG_UNLIKELY(!hg_batch_add_here(block)))
		return hg_block_leave_undone();
	hg_block_leave();
	return true;
}

/*
 * The same where the stack is not known, the batch is full, or the like. Of a block that is at
 * least as large as the threshold. A frame whose second word is not the caller is as good as none.
 * false: nothing was done.
 */
bool hg_block_add(uint16_t api, void *ptr, size_t size, const uintptr_t *frame, void *caller);
bool hg_block_add_free(uint16_t api, void *ptr, const uintptr_t *frame, void *caller);

#endif
