/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds allocations that made no memory: HG616 if one failed for lack of it, with the holders of
 * the memory then; HG617 if a kernel uses a null pointer after it, no matter if the call failed or
 * returned success and null, as hipMallocAsync of some releases does when memory is full.
 */
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/order/ordering.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_launch.h"

#define OUT_OF_MEMORY 2 /* hipErrorOutOfMemory [H523] */

/* Holds the latest allocation of a process that made no memory. */
struct no_memory {
	bool known;
	struct hg_ev_error error; /* code 0: it returned success */
	struct finding *full;     /* HG616 about it, or NULL; borrowed */
};

static const struct attachment_type no_memory_type = { sizeof(struct no_memory), NULL, NULL };

/* The latest launch that a finding HG617 is about is kept with it. */
static const struct attachment_type moment_type = { sizeof(struct moment), NULL, NULL };

/* ---- who holds the memory ---- */

/* Sums up the allocations of one call site. */
struct holder {
	struct allocation *first; /* borrowed */
	uint64_t bytes;
};

static enum location location_of(const struct process *process, struct allocation *allocation)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };

	return place_grain_brief(process, &place).location;
}

static bool of_one_site(const struct allocation *a, const struct allocation *b)
{
	return a->api == b->api && a->stack_id == b->stack_id && a->device == b->device &&
	       a->flags == b->flags;
}

static void add_holder(GArray *holders, struct allocation *allocation)
{
	struct holder new = { allocation, allocation->size };

	for (unsigned i = 0; i < holders->len; i++) {
		struct holder *holder = &g_array_index(holders, struct holder, i);

		if (of_one_site(holder->first, allocation)) {
			holder->bytes += allocation->size;
			return;
		}
	}
	g_array_append_val(holders, new);
}

static int compare_holders(gconstpointer a, gconstpointer b)
{
	const struct holder *left = a, *right = b;

	return left->bytes < right->bytes ? 1 : left->bytes > right->bytes ? -1 : 0;
}

/* Calls `each` for the live allocations of HIP that lie there. Returns their bytes. */
static uint64_t each_held(const struct process *process, enum location location,
			  void (*each)(GArray *holders, struct allocation *allocation),
			  GArray *holders)
{
	static const enum layer layers[] = { LAYER_HIP, LAYER_MAPPED };
	uint64_t bytes = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(layers); i++) {
		GTreeNode *node = g_tree_node_first(process->space.layers[layers[i]]);

		for (; node; node = g_tree_node_next(node)) {
			struct allocation *allocation = g_tree_node_value(node);

			if (location_of(process, allocation) != location)
				continue;
			bytes += allocation->size;
			each(holders, allocation);
		}
	}
	return bytes;
}

/* Lists the call sites that hold the most. Returns the bytes that all of them hold. */
static uint64_t add_holders(const struct rules_context *context, struct finding *finding,
			    enum location location)
{
	GArray *holders = g_array_new(FALSE, FALSE, sizeof(struct holder));
	uint64_t bytes = each_held(context->process, location, add_holder, holders);

	g_array_sort(holders, compare_holders);
	for (unsigned i = 0; i < holders->len && i < MEMORY_HOLDERS; i++) {
		const struct holder *holder = &g_array_index(holders, struct holder, i);
		GTreeNode *node =
		    g_tree_node_first(context->process->space.layers[holder->first->layer]);
		char *why = g_strdup_printf("%" G_GUINT64_FORMAT " bytes in all, on GPU %d",
					    holder->bytes, holder->first->device);

		for (; node; node = g_tree_node_next(node)) {
			struct allocation *allocation = g_tree_node_value(node);
			struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };

			if (of_one_site(holder->first, allocation))
				finding_add_candidate(
				    finding, allocation,
				    place_grain_brief(context->process, &place).granularity, false,
				    why, -1);
		}
		g_free(why);
	}
	finding->candidates_left_out +=
	    holders->len > MEMORY_HOLDERS ? holders->len - MEMORY_HOLDERS : 0;
	finding->holders = true;
	g_array_free(holders, TRUE);
	return bytes;
}

