/* SPDX-License-Identifier: Apache-2.0 */
/* HG113: many work-items update a few words of memory. */
#include "atomics.h"
#include "analyzer/rules/ids/hg1xx.h"

/* Ours: what is smaller is not worth a word (bytes; work-items of one launch). */
#define FEW_BYTES  4096u
#define MANY_ITEMS (1u << 20)

void check_contention(const struct rules_context *context, const struct launch *launch,
		      const struct isa_atomic *atomic, const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct finding *finding;
	struct grain grain;

	if (pointer->place.kind != PLACE_ALLOCATION || allocation->size > FEW_BYTES ||
	    launch->code->uses_lds || atomic->lock || atomic->op == ISA_OP_SWAP)
		return;
	grain = place_grain(context->process, &pointer->place);
	finding = atomic_finding(context, launch, RULE_HG113, atomic, pointer, &grain, NULL);
	if (finding) {
		finding->least_work_items = MANY_ITEMS;
		g_free(finding->why);
		finding->why = NULL;
		finding->message = g_strdup_printf(
		    "%s updates an allocation of at most %u bytes with %s from a million "
		    "work-items or more: the updates are serialised at a few cache lines.",
		    finding->kernel, FEW_BYTES, atomic->mnemonic);
		finding->fix = g_strdup("let each work-group reduce in LDS first, and one of its "
					"work-items update the memory");
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"unknown whether only some work-items execute the update, or a "
				"wave reduces first");
	}
	grain_clear(&grain);
}
