/* SPDX-License-Identifier: Apache-2.0 */
/* The link between a GPU and host memory. */
#ifndef HIPGRAIN_PROBE_LINK_H
#define HIPGRAIN_PROBE_LINK_H

#include "hip_calls.h"

struct host_link {
	int type;    /* hsa_amd_link_info_type_t; -1: unknown */
	int atomics; /* true if it carries any; -1: unknown */
	int apu;     /* true if GPU and CPU share one memory; -1: this runtime does not know */
};

/* Describes the link of the GPU that HIP gives that number, in this process, whose runtime is
 * initialised. */
void probe_host_link(const struct hip *hip, int gpu, struct host_link *link);

#endif
