/* SPDX-License-Identifier: Apache-2.0 */
/* Tracepoints of preload-tracer.c. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER own
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./preload-tracer.h"

#if !defined(PRELOAD_TRACER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PRELOAD_TRACER_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(own, step, LTTNG_UST_TP_ARGS(int, number, const char *, text),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, number, number)
						   lttng_ust_field_string(text, text)))

#endif

#include <lttng/tracepoint-event.h>
