/* SPDX-License-Identifier: Apache-2.0 */
/* What takes events, as tables of functions. */
#ifndef HIPGRAIN_TRACER_PROVIDER_H
#define HIPGRAIN_TRACER_PROVIDER_H

#include "tracer/events.h"
#include "tracer/events/ev_page.h"
#include "tracer/events/ev_swept.h"

#define HG_EVENT(name) struct hg_ev_##name;
#include "tracer/events/names.def"

/* Of these tables, and of what the recorder and its processes have in common, by hand. */
#define HG_PROVIDER_NUMBER 18

/* In a process: what stores them, or does nothing. */
struct hg_provider {
	/* Not 0 while allocations are recorded: then, and only then, events are worth making. May
	 * change at any time, on any thread. */
	const volatile int *recording;

	/* Record one event. Strings must not be NULL. Async-signal-safe. */
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) void (*name)(const struct hg_ev_##name *event);
#include "tracer/events/names.def"
};

/*
 * In the recorder: the tracepoints of LTTng-UST's provider `hipgrain`, for the events that have
 * others inside of them. They are in a shared object of their own, libhipgrain-provider.so, so that
 * no process has LTTng-UST in it but the one that hands pages to LTTng (drain_process.h).
 */
enum {
	HG_TRACEPOINTS_VERSION = HG_PROVIDER_NUMBER * 65536
#define HG_EVENT(name)
#define HG_EVENT_OF_BATCHES(name) +(int)sizeof(struct hg_ev_##name)
#include "tracer/events/names.def"
};

#define HG_TRACEPOINTS_SYMBOL "hipgrain_tracepoints"

struct hg_tracepoints {
	unsigned version;              /* HG_TRACEPOINTS_VERSION */
	const volatile int *recording; /* not 0 while a session records them */
#define HG_EVENT(name)
#define HG_EVENT_OF_BATCHES(name) void (*name)(const struct hg_ev_##name *event);
#include "tracer/events/names.def"
};

/* The one exported function; returns a table that lives as long as the process. */
const struct hg_tracepoints *hipgrain_tracepoints(void);

#endif
