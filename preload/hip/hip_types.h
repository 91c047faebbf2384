/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that parameters of HIP functions have, as in driver_types.h and hip_runtime_api.h. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_TYPES_H
#define HIPGRAIN_PRELOAD_HIP_HIP_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* dim3 */
struct hg_dim3 {
	uint32_t x, y, z;
};

/* hipPos */
struct position {
	size_t x, y, z;
};

/* hipExtent */
struct extent {
	size_t width, height, depth;
};

/* hipPitchedPtr */
struct pitched {
	void *ptr;
	size_t pitch, xsize, ysize;
};

/* hipMemLocation: type 1 is a device, the others are the CPU's. [CLR7] */
struct location {
	int type, id;
};

/* hipIpcMemHandle_t, hipIpcEventHandle_t */
struct ipc_handle {
	char reserved[64];
};

#endif
