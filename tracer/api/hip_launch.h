/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_launch.def: HG_API_hipLaunchKernel. */
#ifndef HIPGRAIN_TRACER_API_HIP_LAUNCH_H
#define HIPGRAIN_TRACER_API_HIP_LAUNCH_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_launch.def"
#undef HG_API
};

#endif
