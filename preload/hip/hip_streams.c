/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers of what orders work: streams, events, waiting. */
#include "preload/core/base.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_sources.h"
#include "preload/hip/hip_types.h"
#include "preload/hip/hip_wrap.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events.h"

/* A call that waits looks first at memory that copies still read. */
#undef HG_BEGIN_OF_sync
#define HG_BEGIN_OF_sync hg_hip_begin_waiting

#define HG_API           HG_WRAP
#include "tracer/api/hip_streams.def"
#undef HG_API
