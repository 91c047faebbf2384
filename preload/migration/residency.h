/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the pages of large host blocks and of managed memory are, sampled when the program waits
 * for the GPU (HIPGRAIN_RESIDENCY; docs/memory-model.md#residency). The cost of a sample is
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
 * Set by the code that can query the runtime for where a range of managed memory was last
 * prefetched to (hipMemRangeAttributeLastPrefetchLocation). *known: the query succeeded.
 */
extern int32_t (*hg_residency_last_prefetch)(uint64_t ptr, uint64_t size, bool *known);

/* An allocation begins or ends; `managed`: the runtime can be queried about it. */
void hg_residency_add(uint64_t ptr, uint64_t size, bool managed);
void hg_residency_remove(uint64_t ptr, uint64_t size); /* whatever overlaps [ptr, ptr + size) */
/* A prefetch was requested: the last prefetch that the runtime reported may be out of date. */
void hg_residency_prefetched(void);
/* The program has waited by this call: take a sample if it is time. Needs hg_enter(). */
void hg_residency_waited(uint16_t api);

#endif
