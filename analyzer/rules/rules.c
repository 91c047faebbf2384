/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <string.h>

#include "atomics.h"
#include "context.h"
#include "evidence.h"
#include "faults.h"
#include "fixes.h"
#include "kernels.h"
#include "offload.h"
#include "ordering.h"
#include "residency.h"
#include "watch.h"

struct rules_engine {
	struct findings *findings;
	struct fixes *fixes;
	struct kernels *kernels;
	struct offload *offload;
	struct ordering *ordering;
	struct watch *watch;
	GHashTable *last_launches; /* "pid tid" -> struct last_launch */
};

/* The latest launch of a thread, in case that an error takes it back. */
struct last_launch {
	uint32_t kernel_id;
	uint32_t stack_id;
	GPtrArray *hits; /* borrowed from the kernel_args */
};

struct rules_engine *rules_engine_new(const char *code_objects, struct findings *findings)
{
	struct rules_engine *engine = g_new0(struct rules_engine, 1);

	engine->findings = findings;
	engine->fixes = fixes_new();
	engine->kernels = kernels_new(code_objects);
	engine->offload = offload_new();
	engine->ordering = ordering_new();
	engine->watch = watch_new();
	engine->last_launches = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	return engine;
}

void rules_engine_free(struct rules_engine *engine)
{
	if (engine) {
		fixes_free(engine->fixes);
		kernels_free(engine->kernels);
		offload_free(engine->offload);
		ordering_free(engine->ordering);
		watch_free(engine->watch);
		g_hash_table_destroy(engine->last_launches);
		g_free(engine);
	}
}

static struct last_launch *last_launch(struct rules_engine *engine, const struct hg_event *event)
{
	gint64 key = (gint64)(((uint64_t)(uint32_t)event->pid << 32) | (uint32_t)event->tid);
	struct last_launch *last = g_hash_table_lookup(engine->last_launches, &key);

	if (!last) {
		last = g_new0(struct last_launch, 1);
		g_hash_table_insert(engine->last_launches, g_memdup2(&key, sizeof(key)), last);
	}
	return last;
}

/* What a kernel uses and was no address when it was recorded: of memory that was gone, perhaps. */
static void check_veiled(const struct rules_context *context, const struct launch *launch)
{
	findings_note(context->findings,
		      "of kernels' arguments only addresses were recorded "
		      "(--kernel-arguments=hashed); the other values are known to be equal or not, "
		      "and nothing else");
	for (size_t i = 0; i < launch->code->use_count; i++) {
		uint64_t ignored;

		if (launch->code->uses[i].access &&
		    launch->code->uses[i].kernarg + sizeof(ignored) <= launch->args->length &&
		    !kernel_args_address(launch->args, launch->code->uses[i].kernarg, &ignored)) {
			findings_limit(context->findings,
				       "kernel %s: the address at byte %u of its arguments was "
				       "hashed, because no memory was known there",
				       launch->code->name, launch->code->uses[i].kernarg);
		}
	}
}

/* The access that could not be followed is an atomic, which has a limit of its own. */
static bool is_told_of_atomic(const struct isa_kernel *code)
{
	for (size_t i = 0; code->incomplete && i < code->atomic_count; i++) {
		const struct isa_atomic *atomic = &code->atomics[i];
		size_t length = strlen(atomic->mnemonic);

		if (atomic_has_limit(atomic) &&
		    strncmp(code->incomplete, atomic->mnemonic, length) == 0 &&
		    code->incomplete[length] == ' ') {
			return true;
		}
	}
	return false;
}

static void check_launch(const struct rules_context *context, struct kernel_ref *kernel,
			 struct kernel_args *args)
{
	const struct hg_ev_launch *event = &context->event->launch;
	struct launch launch = { .kernel = kernel,
				 .args = args,
				 .work_items = args->checked_items,
				 .items_matter = &args->items_matter,
				 .hits = args->hits };

	launch.code = kernels_find(context->kernels, context->process, kernel, context->findings,
				   &launch.arch);
	launch.device = process_device(context->process, event->device);
	launch.clang = kernels_clang(context->kernels, context->process, kernel, &launch.amd_clang);
	if (!launch.code) {
		return;
	}
	if (args->status == HG_ARGS_WITHHELD) {
		findings_limit(
		    context->findings,
		    "kernels' arguments were not recorded (--kernel-arguments=off): nothing "
		    "can be said about the memory that kernels use");
		return;
	}
	if (args->status == HG_ARGS_UNKNOWN_LAYOUT) {
		findings_limit(context->findings,
			       "kernel %s: its arguments were not recorded, because the layout was "
			       "not known at the launch",
			       launch.code->name);
		return;
	}
	if (args->status == HG_ARGS_TRUNCATED) {
		findings_limit(context->findings,
			       "kernel %s: only the first %u bytes of its arguments were recorded",
			       launch.code->name, args->length);
	}
	if (kernel_args_veiled(args)) {
		check_veiled(context, &launch);
	}
	if (!launch.code->uses_complete && !is_told_of_atomic(launch.code)) {
		findings_limit_of(context->findings, LIMIT_ACCESS,
				  "kernel %s: not every memory access could be followed to an "
				  "argument: %s",
				  launch.code->name,
				  launch.code->incomplete ? launch.code->incomplete
							  : "reason unknown");
	}
	check_atomics(context, &launch);
	check_launch_placement(context, &launch);
	check_launch_lifetime(context, &launch);
	check_carried(context, &launch);
}

