/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which words of memory are addresses, and the events `pointers` that say so. Each thread has a
 * buffer for what it reads and for the event.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_POINTER_WORDS_H
#define HIPGRAIN_PRELOAD_HIP_POINTER_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#define HG_POINTER_WORD  8u    /* bytes */
#define HG_POINTER_PIECE 4096u /* bytes that are examined at once */
/* Words of a launch or copy that are looked up in the process's mappings, where the GPU cannot use
 * what they lead to. */
#define HG_POINTER_MAPPED_FEW 16u
#define HG_POINTER_EVENT      1024u

struct hg_pointer_words {
	uint64_t words[HG_POINTER_PIECE / HG_POINTER_WORD]; /* what was read */
	uint64_t event[HG_POINTER_EVENT];
	uint32_t used;  /* words of the event */
	uint8_t source; /* of the event */
};

/* The calling thread's, at the beginning of so many bytes; NULL: there is no memory for it. */
#define HG_POINTER_BUFFER 32768u
struct hg_pointer_words *hg_pointer_words(void);

/*
 * What could be an address of the operating system's memory, and no number that is used much:
 * `all` of them, or those of a heap, a stack or a mapping as Linux places them on x86-64.
 */
bool hg_pointer_plausible(uint64_t word, bool all);

/*
 * Which of `all` words are addresses, into `found`, ascending; how many. `system`: of memory that
 * HIP knows nothing about, too. *mapped: how many words may still be looked up among the process's
 * mappings.
 */
uint32_t hg_pointer_words_pick(const uint64_t *words, uint32_t all, bool system, uint32_t *found,
			       uint32_t *mapped);

/*
 * Add to the event what was read at `address`: `size` bytes, in which the words `found` are
 * addresses. Records the event when it is full.
 */
void hg_pointer_words_add(struct hg_pointer_words *own, uint64_t address, const uint64_t *words,
			  uint32_t size, const uint32_t *found, uint32_t found_count);

/* Record the event, unless it is empty. */
void hg_pointer_words_send(struct hg_pointer_words *own);

#endif
