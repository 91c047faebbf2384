/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides how sure a finding is. It begins as proven; each link of the chain that it rests on
 * (chain_links.def) is checked here, and a link that is not certain lowers it. Nothing else sets a
 * confidence.
 */
#ifndef HIPGRAIN_RULES_CHAIN_H
#define HIPGRAIN_RULES_CHAIN_H

#include "analyzer/rules/engine/rule_api.h"

/* Holds the parts of a finding's chain. A link without its part does not belong to the chain. */
struct chain {
	const struct launch *launch; /* the GPU matters */
	const struct isa_atomic *atomic;
	const struct isa_use
	    *use;       /* a kernel's accesses through a pointer: what they are matters */
	bool needs_use; /* ... and that they were executed, although the pointer alone is a fault */
	const struct pointer_argument *pointer;
	const struct grain *grain;
	const struct model_outcome *outcome;
	/*
	 * The finding is at most that, for this reason, because its pages differ; NULL if they do
	 * not matter.
	 */
	const char *pages;
	enum confidence pages_at_most;
};

/* Check the links that `chain` has parts of. */
void finding_weigh(struct finding *finding, const struct chain *chain);

/*
 * Makes the finding proven because the machine showed it, so that no doubt is left: a fault, a
 * migration, an old value that was read.
 */
void finding_confirm(struct finding *finding);

/* Withdraws a finding: it is not reported with fewer launches, and no recording has so many. */
static inline void finding_withdraw(struct finding *finding)
{
	finding->least_launches = UINT64_MAX;
}

/*
 * Notes that the finding is about this launch, which was measured on this machine, too, if it is
 * proven.
 */
void finding_was_measured(struct finding *finding);

#endif
