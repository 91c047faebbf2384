/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU that topology.c and drm.c describe. Sizes and clocks are plausible, not measured. */
#ifndef SOFTKFD_CHIP_H
#define SOFTKFD_CHIP_H

#include <stdint.h>

#define KFD_ENGINE_MHZ     1700u
#define KFD_MEMORY_MHZ     1600u
#define KFD_MEMORY_BITS    4096u

#define KFD_UNIQUE_ID(gpu) (UINT64_C(0x50f7690000000001) + (gpu))

struct kfd_chip {
	const char *name; /* as the driver calls the ASIC */
	uint32_t version; /* gfx_target_version: major * 10000 + minor * 100 + stepping */
	/* PCI gives it to MI250X, MI300X, MI300A, MI350X, RX 7900 XTX or RX 9070 XT
	 * (amdgpu_drv.c, amdgpu.ids). */
	uint32_t device_id;
	uint32_t revision;
	uint32_t lds_kib, waves_per_simd;
	uint32_t family; /* AMDGPU_FAMILY_* of amdgpu_drm.h */
	uint32_t simds_per_cu, wavefront;
};

/* Returns the description of the GPU that the settings name. */
const struct kfd_chip *kfd_chip(void);
/* Compute units of all XCDs: few, as each makes copies and fills more expensive. */
unsigned kfd_chip_cus(void);

#endif
