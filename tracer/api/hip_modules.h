/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_modules.def: HG_API___hipRegisterFatBinary. */
#ifndef HIPGRAIN_TRACER_API_HIP_MODULES_H
#define HIPGRAIN_TRACER_API_HIP_MODULES_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_modules.def"
#undef HG_API
};

#endif
