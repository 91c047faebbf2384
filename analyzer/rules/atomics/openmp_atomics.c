/* SPDX-License-Identifier: Apache-2.0 */
/* HG801, and fixes of compare-and-swap loops, in the terms of who wrote a directive. */
#include "openmp_atomics.h"

#include "atomic_fixes.h"
#include "atomics.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg8xx.h"

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
	if (context->process->hsa_refused || is_advised(context->process, pointer))
		return;
	finding = atomic_finding(context, launch, RULE_HG801, atomic, pointer, grain, used);
	if (!finding)
		return;
	place = place_figure(finding, FIGURE_SIZE, &pointer->place);
	finding->message = g_strdup_printf(
	    "the target region does its %s with %s, which %s discards on fine-grained memory "
	    "without an error; it updates %s in place, %s.",
	    operation, atomic->mnemonic, launch->arch, place,
	    grain->mixed ? "of which only some pages were made coarse-grained"
			 : "which no map made coarse-grained");
	finding_set_source(finding, atomic_source_new(launch, atomic));
	finding->fix = g_strdup_printf(
	    "use a reduction clause;\nor use memory of omp_target_alloc, which is "
	    "coarse-grained;\nor " FIX_LOOP
	    " (a compare-and-swap loop: correct everywhere, but slow)" FIX_NOT_TESTED
	    "%s;\nor map all of the "
	    "memory: AMD's runtime then makes its pages coarse-grained (LLVM's own does "
	    "not)" FIX_NOT_TESTED,
	    launch->amd_clang
		? ";\nor write hint(AMD_safe_fp_atomics), for such a loop" FIX_NOT_TESTED
		: "");
	g_free(place);
}

#define HINT ";\nor write hint(AMD_fast_fp_atomics)" FIX_NOT_TESTED

char *omp_loop_fix(const struct launch *launch)
{
	return g_strdup_printf(
	    "use a reduction clause, which updates this memory once for each team;\n"
	    "or use omp_target_alloc, and " FIX_INSTRUCTION FIX_NOT_TESTED "%s",
	    launch->amd_clang ? HINT " and map the memory: AMD's runtime then makes its pages "
				     "coarse-grained" FIX_NOT_TESTED
			      : "");
}

char *omp_fast_fix(const struct launch *launch)
{
	return g_strdup_printf(
	    "use a reduction clause;\nor " FIX_INSTRUCTION
	    ", as long as the region is never given fine-grained memory" FIX_NOT_TESTED "%s",
	    launch->amd_clang ? HINT ", likewise" : "");
}
