/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds copies that a kernel reads and that nobody wrote, and data that a kernel writes to a copy
 * that had been transferred and that nobody reads: neither a kernel nor a transfer (other copies
 * may be scratch memory). What kernels do is known from their machine code; if one is unknown, or
 * may use more than its arguments, everything counts as written and as read.
 *
 * A kernel receives the address that element 0 of the array would have. For a section that begins
 * later, another copy may lie there: processes that map such sections, as far as that can be
 * determined, are not analysed.
 */
#include "offload_copies.h"

#include <string.h>

#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"

#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/omp_copy.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/ids/hg5xx.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_omp_data.h"

static void free_copy(gpointer data)
{
	struct device_copy *copy = data;

	if (copy->place.allocation)
		allocation_unref(copy->place.allocation);
	g_free(copy);
}

static void init_copies(void *data)
{
	((struct process_copies *)data)->copies =
	    g_tree_new_full(compare_addresses, NULL, NULL, free_copy);
}

static void clear_copies(void *data)
{
	g_tree_destroy(((struct process_copies *)data)->copies);
}

static const struct attachment_type copies_type = { sizeof(struct process_copies), init_copies,
						    clear_copies };

struct device_copy *copy_at(const struct process_copies *process, uint64_t ptr)
{
	GTreeNode *node = g_tree_upper_bound(process->copies, &ptr);
	struct device_copy *copy;

	node = node ? g_tree_node_previous(node) : g_tree_node_last(process->copies);
	copy = node ? g_tree_node_value(node) : NULL;
	return copy && ptr - copy->ptr < copy->size ? copy : NULL;
}

static void note_read(struct device_copy *copy)
{
	if (copy)
		copy->lost = false;
}

void copy_note_sent(struct device_copy *copy, uint64_t ptr, uint64_t size)
{
	uint64_t first = ptr - copy->ptr, end = first + MIN(size, copy->size - first);
	unsigned from, to;

	copy->written = copy->sent = true;
	copy->lost = false; /* perhaps not all of it was written over */
	/* The parts from `from` to before `to` become one with the new part. */
	for (from = 0; from < copy->part_count && copy->parts[from].end < first; from++)
		;
	for (to = from; to < copy->part_count && copy->parts[to].first <= end; to++) {
		first = MIN(first, copy->parts[to].first);
		end = MAX(end, copy->parts[to].end);
	}
	if (from == to && copy->part_count == SENT_PARTS) {
		copy->filled = true;
		return;
	}
	memmove(&copy->parts[from + 1], &copy->parts[to],
		(copy->part_count - to) * sizeof(copy->parts[0]));
	copy->parts[from] = (struct copy_part){ first, end };
	copy->part_count += 1 + from - to;
}

bool copy_lacks(const struct device_copy *copy, uint64_t ptr, uint64_t size)
{
	uint64_t first = ptr - copy->ptr;

	if (copy->filled || first >= copy->size || size > copy->size - first)
		return false;
	for (unsigned i = 0; i < copy->part_count; i++)
		if (copy->parts[i].first < first + size && first < copy->parts[i].end)
			return false;
	return true;
}

/* Notes a copy or fill by HIP, whose rows are not followed. */
static void note_transfer_to(struct device_copy *copy)
{
	if (copy) {
		copy->written = copy->sent = copy->filled = true;
		copy->lost = false;
	}
}

/* ---- findings ---- */

static void report(const struct rules_context *context, const struct device_copy *copy,
		   uint32_t stack_id, int64_t ns, bool lost)
{
	struct finding *finding;
	bool is_new;
	char *place;

	finding = findings_get(context->findings, RULE_HG805, context->process, &is_new, "%d %u %u",
			       lost, stack_id, copy->place.allocation->stack_id);
	finding->of_line = true;
	finding_hit(finding, ns, stack_id);
	place = place_figure(finding, 0, &copy->place);
	finding_met(finding, &copy->place);
	if (!is_new) {
		g_free(place);
		return;
	}
	finding_set_place(finding, &copy->place, copy->host);
	if (lost) {
		finding->absence = ABSENCE_BETWEEN;
		finding->message = g_strdup_printf(
		    "the target region writes to the device's copy of %s, which is deleted before "
		    "anything reads it: the host never receives the data that the region wrote.",
		    place);
		finding->fix =
		    g_strdup("map it with map(from:) or map(tofrom:), or copy it back with target "
			     "update from before it is deleted" FIX_NOT_TESTED);
	} else {
		finding->absence = ABSENCE_BETWEEN;
		finding->message =
		    g_strdup_printf("the target region reads the device's copy of %s, to which no "
				    "map, update or earlier region wrote.",
				    place);
		finding->fix = g_strdup("map it with map(to:) or map(tofrom:); map(from:) and "
					"map(alloc:) leave its content undefined");
	}
	finding_weigh(finding, &(struct chain){ .needs_use = true });
	g_free(place);
}

/* ---- events ---- */

