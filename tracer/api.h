/* SPDX-License-Identifier: Apache-2.0 */
/* The ids of all interface functions, for tables that name functions of many subjects (api.def). */
#ifndef HIPGRAIN_TRACER_API_H
#define HIPGRAIN_TRACER_API_H

#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_modules.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"

#endif
