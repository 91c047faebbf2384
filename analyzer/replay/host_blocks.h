/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of the C library by address, in as little memory as possible: a program can have tens of
 * millions of them, of which nothing but their place ever matters. A set is a sequence of records
 * in order of address, in pieces of some thousand bytes: adding, removing and finding one takes the
 * logarithm of their number.
 */
#ifndef HIPGRAIN_HOST_BLOCKS_H
#define HIPGRAIN_HOST_BLOCKS_H

#include <glib.h>
#include <stdint.h>

struct host_block {
	uint64_t ptr;
	uint32_t size, stack_id;
	int64_t ns;
	int32_t tid;
	uint8_t api, free_api; /* HG_API_NAME; those of the host are below 100 */
	/* Of those that were released; sets of living ones are without it. */
	int64_t free_ns;
	int32_t free_tid;
	uint32_t free_stack_id;
};

struct host_blocks {
	GTree *pieces; /* by the lowest address that belongs into each */
	size_t record; /* bytes of a record that are kept */
	uint64_t count;
	struct piece *recent; /* the one used last, NULL when pieces came or went; ... */
	uint64_t recent_last; /* ... and the last address that belongs into it */
	uint32_t latest;      /* what the latest search in a piece found */
};

/* For records that are released, or only for those that are not. */
void host_blocks_init(struct host_blocks *set, gboolean released);
void host_blocks_destroy(struct host_blocks *set);

/* Nothing may begin at that address. */
void host_blocks_add(struct host_blocks *set, const struct host_block *block);
void host_blocks_remove(struct host_blocks *set, uint64_t ptr);

/*
 * The block with the greatest address up to, or the least from, the one given; NULL without one.
 * Valid until the set changes. Of a set of living ones only what comes before free_ns is there.
 */
struct host_block *host_blocks_floor(struct host_blocks *set, uint64_t address);
struct host_block *host_blocks_ceiling(struct host_blocks *set, uint64_t address);

/* All of them, in order of address. `each` must not change the set. */
void host_blocks_each(const struct host_blocks *set,
		      void (*each)(const struct host_block *, void *), void *data);

#endif
