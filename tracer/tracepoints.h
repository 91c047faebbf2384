/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of events.def that have others inside of them, in LTTng-UST's description language.
 * Each probe takes the event's struct.
 */
#include "tracer/ust_names.h"

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER hipgrain

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracer/tracepoints.h"

#ifdef HG_UST_OLD_NAMES
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER hipgrain
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "tracer/tracepoints.h"
#endif

#if !defined(HIPGRAIN_TRACER_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ) || \
    defined(TRACEPOINT_HEADER_MULTI_READ)
#define HIPGRAIN_TRACER_TRACEPOINTS_H

#include <lttng/tracepoint.h>

#include "tracer/events/ev_page.h"
#include "tracer/events/ev_swept.h"

#define HG_INTEGER_HEX(type, name)              lttng_ust_field_integer_hex(type, name, event->name)
#define HG_INTEGER_TIME(type, name)             lttng_ust_field_integer(type, name, event->name)
#define HG_INTEGER_NUMBER(type, name)           lttng_ust_field_integer(type, name, event->name)

#define HG_FIELD(type, name, show, description) HG_INTEGER_##show(type, name)
/* 16 bits: for a damaged length of 32, libbabeltrace2 2.0 allocates gigabytes before it fails. */
#define HG_SEQUENCE(type, name, length, description) \
	lttng_ust_field_sequence(type, name, event->name, uint16_t, event->length)
#define HG_EVENT(name, ...)
#define HG_EVENT_OF_BATCHES(name, ...)                                                    \
	LTTNG_UST_TRACEPOINT_EVENT(hipgrain, name,                                        \
				   LTTNG_UST_TP_ARGS(const struct hg_ev_##name *, event), \
				   LTTNG_UST_TP_FIELDS(__VA_ARGS__))
#include "tracer/events.def"
#endif

#include <lttng/tracepoint-event.h>
