/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks by number. */
#ifndef HIPGRAIN_PRELOAD_STACKS_STACK_H
#define HIPGRAIN_PRELOAD_STACKS_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Changes when ids that were given before are no longer valid. */
uint32_t hg_stack_generation(void);
void hg_stack_keep(void); /* from now on, remember the frames of ids for hg_stack_define() */
void hg_stack_define(uint32_t id); /* record what an id is, if that has not happened */
/* Words that stay, for what is to be recorded with such a stack, and their index; NULL: no room. */
uint64_t *hg_stack_words_take(uint32_t words, uint32_t *index);
const uint64_t *hg_stack_words_at(uint32_t index);
bool hg_stack_in_handler(void); /* of a signal, where that can be determined */
/*
 * The id of the calling thread's stack from `caller` (a return address into the application)
 * outwards, recorded if new. Needs hg_enter(). 0 if there is no stack to be had.
 */
uint32_t hg_stack_id(const void *caller);
/* The same of a thread on its own stack, from the frame of the interposed function: two words. */
uint32_t hg_stack_id_of(const uintptr_t *frame, const void *caller);
/* The same of one that hg_stack_known_id() does not know (stack_cache.h). */
uint32_t hg_stack_id_walked(const uintptr_t *frame, const void *caller);

/*
 * Where the thread's stack ends is found before its first event, with signals blocked, as the C
 * library allocates for that. Of an event in a handler that may have interrupted malloc()
 * (`anywhere`) it cannot: then false, and the event is counted as given up.
 */
bool hg_thread_prepare(bool anywhere);

#endif
