/* SPDX-License-Identifier: Apache-2.0 */
/* HG3xx, as far as calls and launches show them; migration.c has what the driver reported. */
#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/evidence.h"
#include "migration.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "analyzer/rules/engine/call_history.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"

/* hipMemoryAdvise, H523. */
enum {
	ADVICE_SET_PREFERRED = 3,
	ADVICE_UNSET_PREFERRED = 4,
	ADVICE_SET_ACCESSED_BY = 5,
	ADVICE_UNSET_ACCESSED_BY = 6,
};

static uint64_t device_bit(int32_t device)
{
	return device >= 0 && device < 64 ? 1ull << device : 0;
}

static struct memory_history *movable(struct process_history *history,
				      const struct rules_context *context, uint64_t address)
{
	struct place place = process_place(context->process, address);
	struct grain grain;
	bool moves;

	if (place.kind != PLACE_ALLOCATION)
		return NULL;
	grain = place_grain_brief(context->process, &place);
	moves = grain.location == LOCATION_MOVABLE && grain.certain;
	return moves ? call_history_memory(history, place.allocation) : NULL;
}

/* ---- HG306 ---- */

static void check_duration(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_prefetch *prefetch = context->event->prefetch;
	struct site_history *site;
	struct finding *finding;
	bool is_new;

	if (!prefetch->stack_id)
		return;
	site = call_history_site(history, prefetch->api, prefetch->stack_id);
	finding = findings_get(context->findings, RULE_HG306, context->process, &is_new, "%u %u",
			       prefetch->api, prefetch->stack_id);
	/* A single call that returns early shows that they do not wait for the pages. */
	site->returned_early |= prefetch->size < PREFETCH_SIZE ||
				prefetch->duration < PREFETCH_NS ||
				prefetch->duration < prefetch->size / PREFETCH_BYTES_PER_NS;
	finding->least_count = site->returned_early ? UINT64_MAX : PREFETCH_REPEATS;
	finding_hit(finding, context->event->ns, prefetch->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, prefetch->size);
	finding_figure(finding, 1, FIGURE_RANGE, prefetch->duration / 1000);
	if (!is_new)
		return;
	finding->api = g_strdup(hg_api_name(prefetch->api));
	finding->message = g_strdup_printf("%s returns only after the time needed to move %s bytes "
					   "(%s us here): the calling thread waits.",
					   finding->api, FIGURE(0), FIGURE(1));
	finding->fix = g_strdup("call it from a separate thread, or earlier, while the host waits "
				"for something else" FIX_NOT_TESTED);
	finding_at_most(finding, CONFIDENCE_LIKELY, MIGRATION_NOT_KNOWN);
}

static void on_prefetch(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_prefetch *prefetch = context->event->prefetch;
	struct memory_history *memory = movable(history, context, prefetch->ptr);

	if (!memory)
		return;
	memory->prefetched = true;
	memory->prefetch_target = prefetch->target;
	memory->prefetch_api = prefetch->api;
	memory->prefetch_start = prefetch->ptr;
	memory->prefetch_size = prefetch->size;
	memory->prefetch_site = prefetch->stack_id;
	memory->home |= device_bit(prefetch->target);
	check_duration(history, context);
}

static void on_advise(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_advise *advise = context->event->advise;
	struct memory_history *memory = movable(history, context, advise->ptr);

	if (!memory)
		return;
	switch (advise->advice) {
	case ADVICE_SET_PREFERRED:
		memory->preferred = advise->target;
		break;
	case ADVICE_UNSET_PREFERRED:
		memory->preferred = NOWHERE;
		break;
	case ADVICE_SET_ACCESSED_BY:
		memory->accessed_by |= device_bit(advise->target);
		break;
	case ADVICE_UNSET_ACCESSED_BY:
		memory->accessed_by &= ~device_bit(advise->target);
		break;
	default:
		break;
	}
}

/* ---- launches ---- */

static void describe_launch(const struct rules_context *context, struct finding *finding,
			    struct kernel_ref *kernel, const struct touched *touched)
{
	struct launch launch = {
		.kernel = kernel,
		.args = process_args(context->process, context->event->launch->args_id),
	};
	struct pointer_argument pointer = { .kernarg = touched->kernarg,
					    .index = -1,
					    .address = touched->address,
					    .chain = touched->chain,
					    .path = touched->path,
					    .doubt = touched->doubt,
					    .at_most = CONFIDENCE_LIKELY };

	launch.code = kernels_find(context->kernels, context->process, kernel, context->findings,
				   &launch.arch);
	pointer.place = process_place(context->process, touched->address);
	if (touched->kernarg != NO_KERNARG)
		launch_argument(&launch, touched->kernarg, &pointer);
	finding_set_launch(finding, &launch, &pointer);
}

static struct finding *launch_finding(const struct rules_context *context, enum rule_id rule,
				      const struct touched *touched, uint32_t site, bool *is_new)
{
	const struct hg_ev_launch *launch = context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, launch->kernel_id);
	struct allocation *allocation = touched->memory->allocation;
	struct finding *finding = findings_get(
	    context->findings, rule, context->process, is_new, "%u %u %u %u %s", launch->kernel_id,
	    touched->kernarg, allocation->stack_id, site, touched->chain ? touched->path : "");
	uint64_t items = (uint64_t)launch->grid_x * launch->grid_y * launch->grid_z *
			 launch->block_x * launch->block_y * launch->block_z;

	finding->launches++;
	finding->work_items = MAX(finding->work_items, items);
	finding_hit(finding, context->event->ns, launch->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION,
					      .allocation = allocation,
					      .offset = touched->address - allocation->ptr });
	if (*is_new)
		describe_launch(context, finding, kernel, touched);
	return finding;
}

