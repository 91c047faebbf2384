/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds HG223: updates that are right only because advice about memory that was released since left
 * the pages coarse-grained.
 */
#include "atomics.h"

#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_launch.h"

/* Returns true if what the call advised is still there: an arena, in which the memory may lie. */
static bool still_lives(const struct process *process, const struct page_call *call)
{
	for (unsigned layer = 0; layer < LAYERS; layer++) {
		const struct allocation *found = address_space_overlapping(
		    &process->space, (enum layer)layer, call->ptr, call->size ? call->size : 1);

		if (found && found->ns <= call->ns)
			return true;
	}
	return false;
}

/*
 * Returns the advice that made the page coarse-grained before this memory was allocated there; NULL
 * if there is none, or it may be meant for this memory. realloc() may keep what was advised.
 */
static const struct page_call *former_advice(const struct process *process,
					     const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct page_summary pages;
	const struct page_call *call;

	if (!allocation || allocation->layer != LAYER_HOST || allocation->api == HG_API_realloc ||
	    allocation->api == HG_API_reallocarray)
		return NULL;
	pages = page_map_summary(&process->pages, pointer->address, 1);
	if (!pages.coarse)
		return NULL;
	call = &pages.latest->call;
	return call->api && call->ns < allocation->ns && !still_lives(process, call) ? call : NULL;
}

void check_former_advice(const struct rules_context *context, const struct launch *launch,
			 const struct isa_atomic *atomic, const struct pointer_argument *pointer,
			 const struct grain *grain, const struct pages_used *used)
{
	const struct page_call *call = former_advice(context->process, pointer);
	struct finding *finding;

	if (!call || pointer->among)
		return;
	finding = atomic_finding(context, launch, RULE_HG223, atomic, pointer, grain, used);
	if (!finding)
		return;
	finding->related = g_strdup("the advice");
	finding->related_stack_id = call->stack_id;
	finding->message = g_strdup_printf(
	    "%s does its %s with %s on %s that is coarse-grained only because %s was called for "
	    "other memory, which was released and lay on the same pages: on any other page %s "
	    "discards the operation without an error.",
	    finding->kernel, atomic_kind_text((enum atomic_kind)atomic_fp_kind(atomic)),
	    atomic->mnemonic, atomic_memory_noun(pointer), page_call_name(call), launch->arch);
	finding->fix = atomic_coarse_fix(pointer, context->event->launch->device);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"whether the program relies on getting the same memory is not recorded");
}
