/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latest uses of an allocation by each stream, bounded. Uses that the host knows as complete
 * cannot race any more and are dropped; if one allocation has more than ACCESSES_KEPT others, the
 * oldest are dropped.
 */
#ifndef HIPGRAIN_RULES_ACCESS_HISTORY_H
#define HIPGRAIN_RULES_ACCESS_HISTORY_H

#include "analyzer/rules/order/ordering.h"

#define ACCESSES_KEPT 64

struct access_history {
	uint64_t version; /* of the order when it was last cleaned */
	uint64_t writes;  /* ever */
	unsigned count, capacity;
	struct use at[]; /* oldest first */
};

/* NULL: there is none. */
struct access_history *access_history_of(const struct allocation *allocation);

/* Add a use to an allocation's history; an equal one of the same stream is replaced. */
void access_history_add(const struct order *order, struct allocation *allocation,
			const struct use *use);

/* Forget the uses that are this moment's: it did not happen. */
void access_history_remove(struct allocation *allocation, struct moment moment);

#endif
