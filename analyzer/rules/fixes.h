/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder did to the program's memory because it was asked to, for the report. */
#ifndef HIPGRAIN_RULES_FIXES_H
#define HIPGRAIN_RULES_FIXES_H

#include "analyzer/rules/context.h"

/* The same action, for the same kernel, on memory of one call stack. */
struct fix_row {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference to the latest; NULL: not of one */
	unsigned fix, outcome;         /* of migration_events.h */
	int result;                    /* hipError_t */
	int32_t device;
	char *kernel; /* whose launch was the reason; NULL: none's */
	uint64_t count, bytes, given, duration;
	uint32_t stack_id; /* of the first */
	int64_t first_ns;
};

struct fixes;

struct fixes *fixes_new(void);
void fixes_free(struct fixes *fixes);

/* `fix` and `fix_plan` events, after the replay applied them. */
void fixes_event(struct fixes *fixes, const struct rules_context *context);

/* Of findings.fixes. */
void fix_row_free(gpointer row);

/* "coarse-managed" */
const char *fix_name(unsigned fix);

#endif
