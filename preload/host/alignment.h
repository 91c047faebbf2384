/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations that are moved to the bounds of migration blocks (HIPGRAIN_FIX=align; hip/fix.h). */
#ifndef HIPGRAIN_PRELOAD_HOST_ALIGNMENT_H
#define HIPGRAIN_PRELOAD_HOST_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/core/base.h"
#include "tracer/events.h"
#include "tracer/migration_events.h"

/* The driver moves so many bytes at a fault: KFD's default granularity of 2^9 pages
 * (docs/memory-model.md#migration). */
#define HG_FIX_BLOCK ((size_t)2 << 20)
/* Smaller allocations are left where they are: most of their memory would be lost to rounding. */
#define HG_FIX_HOST_LEAST ((size_t)1 << 20)

/* Returns true if an allocation of the host's is to begin at a block's bound. */
static inline bool hg_fix_aligns(size_t size)
{
	return HG_UNLIKELY(hg_config.fixes & HG_FIX_ALIGN) && size >= HG_FIX_HOST_LEAST &&
	       size <= SIZE_MAX - HG_FIX_BLOCK;
}
static inline size_t hg_fix_round(size_t size)
{
	return (size + HG_FIX_BLOCK - 1) & ~(HG_FIX_BLOCK - 1);
}
/* Records that an allocation of `size` bytes got whole blocks. Needs hg_enter(). */
void hg_fix_record_aligned(const void *ptr, size_t size, const void *caller);
/* Records that an allocation of `size` bytes got whole blocks of its own, if it did and is at least
 * `least` bytes large. Keeps errno. */
void hg_fix_aligned(void *ptr, size_t size, size_t least, const void *caller);

#endif
