/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the export to Chrome's trace event format share this. */
#ifndef HIPGRAIN_REPORT_CHROME_H
#define HIPGRAIN_REPORT_CHROME_H

#include "analyzer/analyze.h"

struct json_object;

struct chrome_trace {
	const struct overview *overview;
	struct json_object *events;
	GHashTable *rows; /* key -> row number */
	int64_t bounds;   /* upper bounds of kernels so far: their numbers */
};

/* The format counts microseconds; fractions are allowed. */
struct json_object *chrome_moment(const struct chrome_trace *trace, int64_t ns);
/* Returns a new event of the trace's, to which more may be put. */
struct json_object *chrome_event(struct chrome_trace *trace, const char *phase, const char *name,
				 int32_t pid, int tid);
/* Returns the number of the row of that key, which is named if it is new. */
int chrome_row(struct chrome_trace *trace, int32_t pid, const char *key, const char *name);
int chrome_lane_row(struct chrome_trace *trace, const struct lane *lane);

/*
 * Returns the whole trace. Its member otherData.first_ns is the moment 0 of its time stamps, by the
 * clock of the machine (nanoseconds since 1970): traces of several machines are joined by it.
 */
struct json_object *chrome_object(const struct analysis *analysis);

/*
 * Makes one trace of several, which may be changed: processes with the same number get numbers of
 * their own, and their moments are those of one clock. The caller puts it.
 */
struct json_object *chrome_join(struct json_object *const *traces, unsigned count);

/* Series of moves, arrows from the launches that they are for, and counters of bytes each way. */
void chrome_migration(struct chrome_trace *trace, const struct analysis *analysis);

/* Ranges that the program names. */
void chrome_ranges(struct chrome_trace *trace);

#endif
