/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises call stacks by comparing instead of walking: programs allocate in loops, from the same
 * frames. Each load of a walk depends on the one before it; those of a comparison do not.
 */
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/stacks/unwind.h"

#define TRAILS 64u /* a thread */

static size_t trail_size(void)
{
	return sizeof(struct hg_cached_walk) +
	       2u * hg_config.stack_depth * sizeof(struct hg_cached_word);
}

static struct hg_cached_walk *place_of(const struct hg_frame *start, const void *caller)
{
	struct hg_thread *thread = hg_thread();
	uint64_t hash;

	if (!thread)
		return NULL;
	if (HG_UNLIKELY(!thread->trails)) {
		void *memory = hg_libc.mmap(NULL, TRAILS * trail_size(), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return NULL;
		thread->trails = memory;
	}
	hash = (start->sp ^ (uintptr_t)caller << 20 ^ start->ip << 4) * 0x9e3779b97f4a7c15u;
	return (struct hg_cached_walk *)((char *)thread->trails + (hash >> 58) * trail_size());
}

static bool same_words(const struct hg_cached_walk *trail)
{
	uintptr_t differences = 0;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < trail->count; i++)
		differences |= *(const uintptr_t *)trail->words[i].address ^ trail->words[i].value;
	return !differences;
}

struct hg_cached_walk *hg_stack_cache_find(const struct hg_frame *start, const void *caller,
					   uint32_t generation, uint32_t *id)
{
	struct hg_cached_walk *trail = place_of(start, caller);

	*id = 0;
	if (HG_UNLIKELY(!trail))
		return NULL;
	/* Only what a walk would read without asking, too. */
	if (HG_LIKELY(trail->generation == generation && trail->id &&
		      trail->start.sp == start->sp && trail->start.ip == start->ip &&
		      (!trail->bp_used || trail->start.bp == start->bp) &&
		      trail->caller == (uintptr_t)caller && start->sp >= hg_tls.stack_start &&
		      trail->end <= hg_tls.stack_end) &&
	    same_words(trail)) {
		*id = trail->id;
		return trail;
	}
	trail->id = 0;
	trail->count = 0;
	trail->bp_used = false;
	trail->room = 2u * hg_config.stack_depth;
	return trail;
}

void hg_stack_cache_keep(struct hg_cached_walk *trail, const struct hg_frame *start,
			 const void *caller, uint32_t generation, uint32_t id)
{
	if (trail->count > trail->room)
		return;
	trail->start = *start;
	trail->caller = (uintptr_t)caller;
	trail->end = hg_tls.stack_end;
	trail->generation = generation;
	trail->id = id;
}
