/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG511: copies to a GPU from a mapped file that are so large that the runtime pins the file's
 * pages for each of them. Whatever happens to pinned pages afterwards (munmap, reclaim) stops the
 * process's queues on all its GPUs.
 */
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg5xx.h"
#include "tracer/events/ev_copy.h"

#define MIB (1u << 20)

/*
 * Larger copies of pageable memory are pinned: from HIP 6.4 on what is larger than the staging
 * buffer [SGL37720]; 5.2 from 8 MiB on [SEEN52], and what is between is taken to be alike.
 * UINT64_MAX: not known.
 */
static uint64_t largest_staged(const struct process *process)
{
	if (!process->runtime_version || process_env(process, "GPU_PINNED_MIN_XFER_SIZE") ||
	    process_env(process, "GPU_PINNED_XFER_SIZE") ||
	    process_env(process, "GPU_STAGING_BUFFER_SIZE"))
		return UINT64_MAX;
	return process->runtime_version >= 60400000 ? MIB : 8 * MIB - 1;
}

/* Memory of a GPU for which pages are pinned; an APU uses them in place, or HG510 has it. */
static bool is_gpu_memory(const struct process *process, const struct place *place)
{
	struct model_environment environment = process_environment(process);
	const struct device *device;

	if (place->kind != PLACE_ALLOCATION || place->allocation->layer != LAYER_HIP)
		return false;
	device = process_device(process, place->allocation->device);
	return device && device->integrated != 1 && device->xnack == 0 &&
	       model_memory(place->allocation->api, place->allocation->flags, &environment)
		       .location == LOCATION_DEVICE;
}

void check_file_copies(const struct rules_context *context)
{
	const struct hg_ev_copy *copy = context->event->copy;
	const struct process *process = context->process;
	struct place src, dst;
	struct finding *finding;
	bool is_new;

	/* Most copies are smaller than what any release pins. */
	if (copy->size <= MIB || copy->size <= largest_staged(process) || copy->rows > 1 ||
	    copy->depth > 1)
		return;
	src = process_place(process, copy->src);
	if (!is_file_mapping(&src))
		return;
	dst = process_place(process, copy->dst);
	if (!is_gpu_memory(process, &dst))
		return;
	finding = findings_get(context->findings, RULE_HG511, context->process, &is_new, "%u %u",
			       copy->api, src.allocation->stack_id);
	finding_hit(finding, context->event->ns, copy->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, copy->size);
	finding_figure(finding, 1, FIGURE_SUM, 1);
	if (!is_new) {
		finding_met(finding, &src);
		return;
	}
	finding->least_count = FILE_COPIES;
	finding->api = g_strdup(hg_api_name(copy->api));
	finding_set_place(finding, &src, copy->src);
	finding->message = g_strdup_printf(
	    "%s copies from a mapped file, %s times, %s bytes each: of this size the runtime pins "
	    "the file's pages for each copy. When such pages change or are unmapped later, the "
	    "driver stops the process's queues on all its GPUs.",
	    finding->api, FIGURE(1), FIGURE(0));
	finding->fix =
	    g_strdup("read the file into a buffer of hipHostMalloc, and copy from there, "
		     "or in pieces through such a buffer");
	finding_at_most(
	    finding, CONFIDENCE_LIKELY,
	    "neither is recorded whether the file lies on a disk or in memory, nor what "
	    "becomes of its pages");
}
