/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_objects.def: HG_API_hipMemAddressReserve. */
#ifndef HIPGRAIN_TRACER_API_HIP_OBJECTS_H
#define HIPGRAIN_TRACER_API_HIP_OBJECTS_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_objects.def"
#undef HG_API
};

#endif
