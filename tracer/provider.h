/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LTTng-UST provider `hipgrain` as a table of functions.
 *
 * It is a shared object of its own, libhipgrain-provider.so, so that a process which is not
 * recorded never has LTTng-UST (its threads, its descriptors) in it: the preload library opens it
 * from its own directory when a recording was requested.
 */
#ifndef HIPGRAIN_TRACER_PROVIDER_H
#define HIPGRAIN_TRACER_PROVIDER_H

#include "tracer/events.h"

/* Of this table, by hand. */
#define HG_PROVIDER_NUMBER 16

/* Of this table, and of the events: a preload library takes a provider of its own build only. */
enum {
	HG_PROVIDER_VERSION = HG_PROVIDER_NUMBER * 65536
#define HG_EVENT(name, ...) +(int)sizeof(struct hg_ev_##name)
#include "tracer/events.def"
};

#define HG_PROVIDER_SYMBOL "hipgrain_provider"

struct hg_provider {
	unsigned version; /* HG_PROVIDER_VERSION */

	/* Not 0 while a session records allocations: then, and only then, events are worth making.
	 * May change at any time, on any thread. */
	const volatile int *recording;

	/* Record one event. Strings must not be NULL. Async-signal-safe as far as LTTng-UST is. */
#define HG_EVENT(name, ...) void (*name)(const struct hg_ev_##name *event);
#include "tracer/events.def"
};

/* The one exported function; returns a table that lives as long as the process. */
const struct hg_provider *hipgrain_provider(void);

#endif
