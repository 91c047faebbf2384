/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds words of memory that are addresses, and makes the events `pointers` that say so. Each
 * thread has a buffer for what it reads and for the event.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_POINTER_WORDS_H
#define HIPGRAIN_PRELOAD_HIP_POINTER_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#define HG_POINTER_WORD  8u    /* bytes */
#define HG_POINTER_PIECE 4096u /* bytes that are examined at once */
/* At most so many words of a launch or copy are looked up in the process's mappings, where the GPU
 * cannot use what they lead to. */
#define HG_POINTER_MAPPED_FEW 16u
#define HG_POINTER_EVENT      1024u

struct hg_pointer_words {
	uint64_t words[HG_POINTER_PIECE / HG_POINTER_WORD]; /* the words that were read */
	uint64_t event[HG_POINTER_EVENT];
	uint32_t used;  /* words of the event */
	uint8_t source; /* of the event */
};

/* Returns the calling thread's, at the beginning of so many bytes, or NULL if there is no memory
 * for it. */
#define HG_POINTER_BUFFER 32768u
struct hg_pointer_words *hg_pointer_words(void);

/*
 * Returns true if the word could be an address of the operating system's memory, and is no number
 * that is used much. With `all` that may be any memory; otherwise only a heap, a stack or a mapping
 * as Linux places them on x86-64.
 */
bool hg_pointer_plausible(uint64_t word, bool all);

/*
 * Finds which of `all` words are addresses, puts their numbers into `found`, ascending, and returns
 * how many they are. With `system` these may be of memory that HIP knows nothing about. *mapped
 * says how many words may still be looked up among the process's mappings; it is counted down.
 */
uint32_t hg_pointer_words_pick(const uint64_t *words, uint32_t all, bool system, uint32_t *found,
			       uint32_t *mapped);

/*
 * Adds to the event what was read at `address`: `size` bytes, in which the words `found` are
 * addresses. Records the event when it is full.
 */
void hg_pointer_words_add(struct hg_pointer_words *own, uint64_t address, const uint64_t *words,
			  uint32_t size, const uint32_t *found, uint32_t found_count);

/*
 * Adds the small numbers among `size` bytes that were read of `address` to the runs of one dword
 * (address, bytes, dword), of which there are at most `most`. Words that are, or may be, addresses
 * are none: `found` as of hg_pointer_words_pick(). Returns how many words of `runs` are used then;
 * none are added where numbers may not be recorded.
 */
uint32_t hg_pointer_numbers(const uint64_t *words, uint64_t address, uint64_t size,
			    const uint32_t *found, uint32_t picked, uint64_t *runs, uint32_t used,
			    uint32_t most);

/* Records the event, unless it is empty. */
void hg_pointer_words_send(struct hg_pointer_words *own);

#endif
