/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds HG619: a kernel updates atomically device memory into which nothing was written since it
 * was allocated. Any write counts, of any byte: the recording does not show which bytes a kernel
 * writes. Only updates count that the launch executes for certain, and no plain reads, whose
 * execution is not followed: "beta != 0 ? beta * c[i] : 0" reads nothing of a fresh c.
 */
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/offload_events.h"

/* Holds what is kept with an allocation. */
struct writes {
	bool written;            /* or it may have been */
	bool of_openmp;          /* OpenMP allocated it, whose transfers are recorded */
	struct finding *finding; /* borrowed: one that waits for a copy from the memory; or NULL */
};

static const struct attachment_type writes_type = { sizeof(struct writes), NULL, NULL };

/* Holds for a process the time of the last event that may have written anywhere. */
static const struct attachment_type anywhere_type = { sizeof(int64_t), NULL, NULL };

static void note_written(struct allocation *allocation)
{
	((struct writes *)attachment_get(&allocation->attachments, &writes_type))->written = true;
}

static void note_written_at(const struct rules_context *context, uint64_t address)
{
	struct place place = process_place(context->process, address);

	if (place.kind == PLACE_ALLOCATION)
		note_written(place.allocation);
}

static void note_anywhere(const struct rules_context *context)
{
	*(int64_t *)attachment_get(&context->process->attachments, &anywhere_type) =
	    context->event->ns;
}

/* Returns true if nothing that was recorded has written into the allocation. */
static bool is_unwritten(const struct rules_context *context, struct allocation *allocation)
{
	const struct writes *writes = attachment_find(&allocation->attachments, &writes_type);
	const int64_t *anywhere = attachment_find(&context->process->attachments, &anywhere_type);

	return !(writes && writes->written) && !(anywhere && *anywhere >= allocation->ns);
}

static bool is_of_hsa(const struct allocation *allocation)
{
	return allocation->api == HG_API_hsa_amd_memory_pool_allocate ||
	       allocation->api == HG_API_hsa_memory_allocate;
}

static bool is_of_openmp(const struct allocation *allocation)
{
	const struct writes *writes = attachment_find(&allocation->attachments, &writes_type);

	return writes && writes->of_openmp;
}

/*
 * Returns true for memory of hipMalloc and similar functions, and of OpenMP (omp_target_alloc, map
 * clauses). Other copies by the HSA runtime are not recorded.
 */
static bool is_fresh_device_memory(const struct process *process, const struct place *place)
{
	struct grain grain;

	if (place->kind != PLACE_ALLOCATION || place->allocation->layer != LAYER_HIP ||
	    place->allocation->symbol || place->allocation->api == HG_API_hipIpcOpenMemHandle ||
	    (is_of_hsa(place->allocation) && !is_of_openmp(place->allocation)))
		return false;
	grain = place_grain_brief(process, place);
	return grain.location == LOCATION_DEVICE && grain.certain;
}

/* Returns true if the kernel may write to the allocation, through any of its arguments. */
static bool may_write(const struct rules_context *context, const struct allocation *allocation)
{
	const struct launch *launch = context->launch;

	for (size_t i = 0; i < launch->code->use_count; i++) {
		const struct isa_use *use = &launch->code->uses[i];
		struct pointer_argument pointer;

		if ((use->access & ISA_WRITE) &&
		    launch_pointer(context, launch, use->kernarg, &pointer) &&
		    pointer.place.kind == PLACE_ALLOCATION &&
		    pointer.place.allocation == allocation)
			return true;
	}
	return !launch->code->uses_complete;
}

/*
 * The host may have written without a call if it can address the GPU's memory. A program that
 * copies from the memory later does not write so: until then the finding is not reported.
 */
static void await_copy(const struct rules_context *context, struct finding *finding,
		       struct allocation *allocation)
{
	const struct device *device = process_device(context->process, allocation->device);
	struct writes *writes = attachment_get(&allocation->attachments, &writes_type);

	if (device && !device->large_bar)
		return;
	finding->least_launches = UINT64_MAX;
	writes->finding = finding;
}

/* Returns an atomic that the launch executes on that argument for certain, or NULL. */
static const struct isa_atomic *certain_update(const struct isa_kernel *code, uint32_t kernarg)
{
	for (size_t i = 0; i < code->atomic_count; i++) {
		const struct isa_atomic *atomic = &code->atomics[i];

		if (atomic->executes && atomic->origin.kind == ISA_ORIGIN_DIRECT &&
		    atomic->origin.kernarg_count == 1 && atomic->origin.kernarg[0] == kernarg)
			return atomic;
	}
	return NULL;
}

