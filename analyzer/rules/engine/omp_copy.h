/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP uses an allocation on a device as the copy of a part of the host's memory. */
#ifndef HIPGRAIN_RULES_OMP_COPY_H
#define HIPGRAIN_RULES_OMP_COPY_H

#include "analyzer/rules/engine/rule_api.h"

struct omp_copy {
	uint64_t ptr;      /* on the device */
	uint64_t host;     /* of its first byte */
	uint64_t size;     /* 0: it was deleted */
	uint32_t stack_id; /* of the construct that made it */
	bool several;      /* the allocation has held more than one at a time */
};

/* Notes a copy that was made, or deleted (HG_OMP_ALLOC, HG_OMP_DELETE; others are ignored). */
void omp_copy_note(const struct rules_context *context);

/* Returns the only copy that the allocation holds, or NULL. */
const struct omp_copy *omp_copy_in(const struct allocation *allocation);

#endif