static void handle_launch(struct rules_engine *engine, const struct rules_context *context)
{
	const struct hg_ev_launch *event = &context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct last_launch *last = last_launch(engine, context->event);
	uint64_t items = (uint64_t)event->grid_x * event->grid_y * event->grid_z * event->block_x *
			 event->block_y * event->block_z;

	last->hits = NULL;
	if (!kernel || !args) {
		findings_limit(engine->findings,
			       "a launch names a kernel or arguments that were not recorded: the "
			       "events before it were lost");
		return;
	}
	/* The same arguments in the same address space lead to the same findings. */
	if (!args->hits || args->checked_epoch != context->process->epoch ||
	    (args->items_matter && args->checked_items != items)) {
		if (args->hits) {
			g_ptr_array_set_size(args->hits, 0);
		} else {
			args->hits = g_ptr_array_new();
		}
		args->items_matter = false;
		args->checked_items = items;
		check_launch(context, kernel, args);
		args->checked_epoch = context->process->epoch;
	}
	for (unsigned i = 0; i < args->hits->len; i++) {
		struct finding *finding = args->hits->pdata[i];

		finding->launches++;
		finding->work_items = MAX(finding->work_items, items);
		finding_hit(finding, context->event->ns, event->stack_id);
	}
	last->kernel_id = event->kernel_id;
	last->stack_id = event->stack_id;
	last->hits = args->hits;
}

/* The launch that was recorded before the call did not happen after all. */
static void take_back_launch(struct rules_engine *engine, const struct hg_event *event)
{
	struct last_launch *last = last_launch(engine, event);

	if (!last->hits || last->kernel_id != event->error.ptr) {
		return;
	}
	for (unsigned i = 0; i < last->hits->len; i++) {
		struct finding *finding = last->hits->pdata[i];

		finding->launches--;
		finding->count--;
		for (unsigned k = 0; k < finding->sites->len; k++) {
			struct site *site = &g_array_index(finding->sites, struct site, k);

			if (site->stack_id == last->stack_id && --site->count == 0) {
				finding_remove_site(finding, k);
				break;
			}
		}
	}
	last->hits = NULL;
}

static void handle_error(struct rules_engine *engine, const struct rules_context *context)
{
	switch (hg_api_class(context->event->error.api)) {
	case HG_CLASS_LAUNCH:
		take_back_launch(engine, context->event);
		break;
	case HG_CLASS_COPY:
	case HG_CLASS_FILL:
		check_failed_transfer(context);
		break;
	case HG_CLASS_ALLOC:
	case HG_CLASS_FREE:
		check_refused_allocation(context);
		break;
	case HG_CLASS_PREFETCH:
	case HG_CLASS_ADVISE:
		check_error(context);
		break;
	default:
		break;
	}
}

void rules_engine_before(struct rules_engine *engine, struct process *process,
			 const struct hg_event *event)
{
	struct rules_context context = { engine->findings, engine->kernels, process, event };

	if (process && event->type == HG_EVENT_free) {
		check_free(&context);
		ordering_before_free(engine->ordering, &context);
		watch_before(engine->watch, &context);
	}
}

void rules_engine_event(struct rules_engine *engine, struct process *process,
			const struct hg_event *event)
{
	struct rules_context context = { engine->findings, engine->kernels, process, event };

	switch (event->type) {
	case HG_EVENT_launch:
		handle_launch(engine, &context);
		break;
	case HG_EVENT_call:
		if (event->call.api == HG_API_gpu_memory_fault) {
			check_fault(&context);
		}
		break;
	case HG_EVENT_copy:
		check_copy(&context);
		break;
	case HG_EVENT_fill:
		check_fill(&context);
		break;
	case HG_EVENT_prefetch:
		check_prefetch(&context);
		break;
	case HG_EVENT_alloc:
		check_alloc(&context);
		break;
	case HG_EVENT_memory:
		check_memory(&context);
		break;
	case HG_EVENT_advise:
		check_advise(&context);
		check_neighbours(&context);
		break;
	case HG_EVENT_residency:
		residency_sampled(&context);
		break;
	case HG_EVENT_fix:
	case HG_EVENT_fix_plan:
		fixes_event(engine->fixes, &context);
		break;
	case HG_EVENT_error:
		handle_error(engine, &context);
		break;
	default:
		break;
	}
	offload_event(engine->offload, &context);
	ordering_event(engine->ordering, &context);
	watch_event(engine->watch, &context);
}

