/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of parallel jobs: the same finding on many of them is one. */
#ifndef HIPGRAIN_RANKS_H
#define HIPGRAIN_RANKS_H

#include "analyzer/analyze.h"

struct finding_rank {
	int rank;
	int32_t pid;
	uint64_t count; /* occurrences */
};

/* Returns the rank that a process has in its job, by the variables of its launcher; -1 if it has
 * none. */
int process_rank(const struct process *process);

/*
 * Returns those of a job's `total` ranks that differ from most, when `ranks` (sorted, `count` of
 * them) have something and the others have not: `ranks` when they are few, the others (of `all`,
 * sorted) when those are few, else none. `unrecorded` is the number of processes of which not all
 * is known; if there are any, nobody knows what most of the ranks have, and there are none. The
 * caller frees the array of int.
 */
GArray *ranks_outliers(const GArray *ranks, const GArray *all, uint64_t unrecorded);

/* Returns a text such as "0-3,7" of a sorted array of int. The caller frees it. */
char *ranks_list(const GArray *ranks);

/* Returns the distinct ranks of finding->ranks, sorted. The caller frees the array of int. */
GArray *finding_ranks(const struct finding *finding);

/*
 * Returns which of a job's ranks (`all`) have a finding, by its `ranks` (both sorted arrays of
 * int): "0-3 (4 of 4 ranks)", "only rank 2 (1 of 4 ranks)", "all but ranks 0,5 (10 of 12 ranks)";
 * "0-2 (3 of 4 ranks that were recorded; of 28 processes not all is known)". The caller frees it.
 */
char *ranks_text(const GArray *ranks, const GArray *all, uint64_t unrecorded);

/*
 * Makes findings with the same fingerprint on several ranks one, with finding->ranks set, and notes
 * the ranks whose amount of work differs from the others'. Those of several processes without a
 * rank that run the same program become one as well. To be called when fingerprints are known.
 */
void ranks_group(struct analysis *analysis);

/*
 * Has limits and notes name the ranks that they are about, those of several ranks once. To be
 * called behind ranks_group().
 */
void ranks_name_lines(struct analysis *analysis);

/*
 * Adds lines (char *) to `notes` about the ranks whose launches (uint64_t) are less than half or
 * more than twice the median: one line for each rank, or one for all of these if there are many.
 */
void ranks_note_amounts(const GArray *ranks, const GArray *launches, GPtrArray *notes);

/* Returns true if a line is one that ranks_note_amounts() makes. */
bool ranks_is_amount_note(const char *line);

#endif