/* Checks for HG305. */
static void check_target(const struct rules_context *context, const struct touched *touched)
{
	struct memory_history *memory = touched->memory;
	const struct allocation *allocation = memory->allocation;
	int32_t target = memory->prefetch_target, device = context->event->launch->device;
	struct finding *finding;
	bool is_new;

	/* After a prefetch to the host the host may have used the memory; this is not recorded. */
	if (!memory->prefetched ||
	    touched->address - memory->prefetch_start >= memory->prefetch_size)
		return;
	memory->prefetched = false;
	if (target < 0 || device < 0 || target == device)
		return;
	finding = launch_finding(context, RULE_HG305, touched, memory->prefetch_site, &is_new);
	finding_figure(finding, 1, FIGURE_RANGE, memory->prefetch_size);
	finding_detail(finding, ((uint64_t)(unsigned)target << 32) | (unsigned)device);
	if (!is_new)
		return;
	finding->message =
	    g_strdup_printf("%s moved %s bytes to device %d, but the next kernel that "
			    "uses them runs on device %d.",
			    hg_api_name(memory->prefetch_api), FIGURE(1), target, device);
	finding->fix =
	    g_strdup_printf("prefetch them to device %d, or launch on device %d", device, target);
	if (memory->prefetch_start > allocation->ptr || memory->prefetch_size < allocation->size) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"the kernel may use only what was not prefetched");
	}
}

/* Checks for HG307. */
static void check_remote(const struct rules_context *context, const struct touched *touched)
{
	const struct memory_history *memory = touched->memory;
	int32_t device = context->event->launch->device;
	struct finding *finding;
	bool is_new;

	if (!(memory->accessed_by & device_bit(device)) || (memory->home & device_bit(device)) ||
	    memory->preferred == device || memory->allocation->size < REMOTE_SIZE ||
	    !(touched->access & ISA_READ))
		return;
	finding = launch_finding(context, RULE_HG307, touched, 0, &is_new);
	finding_detail(finding, (unsigned)device);
	if (!is_new)
		return;
	finding->least_launches = MIGRATION_LAUNCHES;
	finding->message =
	    g_strdup_printf("kernels on device %d read %s bytes that hipMemAdviseSetAccessedBy "
			    "mapped for it in place: they do not migrate to it on access; it is "
			    "not their preferred location, and they were not prefetched to it.",
			    device, FIGURE(0));
	finding->fix = g_strdup_printf(
	    "%sadvise hipMemAdviseSetPreferredLocation for device %d; SetAccessedBy is for what a "
	    "kernel reads once",
	    can_be_prefetched(context->process, memory->allocation)
		? "prefetch them to this device before the first launch" FIX_NOT_TESTED ";\nor "
		: "",
	    device);
	finding_at_most(finding, CONFIDENCE_LIKELY, MIGRATION_NOT_KNOWN);
}

/* Returns true for functions of the C library that get an alignment. */
static bool aligns(unsigned api)
{
	return api == HG_API_aligned_alloc || api == HG_API_posix_memalign ||
	       api == HG_API_memalign;
}

/* Checks for HG303. */
static void check_alignment(const struct rules_context *context, const struct touched *touched)
{
	const struct allocation *allocation = touched->memory->allocation;
	const struct device *device =
	    process_device(context->process, context->event->launch->device);
	struct finding *finding;
	bool is_new;

	if (allocation->layer != LAYER_HOST || allocation->size < MIGRATION_BLOCK ||
	    (allocation->ptr & (MIGRATION_BLOCK - 1)) == 0 || !device || device->xnack != 1 ||
	    device->integrated == 1)
		return;
	finding = launch_finding(context, RULE_HG303, touched, 0, &is_new);
	finding_figure(finding, 1, FIGURE_RANGE, allocation->ptr & (MIGRATION_BLOCK - 1));
	if (!is_new)
		return;
	finding->least_launches = MIGRATION_LAUNCHES;
	finding->message = g_strdup_printf(
	    "%s bytes from %s, used by kernels with XNACK on, begin %s bytes into a block of 2 "
	    "MiB, in which pages migrate: the blocks at both ends hold other memory as well.",
	    FIGURE(0), hg_api_name(allocation->api), FIGURE(1));
	finding->fix = g_strdup(
	    aligns(allocation->api)
		? "pass 2097152 as its alignment, and a multiple of that as its size;\nor allocate "
		  "it with hipMallocManaged"
		: "allocate it with aligned_alloc(2097152, n), n a multiple of that;\nor allocate "
		  "it with hipMallocManaged");
	finding_at_most(finding, CONFIDENCE_LIKELY, MIGRATION_NOT_KNOWN);
}

static void on_launch(const struct rules_context *context, const struct launch_memory *launch)
{
	for (unsigned i = 0; i < launch->touched->len; i++) {
		const struct touched *touched = &g_array_index(launch->touched, struct touched, i);

		if (touched->access) {
			check_target(context, touched);
			check_remote(context, touched);
			check_alignment(context, touched);
		}
	}
}

void check_memory_advice(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_PREFETCH:
		on_prefetch(context->history, context);
		break;
	case WAKE_ADVISE:
		on_advise(context->history, context);
		break;
	default:
		on_launch(context, context->memory);
		break;
	}
}
