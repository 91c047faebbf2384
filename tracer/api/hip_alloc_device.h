/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_alloc_device.def: HG_API_hipMalloc. */
#ifndef HIPGRAIN_TRACER_API_HIP_ALLOC_DEVICE_H
#define HIPGRAIN_TRACER_API_HIP_ALLOC_DEVICE_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_alloc_device.def"
#undef HG_API
};

#endif
