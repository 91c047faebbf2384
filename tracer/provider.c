/* SPDX-License-Identifier: Apache-2.0 */
/* libhipgrain-provider.so: the tracepoints, as a table of functions. */
#include "tracer/ust_names.h"

#ifdef HG_UST_OLD_NAMES
#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#else
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#endif

/* The probe templates of LTTng-UST cause these warnings, which cannot be fixed here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include "tracer/tracepoints.h"
#pragma GCC diagnostic pop

#include "tracer/provider.h"

/* An event that no session wants is not made. */
#define HG_EVENT(name)
#define HG_EVENT_OF_BATCHES(name)                                       \
	static void emit_##name(const struct hg_ev_##name *event)       \
	{                                                               \
		if (lttng_ust_tracepoint_enabled(hipgrain, name))       \
			lttng_ust_do_tracepoint(hipgrain, name, event); \
	}
#include "tracer/events/names.def"

static struct hg_tracepoints tracepoints = {
	.version = HG_TRACEPOINTS_VERSION,
#ifdef HG_UST_OLD_NAMES
	.recording = &__tracepoint_hipgrain___page.state,
#else
	.recording = &lttng_ust_tracepoint_hipgrain___page.state,
#endif
#define HG_EVENT(name)
#define HG_EVENT_OF_BATCHES(name) .name = emit_##name,
#include "tracer/events/names.def"
};

__attribute__((visibility("default"))) const struct hg_tracepoints *hipgrain_tracepoints(void)
{
	return &tracepoints;
}
