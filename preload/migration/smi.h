/* SPDX-License-Identifier: Apache-2.0 */
/* This records the page faults and migrations that the driver reports. */
#ifndef HIPGRAIN_PRELOAD_MIGRATION_SMI_H
#define HIPGRAIN_PRELOAD_MIGRATION_SMI_H

#include <stdbool.h>
#include <stdint.h>

/* ---- where the text comes from: smi_source.c ---- */

#define HG_SMI_SOURCES 64u

/* Returns a number for a GPU's place on the bus. */
static inline int64_t hg_smi_place(unsigned domain, unsigned bus, unsigned device,
				   unsigned function)
{
	return (int64_t)domain << 16 | (bus & 0xff) << 8 | (device & 0x1f) << 3 | (function & 7);
}

struct hg_smi_source {
	int fd;          /* nonblocking; closed by who got it */
	uint32_t gpu_id; /* by which its lines name the GPU; 0: any */
	int32_t device;  /* HIP's number of it, -1 if that is unknown */
	int64_t place;   /* hg_smi_place(); -1: not known */
	bool asks;       /* it accepts a mask of wanted events */
	bool others;     /* its lines may be about other processes */
};

/*
 * Asks for the events of all GPUs: the kernel's, the software GPU's, or what HIPGRAIN_SMI names
 * (for tests: a file or FIFO with lines of the driver's; or /dev/kfd, for the kernel's in any
 * case). `places` are those of HIP's `device_count` devices. Returns the number of sources in
 * `sources`; *problem (never NULL; static) says why there are none, or not all, or is "".
 */
unsigned hg_smi_open(struct hg_smi_source sources[HG_SMI_SOURCES], const int64_t *places,
		     int device_count, const char **problem);
/* Begins or ceases to want its events. */
void hg_smi_ask(const struct hg_smi_source *source, bool wanted);

/* ---- smi.c ---- */

/*
 * Begins, once, if something is recorded now and HIP has devices, at `places` on the bus. For a
 * later session it goes on, and says again where the events come from. Is called in hg_enter().
 */
void hg_smi_start(const int64_t *places, int count);

#endif
