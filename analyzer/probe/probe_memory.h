/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of each row of placements.def. */
#ifndef HIPGRAIN_PROBE_PROBE_MEMORY_H
#define HIPGRAIN_PROBE_PROBE_MEMORY_H

#include "hip_calls.h"
#include "probe.h"

#define PROBE_BYTES (1u << 20)

struct probe_block {
	const struct probe_placement *placement;
	void *host;   /* as the host addresses it; NULL: hipMemcpy() only */
	void *device; /* as kernels address it */
};

/* 0, a hipError_t, or -1: this runtime has no such function. PROBE_BYTES, on the current GPU. */
int probe_allocate(const struct hip *hip, const struct probe_placement *placement, int gpu,
		   struct probe_block *block);

/* Releases a block; does nothing for one that could not be allocated. */
void probe_release(const struct hip *hip, struct probe_block *block);

/* Returns the enum granularity that the runtime reports; GRAIN_UNKNOWN if it reports neither. */
int probe_granularity(const struct hip *hip, const struct probe_block *block);

#endif
