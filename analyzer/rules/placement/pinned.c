/* SPDX-License-Identifier: Apache-2.0 */
/* HG212, HG217: too much pinned memory, freed pointers in structs. */
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "tracer/api/hip_alloc_host.h"

#include <string.h>

/* ---- HG212 ---- */

#define GIB (1u << 30)

static bool is_pinned(const struct allocation *allocation)
{
	return strcmp(allocation_noun(allocation), "pinned host memory") == 0 ||
	       allocation->layer == LAYER_REGISTERED;
}

static void check_amount(const struct rules_context *context, const struct place *place)
{
	const struct process *process = context->process;
	struct finding *finding;
	bool is_new;

	if (!is_pinned(place->allocation) || process->host_memory == 0 ||
	    process->pinned <= process->host_memory / 2)
		return;
	finding = findings_get(context->findings, RULE_HG212, context->process, &is_new, "all");
	finding_hit(finding, context->event->ns, place->allocation->stack_id);
	if (is_new) {
		finding->api = g_strdup(hg_api_name(place->allocation->api));
		finding_set_place(finding, place, place->allocation->ptr);
		finding->message = g_strdup_printf(
		    "with this call %" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT
		    " GiB of the machine's %" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT
		    " GiB are pinned by this process: they cannot be paged out, and other "
		    "processes cannot use them.",
		    process->pinned / GIB, process->pinned % GIB * 10 / GIB,
		    process->host_memory / GIB, process->host_memory % GIB * 10 / GIB);
		finding->fix =
		    g_strdup("reuse a pool of pinned buffers as large as the concurrent transfers");
	}
}

void check_pinned(const struct rules_context *context)
{
	struct place place;

	if (is_new_allocation(context, &place))
		check_amount(context, &place);
}

/* ---- HG217 ---- */

#define CARRIED_LAUNCHES 2 /* once can be a number that looks like an address */

/* Returns true if the kernel uses it, also if the other arguments exclude it. */
static bool is_used(const struct isa_kernel *kernel, uint32_t kernarg)
{
	for (size_t i = 0; i < kernel->use_count; i++)
		if (kernel->uses[i].kernarg == kernarg)
			return true;
	return false;
}

/* Returns true if words of its arguments may be stored, and used from there. */
static bool stores_pointers(const struct isa_kernel *kernel)
{
	for (size_t i = 0; i < kernel->store_count; i++)
		if (kernel->stores[i].size >= 8 &&
		    (!kernel->stores[i].value_known || kernel->stores[i].value_count))
			return true;
	return !kernel->stores_complete;
}

static void report_carried(const struct rules_context *context, const struct launch *launch,
			   const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG217, context->process, &is_new, "%s %u %u",
			       launch->kernel->symbol, pointer->kernarg, allocation->stack_id);
	launch_hit(launch, finding);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_detail(finding, ((uint64_t)allocation->api << 32) | allocation->free_api);
	if (!is_new) {
		finding_met(finding, &pointer->place);
		return;
	}
	finding->least_launches = CARRIED_LAUNCHES;
	finding_set_launch(finding, launch, pointer);
	finding->message = g_strdup_printf(
	    "%s is given a struct that holds a pointer to memory that was freed: %s bytes from %s, "
	    "released by %s.",
	    finding->kernel, FIGURE(0), hg_api_name(allocation->api),
	    hg_api_name(allocation->free_api));
	finding->fix = g_strdup_printf("update the struct after the %s, or release the memory "
				       "after the last launch",
				       hg_api_name(allocation->free_api));
	finding_at_most(finding, CONFIDENCE_POSSIBLE,
			"unknown whether the kernel uses the pointer");
}

void check_carried(const struct rules_context *context)
{
	const struct launch *launch = context->launch;

	/* It is known then what the kernel uses, and other rules judge it. */
	if (launch->code->uses_complete ||
	    (launch->code->paths_complete && !stores_pointers(launch->code)))
		return;
	for (size_t i = 0; i < launch->code->arg_count; i++) {
		const struct isa_arg *arg = &launch->code->args[i];

		if (arg->pointer || arg->size < 8)
			continue;
		for (uint32_t at = (arg->offset + 7) & ~7u; at + 8 <= arg->offset + arg->size;
		     at += 8) {
			struct pointer_argument pointer;

			if (is_used(launch->code, at) ||
			    !launch_pointer(context, launch, at, &pointer) ||
			    pointer.place.kind != PLACE_FREED ||
			    pointer.place.allocation->layer != LAYER_HIP ||
			    (pointer.address & 3) != 0)
				continue;
			report_carried(context, launch, &pointer);
		}
	}
}
