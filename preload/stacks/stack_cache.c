/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises call stacks by comparing instead of walking: programs allocate in loops, from the same
 * frames. Each load of a walk depends on the one before it; those of a comparison do not.
 */
#include "preload/stacks/stack_cache.h"

#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/stacks/python.h"
#include "preload/stacks/unwind.h"

#define TRAILS (1u << HG_TRAIL_BITS) /* a thread */
#define LINE   64u

uint32_t hg_trail_size;

static uint32_t words_most(void)
{
	return 2u * hg_config.stack_depth;
}

/* Most where all are alone; of either kind there may be places left in the last step. */
static uint32_t trail_size(void)
{
	uint32_t packed = words_most() / HG_TRAIL_WORDS * (uint32_t)sizeof(struct hg_trail_words) +
			  (uint32_t)sizeof(struct hg_trail_words) +
			  (uint32_t)sizeof(struct hg_trail_pairs);

	return ((uint32_t)sizeof(struct hg_cached_walk) + packed + LINE - 1) / LINE * LINE;
}

/* Maps the trails, and behind them the words of the walk in progress. Returns NULL if there is no
 * memory. */
static void *make_trails(void)
{
	size_t trails = (size_t)TRAILS * trail_size();
	size_t words = words_most() * sizeof(struct hg_cached_word);
	void *memory = hg_libc.mmap(NULL, trails + words, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	__atomic_store_n(&hg_trail_size, trail_size(), __ATOMIC_RELAXED);
	return memory;
}

bool hg_stack_cache_begin(void)
{
	struct hg_thread *thread = hg_thread();

	if (!thread || (!thread->trails && !(thread->trails = make_trails())))
		return false;
	hg_tls.trails = thread->trails;
	return true;
}

/*
 * To keep a trail takes half as long as the walk. Programs that nearly always come from another
 * place, as recursive ones do (CPython's compiler), do not find them again: the more trails were
 * replaced that nobody had found, the fewer walks are kept, down to one of eight.
 */
#define UNUSED_MOST 3u
static bool is_to_be_kept(const struct hg_cached_walk *replaced)
{
	if (hg_tls.trails_passed_over + 1u < 1u << hg_tls.trails_unused) {
		hg_tls.trails_passed_over++;
		return false;
	}
	hg_tls.trails_passed_over = 0;
	if (!replaced->start.sp)
		return true;
	if (replaced->found)
		hg_tls.trails_unused = 0;
	else if (hg_tls.trails_unused < UNUSED_MOST)
		hg_tls.trails_unused++;
	return true;
}

struct hg_cached_walk *hg_stack_cache_find(const struct hg_frame *start, const void *caller,
					   uint32_t generation, uint32_t *id)
{
	struct hg_cached_walk *trail;

	*id = 0;
	if (HG_UNLIKELY(!hg_tls.trails && !hg_stack_cache_begin()))
		return NULL;
	trail = hg_trail_of(hg_tls.trails, start->sp, (uintptr_t)caller);
	if (HG_LIKELY(hg_trail_holds(trail, start, (uintptr_t)caller, generation)) &&
	    (HG_LIKELY(!trail->python) || hg_python_same(trail->python))) {
		*id = trail->id;
		trail->found = true;
		return trail;
	}
	return hg_stack_cache_place(start, caller);
}

struct hg_cached_walk *hg_stack_cache_place(const struct hg_frame *start, const void *caller)
{
	struct hg_cached_walk *trail;

	if (HG_UNLIKELY(!hg_tls.trails && !hg_stack_cache_begin()))
		return NULL;
	trail = hg_trail_of(hg_tls.trails, start->sp, (uintptr_t)caller);
	if (!is_to_be_kept(trail))
		return NULL;
	trail->start.sp = 0;
	trail->found = false;
	trail->marked_sp = 0;
	trail->count = 0;
	trail->bp_used = false;
	trail->room = words_most();
	trail->read = (struct hg_cached_word *)(void *)((char *)hg_tls.trails +
							(size_t)TRAILS * hg_trail_size);
	return trail;
}

/* Returns true if this word and the next are neighbours in the stack. */
static bool is_pair(const struct hg_cached_walk *trail, uint32_t at)
{
	const struct hg_cached_word *word = &trail->read[at];

	return at + 1 < trail->count && (word[1].address == word->address + sizeof(uintptr_t) ||
					 word[1].address == word->address - sizeof(uintptr_t));
}

static void put_pair(struct hg_trail_pairs *all, uint32_t i, const struct hg_cached_word *first,
		     uintptr_t sp)
{
	struct hg_trail_pairs *step = &all[i / HG_TRAIL_PAIRS];
	const struct hg_cached_word *low = first[1].address < first->address ? first + 1 : first;
	const struct hg_cached_word *high = low == first ? first + 1 : first;

	i %= HG_TRAIL_PAIRS;
	step->at[i] = (uint32_t)(low->address - sp);
	step->values[2 * i] = low->value;
	step->values[2 * i + 1] = high->value;
}

static void put_word(struct hg_trail_words *all, uint32_t i, const struct hg_cached_word *word,
		     uintptr_t sp)
{
	struct hg_trail_words *step = &all[i / HG_TRAIL_WORDS];

	step->at[i % HG_TRAIL_WORDS] = (uint32_t)(word->address - sp);
	step->values[i % HG_TRAIL_WORDS] = word->value;
}

/*
 * In the form in which they are compared; the last of a kind also fills what is left of its step.
 * false: they do not fit into it.
 */
static bool pack(struct hg_cached_walk *trail, uintptr_t sp, uintptr_t ip)
{
	struct hg_trail_pairs *pairs = (struct hg_trail_pairs *)(void *)trail->packed;
	const struct hg_cached_word *last_pair = NULL, *last_word = NULL;
	struct hg_trail_words *words;
	uint32_t paired = 0, alone = 0, odd = 0, steps;

	trail->last = 0;
	for (uint32_t i = 0; i < trail->count; i++) {
		uintptr_t at = trail->read[i].address - sp;

		if (is_pair(trail, i)) {
			uintptr_t other = trail->read[++i].address - sp;

			at = other > at ? other : at;
			paired++;
		}
		if (at > UINT32_MAX)
			return false;
		if (at > trail->last)
			trail->last = at;
	}
	steps = (paired + HG_TRAIL_PAIRS - 1) / HG_TRAIL_PAIRS;
	words = (struct hg_trail_words *)(void *)(pairs + steps);
	trail->alone = words;
	trail->half = NULL;
	trail->pairs = steps;
	if (paired % HG_TRAIL_PAIRS && paired % HG_TRAIL_PAIRS <= HG_TRAIL_PAIRS / 2)
		trail->half = &pairs[--trail->pairs];
	/* Places without an odd word have one that is known anyway: the return address itself. */
	trail->odd_at[0] = trail->odd_at[1] = -(uintptr_t)sizeof(ip);
	trail->odd[0] = trail->odd[1] = ip;
	paired = 0;
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct hg_cached_word *word = &trail->read[i];

		if (is_pair(trail, i)) {
			last_pair = word;
			put_pair(pairs, paired++, last_pair, sp);
			i++;
		} else if (odd < HG_COUNT(trail->odd)) {
			trail->odd_at[odd] = word->address - sp;
			trail->odd[odd++] = word->value;
		} else {
			last_word = word;
			put_word(words, alone++, last_word, sp);
		}
	}
	trail->words = (alone + HG_TRAIL_WORDS - 1) / HG_TRAIL_WORDS;
	trail->more = trail->half || trail->words;
	while (paired % HG_TRAIL_PAIRS)
		put_pair(pairs, paired++, last_pair, sp);
	while (alone % HG_TRAIL_WORDS)
		put_word(words, alone++, last_word, sp);
	return true;
}

