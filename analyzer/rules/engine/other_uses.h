/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses of several blocks of memory that are one finding, because one cause leads to all of them.
 * The finding describes the first, until a memory access fault shows that it was another.
 */
#ifndef HIPGRAIN_RULES_OTHER_USES_H
#define HIPGRAIN_RULES_OTHER_USES_H

#include "analyzer/rules/engine/rule_api.h"

/*
 * Adds a use that the finding stands for as well, with its message, which is taken over. Of each
 * pointer the latest is kept.
 */
void finding_add_use(struct finding *finding, const struct pointer_argument *pointer,
		     char *message);

/*
 * Lets the finding describe a use of memory in these bytes, unless the one that it describes is of
 * memory there, or none is.
 */
void finding_turn_to(struct finding *finding, uint64_t start, uint64_t size);

/*
 * Returns true if these bytes have a part of the memory, or the address itself where that is not in
 * the memory, or none is known.
 */
bool use_meets(const struct allocation *allocation, uint64_t address, uint64_t start,
	       uint64_t size);

#endif
