/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the functions of host.def: HG_API_malloc. */
#ifndef HIPGRAIN_TRACER_API_HOST_H
#define HIPGRAIN_TRACER_API_HOST_H

enum {
#define HG_API(id, name, ...) HG_API_##name = (id),
#include "tracer/api/host.def"
#undef HG_API
};

#endif
