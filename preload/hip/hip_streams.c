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

#define HG_WRAP_WAITS(class, name, params, args, ...)                              \
	HG_CALLED(hg_hip_begin_waiting, name, params, args,                        \
		  struct hg_ev_sync event = { .api = HG_API_##name, __VA_ARGS__ }; \
		  hg_finish_sync(&call, &event))

#define HG_API HG_WRAP
#include "tracer/api/hip_streams.def"
#undef HG_API
