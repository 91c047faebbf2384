/* SPDX-License-Identifier: Apache-2.0 */
/* The formats in which a probe is written. */
#ifndef HIPGRAIN_PROBE_PRINT_H
#define HIPGRAIN_PROBE_PRINT_H

#include <json-c/json.h>
#include <stdio.h>

#include "compare.h"

struct probe_counts {
	unsigned of[VERDICTS];
	unsigned time_limits, killed; /* PROBE_TIME_LIMIT, PROBE_KILLED */
};

/* Returns the counts of all GPUs and modes. */
struct probe_counts probe_count(const struct probe *probe);

/* "hipHostMalloc, hipHostMallocCoherent, advised hipMemAdviseSetCoarseGrain"; the caller frees. */
char *probe_placement_text(unsigned placement);

/* Prints tables for people, and each difference in a line. */
void probe_print_text(const struct probe *probe, FILE *stream);

/* Returns the probe as hipgrain-probe-1.schema.json describes it; the caller releases it. */
struct json_object *probe_to_json(const struct probe *probe);

/*
 * Prints what two probes, which probe_to_json() made, measured differently. Returns the number of
 * differences, or -1 if one of them is no probe; *which is then 0 or 1. What one of them did not
 * measure, or does not know, is no difference.
 */
int probe_print_comparison(struct json_object *const probes[2], FILE *stream, int *which);

#endif
