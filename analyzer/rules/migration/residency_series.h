/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows where allocations were over time: by samples of the host's page table, and by what the
 * driver reported of pages that moved. That is bounded: so many allocations, so many points of
 * each; when there are more, every other point goes.
 */
#ifndef HIPGRAIN_RULES_RESIDENCY_SERIES_H
#define HIPGRAIN_RULES_RESIDENCY_SERIES_H

#include "analyzer/rules/engine/rule_api.h"

#define RESIDENCY_SERIES 256
#define RESIDENCY_POINTS 1024

struct residency_sample {
	int64_t ns;
	uint64_t looked, on_host, away, swapped; /* bytes, as in hg_ev_residency */
	int32_t node, last_prefetch;
};

struct residency_move {
	int64_t ns;
	uint64_t on_device; /* bytes, from then on */
};

struct residency_series {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference */
	GArray *samples;               /* struct residency_sample */
	GArray *moves;                 /* struct residency_move */
};

/* Adds `bytes` of the allocation's pages that moved to the device, or to the host. */
void residency_moved(const struct rules_context *context, struct allocation *allocation,
		     bool to_device, uint64_t bytes, int64_t ns);

/* Returns the section of the report: struct residency_series. */
GPtrArray *residency_result(const struct findings *findings);

#endif
