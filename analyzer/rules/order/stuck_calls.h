/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps calls that did not return, with the memory that they are about and what they may wait for.
 */
#ifndef HIPGRAIN_RULES_STUCK_CALLS_H
#define HIPGRAIN_RULES_STUCK_CALLS_H

#include "analyzer/reader/read_open_calls.h"
#include "analyzer/rules/engine/rule_api.h"

/* Describes what was at an address when the call was made. */
struct open_place {
	uint64_t address; /* 0: the call has none */
	enum place_kind kind;
	struct allocation *allocation; /* a reference; NULL: none there or near */
	bool freed;                    /* by then */
	uint64_t offset;               /* into it; PLACE_PAST_END: bytes after its end */
};

/* Counts launches of a kernel from one place into one stream that may not be complete. */
struct open_launch {
	uint32_t kernel_id, stack_id;
	uint64_t stream;
	int64_t ns;     /* of the last */
	unsigned count; /* of those that are remembered */
};

struct open_row {
	struct process *process; /* borrowed */
	struct open_call open;
	int32_t tid;
	int64_t ns;                 /* when it was made */
	struct open_place to, from; /* its memory, or what it writes; and a copy's source */
	GArray *launches;           /* struct open_launch, the latest first */
	bool of_stream;             /* ... are those that the call waits for, no others */
	bool more;                  /* there were more launches than are remembered */
};

#define OPEN_LAUNCHES 64u /* launches that are remembered in a process */

/* Returns the section of the report: struct open_row, in the order of time. */
const GPtrArray *open_calls_result(const struct findings *findings);
/* Returns the first of a process, or NULL. */
const struct open_row *open_calls_of(const struct findings *findings,
				     const struct process *process);

#endif
