/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the files of the verb merge. */
#ifndef HIPGRAIN_ANALYZER_CMDS_MERGE_PARTS_H
#define HIPGRAIN_ANALYZER_CMDS_MERGE_PARTS_H

#include <glib.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/cmds/merge.h"

/* Members of a report's `recording_cost` that add up. */
#define MERGE_COSTS(COST) \
	COST(events)      \
	COST(bytes)       \
	COST(processes)   \
	COST(calls)       \
	COST(timed_calls) \
	COST(hook_ns)     \
	COST(processor_ns)
#define MERGE_COST(name) MERGE_COST_##name,
enum merge_cost { MERGE_COSTS(MERGE_COST) MERGE_COST_COUNT };
#undef MERGE_COST
extern const char *const merge_costs[MERGE_COST_COUNT];

struct merge {
	GPtrArray *reports;         /* struct json_object */
	const uint64_t *seeds;      /* of each report; NULL: findings are joined by rank alone */
	GPtrArray *findings;        /* borrowed from the reports, then from `causes` */
	struct json_object *causes; /* causes_of() all of them */
	GArray *ranks;              /* int, sorted */
	struct json_object *processes;
	GPtrArray *limits, *notes; /* char *; made by merge_reports() */
	GPtrArray *ends;           /* char *: how the parts ended that did not end well */
	bool analysed;
	int recording;         /* the worst enum recording_status; -1: no report has it */
	bool recording_unsaid; /* some report has none */
	int64_t missing;       /* events, of those that have it */
	uint64_t unrecorded;   /* processes */
	struct json_object *gaps, *reasons; /* of all */
	int64_t events, lost, suppressed;
	int64_t cost[MERGE_COST_COUNT];
};

/* A bundle or report that is to be merged. */
struct merge_part {
	const char *path;
	char *report; /* temporary file of a bundle's; else NULL */
	pid_t child;
};

/* Has those parts that are bundles analysed. Returns 0, or a negative errno after a message; the
 * caller removes the temporary files, also then. */
int merge_bundles(struct merge_part *parts, unsigned count, const struct merge_options *options);

/* Make one of merge->reports: all other members are empty before. */
void merge_reports(struct merge *merge);

/* Write it to a file or, NULL, to standard output. HG_EXIT_OK, or HG_EXIT_INPUT after a message. */
int merge_write(const struct merge *merge, const struct merge_options *options);

#endif
