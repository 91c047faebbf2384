/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a trace of Perfetto (perfetto.dev, "TrackEvent"): tracks, instants, slices, counters and
 * flows, each packet as it comes. Memory grows with the names and tracks alone.
 */
#ifndef HIPGRAIN_PERFETTO_TRACE_WRITER_H
#define HIPGRAIN_PERFETTO_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct perfetto;

/* Begins a trace in `stream`, which stays the caller's. */
struct perfetto *perfetto_begin(FILE *stream);
/* Frees it. */
void perfetto_end(struct perfetto *trace);

/* Return the number of a new track, from 1, for a process and for one of its threads. */
uint64_t perfetto_process(struct perfetto *trace, int32_t pid, const char *name,
			  const char *command);
uint64_t perfetto_thread(struct perfetto *trace, uint64_t process, int32_t pid, int32_t tid,
			 const char *name); /* or NULL */
/* Do the same for a row of a process that has a name, and for a counter of bytes. */
uint64_t perfetto_track(struct perfetto *trace, uint64_t process, const char *name);
uint64_t perfetto_bytes(struct perfetto *trace, uint64_t process, const char *name);

/* Number and text that an event shows; NULL as name: it has none. */
struct perfetto_note {
	const char *name;
	uint64_t number;
	const char *text; /* NULL: the number */
};

/*
 * Write an instant, or a slice from `from` to `to`, in ns. `flow` 0: none; else it begins the flow
 * of that number, or with `ends` ends it.
 */
void perfetto_instant(struct perfetto *trace, uint64_t track, int64_t ns, const char *name,
		      const struct perfetto_note *note, uint64_t flow, bool ends);
void perfetto_slice(struct perfetto *trace, uint64_t track, int64_t from, int64_t to,
		    const char *name, const struct perfetto_note *note);
void perfetto_count(struct perfetto *trace, uint64_t track, int64_t ns, int64_t value);

#endif
