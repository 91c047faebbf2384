/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder does to the program's memory when it was asked to (HIPGRAIN_FIX, of
 * `hipgrain run --fix`): managed memory that a launch is given is made coarse-grained or
 * prefetched, and allocations are moved to the bounds of migration blocks. Each action is an event
 * (tracer/migration_events.h). Nothing of it happens where nothing is recorded.
 */
#ifndef HIPGRAIN_PRELOAD_FIX_H
#define HIPGRAIN_PRELOAD_FIX_H

#include "hip.h"

/* What the driver moves at a fault; KFD's default granularity of 2^9 pages (memory-model.md F.4).
 */
#define HG_FIX_BLOCK ((size_t)2 << 20)
/* Smaller allocations are left where they are: what is lost to rounding would be most of it. */
#define HG_FIX_HOST_LEAST    ((size_t)1 << 20)
#define HG_FIX_MANAGED_LEAST ((size_t)64 << 10)

/* From the environment, once: hg_config.fixes, and what HIPGRAIN_FIX_PLAN names. */
void hg_fix_init(void);
/* Record what is to be done, when the process first uses HIP, and again for another session. */
void hg_fix_begin(void);

/*
 * Which fixes the launch calls for, into launch->fixes. `bytes`: its arguments as far as known.
 * Under hg_hip_lock(), with hg_hip_enter().
 */
void hg_fix_note(struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
		 const uint8_t *bytes, uint32_t length, uint8_t status);
/* Carry them out, and record them. Needs hg_hip_enter(), and no lock of ours. `device`: where. */
void hg_fix_apply(struct hg_hip_launch *launch, int device);

/* Whether an allocation of the host's is to begin at a block's bound. */
static inline bool hg_fix_aligns(size_t size)
{
	return HG_UNLIKELY(hg_config.fixes & HG_FIX_ALIGN) && size >= HG_FIX_HOST_LEAST &&
	       size <= SIZE_MAX - HG_FIX_BLOCK;
}
static inline size_t hg_fix_round(size_t size)
{
	return (size + HG_FIX_BLOCK - 1) & ~(HG_FIX_BLOCK - 1);
}
/* Record that an allocation of `size` bytes, of at least `least`, got whole blocks of its own. */
void hg_fix_aligned(void *ptr, size_t size, size_t least, const void *caller);

/*
 * hipMallocManaged: how many bytes to ask the runtime for; then the address that the program gets,
 * for what the runtime gave; and what the runtime is to release for that address, forgotten by it.
 */
size_t hg_fix_managed_size(size_t size);
void *hg_fix_managed(void *given, size_t size);
void *hg_fix_release(void *ptr);
/* The release failed: it will come again. */
void hg_fix_kept(void *ptr, void *given);

#endif
