/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Totals by call stack of the host's blocks below the threshold (hipgrain record --totals): how
 * many, how large, how many of them were freed, without an event each.
 */
#ifndef HIPGRAIN_PRELOAD_HOST_SMALL_BLOCK_STATS_H
#define HIPGRAIN_PRELOAD_HOST_SMALL_BLOCK_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"

/* Blocks are counted up to this size: what it leaves of a word holds the stack's number. */
#define HG_SMALL_BLOCKS_LIMIT HG_TOTALS_MAX

/*
 * A set of totals by stack, filled by one thread and read by any. A table is never unmapped: when
 * it grows, a reader may still be in the old one.
 */
struct hg_small_blocks;

bool hg_small_blocks_count(void); /* whether anything is counted at the moment */

/* A block came to be, of `size` bytes requested. Needs hg_enter(). */
void hg_small_blocks_alloc(uint16_t api, const void *ptr, size_t size, uint32_t stack_id);

/* It is about to be freed. Needs hg_tls.busy. A block that was never counted is ignored. */
void hg_small_blocks_free(const void *ptr);

/*
 * The same in two steps, for realloc(), whose effect is known only when it returns: what is known
 * of a block is taken out, and is either returned or counted as freed. 0: nothing is known.
 */
uint32_t hg_small_blocks_take(const void *ptr);
void hg_small_blocks_put(const void *ptr, uint32_t taken);
void hg_small_blocks_count_freed(uint32_t taken);

#endif
