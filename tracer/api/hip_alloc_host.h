/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_alloc_host.def: HG_API_hipHostMalloc. */
#ifndef HIPGRAIN_TRACER_API_HIP_ALLOC_HOST_H
#define HIPGRAIN_TRACER_API_HIP_ALLOC_HOST_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_alloc_host.def"
#undef HG_API
};

#endif
