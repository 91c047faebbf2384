/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On an APU (MI300A), whose GPU and CPU share one memory: HG510, copies within it; HG219, more
 * memory than its node has; HG312, page faults of the GPU; HG910, XNACK off.
 */
#include <string.h>

#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "analyzer/rules/ids/hg5xx.h"
#include "analyzer/rules/ids/hg9xx.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_migration.h"

/* enum kfd_smi_event, docs/memory-model.md#driver-events */
enum { SMI_FAULT_END = 8 };

#define GIB (1u << 30)

/* Keeps the state of a process. */
struct apu_state {
	GHashTable *bytes; /* device number + 1 -> uint64_t: live memory of the GPU's allocators */
	uint64_t pageable_copies, pageable_bytes;
};

static void init_state(void *data)
{
	((struct apu_state *)data)->bytes =
	    g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
}

static void clear_state(void *data)
{
	g_hash_table_destroy(((struct apu_state *)data)->bytes);
}

static const struct attachment_type state_type = { sizeof(struct apu_state), init_state,
						   clear_state };

static bool is_apu(const struct device *device)
{
	return device && device->integrated == 1;
}

static bool is_device_memory(const struct process *process, const struct allocation *allocation)
{
	struct model_environment environment = process_environment(process);

	return allocation->layer == LAYER_HIP &&
	       model_memory(allocation->api, allocation->flags, &environment).location ==
		   LOCATION_DEVICE;
}

/* ---- HG219 ---- */

static uint64_t *live_bytes(struct apu_state *state, int32_t device)
{
	uint64_t *bytes = g_hash_table_lookup(state->bytes, GINT_TO_POINTER(device + 1));

	if (!bytes) {
		bytes = g_new0(uint64_t, 1);
		g_hash_table_insert(state->bytes, GINT_TO_POINTER(device + 1), bytes);
	}
	return bytes;
}

static void check_node(const struct rules_context *context, struct apu_state *state)
{
	const struct device *device;
	struct finding *finding;
	struct place place;
	uint64_t *bytes;
	bool is_new;

	if (!is_new_allocation(context, &place) ||
	    !is_device_memory(context->process, place.allocation))
		return;
	device = process_device(context->process, place.allocation->device);
	if (!is_apu(device) || !device->memory)
		return;
	bytes = live_bytes(state, device->ordinal);
	*bytes += place.allocation->size;
	if (*bytes <= device->memory)
		return;
	finding = findings_get(context->findings, RULE_HG219, context->process, &is_new, "%u",
			       place.allocation->stack_id);
	finding_hit(finding, context->event->ns, place.allocation->stack_id);
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	finding->api = g_strdup(hg_api_name(place.allocation->api));
	finding_set_place(finding, &place, place.allocation->ptr);
	finding->message = g_strdup_printf(
	    "with this call the process alone has %" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT
	    " GiB allocated on device %d, whose APU has %" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT
	    " GiB, without what the CPU and other processes use of it: the rest lies in another "
	    "APU's memory, which is 2 to 10 "
	    "times slower to reach, and takes the room there.",
	    *bytes / GIB, *bytes % GIB * 10 / GIB, device->ordinal, device->memory / GIB,
	    device->memory % GIB * 10 / GIB);
	finding->fix =
	    g_strdup("spread the data over the APUs, one process or device each, and "
		     "release what is not needed before more is allocated" FIX_NOT_TESTED);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"neither where the memory lies is recorded, nor how much of the node's was "
			"free; only this process's allocations count");
}

static void forget(const struct rules_context *context, struct apu_state *state)
{
	const struct allocation *released = context->released;
	const struct device *device;
	uint64_t *bytes;

	if (!released || !is_device_memory(context->process, released))
		return;
	device = process_device(context->process, released->device);
	if (!is_apu(device))
		return;
	bytes = live_bytes(state, device->ordinal);
	*bytes -= MIN(*bytes, released->size);
}

/* ---- HG510 ---- */

static bool is_host_side(const struct process *process, const struct place *place)
{
	struct model_environment environment = process_environment(process);

	if (is_system_memory(place))
		return true;
	return place->kind == PLACE_ALLOCATION &&
	       model_memory(place->allocation->api, place->allocation->flags, &environment)
		       .location == LOCATION_HOST;
}

static bool is_device_side(const struct process *process, const struct place *place)
{
	return place->kind == PLACE_ALLOCATION &&
	       is_apu(process_device(process, place->allocation->device)) &&
	       is_device_memory(process, place->allocation);
}

