/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look for the calling thread's stack among those that it walked before, for those who record
 * many (stack_cache.c has what happens where this does not find it).
 */
#ifndef HIPGRAIN_PRELOAD_STACKS_STACK_CACHE_H
#define HIPGRAIN_PRELOAD_STACKS_STACK_CACHE_H

#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/core/threads.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/unwind.h"

#define HG_TRAIL_BITS 6u /* of the number of a thread's trails */

/* Words of the stack, four at a time: where they are, less the walk's first sp, and what. */
#define HG_TRAIL_STEP 4u
struct hg_trail_pairs {
	uint32_t at[HG_TRAIL_STEP];
	uint64_t values[2 * HG_TRAIL_STEP];
};
struct hg_trail_words {
	uint32_t at[HG_TRAIL_STEP];
	uint64_t values[HG_TRAIL_STEP];
};

extern HG_HIDDEN size_t hg_trail_size;          /* bytes of a trail in hg_thread.trails */
extern HG_HIDDEN uint32_t hg_stacks_generation; /* atomic: hg_stack_generation() */

static inline __attribute__((always_inline)) struct hg_cached_walk *
hg_trail_of(void *trails, uintptr_t sp, uintptr_t caller)
{
	uint64_t hash = (sp ^ caller << 20) * 0x9e3779b97f4a7c15u;

	return (struct hg_cached_walk *)(void *)((char *)trails +
						 (hash >> (64 - HG_TRAIL_BITS)) * hg_trail_size);
}

/*
 * Saved frame pointers and return addresses lie side by side, and are compared as one. What was
 * found to differ is gathered and looked at once: nearly always it is nothing.
 */
static inline __attribute__((always_inline)) bool hg_trail_same(const struct hg_cached_walk *trail,
								const char *sp)
{
	const struct hg_trail_pairs *pairs = (const void *)trail->packed;
	const struct hg_trail_pairs *pairs_end =
	    (const void *)((const char *)trail->packed + trail->pairs_size);
	const struct hg_trail_words *words, *end;
	__m128i differ = _mm_setzero_si128();

#define DIFFERS(found, expected) \
	(differ =                \
	     _mm_or_si128(differ, _mm_xor_si128(found, _mm_load_si128((const void *)expected))))
#define PAIR(i) DIFFERS(_mm_loadu_si128((const void *)(sp + pairs->at[i])), &pairs->values[2 * (i)])
	for (; pairs < pairs_end; pairs++) {
		PAIR(0);
		PAIR(1);
		PAIR(2);
		PAIR(3);
	}
#undef PAIR
#define WORDS(i)                                                                              \
	DIFFERS(_mm_castpd_si128(_mm_loadh_pd(_mm_load_sd((const void *)(sp + words->at[i])), \
					      (const void *)(sp + words->at[(i) + 1]))),      \
		&words->values[i])
	words = (const void *)pairs_end;
	end = (const void *)((const char *)trail->packed + trail->size);
	for (; words < end; words++) {
		WORDS(0);
		WORDS(2);
	}
#undef WORDS
#undef DIFFERS
	return _mm_movemask_epi8(_mm_cmpeq_epi8(differ, _mm_setzero_si128())) == 0xffff;
}

/* Whether the trail is that of this stack; only what a walk would read without trying is read. */
static inline __attribute__((always_inline)) bool hg_trail_holds(const struct hg_cached_walk *trail,
								 const struct hg_frame *start,
								 uintptr_t caller,
								 uint32_t generation)
{
	return trail->start.sp == start->sp && trail->start.ip == start->ip &&
	       trail->caller == caller && trail->generation == generation &&
	       !((trail->start.bp ^ start->bp) & trail->bp_mask) &&
	       start->sp >= hg_tls.stack_start && trail->end <= hg_tls.stack_end &&
	       hg_trail_same(trail, (const char *)start->sp);
}

/* As hg_stack_id_of(), but for hg_tls.walked and errno, which it keeps. */
static inline __attribute__((always_inline)) uint32_t hg_stack_known_id(const uintptr_t *frame,
									const void *caller)
{
	struct hg_frame start = { frame[1], (uintptr_t)(frame + 2), frame[0] };
	const struct hg_cached_walk *trail;

	if (!hg_config.stack_depth)
		return 0;
	if (HG_LIKELY(hg_tls.trails != NULL)) {
		trail = hg_trail_of(hg_tls.trails, start.sp, (uintptr_t)caller);
		if (HG_LIKELY(
			hg_trail_holds(trail, &start, (uintptr_t)caller,
				       __atomic_load_n(&hg_stacks_generation, __ATOMIC_RELAXED))))
			return trail->id;
	}
	return hg_stack_id_walked(frame, caller);
}

#endif
