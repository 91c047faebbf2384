/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the report what the recorder did to the program's memory by --fix. */
#ifndef HIPGRAIN_RULES_FIXES_H
#define HIPGRAIN_RULES_FIXES_H

#include "analyzer/rules/engine/rule_api.h"

/* The same action, for the same kernel, on memory of one call stack. */
struct fix_row {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference to the latest; NULL: not of one */
	unsigned fix, outcome;         /* of migration_events.h */
	int result;                    /* hipError_t */
	int32_t device;
	char *kernel; /* its launch was the reason; NULL: none's was */
	uint64_t count, bytes, given, duration;
	uint32_t stack_id; /* of the first */
	int64_t first_ns;
};

/* Returns the section of the report: struct fix_row. */
const GPtrArray *fixes_result(const struct findings *findings);

/* Returns "coarse-managed" or the like. */
const char *fix_name(unsigned fix);

#endif
