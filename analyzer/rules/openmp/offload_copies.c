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
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"

#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/engine/thresholds.h"

struct copy {
	uint64_t ptr, size; /* on the device; must stay the first member: it is the tree's key */
	uint64_t host;
	struct place place; /* of the host's memory, if that is an allocation; holds a reference */
	bool written;       /* by a transfer or a kernel */
	bool sent;          /* by a transfer: not memory of the device's own (map(alloc:)) */
	bool lost;          /* what a kernel wrote was not read yet */
	uint32_t stack_id;  /* of the launch that wrote it */
	int64_t ns;
};

struct process_copies {
	GTree *copies; /* struct copy, by ptr */
	bool sections; /* arguments may point beside their copies */
};

static void free_copy(gpointer data)
{
	struct copy *copy = data;

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

/* The copy that `ptr` lies in, or NULL. */
static struct copy *copy_at(const struct process_copies *process, uint64_t ptr)
{
	GTreeNode *node = g_tree_upper_bound(process->copies, &ptr);
	struct copy *copy;

	node = node ? g_tree_node_previous(node) : g_tree_node_last(process->copies);
	copy = node ? g_tree_node_value(node) : NULL;
	return copy && ptr - copy->ptr < copy->size ? copy : NULL;
}

static void note_read(struct copy *copy)
{
	if (copy)
		copy->lost = false;
}

static void note_transfer_to(struct copy *copy)
{
	if (copy) {
		copy->written = copy->sent = true;
		copy->lost = false; /* what was written over was not all of it, perhaps */
	}
}

/* ---- findings ---- */

static void report(const struct rules_context *context, const struct copy *copy, uint32_t stack_id,
		   int64_t ns, bool lost)
{
	struct finding *finding;
	bool is_new;
	char *place;

	finding = findings_get(context->findings, RULE_HG805, context->process, &is_new, "%d %u %u",
			       lost, stack_id, copy->place.allocation->stack_id);
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
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct place place;
	struct copy *copy;

	if (!data->dst || !data->size)
		return;
	copy = g_new0(struct copy, 1);
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
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct copy *copy;

	switch (data->op) {
	case HG_OMP_ALLOC:
		handle_alloc(process, context);
		break;
	case HG_OMP_TO_DEVICE:
	case HG_OMP_FROM_DEVICE:
		note_read(copy_at(process, data->src));
		note_transfer_to(copy_at(process, data->dst));
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
	struct copy *copy = value;

	(void)key;
	(void)data;
	copy->written = true;
	copy->lost = false;
	return FALSE;
}

static void use_copy(struct process_copies *process, const struct rules_context *context,
		     const struct isa_use *use, struct copy *copy)
{
	const struct hg_ev_launch *launch = &context->event->launch;
	bool reads = use->access & (ISA_READ | ISA_ATOMIC);
	bool writes = use->access & (ISA_WRITE | ISA_ATOMIC);

	if (reads && !writes && !copy->written && use->certain && copy->place.allocation &&
	    !process->sections)
		report(context, copy, launch->stack_id, context->event->ns, false);
	if (reads) {
		copy->lost = false;
	} else if (writes) {
		copy->lost = use->certain && copy->sent;
		copy->stack_id = launch->stack_id;
		copy->ns = context->event->ns;
	}
	copy->written |= writes;
}

static void handle_launch(struct process_copies *process, const struct rules_context *context)
{
	const struct hg_ev_launch *event = &context->event->launch;
	const struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct launch launch = { .kernel = kernel, .args = args };
	struct path_memory paths;

	if (kernel && launch.args && launch.args->status == 0) {
		launch.code = kernels_find_launched(context->kernels, context->process, kernel,
						    args, context->findings, &launch.arch);
	}
	path_memory_find(context, &launch, &paths);
	if (!launch.code || !path_memory_known(&launch, &paths)) {
		g_tree_foreach(process->copies, forget_copy, NULL);
		goto out;
	}
	for (size_t i = 0; i < launch.code->use_count; i++) {
		const struct isa_use *use = &launch.code->uses[i];
		struct pointer_argument pointer;
		struct copy *copy;

		if (!use->access || !launch_pointer(context, &launch, use->kernarg, &pointer))
			continue;
		copy = copy_at(process, pointer.address);
		if (copy)
			use_copy(process, context, use, copy);
	}
	for (unsigned i = 0; i < paths.list->len; i++) {
		const struct path_memory_use *found =
		    &g_array_index(paths.list, struct path_memory_use, i);
		struct copy *copy = copy_at(process, found->pointer.address);

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
		note_transfer_to(copy_at(process, event->fill.dst));
		break;
	case HG_EVENT_copy:
		note_read(copy_at(process, event->copy.src));
		note_transfer_to(copy_at(process, event->copy.dst));
		break;
	default:
		break;
	}
}
