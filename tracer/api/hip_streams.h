/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_streams.def: HG_API_hipStreamCreate. */
#ifndef HIPGRAIN_TRACER_API_HIP_STREAMS_H
#define HIPGRAIN_TRACER_API_HIP_STREAMS_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_streams.def"
#undef HG_API
};

#endif
