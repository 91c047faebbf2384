/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the export to Chrome's trace event format share. */
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
/* A new event of the trace's, to which more may be put. */
struct json_object *chrome_event(struct chrome_trace *trace, const char *phase, const char *name,
				 int32_t pid, int tid);
/* The number of the row of that key, named if it is new. */
int chrome_row(struct chrome_trace *trace, int32_t pid, const char *key, const char *name);
int chrome_lane_row(struct chrome_trace *trace, const struct lane *lane);

/* Series of moves, arrows from the launches that they are for, and counters of bytes each way. */
void chrome_migration(struct chrome_trace *trace, const struct analysis *analysis);

#endif
