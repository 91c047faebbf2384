/* SPDX-License-Identifier: Apache-2.0 */
/* HG110: how kernels with floating-point atomics were compiled. */
#include "atomics.h"

#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/ids/hg1xx.h"

enum { HARDWARE = 1, LOOP = 2 };

static unsigned fp_modes(const struct isa_kernel *kernel)
{
	unsigned modes = 0;

	for (size_t i = 0; i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];

		if (atomic->fp && atomic->space != ISA_SPACE_LDS &&
		    atomic->origin.kind != ISA_ORIGIN_LDS)
			modes |= atomic->native ? HARDWARE : LOOP;
	}
	return modes;
}

void check_flags_across(const struct rules_context *context, const struct launch *launch)
{
	unsigned modes = fp_modes(launch->code), before;
	struct finding *finding;
	bool is_new;

	if (modes != HARDWARE && modes != LOOP)
		return; /* none, or both on purpose */
	before = kernels_modes(context->kernels, context->process, launch->kernel->symbol,
			       launch->arch, modes);
	if (before == modes)
		return;
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
