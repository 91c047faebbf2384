/* SPDX-License-Identifier: Apache-2.0 */
/* Between HG114 (handover_rules.c) and the stale reads that back it (stale_reads.c). */
#ifndef HIPGRAIN_RULES_HANDOVERS_H
#define HIPGRAIN_RULES_HANDOVERS_H

#include "analyzer/rules/engine/rule_api.h"

/*
 * The new finding is about what `writer` stores with the instruction at `store` bytes from its
 * entry, and `reader` loads with that at `load`.
 */
void handover_remember(struct finding *finding, const struct isa_kernel *writer, int64_t store,
		       const struct isa_kernel *reader, int64_t load);

#endif