static void handle_alloc(struct process_copies *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct place place;
	struct device_copy *copy;

	if (!data->dst || !data->size)
		return;
	copy = g_new0(struct device_copy, 1);
	copy->ptr = data->dst;
	copy->size = data->size;
	copy->host = data->src;
	place = data->src ? process_place(context->process, data->src) : (struct place){ 0 };
	if (data->src && place.kind == PLACE_ALLOCATION && place.allocation->ptr == data->src) {
		copy->place = place;
		allocation_ref(place.allocation);
	} else if (data->size >= OMP_SIZE && place.kind == PLACE_ALLOCATION) {
		process->sections = true;
	}
	g_tree_replace(process->copies, copy, copy);
}

static void handle_data(struct process_copies *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct device_copy *copy;

	switch (data->op) {
	case HG_OMP_ALLOC:
		handle_alloc(process, context);
		break;
	case HG_OMP_TO_DEVICE:
	case HG_OMP_FROM_DEVICE:
		note_read(copy_at(process, data->src));
		copy = copy_at(process, data->dst);
		if (copy)
			copy_note_sent(copy, data->dst, data->size);
		break;
	case HG_OMP_DELETE:
		copy = g_tree_lookup(process->copies, &data->src);
		if (copy && copy->lost && copy->place.allocation && !process->sections)
			report(context, copy, copy->stack_id, copy->ns, true);
		g_tree_remove(process->copies, &data->src);
		break;
	default:
		break;
	}
}

static gboolean forget_copy(gpointer key, gpointer value, gpointer data)
{
	struct device_copy *copy = value;

	(void)key;
	(void)data;
	copy->written = copy->filled = true;
	copy->lost = false;
	return FALSE;
}

static void use_copy(struct process_copies *process, const struct rules_context *context,
		     const struct isa_use *use, struct device_copy *copy)
{
	const struct hg_ev_launch *launch = context->event->launch;
	bool reads = use->access & (ISA_READ | ISA_ATOMIC);
	bool writes = use->access & (ISA_WRITE | ISA_ATOMIC);

	if (reads && !writes && !copy->written && !copy->told && use->certain &&
	    copy->place.allocation && !process->sections)
		report(context, copy, launch->stack_id, context->event->ns, false);
	if (reads) {
		copy->lost = false;
	} else if (writes) {
		copy->lost = use->certain && copy->sent;
		copy->stack_id = launch->stack_id;
		copy->ns = context->event->ns;
	}
	copy->written |= writes;
	copy->filled |= writes;
}

static void handle_launch(struct process_copies *process, const struct rules_context *context)
{
	const struct hg_ev_launch *event = context->event->launch;
	const struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct launch launch = { .kernel = kernel,
				 .args = args,
				 .work_items = (uint64_t)event->grid_x * event->grid_y *
					       event->grid_z * event->block_x * event->block_y *
					       event->block_z };
	struct path_memory paths;

	if (kernel && launch.args && launch.args->status == 0) {
		launch.code = kernels_find_launched(context->kernels, context->process, kernel,
						    args, context->findings, &launch.arch);
	}
	path_memory_find(context, &launch, &paths);
	if (launch.code)
		check_offload_reads(context, process, &launch);
	if (!launch.code || !path_memory_known(&launch, &paths)) {
		g_tree_foreach(process->copies, forget_copy, NULL);
		goto out;
	}
	for (size_t i = 0; i < launch.code->use_count; i++) {
		const struct isa_use *use = &launch.code->uses[i];
		struct pointer_argument pointer;
		struct device_copy *copy;

		if (!use->access || !launch_pointer(context, &launch, use->kernarg, &pointer))
			continue;
		copy = copy_at(process, pointer.address);
		if (copy)
			use_copy(process, context, use, copy);
	}
	for (unsigned i = 0; i < paths.list->len; i++) {
		const struct path_memory_use *found =
		    &g_array_index(paths.list, struct path_memory_use, i);
		struct device_copy *copy = copy_at(process, found->pointer.address);

		if (copy)
			use_copy(process, context, &found->use, copy);
	}
out:
	path_memory_clear(&paths);
}

void check_offload_copies(const struct rules_context *context)
{
	const struct hg_event *event = context->event;
	struct process_copies *process;

	if (event->type == HG_EVENT_omp_data) {
		omp_copy_note(context);
		handle_data(attachment_get(&context->process->attachments, &copies_type), context);
		return;
	}
	process = attachment_find(&context->process->attachments, &copies_type);
	if (!process || !g_tree_nnodes(process->copies))
		return;
	switch (event->type) {
	case HG_EVENT_launch:
		handle_launch(process, context);
		break;
	case HG_EVENT_fill:
		note_transfer_to(copy_at(process, event->fill->dst));
		break;
	case HG_EVENT_copy:
		note_read(copy_at(process, event->copy->src));
		note_transfer_to(copy_at(process, event->copy->dst));
		break;
	default:
		break;
	}
}
