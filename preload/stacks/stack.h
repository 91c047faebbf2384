/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks have numbers. */
#ifndef HIPGRAIN_PRELOAD_STACKS_STACK_H
#define HIPGRAIN_PRELOAD_STACKS_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a number that changes when ids that were given before are no longer valid. */
uint32_t hg_stack_generation(void);
void hg_stack_keep(void); /* from now on, remember the frames of ids for hg_stack_define() */
void hg_stack_define(uint32_t id); /* record what an id is, if that has not happened */
/* Words that stay, for what is to be recorded with such a stack, and their index; NULL: no room. */
uint64_t *hg_stack_words_take(uint32_t words, uint32_t *index);
const uint64_t *hg_stack_words_at(uint32_t index);
bool hg_stack_in_handler(void); /* of a signal, where that can be determined */
/*
 * Returns true if that signal came during a call in progress, whose frame is given, and not before
 * it: the handler may have made the call itself.
 */
bool hg_stack_in_handler_since(const char *frame);
/*
 * Returns the id of the calling thread's stack from `caller` (a return address into the
 * application) outwards; the stack is recorded if it is new. Needs hg_enter(). Returns 0 if there
 * is no stack to be had.
 */
uint32_t hg_stack_id(const void *caller);
/* Does the same for a thread on its own stack, from the frame of the interposed function, which is
 * two words. */
uint32_t hg_stack_id_of(const uintptr_t *frame, const void *caller);
/* Does the same for a stack that hg_stack_known_id() does not know (stack_cache.h). */
uint32_t hg_stack_id_walked(const uintptr_t *frame, const void *caller);

/*
 * Finds where the thread's stack ends, before its first event, with signals blocked, as the C
 * library allocates for that. If `anywhere` is true and a handler may have interrupted malloc(), it
 * cannot: it returns false, and the event is counted as given up.
 */
bool hg_thread_prepare(bool anywhere);

#endif