/* Returns the location of memory of such a call. */
static enum location location_of_call(const struct process *process,
				      const struct hg_ev_error *error)
{
	struct model_environment environment = process_environment(process);
	enum location location = model_memory(error->api, error->flags, &environment).location;

	return location == LOCATION_HOST ? LOCATION_HOST : LOCATION_DEVICE;
}

/* Returns the bytes of the machine, or of all of the GPUs; *least: of the smallest one. */
static uint64_t memory_of(const struct process *process, enum location location, uint64_t *least)
{
	uint64_t bytes = 0;

	*least = process->host_memory;
	if (location == LOCATION_HOST)
		return process->host_memory;
	for (unsigned i = 0; i < process->devices->len; i++) {
		const struct device *device = process->devices->pdata[i];

		bytes += device->memory;
		*least = i ? MIN(*least, device->memory) : device->memory;
	}
	return bytes;
}

/*
 * Returns "the process held ... bytes ...", which the caller frees. *left: what it held and
 * requested leaves much of the memory.
 */
static char *held_text(const struct rules_context *context, struct finding *finding,
		       const struct hg_ev_error *error, bool *left)
{
	enum location location = location_of_call(context->process, error);
	uint64_t held = add_holders(context, finding, location), least;
	uint64_t most = memory_of(context->process, location, &least);
	double needed = (double)held + (double)error->size;
	GString *text = g_string_new(NULL);

	*left = most && needed < MEMORY_FILLED / 100.0 * (double)least;

	g_string_append_printf(text, "the process held %" G_GUINT64_FORMAT " bytes of %s", held,
			       location == LOCATION_HOST ? "pinned host memory" : "GPU memory");
	if (most) {
		g_string_append_printf(text, " then; %s %" G_GUINT64_FORMAT " bytes",
				       location == LOCATION_HOST             ? "the machine has"
				       : context->process->devices->len == 1 ? "the GPU has"
									     : "its GPUs have",
				       most);
	}
	return g_string_free(text, FALSE);
}

/* ---- HG616 ---- */

static struct finding *report_full(const struct rules_context *context,
				   const struct hg_ev_error *error)
{
	struct finding *finding;
	bool is_new, left;
	char *held;

	finding = findings_get(context->findings, RULE_HG616, context->process, &is_new, "%u %u",
			       error->api, error->stack_id);
	finding_hit(finding, context->event->ns, error->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, error->size);
	if (!is_new)
		return finding;
	finding->api = g_strdup(hg_api_name(error->api));
	held = held_text(context, finding, error, &left);
	finding->message =
	    g_strdup_printf("%s of %s bytes failed with %s (%d)%s %s%s.", finding->api, FIGURE(0),
			    model_hip_error_name(error->code), error->code, left ? ", but" : ":",
			    held, left ? ": the program's own allocations did not fill it" : "");
	finding->fix = g_strdup(
	    left ? "look at what other processes hold of it, at the process's limits (ulimit -n, "
		   "-v, -l), and whether the program closed descriptors that it had not opened: "
		   "the runtime returns this error for each of these" FIX_NOT_TESTED
		 : "release what is not needed any more before this call (the largest "
		   "holders are listed), or allocate less");
	if (left) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"what the runtime had none of is not recorded; it need not be "
				"memory");
	}
	g_free(held);
	return finding;
}

static bool makes_memory(unsigned api)
{
	return api >= HG_HIP_APIS && hg_api_class(api) == HG_CLASS_ALLOC &&
	       layer_of_api((uint16_t)api) == LAYER_HIP;
}

