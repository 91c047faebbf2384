/* SPDX-License-Identifier: Apache-2.0 */
/* Advice and prefetches of memory and how its pages moved, in words and as JSON. */
#ifndef HIPGRAIN_REPORT_HISTORY_H
#define HIPGRAIN_REPORT_HISTORY_H

#include "analyzer/analyze.h"
#include "analyzer/rules/migration/migration.h"

struct json_object;

/* Returns "prefetch", "gpu_fault", ... */
const char *move_cause_name(enum migration_trigger trigger);
/* Returns "prefetched", "faults of the GPU", ... */
const char *move_cause_text(enum migration_trigger trigger);

/* Returns "hipMemPrefetchAsync at main.cpp:12"; the caller frees it. */
char *move_call_text(const struct analysis *analysis, const struct process *process,
		     const struct migration_call *call);
/* Returns what moved, whither, and why. The caller frees it. */
char *move_span_text(const struct analysis *analysis, const struct migration_span *span);
/* Returns when the host faulted: "after ... and before ..., thread 7"; the caller frees it. */
char *move_phase_text(const struct analysis *analysis, const struct process *process,
		      const struct migration_phase *phase);
/*
 * Returns the innermost function that both calls of a phase were made from, or NULL if it is not
 * known.
 */
const char *move_phase_function(const struct analysis *analysis, const struct process *process,
				const struct migration_phase *phase);

struct history_fact {
	int64_t ns;
	char *text;
};

/* Returns all of it in the order of time: struct history_fact, freed with the array. */
GArray *history_facts(const struct analysis *analysis, const struct process *process,
		      const struct migration_history *history);

/* Returns NULL if there is none. */
struct json_object *json_move_call(const struct analysis *analysis, const struct process *process,
				   const struct migration_call *call);
struct json_object *json_move_history(const struct analysis *analysis,
				      const struct process *process,
				      const struct migration_history *history);

#endif
