/* SPDX-License-Identifier: Apache-2.0 */
/* Events in a file of the bundle, before LTTng-UST is loaded: tracer/early_events.h. */
#ifndef HIPGRAIN_PRELOAD_TRACE_EARLY_EVENTS_H
#define HIPGRAIN_PRELOAD_TRACE_EARLY_EVENTS_H

/* Not 0: there are enough of them; LTTng-UST is to be loaded where that is safe. Atomic. */
extern int hg_early_due;

#endif
