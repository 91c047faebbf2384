/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_copies.def: HG_API_hipMemcpy. */
#ifndef HIPGRAIN_TRACER_API_HIP_COPIES_H
#define HIPGRAIN_TRACER_API_HIP_COPIES_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_copies.def"
#undef HG_API
};

#endif