static void check_copy(const struct rules_context *context, struct apu_state *state)
{
	const struct hg_ev_copy *copy = context->event->copy;
	const struct process *process = context->process;
	struct place dst = process_place(process, copy->dst);
	struct place src = process_place(process, copy->src);
	bool to = is_device_side(process, &dst) && is_host_side(process, &src);
	bool from = is_device_side(process, &src) && is_host_side(process, &dst);
	const struct place *host = to ? &src : &dst;
	uint64_t bytes = copy->size * MAX(copy->rows, 1) * MAX(copy->depth, 1);
	struct finding *finding;
	bool is_new;

	if ((!to && !from) || bytes < APU_COPY_SIZE)
		return;
	if (is_system_memory(host)) {
		state->pageable_copies++;
		state->pageable_bytes += bytes;
	}
	finding = findings_get(context->findings, RULE_HG510, context->process, &is_new, "%u %u",
			       copy->api, copy->stack_id);
	finding_hit(finding, context->event->ns, copy->stack_id);
	finding_figure(finding, 0, FIGURE_SUM, bytes);
	if (!is_new)
		return;
	finding->least_count = APU_COPIES;
	finding->api = g_strdup(hg_api_name(copy->api));
	finding_set_place(finding, to ? &dst : &src, to ? copy->dst : copy->src);
	finding->message = g_strdup_printf(
	    "%s copies %s bytes between %s and device memory, which are the same "
	    "memory on this APU: both sides can use one buffer.",
	    finding->api, FIGURE(0), is_system_memory(host) ? "pageable memory" : "pinned memory");
	finding->fix = g_strdup("allocate the buffer once, with hipMalloc, and use it on both "
				"sides: the CPU reaches it as its own;\nor pass the host's pointer "
				"to the kernels, with HSA_XNACK=1 "
				"where it is not pinned");
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"unknown whether the host's buffer lies in another APU's memory, and "
			"whether one of the two changes while the other is still needed");
}

/* ---- HG312 ---- */

static void check_fault(const struct rules_context *context)
{
	const struct hg_ev_migration *fault = context->event->migration;
	struct place place;
	struct finding *finding;
	bool is_new;

	/* 'M': pages moved. On an APU they do not. */
	if (fault->kind != SMI_FAULT_END || fault->detail != 'U' ||
	    !is_apu(process_device(context->process, fault->from)))
		return;
	place = process_place(context->process, fault->start);
	if (place.kind != PLACE_ALLOCATION)
		return;
	finding = findings_get(context->findings, RULE_HG312, context->process, &is_new, "%u %u",
			       place.allocation->api, place.allocation->stack_id);
	finding_hit(finding, context->event->ns, place.allocation->stack_id);
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	finding->least_count = APU_FAULTS;
	finding->api = g_strdup(hg_api_name(place.allocation->api));
	finding_set_place(finding, &place, place.allocation->ptr);
	finding->message = g_strdup_printf(
	    "kernels stop for page faults in memory of %s, which the GPU has no mapping of until "
	    "it touches it: nothing moves on an APU, but each fault costs its time.",
	    finding->api);
	finding->fix = g_strdup(
	    "allocate it with hipMalloc, which is mapped at once" FIX_NOT_TESTED
	    ";\nor keep it for later launches instead of allocating it again" FIX_NOT_TESTED);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"unknown whether the CPU touched the pages before");
}

/* ---- HG910 ---- */

static void check_xnack(const struct rules_context *context, const struct apu_state *state)
{
	const struct device *device = process_device(context->process, 0);
	const char *variable = process_env(context->process, "HSA_XNACK");
	struct finding *finding;
	bool is_new;

	if (!is_apu(device) || device->xnack != 0 || state->pageable_copies < APU_COPIES)
		return;
	finding = findings_get(context->findings, RULE_HG910, context->process, &is_new, "xnack");
	finding->subject = g_strdup("HSA_XNACK");
	finding->message = g_strdup_printf("XNACK is off on this APU (HSA_XNACK%s%s): kernels "
					   "cannot use memory of malloc and new, "
					   "and the program copied it %" G_GUINT64_FORMAT
					   " times, %" G_GUINT64_FORMAT " bytes.",
					   variable ? "=" : " is not set", variable ? variable : "",
					   state->pageable_copies, state->pageable_bytes);
	finding->fix = g_strdup("run with HSA_XNACK=1, with code that is not for xnack- alone, and "
				"pass the pointers instead");
	finding->count = 1;
}

void check_apu(const struct rules_context *context)
{
	struct apu_state *state = attachment_get(&context->process->attachments, &state_type);

	switch (context->wake) {
	case WAKE_ALLOC:
		check_node(context, state);
		break;
	case WAKE_RELEASE:
		forget(context, state);
		break;
	case WAKE_COPY:
		check_copy(context, state);
		break;
	case WAKE_MIGRATION:
		if (context->event->type == HG_EVENT_migration)
			check_fault(context);
		break;
	default:
		check_xnack(context, state);
		break;
	}
}
