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

/* hipMemLocation [CLR7] */
struct location {
	int type, id; /* id: of a device, or of a NUMA node */
};
enum {
	LOCATION_DEVICE = 1,
	LOCATION_HOST = 2,
	LOCATION_HOST_NODE = 3,
	LOCATION_CALLERS_NODE = 4, /* the NUMA node on which the calling thread runs */
};

/* hipIpcMemHandle_t, hipIpcEventHandle_t */
struct ipc_handle {
	char reserved[64];
};

#endif
