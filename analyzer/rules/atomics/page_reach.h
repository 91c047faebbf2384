/* SPDX-License-Identifier: Apache-2.0 */
/* Of memory whose pages differ in granularity: which of them a launch uses through a pointer. */
#ifndef HIPGRAIN_RULES_PAGE_REACH_H
#define HIPGRAIN_RULES_PAGE_REACH_H

#include "analyzer/rules/engine/rule_api.h"

/* The machine code shows where the pointer comes from, not what is added to it. */
enum page_reach {
	PAGES_ALIKE,    /* they do not differ */
	PAGES_FINE,     /* from the pointer on all of them are fine-grained */
	PAGES_LIKELY,   /* the pointer's own is, or one element a work-item reaches one that is */
	PAGES_POSSIBLE, /* one that is lies further on */
	PAGES_COARSE,   /* from the pointer on all of them are coarse-grained */
	PAGES_UNKNOWN,  /* the runtime says that they differ, and not which */
};

struct pages_used {
	enum page_reach reach;
	uint64_t
	    fine_start; /* the first fine-grained part at or after the pointer: offset, bytes */
	uint64_t fine_size;
};

/*
 * Pages of the live allocation that `pointer` leads into, whose granularity is `grain`, used by
 * `items` work-items with `element` bytes each.
 */
struct pages_used pages_used(const struct process *process, const struct pointer_argument *pointer,
			     const struct grain *grain, uint64_t items, uint64_t element);

#endif
