/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the frames that walks found. */
#include "preload/stacks/past.h"

#include <emmintrin.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"

#define SLACK 64u /* room that is made for more than is needed */
_Static_assert(HG_PAST_FRAMES - SLACK >= HG_PAST_WALK, "all of a walk stays");

static __attribute__((cold)) struct hg_past *make(void)
{
	struct hg_past *past = hg_libc.mmap(NULL, sizeof(*past), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (past == MAP_FAILED)
		return NULL;
	past->frames[HG_PAST_FRAMES].sp = ~(uintptr_t)HG_PAST_FLAGS;
	return past;
}

void hg_past_begin(struct hg_past_walk *walk, uint32_t epoch)
{
	/* Not hg_thread(), which may allocate, where this may be a signal's handler. */
	struct hg_thread *thread = hg_tls.thread;
	struct hg_past *past = thread ? thread->past : NULL;

	if (HG_UNLIKELY(thread && !past))
		thread->past = past = make();
	if (HG_UNLIKELY(!past || past->walker == &hg_tls)) {
		walk->of_no_use = true;
		return;
	}
	past->walker = &hg_tls;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (HG_UNLIKELY(past->epoch != epoch)) {
		past->first = HG_PAST_FRAMES;
		past->epoch = epoch;
	}
	walk->past = past;
	walk->old = &past->frames[past->first];
	walk->next = past->fresh;
}

void hg_past_end(struct hg_past_walk *walk)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (HG_LIKELY(walk->past != NULL))
		walk->past->walker = NULL;
}

/* Few: a call of memcpy() would take longer. */
static inline void copy(struct hg_past_frame *to, const struct hg_past_frame *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		__m128i frame = _mm_loadu_si128((const void *)&from[i]);
		__m128i more = _mm_loadu_si128((const void *)hg_past_more(&from[i]));

		_mm_storeu_si128((void *)&to[i], frame);
		_mm_storeu_si128((void *)hg_past_more(&to[i]), more);
	}
}

void hg_past_end_run(struct hg_past_walk *walk, const struct hg_past_frame *at)
{
	size_t count = (size_t)(at - walk->run);

	if (count) {
		copy(walk->next, walk->run, count);
		walk->next->sp = hg_past_sp(walk->next) | walk->run_flags;
		walk->next += count;
	}
	walk->run = NULL;
}

/* Returns the first of the frames that stay. If it does not follow the walk's last frame, that is
 * noted in it. */
static struct hg_past_frame *staying(struct hg_past_walk *walk)
{
	struct hg_past *past = walk->past;
	const struct hg_past_frame *frame = walk->run ? walk->run : walk->old;
	uintptr_t last = walk->next > past->fresh ? walk->next[-1].sp | HG_PAST_FLAGS : 0;
	struct hg_past_frame *first = &past->frames[frame - past->frames];

	if (walk->run) {
		first->sp = hg_past_sp(first) | walk->run_flags;
		return first;
	}
	while (first->sp <= last)
		first++;
	if (first < &past->frames[HG_PAST_FRAMES])
		first->sp = (first->sp & ~(uintptr_t)HG_PAST_LINK) | HG_PAST_NONE;
	return first;
}

void hg_past_keep(struct hg_past_walk *walk)
{
	struct hg_past *past = walk->past;
	uint32_t epoch, count, first;

	/* Nobody may use them if a signal's handler leaves this half done, by a jump. */
	epoch = past->epoch;
	past->epoch = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	first = (uint32_t)(staying(walk) - past->frames);
	count = (uint32_t)(walk->next - past->fresh);
	if (HG_UNLIKELY(count > first)) {
		uint32_t stay = HG_PAST_FRAMES - first, most = HG_PAST_FRAMES - SLACK - count;

		if (stay > most)
			stay = most;

		memmove(&past->frames[HG_PAST_FRAMES - stay], &past->frames[first],
			stay * sizeof(past->frames[0]));
		memmove(&past->more[HG_PAST_FRAMES - stay], &past->more[first],
			stay * sizeof(past->more[0]));
		first = HG_PAST_FRAMES - stay;
	}
	past->first = first - count;
	copy(&past->frames[past->first], past->fresh, count);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	past->epoch = epoch;
}
