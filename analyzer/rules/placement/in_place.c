/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG218: managed memory that stays with the host, because nothing moves it, and that kernels use
 * hard without needing it to be coherent while they run; and managed memory that an APU does not
 * cache, because it is fine-grained.
 */
#include <string.h>

#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "codeobj/processor.h"

enum why { NOT_SLOW, STAYS, NOT_CACHED };

/* Somebody else may look at memory while the kernel runs: then it is meant to be coherent. */
static bool needs_coherence(const struct isa_kernel *code)
{
	for (size_t i = 0; i < code->atomic_count; i++)
		if (code->atomics[i].system_scope && !code->atomics[i].runtime)
			return true;
	return code->spin_count || code->system_release == ISA_YES;
}

/* Returns true if pages were moved ahead, or the program has chosen their place (HG307). */
static bool is_placed(const struct rules_context *context, struct allocation *allocation)
{
	const struct memory_history *memory =
	    call_history_find(call_history_known(context->process), allocation);

	return memory && (memory->prefetched || memory->home || memory->accessed_by ||
			  memory->preferred != NOWHERE);
}

/*
 * On a discrete GPU with XNACK off nothing faults, so nothing moves (access.def). Of APUs only
 * RDNA3's were measured [LLAMA7414]; an MI300A caches fine-grained memory of its own as it does any
 * [KFD].
 */
static enum why slow_because(const struct rules_context *context, const struct launch *launch,
			     const struct place *place)
{
	struct model_environment environment = process_environment(context->process);
	const struct codeobj_processor *processor = codeobj_processor(launch->arch);
	struct model_memory memory;
	struct grain grain;
	enum why why = NOT_SLOW;

	if (place->kind != PLACE_ALLOCATION)
		return NOT_SLOW;
	memory = model_memory(place->allocation->api, place->allocation->flags, &environment);
	if (memory.kind != KIND_MANAGED || !memory.certain)
		return NOT_SLOW;
	grain = place_grain(context->process, place);
	if (environment.apu == 1 && processor && processor->generation == CODEOBJ_GFX11 &&
	    grain.granularity == GRAIN_FINE && !grain.mixed)
		why = NOT_CACHED;
	else if (environment.apu == 0 && environment.xnack == 0 &&
		 grain.location == LOCATION_MOVABLE && !is_placed(context, place->allocation))
		why = STAYS;
	grain_clear(&grain);
	return why;
}

/* Describes what others measured, each on one GPU: MI300X [HECB326], MI350X [CHRONO807]. */
static char *describe(const struct finding *finding, const struct isa_use *use, enum why why)
{
	const char *what = use->access & ISA_ATOMIC  ? "updates"
			   : use->access & ISA_WRITE ? "writes"
						     : "reads";

	if (why == NOT_CACHED)
		return g_strdup_printf("%s %s %s bytes of fine-grained managed memory: this APU "
				       "does not keep them in its caches; coarse-grained it was "
				       "twice as fast.",
				       finding->kernel, what, FIGURE(0));
	return g_strdup_printf(
	    "%s %s %s bytes of managed memory over the interconnect: with XNACK off its pages stay "
	    "in the host's memory. Measured there, against device memory: %s.",
	    finding->kernel, what, FIGURE(0),
	    use->access & ISA_ATOMIC ? "atomics 100 times slower on MI300X, 1161 times on MI350X"
				     : "streaming 72 times slower on MI350X");
}

/* Many may update little memory. */
static bool is_much(const struct launch *launch, const struct isa_use *use, uint64_t bytes)
{
	if (bytes >= IN_PLACE_SIZE)
		return true;
	if (!(use->access & ISA_ATOMIC))
		return false;
	*launch->items_matter = true;
	return launch->work_items >= IN_PLACE_ITEMS;
}

static void check_use(const struct rules_context *context, const struct isa_use *use)
{
	const struct launch *launch = context->launch;
	struct pointer_argument pointer;
	struct finding *finding;
	enum why why;
	uint64_t bytes;
	bool is_new;

	if (!use->access || !launch_pointer(context, launch, use->kernarg, &pointer))
		return;
	why = slow_because(context, launch, &pointer.place);
	if (why == NOT_SLOW)
		return;
	bytes = place_used(&pointer.place, launch->code, use);
	if (!is_much(launch, use, bytes))
		return;
	finding = findings_get(context->findings, RULE_HG218, context->process, &is_new,
			       "%s %u %u %d", launch->kernel->symbol, use->kernarg,
			       pointer.place.allocation->stack_id, why);
	launch_hit(launch, finding);
	finding_figure(finding, 0, FIGURE_RANGE, bytes);
	if (!is_new) {
		finding_met(finding, &pointer.place);
		return;
	}
	finding->least_launches = IN_PLACE_LAUNCHES;
	finding_set_launch(finding, launch, &pointer);
	finding->message = describe(finding, use, why);
	if (why == NOT_CACHED)
		finding->fix = g_strdup("call hipMemAdvise with hipMemAdviseSetCoarseGrain on it, "
					"and see whether that succeeds" FIX_NOT_TESTED);
	else
		finding->fix =
		    g_strdup("allocate it with hipMalloc and copy what the host needs;\nor call "
			     "hipMemPrefetchAsync to the GPU before the launches;\nor run with "
			     "HSA_XNACK=1, where the code is not for xnack- alone, so that the "
			     "pages move when they are used");
	finding_weigh(finding, &(struct chain){ .use = use });
	finding_at_most(finding, why == NOT_CACHED ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY,
			why == NOT_CACHED ? "measured on one gfx1103"
			: use->placed && launch->code->uses_complete
			    ? "unknown whether the host uses it at the same time"
			    : "unknown how much of it the kernel uses, and "
			      "whether the host uses it at the same time");
}

void check_in_place(const struct rules_context *context)
{
	const struct isa_kernel *code = context->launch->code;

	if (needs_coherence(code))
		return;
	for (size_t i = 0; i < code->use_count; i++)
		check_use(context, &code->uses[i]);
}
