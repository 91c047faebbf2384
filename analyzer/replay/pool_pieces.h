/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of memory that programs' own pools give out (hipgrain(3)), by address. What they say may
 * be wrong in any way: a piece lies within one allocation, no two overlap, and there are at most
 * POOL_PIECES_MOST.
 */
#ifndef HIPGRAIN_POOL_PIECES_H
#define HIPGRAIN_POOL_PIECES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/replay/address_space.h"

#define POOL_PIECES_MOST 1000000u

struct pool_piece {
	uint64_t
	    ptr; /* must stay the first member: it is the key of the trees; the host's address */
	uint64_t size;
	struct allocation *block; /* in which it lies; a reference */
	char *pool, *name;        /* printable; NULL: none */
	int64_t ns;
	int32_t tid;
	uint32_t stack_id;
	unsigned references;
	bool seen; /* it was there when the program looked: names memory, and judges no access */

	/* It was given back to its pool. */
	bool freed;
	int32_t free_tid;
	uint32_t free_stack_id;
	int64_t free_ns;
};

struct pool_pieces {
	GTree *live;
	GTree *gone; /* where no other piece came since */
	/* Annotations that say what cannot be, of each kind. */
	uint64_t outside, overlapping, unknown, unnamed, left_out;
};

void pool_pieces_init(struct pool_pieces *pieces);
void pool_pieces_clear(struct pool_pieces *pieces);

struct pool_piece *pool_piece_ref(struct pool_piece *piece);
void pool_piece_unref(struct pool_piece *piece);

/*
 * Returns the live piece that holds an address of the host in `block`, or else the one that held it
 * last, or NULL.
 */
struct pool_piece *pool_piece_at(const struct pool_pieces *pieces, const struct allocation *block,
				 uint64_t address);

/* Returns the live piece of `block` that holds the byte, or ends latest before it; or NULL. */
const struct pool_piece *pool_piece_before(const struct pool_pieces *pieces,
					   const struct allocation *block, uint64_t address);

struct process;
struct hg_event;

/* Applies an `annotation` event about memory. */
void pool_pieces_event(struct process *process, const struct hg_event *event);

#endif
