/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These functions change the program's memory on request (HIPGRAIN_FIX, of `hipgrain run --fix`):
 * they make managed memory that a launch is given coarse-grained or prefetch it, and move
 * allocations to the bounds of migration blocks. Each action is an event
 * (tracer/migration_events.h). Nothing of it happens where nothing is recorded.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_FIX_H
#define HIPGRAIN_PRELOAD_HIP_FIX_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hip/record_launch.h"
#include "preload/hip/hip_registry.h"
#include "tracer/events.h"

#define HG_FIX_MANAGED_LEAST ((size_t)64 << 10)

/* Records what is to be done, when the process first uses HIP, and again for another session. */
void hg_fix_begin(void);

/*
 * Puts into launch->fixes which fixes the launch calls for. `bytes` are its arguments as far as
 * they are known. The caller holds hg_hip_lock() and has called hg_hip_enter().
 */
void hg_fix_note(struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
		 const uint8_t *bytes, uint32_t length, uint8_t status);
/* Carries them out on `device`, and records them. Needs hg_hip_enter(), and no lock of ours. */
void hg_fix_apply(struct hg_hip_launch *launch, int device);

/*
 * These serve hipMallocManaged(): the first returns how many bytes to ask the runtime for, the
 * second returns the address that the program gets for what the runtime gave, and the third forgets
 * that address and returns what the runtime is to release for it.
 */
size_t hg_fix_managed_size(size_t size);
void *hg_fix_managed(void *given, size_t size);
void *hg_fix_release(void *ptr);
/* Remembers the address again, because its release failed: it will come again. */
void hg_fix_kept(void *ptr, void *given);

#endif