static void check_use(const struct rules_context *context, const struct isa_use *use)
{
	const struct launch *launch = context->launch;
	const struct isa_atomic *atomic = certain_update(launch->code, use->kernarg);
	struct pointer_argument pointer;
	struct finding *finding;
	bool is_new;

	if (!atomic || !launch_pointer(context, launch, use->kernarg, &pointer) ||
	    !is_fresh_device_memory(context->process, &pointer.place) ||
	    !is_unwritten(context, pointer.place.allocation) ||
	    may_write(context, pointer.place.allocation))
		return;
	finding =
	    findings_get(context->findings, RULE_HG619, context->process, &is_new, "%s %u %u",
			 launch->kernel->symbol, use->kernarg, pointer.place.allocation->stack_id);
	launch_hit(launch, finding);
	finding_figure(finding, 0, FIGURE_RANGE, pointer.place.allocation->size);
	if (!is_new) {
		finding_met(finding, &pointer.place);
		return;
	}
	finding->absence = ABSENCE_BETWEEN;
	finding_set_launch(finding, launch, &pointer);
	finding->message = g_strdup_printf(
	    "%s updates device memory (%s bytes from %s) into which nothing was written since it "
	    "was allocated: what is there is undefined, although fresh pages are often zero.",
	    finding->kernel, FIGURE(0), hg_api_name(pointer.place.allocation->api));
	if (launch_is_omp(launch)) {
		finding->fix = g_strdup("map it with map(to:) or map(tofrom:);\nor initialise it "
					"there before, by omp_target_memcpy or by a target region");
	} else {
		finding->fix = g_strdup("initialise it before the launch: hipMemset(" FIX_POINTER
					", 0, " FIX_SIZE ")" FIX_POINTER_NOTE);
	}
	finding_weigh(finding, &(struct chain){ .launch = launch, .atomic = atomic });
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"work that is not recorded may have written to it");
	await_copy(context, finding, pointer.place.allocation);
}

/* Notes that the program copies from the memory, and so does not read it in place. */
static void note_copied_from(const struct rules_context *context, uint64_t address)
{
	struct place place = process_place(context->process, address);
	struct writes *writes;

	if (place.kind != PLACE_ALLOCATION)
		return;
	writes = attachment_find(&place.allocation->attachments, &writes_type);
	if (writes && writes->finding)
		writes->finding->least_launches = 0;
}

static void check_launched(const struct rules_context *context)
{
	const struct isa_kernel *code = context->launch->code;

	/* The memory's content from before the recording is not known. */
	if (context->history->hidden_work || context->process->state.late)
		return;
	for (size_t i = 0; i < code->use_count; i++)
		check_use(context, &code->uses[i]);
}

/* Runs after check_launched(): the launch wakes with its code first. */
static void note_launch(const struct rules_context *context)
{
	const struct launch_memory *memory = context->memory;

	if (!memory || memory->unknown) {
		note_anywhere(context);
		return;
	}
	for (unsigned i = 0; i < memory->touched->len; i++) {
		const struct touched *at = &g_array_index(memory->touched, struct touched, i);

		if (at->access != ISA_READ)
			note_written(at->memory->allocation);
	}
}

/*
 * Notes what OpenMP does with memory of a device. Its run-time library hands parts of a block out
 * again and again: only what begins where a block does is judged.
 */
static void note_openmp(const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct place place = process_place(context->process, data->dst);

	if (data->op == HG_OMP_TO_DEVICE || data->op == HG_OMP_FROM_DEVICE) {
		note_copied_from(context, data->src);
		note_written_at(context, data->dst);
	} else if (data->op == HG_OMP_ALLOC && place.kind == PLACE_ALLOCATION && !place.offset) {
		((struct writes *)attachment_get(&place.allocation->attachments, &writes_type))
		    ->of_openmp = true;
	} else if (data->op == HG_OMP_ASSOCIATE) {
		note_written_at(context, data->dst);
	}
}

void check_unwritten(const struct rules_context *context)
{
	const struct hg_event *event = context->event;

	switch (context->wake) {
	case WAKE_CODE:
		check_launched(context);
		break;
	case WAKE_LAUNCH:
		note_launch(context);
		break;
	case WAKE_COPY:
		note_copied_from(context, event->copy->src);
		note_written_at(context, event->copy->dst);
		break;
	case WAKE_FILL:
		note_written_at(context, event->fill->dst);
		break;
	case WAKE_OMP:
		if (event->type == HG_EVENT_omp_data)
			note_openmp(context);
		break;
	default:
		break;
	}
}
