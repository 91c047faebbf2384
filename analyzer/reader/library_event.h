/* SPDX-License-Identifier: Apache-2.0 */
/* This tells events of the C library from others. */
#ifndef HIPGRAIN_READER_LIBRARY_EVENT_H
#define HIPGRAIN_READER_LIBRARY_EVENT_H

#include "analyzer/reader/event.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_free.h"

/* Returns true for most events of most traces: allocations and releases of the C library. */
static inline bool hg_event_is_of_c_library(const struct hg_event *event)
{
	return (event->type == HG_EVENT_free && event->free->api < HG_HIP_APIS) ||
	       (event->type == HG_EVENT_alloc && event->alloc->api < HG_HIP_APIS);
}

#endif