/* Libraries that were opened with RTLD_DEEPBIND. Whether there is any. */
static bool note_past(struct findings *findings, const struct process *process)
{
	GHashTableIter iter;
	gpointer path, functions;

	g_hash_table_iter_init(&iter, process->past);
	while (g_hash_table_iter_next(&iter, &path, &functions)) {
		findings_limit(
		    findings,
		    "process %d: %s calls the HIP runtime past the recorder, as "
		    "libraries do that are opened with RTLD_DEEPBIND: what it does by %s "
		    "is not known, nor what memory it allocates or releases",
		    process->pid, (const char *)path, (const char *)functions);
	}
	return g_hash_table_size(process->past) > 0;
}

/* An HSA runtime whose tables were not as expected. Whether it was one. */
static bool note_hsa_refused(struct findings *findings, const struct process *process)
{
	if (!process->hsa_refused) {
		return false;
	}
	findings_limit(
	    findings,
	    "process %d: no call of the HSA runtime was recorded, because its functions "
	    "were not found in its tables: %s. The kernels of OpenMP target regions, and "
	    "what maps do to memory, are not known: HG801, HG802 and HG806 are not checked",
	    process->pid, process->hsa_refused);
	return true;
}

static void note_process(struct findings *findings, const struct process *process)
{
	if (process->past_unknown && process->device_count >= 0) {
		findings_limit(
		    findings,
		    "process %d: what it had allocated before it was forked is too much to "
		    "be followed",
		    process->pid);
	}
	for (unsigned i = 0; i < process->failed->len; i++) {
		const struct failed_call *failed =
		    &g_array_index(process->failed, struct failed_call, i);
		const char *name = hg_api_name(failed->api);

		if ((int)failed->api < HG_API_hipMalloc) {
			continue; /* the C library's failures are the program's own business */
		}
		findings_note(findings, "%s failed with %s (%d) %" G_GUINT64_FORMAT " time%s",
			      name ? name : "a call", model_hip_error_name(failed->code),
			      failed->code, failed->count, failed->count == 1 ? "" : "s");
	}
	if (process->unresolved_frees && process->threshold <= 1) {
		findings_note(findings,
			      "%" G_GUINT64_FORMAT " releases of memory whose allocation was not "
			      "recorded",
			      process->unresolved_frees);
	}
}

/* Of findings of one group the surest stays; the launches of the others are its neighbours. */
static void fold_groups(GPtrArray *list)
{
	GHashTable *groups = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = 0; i < list->len; i++) {
		struct finding *finding = list->pdata[i], *best;

		if (!finding->group) {
			continue;
		}
		best = g_hash_table_lookup(groups, finding->group);
		if (!best || finding->place < best->place) {
			g_hash_table_replace(groups, finding->group, finding);
		}
	}
	for (unsigned i = 0; i < list->len;) {
		struct finding *finding = list->pdata[i];
		struct finding *best =
		    finding->group ? g_hash_table_lookup(groups, finding->group) : finding;

		if (best != finding) {
			best->beside += finding->launches;
			g_ptr_array_remove_index(list, i);
		} else {
			i++;
		}
	}
	g_hash_table_destroy(groups);
}

void rules_engine_finish(struct rules_engine *engine, const struct replay *replay)
{
	const struct rules_context context = { engine->findings, engine->kernels, NULL, NULL };
	GPtrArray *list = engine->findings->list;
	bool unrecorded = false;

	offload_finish(engine->offload, &context);
	ordering_finish(engine->ordering, engine->findings);
	watch_finish(engine->watch, &context);
	for (unsigned i = 0; i < list->len;) {
		const struct finding *finding = list->pdata[i];

		if (finding->count == 0 || finding->count < finding->least_count ||
		    finding->launches < finding->least_launches ||
		    finding->work_items < finding->least_work_items) {
			g_ptr_array_remove_index(list, i);
		} else {
			i++;
		}
	}
	fold_groups(list);
	for (unsigned i = 0; i < list->len; i++) {
		finding_render(list->pdata[i]);
	}
	for (unsigned i = 0; i < replay->processes->len; i++) {
		note_process(engine->findings, replay->processes->pdata[i]);
		unrecorded |= note_past(engine->findings, replay->processes->pdata[i]);
		unrecorded |= note_hsa_refused(engine->findings, replay->processes->pdata[i]);
	}
	if (unrecorded) {
		findings_unrecorded(engine->findings);
	}
	findings_sort(engine->findings);
}
