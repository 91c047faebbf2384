/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds HG222: device memory of one GPU that only kernels of another GPU use, which has room for
 * it.
 */
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "tracer/api/hip_objects.h"
#include "tracer/events/ev_launch.h"

/* Holds the users of an allocation of device memory. */
struct users {
	bool own;                /* a kernel of its own GPU uses it, too: it is shared on purpose */
	struct finding *finding; /* borrowed */
};

static const struct attachment_type users_type = { sizeof(struct users), NULL, NULL };

/* Returns true for memory that lies in a GPU, and that this process allocated there itself. */
static bool is_device_memory(const struct process *process, const struct place *place)
{
	return place->kind == PLACE_ALLOCATION && place->allocation->layer == LAYER_HIP &&
	       place->allocation->device >= 0 && !place->allocation->symbol &&
	       place->allocation->api != HG_API_hipIpcOpenMemHandle &&
	       place_grain_brief(process, place).location == LOCATION_DEVICE;
}

struct room {
	int32_t device;
	uint64_t used; /* bytes */
};

static gboolean add_used(gpointer key, gpointer value, gpointer data)
{
	const struct allocation *allocation = value;
	struct room *room = data;

	(void)key;
	if (allocation->device == room->device)
		room->used += allocation->size;
	return FALSE;
}

/*
 * Returns true if the GPU has so many bytes besides what is allocated while it is the current one.
 */
static bool has_room(const struct process *process, const struct device *device, uint64_t size)
{
	struct room room = { .device = device->ordinal };

	g_tree_foreach(process->space.layers[LAYER_HIP], add_used, &room);
	return room.used <= device->memory && size <= device->memory - room.used;
}

static void describe(struct finding *finding, const struct launch *launch,
		     const struct allocation *allocation)
{
	finding->message = g_strdup_printf(
	    "%s runs on GPU %d and uses %s bytes of GPU %d's memory over the interconnect, which "
	    "no kernel of GPU %d uses; GPU %d had room for them.",
	    finding->kernel, launch->device->ordinal, FIGURE(0), allocation->device,
	    allocation->device, launch->device->ordinal);
	finding->fix = g_strdup_printf(
	    "call hipSetDevice(%d) before the memory is allocated: GPU %d was the current one "
	    "there, perhaps because a function before it selected that one and did not select the "
	    "former one again;\nor launch the kernel in a stream of GPU %d",
	    launch->device->ordinal, allocation->device, allocation->device);
}

static void check_use(const struct rules_context *context, const struct isa_use *use)
{
	const struct launch *launch = context->launch;
	struct pointer_argument pointer;
	struct finding *finding;
	struct users *users;
	uint64_t bytes;
	bool is_new;

	if (!use->access || !launch_pointer(context, launch, use->kernarg, &pointer) ||
	    !is_device_memory(context->process, &pointer.place))
		return;
	users = attachment_get(&pointer.place.allocation->attachments, &users_type);
	if (pointer.place.allocation->device == launch->device->ordinal) {
		users->own = true;
		if (users->finding)
			finding_withdraw(users->finding);
		return;
	}
	bytes = place_used(&pointer.place, launch->code, use);
	if (users->own || bytes < IN_PLACE_SIZE ||
	    !has_room(context->process, launch->device, pointer.place.allocation->size))
		return;
	finding =
	    findings_get(context->findings, RULE_HG222, context->process, &is_new, "%s %u %u",
			 launch->kernel->symbol, use->kernarg, pointer.place.allocation->stack_id);
	users->finding = finding;
	launch_hit(launch, finding);
	finding_figure(finding, 0, FIGURE_RANGE, bytes);
	if (!is_new) {
		finding_met(finding, &pointer.place);
		return;
	}
	finding->least_launches = IN_PLACE_LAUNCHES;
	finding->absence = ABSENCE_SO_FAR;
	finding_set_launch(finding, launch, &pointer);
	describe(finding, launch, pointer.place.allocation);
	finding_weigh(finding, &(struct chain){ .use = use });
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"memory can lie in another GPU on purpose, for copies or its host");
}

void check_other_gpu(const struct rules_context *context)
{
	const struct launch *launch = context->launch;

	/*
	 * An APU's memory is near to all GPUs; the launch's device is not known without its record.
	 */
	if (!launch->device || launch->device->integrated == 1 || !launch->device->memory ||
	    launch->device->ordinal != context->event->launch->device)
		return;
	for (size_t i = 0; i < launch->code->use_count; i++)
		check_use(context, &launch->code->uses[i]);
}
