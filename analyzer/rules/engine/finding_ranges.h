/* SPDX-License-Identifier: Apache-2.0 */
/* Counts in which of the program's ranges a finding occurred. */
#ifndef HIPGRAIN_RULES_FINDING_RANGES_H
#define HIPGRAIN_RULES_FINDING_RANGES_H

#include "analyzer/replay/ranges.h"
#include "findings.h"

/* Stands for all ranges whose paths differ only by numbers. */
struct finding_range {
	const struct range_path *first; /* of its paths */
	const struct range_path *latest;
	uint32_t varies;   /* bit n: paths differ in their name at depth n + 1 */
	uint64_t instance; /* of the latest range */
	uint64_t ranges;   /* how many; one to which a thread returns counts again */
	uint64_t hits;
	bool selected; /* one of its paths was: finding_ranges_select() */
};

/* So many are kept for a finding. */
#define FINDING_RANGES_MOST 16u

/*
 * From now on only findings that occur in a range whose name or path fits a pattern of the shell,
 * or that lies in such a range, are selected. Without a pattern all are. Borrowed.
 */
void finding_ranges_select(const char *pattern);
bool range_path_selected(const struct range_path *path);
bool finding_in_selected_range(const struct finding *finding);

/* Counts a hit at that time. */
void finding_in_range(struct finding *finding, int64_t ns);

/* Adds those of one finding to another one. */
void finding_ranges_join(struct finding *to, const struct finding *from);

/* Returns the name at a depth, from 1, as a report shows it: "step *" if it varies. Free it. */
char *finding_range_name(const struct finding_range *range, unsigned depth);

/* Returns all of them with " / " between them; to be freed. */
char *finding_range_text(const struct finding_range *range);

#endif
