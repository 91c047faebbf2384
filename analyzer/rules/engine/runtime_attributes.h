/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's own report about memory (event `memory`), in the terms of the model. */
#ifndef HIPGRAIN_RULES_RUNTIME_ATTRIBUTES_H
#define HIPGRAIN_RULES_RUNTIME_ATTRIBUTES_H

#include "analyzer/model/model.h"
#include "analyzer/replay/replay.h"

struct runtime_attributes {
	enum granularity granularity; /* GRAIN_UNKNOWN: not queried, or no answer */
	enum location location;       /* LOCATION_UNKNOWN likewise, and for managed memory */
	bool mixed;                   /* some pages are coarse-grained, others fine-grained */
};

/* Returns the answer that is in force at this moment. */
struct runtime_attributes runtime_attributes(const struct process *process,
					     const struct allocation *allocation);

#endif
