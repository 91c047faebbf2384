/* SPDX-License-Identifier: Apache-2.0 */
/* HG108, HG109, HG110: how kernels with floating-point atomics were compiled. */
#include "atomics.h"

#include "analyzer/rules/atomic_fixes.h"
#include "analyzer/rules/kernels.h"

/* ---- HG108, HG109 ---- */

/* The table that an indirect address was loaded from is not what the instruction updates. */
static bool is_table(const struct isa_atomic *atomic, uint32_t kernarg)
{
	if (atomic->origin.kind == ISA_ORIGIN_INDIRECT) {
		for (size_t i = 0; i < atomic->origin.kernarg_count; i++) {
			if (atomic->origin.kernarg[i] == kernarg) {
				return true;
			}
		}
	}
	return false;
}

/* What the kernel does through this argument was seen: it is not the one that was lost sight of. */
static bool is_followed(const struct isa_kernel *kernel, uint32_t kernarg)
{
	for (size_t i = 0; i < kernel->use_count; i++) {
		if (kernel->uses[i].kernarg == kernarg && kernel->uses[i].access != 0) {
			return true;
		}
	}
	return false;
}

/* A pointer argument of which nothing is known but that it leads to fine-grained memory, on which
 * the atomic would be lost. */
static bool find_fine(const struct rules_context *context, const struct launch *launch,
		      const struct isa_atomic *atomic, struct pointer_argument *pointer,
		      struct grain *grain)
{
	for (size_t i = 0; i < launch->code->arg_count; i++) {
		const struct isa_arg *arg = &launch->code->args[i];
		struct model_atomic_use use;

		if (!arg->pointer || is_table(atomic, arg->offset) ||
		    is_followed(launch->code, arg->offset) ||
		    !launch_pointer(context, launch, arg->offset, pointer) ||
		    pointer->place.kind != PLACE_ALLOCATION) {
			continue;
		}
		*grain = place_grain(context->process, &pointer->place);
		use = atomic_use(context, launch, atomic_instruction_kind(atomic), pointer, grain);
		if (grain->granularity == GRAIN_FINE &&
		    model_atomic(&use).outcome == OUTCOME_LOST) {
			return true;
		}
		grain_clear(grain);
	}
	return false;
}

void check_unproven(const struct rules_context *context, const struct launch *launch,
		    const struct isa_atomic *atomic)
{
	bool by_default = launch->clang >= CLANG_ASSUMES_COARSE;
	struct pointer_argument pointer;
	struct finding *finding;
	struct grain grain;

	if (!atomic->native || !find_fine(context, launch, atomic, &pointer, &grain)) {
		return;
	}
	finding = atomic_finding(context, launch, by_default ? RULE_HG109 : RULE_HG108, atomic,
				 &pointer, &grain, NULL);
	if (finding) {
		finding->message = g_strdup_printf(
		    "%s has the hardware atomic %s, which %s discards on fine-grained memory, and "
		    "is given fine-grained %s; whether the instruction updates that memory cannot "
		    "be told%s.",
		    finding->kernel, atomic->mnemonic, launch->arch,
		    allocation_noun(pointer.place.allocation),
		    by_default ? " (clang 21 and later assume that it never does)" : "");
		finding->source = atomic_source_new(launch, atomic);
		finding->fix =
		    g_strdup("make sure that the kernel never updates fine-grained memory "
			     "atomically;\nor " FIX_LOOP
			     " (a compare-and-swap loop: correct everywhere, but slow)");
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"the address of the update could not be followed to an argument");
	}
	grain_clear(&grain);
}

/* ---- HG110 ---- */

enum { HARDWARE = 1, LOOP = 2 };

static unsigned fp_modes(const struct isa_kernel *kernel)
{
	unsigned modes = 0;

	for (size_t i = 0; i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];

		if (atomic->fp && atomic->space != ISA_SPACE_LDS &&
		    atomic->origin.kind != ISA_ORIGIN_LDS) {
			modes |= atomic->native ? HARDWARE : LOOP;
		}
	}
	return modes;
}

void check_flags_across(const struct rules_context *context, const struct launch *launch)
{
	unsigned modes = fp_modes(launch->code), before;
	struct finding *finding;
	bool is_new;

	if (modes != HARDWARE && modes != LOOP) {
		return; /* none, or both on purpose */
	}
	before = kernels_modes(context->kernels, context->process, launch->kernel->symbol,
			       launch->arch, modes);
	if (before == modes) {
		return;
	}
	finding = findings_get(context->findings, RULE_HG110, context->process, &is_new, "%s",
			       launch->kernel->symbol);
	launch_hit(launch, finding);
	if (is_new) {
		finding_set_launch(finding, launch, NULL);
		finding->message = g_strdup_printf(
		    "%s was launched from two code objects: in one its floating-point atomics are "
		    "hardware instructions, in the other compare-and-swap loops.",
		    finding->kernel);
		finding->fix =
		    g_strdup("compile the kernel once, or with the same compiler, headers "
			     "and -munsafe-fp-atomics or -mno-unsafe-fp-atomics; where it "
			     "calls unsafeAtomicAdd these options change nothing");
	}
}
