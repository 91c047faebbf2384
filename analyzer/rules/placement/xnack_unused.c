/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG911: XNACK is on, and nothing needs it. A claim about all launches: one whose memory is not
 * known refutes it as well as one that uses memory of the operating system or managed memory.
 */
#include <string.h>

#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg9xx.h"

/* Tells if a process needs XNACK. */
struct xnack_use {
	bool needed; /* or not known to be unneeded */
};

static const struct attachment_type use_type = { sizeof(struct xnack_use), NULL, NULL };

/* Returns true for memory that is mapped on the GPU before any launch. */
static bool is_mapped(const struct process *process, const struct allocation *allocation)
{
	struct model_environment environment = process_environment(process);
	enum memory_kind kind = model_memory(allocation->api, allocation->flags, &environment).kind;

	return kind == KIND_DEVICE || kind == KIND_PINNED;
}

static void check_use(const struct rules_context *context, const struct launch *launch,
		      const struct isa_use *use, const struct pointer_argument *pointer)
{
	struct xnack_use *state = attachment_get(&context->process->attachments, &use_type);
	bool null = pointer->address < context->process->page_size;

	(void)launch;
	(void)use;
	state->needed |= !null && (pointer->place.kind != PLACE_ALLOCATION ||
				   !is_mapped(context->process, pointer->place.allocation));
}

/* Also what is only passed: its kernel may hand it on. */
static void check_passed(const struct rules_context *context)
{
	struct xnack_use *state = attachment_get(&context->process->attachments, &use_type);
	const struct launch_memory *memory = context->memory;

	state->needed |= !memory || memory->unknown;
	for (unsigned i = 0; memory && i < memory->touched->len && !state->needed; i++) {
		const struct touched *at = &g_array_index(memory->touched, struct touched, i);

		state->needed |= !is_mapped(context->process, at->memory->allocation);
	}
}

static void check_process(const struct rules_context *context)
{
	struct process *process = context->process;
	const struct xnack_use *state = attachment_find(&process->attachments, &use_type);
	const struct device *device = process_device(process, 0);
	const char *variable;
	struct finding *finding;
	bool is_new;

	if (!state || state->needed || !device || device->xnack != 1 ||
	    process->launches < XNACK_LAUNCHES || process->state.late || process->target_regions ||
	    context->history->hidden_work || context->history->unknown)
		return;
	variable = process_env(process, "HSA_XNACK");
	if (!variable || strcmp(variable, "1") != 0)
		return;
	finding = findings_get(context->findings, RULE_HG911, process, &is_new, "xnack");
	if (!is_new)
		return;
	finding->absence = ABSENCE_TO_END;
	finding->subject = g_strdup("HSA_XNACK");
	finding->count = 1;
	finding_figure(finding, 0, FIGURE_SUM, process->launches);
	finding->message = g_strdup_printf(
	    "HSA_XNACK=1 is set, and all memory that the %s launches use is device memory or "
	    "pinned: nothing needs XNACK, which costs kernels up to 5 %%.",
	    FIGURE(0));
	finding->fix = g_strdup("run with HSA_XNACK=0, or without it");
	finding_at_most(finding, CONFIDENCE_LIKELY, "another run may use other memory");
}

void check_xnack_unused(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_CODE:
		launch_each_use(context, context->launch, check_use);
		break;
	case WAKE_LAUNCH:
		check_passed(context);
		break;
	default:
		check_process(context);
		break;
	}
}
