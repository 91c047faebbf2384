/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder does to the program's memory on request (HIPGRAIN_FIX, of
 * `hipgrain run --fix`): managed memory that a launch is given is made coarse-grained or
 * prefetched, and allocations are moved to the bounds of migration blocks. Each action is an event
 * (tracer/migration_events.h). Nothing of it happens where nothing is recorded.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_FIX_H
#define HIPGRAIN_PRELOAD_HIP_FIX_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hip/hip_launch.h"
#include "preload/hip/hip_registry.h"
#include "tracer/events.h"

#define HG_FIX_MANAGED_LEAST ((size_t)64 << 10)

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
