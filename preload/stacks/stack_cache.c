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
#include "preload/stacks/unwind.h"

#define TRAILS (1u << HG_TRAIL_BITS) /* a thread */
#define LINE   64u

size_t hg_trail_size;

static uint32_t words_most(void)
{
	return 2u * hg_config.stack_depth;
}

/* Most where all are alone; of either kind there may be places left in the last step. */
static size_t trail_size(void)
{
	size_t packed = words_most() / HG_TRAIL_STEP * sizeof(struct hg_trail_words) +
			sizeof(struct hg_trail_words) + sizeof(struct hg_trail_pairs);

	return (sizeof(struct hg_cached_walk) + packed + LINE - 1) / LINE * LINE;
}

/* The trails, and behind them the words of the walk in progress. */
static void *make_trails(void)
{
	size_t trails = TRAILS * trail_size();
	size_t words = words_most() * sizeof(struct hg_cached_word);
	void *memory = hg_libc.mmap(NULL, trails + words, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	__atomic_store_n(&hg_trail_size, trail_size(), __ATOMIC_RELAXED);
	return memory;
}

struct hg_cached_walk *hg_stack_cache_find(const struct hg_frame *start, const void *caller,
					   uint32_t generation, uint32_t *id)
{
	struct hg_thread *thread = hg_thread();
	struct hg_cached_walk *trail;

	*id = 0;
	if (HG_UNLIKELY(!thread || (!thread->trails && !(thread->trails = make_trails()))))
		return NULL;
	hg_tls.trails = thread->trails;
	trail = hg_trail_of(thread->trails, start->sp, (uintptr_t)caller);
	if (HG_LIKELY(hg_trail_holds(trail, start, (uintptr_t)caller, generation))) {
		*id = trail->id;
		return trail;
	}
	trail->start.sp = 0;
	trail->count = 0;
	trail->bp_used = false;
	trail->room = words_most();
	trail->words =
	    (struct hg_cached_word *)(void *)((char *)thread->trails + TRAILS * hg_trail_size);
	return trail;
}

/* Whether this word and the next are neighbours in the stack. */
static bool is_pair(const struct hg_cached_walk *trail, uint32_t at)
{
	const struct hg_cached_word *word = &trail->words[at];

	return at + 1 < trail->count && (word[1].address == word->address + sizeof(uintptr_t) ||
					 word[1].address == word->address - sizeof(uintptr_t));
}

static uint32_t steps(uint32_t count)
{
	return (count + HG_TRAIL_STEP - 1) / HG_TRAIL_STEP;
}

static void put_pair(struct hg_trail_pairs *all, uint32_t i, const struct hg_cached_word *first,
		     uintptr_t sp)
{
	struct hg_trail_pairs *step = &all[i / HG_TRAIL_STEP];
	const struct hg_cached_word *low = first[1].address < first->address ? first + 1 : first;
	const struct hg_cached_word *high = low == first ? first + 1 : first;

	i %= HG_TRAIL_STEP;
	step->at[i] = (uint32_t)(low->address - sp);
	step->values[2 * i] = low->value;
	step->values[2 * i + 1] = high->value;
}

static void put_word(struct hg_trail_words *all, uint32_t i, const struct hg_cached_word *word,
		     uintptr_t sp)
{
	struct hg_trail_words *step = &all[i / HG_TRAIL_STEP];

	step->at[i % HG_TRAIL_STEP] = (uint32_t)(word->address - sp);
	step->values[i % HG_TRAIL_STEP] = word->value;
}

/*
 * In the form in which they are compared; the last of a kind also fills what is left of its step.
 * false: they do not fit into it.
 */
static bool pack(struct hg_cached_walk *trail, uintptr_t sp)
{
	struct hg_trail_pairs *pairs = (struct hg_trail_pairs *)(void *)trail->packed;
	const struct hg_cached_word *last_pair = NULL, *last_word = NULL;
	struct hg_trail_words *words;
	uint32_t paired = 0, alone = 0;

	for (uint32_t i = 0; i < trail->count; i++)
		if (trail->words[i].address - sp > UINT32_MAX)
			return false;
	for (uint32_t i = 0; i < trail->count; i += is_pair(trail, i) ? 2 : 1)
		paired += is_pair(trail, i);
	words = (struct hg_trail_words *)(void *)(pairs + steps(paired));
	trail->pairs_size = (uint32_t)((char *)words - (char *)pairs);
	paired = 0;
	for (uint32_t i = 0; i < trail->count; i++) {
		if (is_pair(trail, i)) {
			last_pair = &trail->words[i++];
			put_pair(pairs, paired++, last_pair, sp);
		} else {
			last_word = &trail->words[i];
			put_word(words, alone++, last_word, sp);
		}
	}
	trail->size = trail->pairs_size + steps(alone) * (uint32_t)sizeof(*words);
	while (paired % HG_TRAIL_STEP)
		put_pair(pairs, paired++, last_pair, sp);
	while (alone % HG_TRAIL_STEP)
		put_word(words, alone++, last_word, sp);
	return true;
}

void hg_stack_cache_keep(struct hg_cached_walk *trail, const struct hg_frame *start,
			 const void *caller, uint32_t generation, uint32_t id)
{
	if (!id || trail->count > trail->room || !pack(trail, start->sp))
		return;
	trail->start = *start;
	trail->caller = (uintptr_t)caller;
	trail->end = hg_tls.stack_end;
	trail->bp_mask = trail->bp_used ? ~(uintptr_t)0 : 0;
	trail->generation = generation;
	trail->id = id;
}
