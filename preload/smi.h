/* SPDX-License-Identifier: Apache-2.0 */
/* Recording what the driver tells of pages that fault and move. */
#ifndef HIPGRAIN_PRELOAD_SMI_H
#define HIPGRAIN_PRELOAD_SMI_H

#include <stdbool.h>
#include <stdint.h>

/* ---- where the text comes from: smi_source.c ---- */

#define HG_SMI_SOURCES 64u

struct hg_smi_source {
	int fd;          /* nonblocking; closed by who got it */
	uint32_t gpu_id; /* by which its lines name the GPU */
	int32_t device;  /* HIP's number of it, -1 if that can't be told */
};

/*
 * Ask for the events of all GPUs: the kernel's, the software GPU's, or what HIPGRAIN_SMI names (a
 * file or FIFO with lines of the driver's, for tests). The number of sources in `sources`; *problem
 * (never NULL) says why there are none, or not all, else "". `devices`: that HIP has.
 */
unsigned hg_smi_open(struct hg_smi_source sources[HG_SMI_SOURCES], int devices,
		     const char **problem);

/* ---- smi.c ---- */

/* Begin, once, if something is recorded now and HIP has `devices`. In hg_enter(). */
void hg_smi_start(int devices);
/* Whether a descriptor is this thread's, which the program must not close. */
bool hg_smi_owns(int fd);
/* In a forked child: the thread is gone, and its descriptors are the parent's. */
void hg_smi_reset(void);

#endif
