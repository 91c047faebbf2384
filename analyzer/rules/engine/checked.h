/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps with the arguments of launches what the latest launch that was checked led to. */
#ifndef HIPGRAIN_RULES_CHECKED_H
#define HIPGRAIN_RULES_CHECKED_H

#include "analyzer/replay/replay.h"

struct checked_launch {
	uint64_t epoch;    /* of the address space */
	uint64_t contents; /* version of what is known to lie in memory */
	uint64_t items;    /* work-items, if what was found depends on them */
	bool items_matter;
	uint64_t filled; /* version of numbers in memory, if what was found depends on them */
	bool numbers_matter;
	int32_t device;
	GPtrArray *hits; /* struct finding, borrowed; NULL: none was checked */
};

/* Returns it, made if there is none. */
struct checked_launch *checked_launch_of(struct kernel_args *args);

#endif
