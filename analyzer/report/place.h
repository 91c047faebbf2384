/* SPDX-License-Identifier: Apache-2.0 */
/* The one place in the source that stands for a finding, and its places by role. */
#ifndef HIPGRAIN_REPORT_PLACE_H
#define HIPGRAIN_REPORT_PLACE_H

#include "analyzer/analyze.h"

/* Borrowed from the symbolizer or the finding; what is not known is NULL or 0. */
struct source_place {
	const char *file;
	unsigned line;
	const char *function;
};

/* Where the memory was allocated; where the first launch or call was made; its first instruction.
 */
struct source_place place_of_allocation(const struct analysis *analysis,
					const struct finding *finding);
struct source_place place_of_call(const struct analysis *analysis, const struct finding *finding);
struct source_place place_of_instruction(const struct finding *finding);

/*
 * The first of these three that has a file: most findings are fixed where the memory is allocated.
 * Without any, the first that has a function.
 */
struct source_place place_of_finding(const struct analysis *analysis,
				     const struct finding *finding);

#endif
