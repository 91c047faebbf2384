/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which pages a launch uses through a pointer to memory whose pages differ in granularity. */
#ifndef HIPGRAIN_RULES_PAGE_REACH_H
#define HIPGRAIN_RULES_PAGE_REACH_H

#include "analyzer/rules/engine/rule_api.h"

enum page_reach {
	PAGES_ALIKE,  /* they do not differ */
	PAGES_FINE,   /* all that is used is fine-grained */
	PAGES_BEHIND, /* from the pointer on all of them are; what is added to it is not known */
	/*
	 * The pointer's own page is fine-grained, or one element a work-item reaches one that is;
	 * or some are of the pages within bounds that the machine code shows.
	 */
	PAGES_LIKELY,
	PAGES_POSSIBLE, /* one that is lies further on */
	PAGES_COARSE,   /* all that is used, or all from the pointer on, is coarse-grained */
	/*
	 * The runtime says that they differ, but not which: one element a work-item is all of the
	 * memory, or is not.
	 */
	PAGES_SOME_OF_ALL,
	PAGES_UNKNOWN,
};

struct pages_used {
	enum page_reach reach;
	uint64_t fine_start; /* the first fine-grained part of what is used: offset, bytes */
	uint64_t fine_size;
};

/*
 * Returns how `items` work-items with `element` bytes each use the pages of the live allocation
 * that `pointer` leads into, whose granularity is `grain`. `place` is the place behind the pointer,
 * or NULL if it is not known.
 */
struct pages_used pages_used(const struct process *process, const struct pointer_argument *pointer,
			     const struct grain *grain, const struct isa_step *place,
			     uint64_t items, uint64_t element);

#endif
