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
#include "preload/stacks/python.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/unwind.h"

#define HG_TRAIL_BITS 6u /* of the number of a thread's trails */

/* These hold words of the stack: where they are, less the walk's first sp, and what they are. */
#define HG_TRAIL_PAIRS 4u
struct hg_trail_pairs {
	uint32_t at[HG_TRAIL_PAIRS];
	uint64_t values[2 * HG_TRAIL_PAIRS];
};
#define HG_TRAIL_WORDS 2u
struct hg_trail_words {
	uint32_t at[HG_TRAIL_WORDS], zero[2];
	uint64_t values[HG_TRAIL_WORDS];
};

extern HG_HIDDEN uint32_t hg_trail_size;        /* bytes of a trail in hg_thread.trails */
extern HG_HIDDEN uint32_t hg_stacks_generation; /* atomic: hg_stack_generation() */

static inline __attribute__((always_inline)) struct hg_cached_walk *
hg_trail_of(void *trails, uintptr_t sp, uintptr_t caller)
{
	uint32_t hash = (uint32_t)(caller + 8 * sp) * 0x9e3779b1u;

	return (struct hg_cached_walk *)(void *)((char *)trails +
						 (hash >> (32 - HG_TRAIL_BITS)) * hg_trail_size);
}

static inline __attribute__((always_inline)) uintptr_t hg_trail_word(const char *sp, uintptr_t at)
{
	return *(const uintptr_t *)(const void *)(sp + at);
}

/*
 * Saved frame pointers and return addresses lie side by side, and are compared as one. What was
 * found to be the same is gathered, from `same` on, and looked at once: nearly always it is all.
 * Most stacks have few steps, which follow one another without a loop.
 */
static inline __attribute__((always_inline)) bool
hg_trail_rest_same(const struct hg_cached_walk *trail, const char *sp, __m128i same)
{
	const struct hg_trail_pairs *pairs = (const void *)trail->packed;
	const struct hg_trail_words *words;
	uint32_t left = trail->pairs;

#define SAME(found, expected) \
	(same = _mm_and_si128(same, _mm_cmpeq_epi32(found, _mm_load_si128((const void *)expected))))
#define PAIR(step, i) \
	SAME(_mm_loadu_si128((const void *)(sp + (step)->at[i])), &(step)->values[2 * (i)])
#define PAIRS(step)                                                                      \
	do {                                                                             \
		PAIR(step, 0);                                                           \
		PAIR(step, 1);                                                           \
		PAIR(step, 2);                                                           \
		PAIR(step, 3);                                                           \
		__asm__("" : "+x"(same)); /* it stays where it is, wherever this ends */ \
	} while (0)
#define UNLESS_LAST(number)   \
	if (left == (number)) \
		goto paired;  \
	PAIRS(pairs + (number))
	UNLESS_LAST(0);
	UNLESS_LAST(1);
	UNLESS_LAST(2);
	UNLESS_LAST(3);
	UNLESS_LAST(4);
	UNLESS_LAST(5);
	for (uint32_t i = 6; HG_UNLIKELY(i < left); i++)
		PAIRS(pairs + i);
paired:
	if (HG_UNLIKELY(hg_trail_word(sp, trail->odd_at[0]) != trail->odd[0]) ||
	    HG_UNLIKELY(hg_trail_word(sp, trail->odd_at[1]) != trail->odd[1]))
		return false;
	if (!hg_is_zero(&trail->more)) {
		if (trail->half) {
			PAIR((const struct hg_trail_pairs *)trail->half, 0);
			PAIR((const struct hg_trail_pairs *)trail->half, 1);
		}
		words = trail->alone;
		for (left = trail->words; left; left--, words++)
			SAME(_mm_castpd_si128(
				 _mm_loadh_pd(_mm_load_sd((const void *)(sp + words->at[0])),
					      (const void *)(sp + words->at[1]))),
			     words->values);
	}
#undef UNLESS_LAST
#undef PAIRS
#undef PAIR
#undef SAME
	return _mm_movemask_epi8(same) == 0xffff;
}

static inline __attribute__((always_inline)) bool hg_trail_same(const struct hg_cached_walk *trail,
								const char *sp)
{
	return hg_trail_rest_same(trail, sp, _mm_set1_epi32(-1));
}

/* Returns true if the trail is that of this stack. It reads only what a walk would read without
 * trying. */
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

/* Does what hg_stack_id_of() does, but does not clear hg_tls.walked. errno is kept. */
static inline __attribute__((always_inline)) uint32_t hg_stack_known_id(const uintptr_t *frame,
									const void *caller)
{
	struct hg_frame start = { frame[1], (uintptr_t)(frame + 2), frame[0] };
	struct hg_cached_walk *trail;

	if (!hg_config.stack_depth)
		return 0;
	if (HG_LIKELY(hg_tls.trails != NULL)) {
		trail = hg_trail_of(hg_tls.trails, start.sp, (uintptr_t)caller);
		if (HG_LIKELY(
			hg_trail_holds(trail, &start, (uintptr_t)caller,
				       __atomic_load_n(&hg_stacks_generation, __ATOMIC_RELAXED))) &&
		    (HG_LIKELY(!trail->python) || hg_python_same(trail->python))) {
			trail->found = true;
			return trail->id;
		}
	}
	return hg_stack_id_walked(frame, caller);
}

/*
 * Returns the trail that was marked by hg_stack_mark(), if it is that of this stack, or else NULL.
 * It may be called only if hg_tls.ordinary_stacks is hg_changes: then there are trails, and it was
 * marked since.
 */
static inline __attribute__((always_inline)) const struct hg_cached_walk *
hg_stack_marked(const uintptr_t *frame, const void *caller)
{
	uintptr_t sp = (uintptr_t)(frame + 2);
	const struct hg_cached_walk *trail = hg_trail_of(hg_tls.trails, sp, (uintptr_t)caller);
	__m128i first;

	if (HG_UNLIKELY(trail->marked_sp != sp || trail->caller != (uintptr_t)caller))
		return NULL;
	first = _mm_cmpeq_epi32(_mm_loadu_si128((const void *)frame),
				_mm_load_si128((const void *)trail->first));
	first = _mm_or_si128(first, _mm_load_si128((const void *)trail->any));
	return HG_LIKELY(hg_trail_rest_same(trail, (const char *)sp, first)) ? trail : NULL;
}

/*
 * Marks the trail of the stack with this number, if it has one: the calling thread is on its own
 * stack, with room left, and the caller is not a tool's (host/block.h). errno is kept.
 */
void hg_stack_mark(const uintptr_t *frame, const void *caller, uint32_t id);
/* Makes trails for the calling thread, if it has none. Returns false if it cannot have any. */
bool hg_stack_cache_begin(void);
/* Removes the marks of all trails of the calling thread. */
void hg_stack_unmark(void);

#endif
