/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of parallel jobs in JSON reports. */
#ifndef HIPGRAIN_REPORT_JSON_RANKS_H
#define HIPGRAIN_REPORT_JSON_RANKS_H

#include <glib.h>
#include <stdint.h>

struct json_object;

/*
 * Returns the ranks of a report's processes that use HIP: int, sorted, each once. The caller frees
 * it.
 */
GArray *json_report_ranks(struct json_object *report);

/* Returns the same of a finding, or NULL if it has none. */
GArray *json_finding_ranks(struct json_object *finding);

/*
 * Returns which of `all` have the finding, as ranks_text() has it, or NULL if the finding has
 * no ranks. The caller frees the text.
 */
char *json_ranks_text(struct json_object *finding, const GArray *all, uint64_t unrecorded);

/*
 * Returns "3: 11, 12, 13" of an array of numbers, which the caller frees; NULL: there are none.
 */
char *json_numbers_text(struct json_object *numbers);

/*
 * Returns the same of the processes without a rank that have the finding, which the caller
 * frees; NULL: it is in one process alone, or on ranks.
 */
char *json_processes_text(struct json_object *finding);

#endif
