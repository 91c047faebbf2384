/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This reads the memory that a launch's arguments lead to: it decides which places the host can
 * read, what is read of them, and what the pointers there lead to.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_POINTER_READS_H
#define HIPGRAIN_PRELOAD_HIP_POINTER_READS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/hip/hip_places.h"
#include "preload/hip/pointer_words.h"
#include "tracer/events.h"

#define HG_READ_WINDOWS   128u  /* places that are read */
#define HG_READ_ROOT_SIZE 2048u /* bytes from where an argument leads */
#define HG_READ_WORDS     256u  /* that are read one by one, by the paths to them */
#define HG_READ_WIDTH     64u   /* pointers that one step of a path is made from */
#define HG_READ_BLOCKS    32u   /* of device memory that a launch leads through */
#define HG_READ_NUMBERS   32u   /* runs of them ... */
#define HG_READ_STRUCTURE 512u  /* ... in structures of at most so many bytes */

struct hg_pointer_window {
	uint64_t address, host; /* the GPU's, and where the host reads it */
	uint32_t size;
	uint8_t check; /* its pages may be on a GPU */
	uint8_t large; /* of a large allocation: read last */
};

/* These are the pointers that steps of a path have reached. */
struct hg_pointer_level {
	uint32_t count;
	uint64_t address[HG_READ_WIDTH];
};

/* This belongs to a thread: it has its buffer, and what a launch of its reads. */
struct hg_pointer_reads {
	struct hg_pointer_words out;
	bool system; /* the device can use memory that HIP knows nothing about */
	uint32_t window_count;
	struct hg_pointer_window windows[HG_READ_WINDOWS];
	struct {
		uint64_t address, value; /* 0: no address */
	} read[HG_READ_WORDS];
	uint32_t read_count, mapped; /* words that may still be looked up in the mappings */
	int pagemap;                 /* negative until it is needed */
	uint64_t blocks[HG_READ_BLOCKS];
	uint32_t block_count, block_done;
	uint64_t found, hash; /* of addresses and numbers */
	/* Small numbers beside the pointers, which may choose among these: runs of one dword. */
	uint64_t numbers[3 * HG_READ_NUMBERS];
	uint32_t numbers_used;
	/* By the number of steps; of the path that is, or was, followed. */
	struct hg_pointer_level level[HG_PLACES_STEPS + 1];
	uint32_t chosen_left; /* bytes that may still be read where an index chooses the word */
	/* The arguments, and the paths from them to what the kernel loads; NULL: unknown. */
	const struct hg_places *places;
	uint8_t arguments[HG_ARGS_MAX];
	uint32_t length;
};
_Static_assert(sizeof(struct hg_pointer_reads) <= HG_POINTER_BUFFER, "a buffer");

/* Returns the calling thread's, or NULL if there is no memory for it. */
struct hg_pointer_reads *hg_pointer_reads(void);

/* Begins without anything read, for a launch on a device that can, or cannot, use the system's
 * memory. */
void hg_pointer_reads_begin(struct hg_pointer_reads *own, bool system);
void hg_pointer_reads_end(struct hg_pointer_reads *own);

/* Notes a place to be read, of at most so many bytes; or, if it is device memory, what that leads
 * to. */
void hg_pointer_reads_place(struct hg_pointer_reads *own, uint64_t address, uint32_t most);

/*
 * Returns where the host can read what the GPU has at an address, of *size bytes at most so many;
 * 0: nowhere. *check becomes true if its pages may be on a GPU. Notes what leads through device
 * memory.
 */
uint64_t hg_pointer_reads_host(struct hg_pointer_reads *own, uint64_t address, uint64_t *size,
			       bool *check);
/* Copies from the host's `address` on what can be read without moving a page; returns how many
 * bytes. */
size_t hg_pointer_reads_copy(struct hg_pointer_reads *own, uint64_t address, size_t size,
			     bool check, void *to);

/* Keeps the numbers among what was read of a small structure; `found` are the addresses in it. */
void hg_pointer_reads_numbers(struct hg_pointer_reads *own, uint64_t address, uint64_t size,
			      const uint32_t *found, uint32_t picked);
/* Records them. */
void hg_pointer_reads_send_numbers(struct hg_pointer_reads *own);

/* Notes what the device's variables lead to, which any kernel uses. */
void hg_pointer_reads_variables(struct hg_pointer_reads *own);

/* Reads what the kernel's paths lead to, and notes places that are to be read (pointer_paths.c). */
void hg_pointer_reads_paths(struct hg_pointer_reads *own);

/* Reads the places, and what pointers in them lead to. */
void hg_pointer_reads_places(struct hg_pointer_reads *own);

#endif
