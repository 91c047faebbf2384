/* SPDX-License-Identifier: Apache-2.0 */
/* What the HSA runtime below HIP is queried for. */
#ifndef HIPGRAIN_PRELOAD_GPU_GPU_H
#define HIPGRAIN_PRELOAD_GPU_GPU_H

#include <stdbool.h>

/* A function of the HSA runtime below HIP, if it is loaded; else NULL. */
void *hg_hsa_query(const char *name);
/* Returns true if an address lies in a library of that name. */
bool hg_hsa_is_runtime(const void *address);
/*
 * hsa_amd_link_info_type_t between the GPUs and host memory, and whether it carries any atomics;
 * -1 if unknown or not all alike.
 */
int hg_hsa_host_link(int *atomics);
/* Whether the GPUs share their memory with the CPU: 1 all, 0 none, -1 unknown or not all alike. */
int hg_hsa_apus(void);
/*
 * Records faults of GPUs from now on; this happens once. The HSA runtime is up. `first` is true if
 * somebody else is about to register a handler of such events.
 */
void hg_hsa_watch_faults(bool first);
/* Returns HIP's number of the GPU with this agent, or -1 (gpu_fault.c). */
int hg_gpu_ordinal(uint64_t agent);
/* The same of stale reads, which only the software GPU can see. */
void hg_hsa_watch_stale_reads(void);

#endif
