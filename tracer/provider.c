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

#include <pthread.h>

#include "tracer/provider.h"

/*
 * An event that no session wants is not made, and not counted. LTTng-UST wakes its consumer by
 * write(), and waits for room by poll(): a thread that is to be cancelled must not reach these
 * cancellation points.
 */
#define HG_EVENT(name, ...)                                              \
	static void emit_##name(const struct hg_ev_##name *event)        \
	{                                                                \
		int cancel;                                              \
                                                                         \
		if (!lttng_ust_tracepoint_enabled(hipgrain, name))       \
			return;                                          \
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); \
		lttng_ust_do_tracepoint(hipgrain, name, event);          \
		pthread_setcancelstate(cancel, NULL);                    \
	}
#include "tracer/events.def"

static struct hg_provider provider = {
	.version = HG_PROVIDER_VERSION,
#ifdef HG_UST_OLD_NAMES
	.recording = &__tracepoint_hipgrain___alloc.state,
#else
	.recording = &lttng_ust_tracepoint_hipgrain___alloc.state,
#endif
#define HG_EVENT(name, ...) .name = emit_##name,
#include "tracer/events.def"
};

__attribute__((visibility("default"))) const struct hg_provider *hipgrain_provider(void)
{
	return &provider;
}
