/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hip_graph.def: HG_API_hipStreamBeginCapture. */
#ifndef HIPGRAIN_TRACER_API_HIP_GRAPH_H
#define HIPGRAIN_TRACER_API_HIP_GRAPH_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hip_graph.def"
#undef HG_API
};

#endif
