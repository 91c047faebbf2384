/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This samples where the pages of large host blocks and of managed memory are, when the program
 * waits for the GPU (HIPGRAIN_RESIDENCY; docs/memory-model.md#residency). The cost of a sample is
 * bounded: the number of allocations and of pages is limited.
 */
#ifndef HIPGRAIN_PRELOAD_MIGRATION_RESIDENCY_H
#define HIPGRAIN_PRELOAD_MIGRATION_RESIDENCY_H

#include <stdbool.h>
#include <stdint.h>

#define HG_RESIDENCY_LEAST  65536u /* bytes: smaller blocks are not followed */
#define HG_RESIDENCY_RANGES 256u   /* allocations that are followed at a time */
#define HG_RESIDENCY_PAGES  16384u /* entries of the page table read in a round, and 16 for each */

/*
 * The code that can query the runtime sets this. It returns to which device a range of managed
 * memory was last prefetched (hipMemRangeAttributeLastPrefetchLocation). *known becomes true if the
 * runtime was asked.
 */
extern int32_t (*hg_residency_last_prefetch)(uint64_t ptr, uint64_t size, bool *known);

/* These follow an allocation from its begin to its end; `managed` is true if the runtime can be
 * queried about it. */
void hg_residency_add(uint64_t ptr, uint64_t size, bool managed);
void hg_residency_remove(uint64_t ptr, uint64_t size); /* whatever overlaps [ptr, ptr + size) */
/* Notes that a prefetch was requested: the last prefetch that the runtime reported may be out of
 * date. */
void hg_residency_prefetched(void);
/* Takes a sample if it is time, when the program has waited by this call. Needs hg_enter(). */
void hg_residency_waited(uint16_t api);

#endif
