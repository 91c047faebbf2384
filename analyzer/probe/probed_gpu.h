/* SPDX-License-Identifier: Apache-2.0 */
/* Queries the HIP runtime, and the HSA runtime below it, for what the memory model asks of a GPU.
 */
#ifndef HIPGRAIN_PROBE_PROBED_GPU_H
#define HIPGRAIN_PROBE_PROBED_GPU_H

#include "analyzer/model/model.h"
#include "hip_calls.h"
#include "link.h"

/*
 * Stores the conditions of the model for GPU number `gpu` of HIP's, of target id `arch`, whose link
 * to the host is `link`; -1 where the runtime does not know. To be called in the process whose
 * runtime is initialised, with its environment.
 */
void probe_machine(const struct hip *hip, int gpu, const char *arch, const struct host_link *link,
		   struct model_environment *environment);

#endif
