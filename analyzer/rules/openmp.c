/* SPDX-License-Identifier: Apache-2.0 */
#include "openmp.h"

#include "atomic_fixes.h"
#include "atomics.h"
#include "evidence.h"

bool launch_is_omp(const struct launch *launch)
{
	return g_str_has_prefix(launch->kernel->symbol, "__omp_offloading_");
}

bool is_omp_system(const struct launch *launch, const struct place *place)
{
	return launch_is_omp(launch) && is_system_memory(place);
}

/* ---- HG801 ---- */

/* Memory that is no recorded allocation has no page summary of its own. */
static bool is_advised(const struct process *process, const struct pointer_argument *pointer)
{
	return pointer->place.kind != PLACE_ALLOCATION &&
	       page_map_summary(&process->pages, pointer->address, 8).coarse > 0;
}

void omp_lost(const struct rules_context *context, const struct launch *launch,
	      const struct isa_atomic *atomic, const char *operation,
	      const struct pointer_argument *pointer, const struct grain *grain,
	      const struct pages_used *used)
{
	struct finding *finding;
	char *place;

	/* Maps make pages coarse-grained by calls below HIP. */
	if (context->process->hsa_refused || is_advised(context->process, pointer)) {
		return;
	}
	finding = atomic_finding(context, launch, RULE_HG801, atomic, pointer, grain, used);
	if (!finding) {
		return;
	}
	place = place_figure(finding, FIGURE_SIZE, &pointer->place);
	finding->message = g_strdup_printf(
	    "the target region does its %s with %s, which %s discards on fine-grained memory "
	    "without an error; it updates %s in place, %s.",
	    operation, atomic->mnemonic, launch->arch, place,
	    grain->mixed ? "of which only some pages were made coarse-grained"
			 : "which no map made coarse-grained");
	finding->source = atomic_source_new(launch, atomic);
	finding->fix = g_strdup_printf(
	    "use a reduction clause;\nor use memory of omp_target_alloc, which is "
	    "coarse-grained;\nor " FIX_LOOP
	    " (a compare-and-swap loop: correct everywhere, but slow)%s;\nor map all of the "
	    "memory: AMD's runtime then makes its pages coarse-grained (LLVM's own does not)",
	    launch->amd_clang ? ";\nor write hint(AMD_safe_fp_atomics), for such a loop" : "");
	g_free(place);
}

#define HINT ";\nor write hint(AMD_fast_fp_atomics)"

char *omp_loop_fix(const struct launch *launch)
{
	return g_strdup_printf(
	    "use a reduction clause, which updates this memory once for each team;\n"
	    "or use omp_target_alloc, and " FIX_INSTRUCTION "%s",
	    launch->amd_clang ? HINT " and map the memory: AMD's runtime then makes its pages "
				     "coarse-grained"
			      : "");
}

char *omp_fast_fix(const struct launch *launch)
{
	return g_strdup_printf("use a reduction clause;\nor " FIX_INSTRUCTION
			       ", as long as the region is never given fine-grained memory%s",
			       launch->amd_clang ? HINT ", likewise" : "");
}

/* ---- HG806 ---- */

void omp_unreachable(const struct rules_context *context, const struct launch *launch,
		     const struct isa_use *use, const struct pointer_argument *pointer,
		     const struct grain *grain)
{
	struct finding *finding;
	bool is_new;
	char *place;

	finding = findings_get(context->findings, RULE_HG806, context->process, &is_new, "%s",
			       launch->kernel->symbol);
	launch_hit(launch, finding);
	/* One region, whatever it uses: the runtime stops at the first. */
	finding_detail(finding, ((uint64_t)use->kernarg << 32) |
				    (pointer->place.allocation ? pointer->place.allocation->stack_id
							       : (unsigned)pointer->place.kind));
	if (!is_new) {
		return;
	}
	finding_set_launch(finding, launch, pointer);
	finding->granularity = GRAIN_INACCESSIBLE;
	finding->why = g_strdup(grain->why);
	place = place_text(&pointer->place);
	finding->message = g_strdup_printf(
	    "the target region %s %s in place, but with XNACK off the GPU has no mapping for it: "
	    "the access is a memory access fault.",
	    use->access & (ISA_WRITE | ISA_ATOMIC) ? "writes to" : "reads", place);
	finding->fix = g_strdup(
	    "run with HSA_XNACK=1, which unified shared memory needs on a discrete GPU (MI200 and "
	    "later);\n"
	    "or leave `requires unified_shared_memory` out and map what the region uses");
	g_free(place);
	finding_at_most(finding, CONFIDENCE_LIKELY, use->certain ? NOT_SEEN : ONE_OF_SEVERAL);
}