static void on_error(const struct rules_context *context)
{
	const struct hg_ev_error *error = context->event->error;
	struct no_memory *none;

	if (!makes_memory(error->api))
		return;
	none = attachment_get(&context->process->attachments, &no_memory_type);
	*none = (struct no_memory){ .known = true, .error = *error };
	if (error->code == OUT_OF_MEMORY)
		none->full = report_full(context, error);
}

/* ---- HG617 ---- */

/* Notes a call that returned success and no memory. */
static void on_alloc(const struct rules_context *context)
{
	const struct hg_ev_alloc *alloc = context->event->alloc;
	struct no_memory *none;

	if (alloc->ptr || !alloc->size || !makes_memory(alloc->api))
		return;
	none = attachment_get(&context->process->attachments, &no_memory_type);
	*none = (struct no_memory){ .known = true,
				    .error = { .api = alloc->api,
					       .size = alloc->size,
					       .flags = alloc->flags,
					       .stack_id = alloc->stack_id } };
}

static void report_null(const struct rules_context *context, struct no_memory *none)
{
	const struct hg_ev_error *error = &none->error;
	const struct isa_kernel *code = context->work->uses->code;
	const struct hg_ev_launch *launch = context->event->launch;
	char *outcome, *held;
	struct finding *finding;
	bool is_new, left;

	finding =
	    findings_get(context->findings, RULE_HG617, context->process, &is_new, "%u %u %d %s",
			 error->api, error->stack_id, error->code, code->symbol);
	finding_hit(finding, context->event->ns, error->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, error->size);
	*(struct moment *)attachment_get(&finding->evidence, &moment_type) =
	    context->work->use->moment;
	if (none->full) /* this one says it as well */
		none->full->count = 0;
	if (!is_new)
		return;
	finding->api = g_strdup(hg_api_name(error->api));
	finding->kernel_symbol = g_strdup(code->symbol);
	finding->kernel = g_strdup(code->name);
	finding->if_faulted = CONFIDENCE_LIKELY;
	outcome = error->code ? g_strdup_printf("failed with %s (%d)",
						model_hip_error_name(error->code), error->code)
			      : g_strdup("returned success and a null pointer");
	held = !error->code || error->code == OUT_OF_MEMORY
		   ? held_text(context, finding, error, &left)
		   : NULL;
	finding->message = g_strdup_printf(
	    "%s of %s bytes %s, and %s is then passed a null pointer, which it uses%s%s%s.",
	    finding->api, FIGURE(0), outcome, code->name, held ? " (" : "", held ? held : "",
	    held ? ")" : "");
	finding->fix = g_strdup_printf("check the result of %s and the pointer, and launch nothing "
				       "that uses it where that is null",
				       finding->api);
	finding->related = g_strdup_printf("the launch of %s", code->name);
	finding->related_stack_id = launch->stack_id;
	finding_at_most(finding, CONFIDENCE_LIKELY, "the null pointer may have another origin");
	g_free(outcome);
	g_free(held);
}

static void on_work(const struct rules_context *context)
{
	struct no_memory *none = attachment_find(&context->process->attachments, &no_memory_type);

	if (none && none->known && context->work->uses && context->work->uses->null)
		report_null(context, none);
}

/* The launch is complete, and no GPU stopped: it did not use the pointer. */
static void on_finish(const struct rules_context *context)
{
	const struct process_order *at = order_known(context->process);
	const GPtrArray *list = context->findings->list;

	for (unsigned i = 0; at && !context->process->stopped_ns && i < list->len; i++) {
		struct finding *finding = list->pdata[i];
		const struct moment *moment = attachment_find(&finding->evidence, &moment_type);

		if (moment && finding->process == context->process &&
		    order_done(&at->order, *moment))
			finding->count = 0;
	}
}

void check_no_memory(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_ALLOC:
		on_alloc(context);
		break;
	case WAKE_ERROR:
		on_error(context);
		break;
	case WAKE_WORK:
		on_work(context);
		break;
	default:
		on_finish(context);
		break;
	}
}
