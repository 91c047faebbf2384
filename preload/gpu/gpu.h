/* SPDX-License-Identifier: Apache-2.0 */
/* These query the HSA runtime below HIP. */
#ifndef HIPGRAIN_PRELOAD_GPU_GPU_H
#define HIPGRAIN_PRELOAD_GPU_GPU_H

#include <stdbool.h>

/* Returns a function of the HSA runtime below HIP, or NULL if that is not loaded or has no such
 * function. */
void *hg_hsa_query(const char *name);
/* Returns true if an address lies in a library of that name. */
bool hg_hsa_is_runtime(const void *address);
/*
 * Returns the hsa_amd_link_info_type_t between the GPUs and host memory, or -1 if it is unknown or
 * not all are alike. *atomics is set likewise: 1 if the link carries any atomics, 0 if none.
 */
int hg_hsa_host_link(int *atomics);
/* Returns 1 if all GPUs share their memory with the CPU, 0 if none does, -1 if it is unknown or not
 * all are alike. */
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
/* Records what its checks of memory accesses find, likewise. */
void hg_hsa_watch_checks(void);

#endif
