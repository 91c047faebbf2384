/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This keeps totals by call stack of the host's blocks below the threshold (hipgrain record
 * --totals): how many, how large, how many of them were freed, without an event each.
 */
#ifndef HIPGRAIN_PRELOAD_HOST_SMALL_BLOCK_STATS_H
#define HIPGRAIN_PRELOAD_HOST_SMALL_BLOCK_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"

/* Blocks are counted up to this size: the rest of a word holds the stack's number. */
#define HG_SMALL_BLOCKS_LIMIT HG_TOTALS_MAX

/*
 * A set of totals by stack, filled by one thread and read by any. A table is never unmapped: when
 * it grows, a reader may still be in the old one.
 */
struct hg_small_blocks;

bool hg_small_blocks_count(void); /* returns true if blocks are counted now */

/* Counts a new block of `size` requested bytes. Needs hg_enter(). */
void hg_small_blocks_alloc(uint16_t api, const void *ptr, size_t size, uint32_t stack_id);

/* Counts a block that is about to be freed. Needs hg_tls.busy. A block that was never counted is
 * ignored. */
void hg_small_blocks_free(const void *ptr);

/*
 * These do the same in two steps, for realloc(), whose effect is known only when it returns: the
 * first takes out what is known of a block, which the others put back or count as freed. It returns
 * 0 if nothing is known.
 */
uint32_t hg_small_blocks_take(const void *ptr);
void hg_small_blocks_put(const void *ptr, uint32_t taken);
void hg_small_blocks_count_freed(uint32_t taken);

#endif
