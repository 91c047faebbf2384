/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of the C library by address, live ones and those that were released and whose place
 * nothing else has taken since, in as little memory as possible: a program can have tens of
 * millions of them, of which nothing but their place ever matters. No two overlap. A set is a
 * sequence of records in order of address, in pieces of some thousand bytes: adding, removing and
 * finding one takes the logarithm of their number. Most programs get the same addresses again and
 * again, so that most records are written over where they lie.
 */
#ifndef HIPGRAIN_HOST_BLOCKS_H
#define HIPGRAIN_HOST_BLOCKS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct host_block {
	uint64_t ptr;
	uint32_t size, stack_id; /* bytes; one of none takes up its address all the same */
	int64_t ns;
	int32_t tid;
	uint8_t api, free_api; /* HG_API_NAME; those of the host are below 100 */
	bool released;         /* the members below count only then */
	int64_t free_ns;
	int32_t free_tid;
	uint32_t free_stack_id;
};

#define HOST_BLOCKS_RECENT 8u

struct host_blocks {
	GTree *pieces;           /* by the lowest address that belongs into each */
	uint64_t live, released; /* so many are */
	/* Blocks were here lately; threads have them in regions of their own. All are NULL when
	 * pieces came or went. */
	struct {
		struct piece *piece;
		uint64_t last; /* address that belongs into it */
	} recent[HOST_BLOCKS_RECENT];
	/* Found or added last, and where it is; NULL when any was removed or records moved. */
	struct host_block *latest;
	struct piece *latest_piece;
};

void host_blocks_init(struct host_blocks *set);
void host_blocks_destroy(struct host_blocks *set);

/*
 * Add a live one. Those that it overlaps end; returns how many of them were live. Pointers to
 * blocks are valid until then.
 */
uint64_t host_blocks_add(struct host_blocks *set, const struct host_block *block);

/* Returns the live one that begins at `ptr`, or NULL; it is valid until one is added or removed. */
struct host_block *host_blocks_live(struct host_blocks *set, uint64_t ptr);

/* Returns the live or the released one that the address lies in, or NULL; it is valid likewise. */
struct host_block *host_blocks_holding(struct host_blocks *set, uint64_t address, bool released);

/* The first live one that overlaps [start, end), or NULL; valid likewise. */
struct host_block *host_blocks_overlapping(struct host_blocks *set, uint64_t start, uint64_t end);

/* A live one, found before, is released: of `how` its free_ members count. */
void host_blocks_release(struct host_blocks *set, struct host_block *block,
			 const struct host_block *how);

/* Remove one, found before. */
void host_blocks_remove(struct host_blocks *set, const struct host_block *block);

/* Remove all live, or all released ones that overlap [start, end); returns how many. */
uint64_t host_blocks_drop(struct host_blocks *set, uint64_t start, uint64_t end, bool released);

/* Visits all live, or all released ones, in order of address. `each` must not change the set. */
void host_blocks_each(const struct host_blocks *set, bool released,
		      void (*each)(const struct host_block *, void *), void *data);

#endif
