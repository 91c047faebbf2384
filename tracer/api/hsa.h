/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of hsa.def: HG_API_hsa_queue_dispatch. */
#ifndef HIPGRAIN_TRACER_API_HSA_H
#define HIPGRAIN_TRACER_API_HSA_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/hsa.def"
#undef HG_API
};

#endif
