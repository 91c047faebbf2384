/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_alloc_managed.def: HG_API_hipMallocManaged. */
#ifndef HIPGRAIN_TRACER_API_HIP_ALLOC_MANAGED_H
#define HIPGRAIN_TRACER_API_HIP_ALLOC_MANAGED_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_alloc_managed.def"
#undef HG_API
};

#endif