void hg_stack_cache_keep(struct hg_cached_walk *trail, const struct hg_frame *start,
			 const void *caller, uint32_t generation, uint64_t python, uint32_t id)
{
	if (!id || trail->count > trail->room || !pack(trail, start->sp, start->ip))
		return;
	trail->start = *start;
	trail->caller = (uintptr_t)caller;
	trail->end = hg_tls.stack_end;
	trail->bp_mask = trail->bp_used ? ~(uintptr_t)0 : 0;
	trail->first[0] = start->bp;
	trail->first[1] = start->ip;
	trail->any[0] = ~trail->bp_mask;
	trail->any[1] = 0;
	trail->generation = generation;
	trail->python = python;
	trail->id = id;
}

/*
 * Marks only a walk that was found again and has no frames of Python, which are compared each time,
 * so that its words are known. Each of its words lies in the thread's own stack then, which stays
 * where it is while the thread is there; that they are readable was known when it was kept.
 */
void hg_stack_mark(const uintptr_t *frame, const void *caller, uint32_t id)
{
	uintptr_t sp = (uintptr_t)(frame + 2);
	struct hg_cached_walk *trail;

	if (!id || !hg_tls.trails)
		return;
	trail = hg_trail_of(hg_tls.trails, sp, (uintptr_t)caller);
	if (!trail->found || trail->python || trail->start.sp != sp ||
	    trail->start.ip != frame[1] || trail->caller != (uintptr_t)caller || trail->id != id ||
	    trail->generation != __atomic_load_n(&hg_stacks_generation, __ATOMIC_RELAXED) ||
	    trail->last >= hg_tls.room_end - sp)
		return;
	hg_tls.thread->trails_marked = true;
	trail->marked_sp = sp;
}

void hg_stack_unmark(void)
{
	struct hg_thread *thread = hg_tls.thread;

	if (!thread || !thread->trails_marked)
		return;
	for (uint32_t i = 0; i < TRAILS; i++)
		((struct hg_cached_walk *)(void *)((char *)thread->trails +
						   (size_t)i * hg_trail_size))
		    ->marked_sp = 0;
	thread->trails_marked = false;
}
