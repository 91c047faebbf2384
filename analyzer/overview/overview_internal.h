/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between overview.c and spans.c. */
#ifndef HIPGRAIN_OVERVIEW_OVERVIEW_INTERNAL_H
#define HIPGRAIN_OVERVIEW_OVERVIEW_INTERNAL_H

#include "overview.h"

static inline unsigned class_of(uint64_t value)
{
	return value ? 63 - (unsigned)__builtin_clzll(value) : 0;
}

/* Frees a struct lane. */
void free_lane(void *data);

/* Returns the live memory that an address lies in; NULL if there is none that is counted. */
const struct memory_site *overview_memory(const struct overview *overview,
					  const struct process *process, uint64_t address);

/* Put what an event did on its lane, and into the totals of its kernel. spans.c */
void overview_add_span(struct overview *overview, struct process *process,
		       const struct hg_event *event);

/* Keeps an event `range`. range_steps.c */
void overview_add_range(struct overview *overview, struct process *process,
			const struct hg_event *event);

#endif
