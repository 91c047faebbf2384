/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event wakes the functions whose rows in rules.def and listeners.def name it. What a launch
 * leads to is found once and counted at each launch like it.
 */
#include "rules.h"

#include <string.h>

#include "analyzer/reader/library_event.h"
#include "analyzer/replay/ranges.h"

#include "analyzer/rules/atomics/atomics.h"
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/checked.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/folding.h"
#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/engine/rule_api.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_pointers_left_out.h"

struct rules_engine {
	struct findings *findings;
	struct kernels *kernels;
	struct dispatch dispatch;
	GHashTable *last_launches; /* "pid tid" -> struct last_launch */
};

#define RULE(id, slug, severity, title, sources, wakes, function, ...) rule_function function;
#include "rules.def"
#undef RULE

static const struct {
	rule_function *function;
	unsigned wakes; /* ON() */
} rows[] = {
#define RULE(id, slug, severity, title, sources, wakes, function, ...) { function, wakes },
#include "rules.def"
#undef RULE
#define LISTENER(function, wakes) { function, wakes },
#include "listeners.def"
#undef LISTENER
};

/* Returns the functions of one wake, each once, in the order of the rows. */
static rule_function **functions_of(unsigned wake)
{
	rule_function **list = g_new0(rule_function *, G_N_ELEMENTS(rows) + 1);
	unsigned count = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		unsigned k = 0;

		while (k < count && list[k] != rows[i].function)
			k++;
		if (k == count && (rows[i].wakes >> wake & 1))
			list[count++] = rows[i].function;
	}
	return list;
}

/* The latest launch of a thread, in case that an error takes it back. */
struct last_launch {
	uint32_t kernel_id;
	uint32_t stack_id;
	int64_t ns;
	uint64_t groups;
	GPtrArray *hits; /* borrowed from the kernel_args */
};

struct rules_engine *rules_engine_new(const char *code_objects, struct findings *findings)
{
	struct rules_engine *engine = g_new0(struct rules_engine, 1);

	engine->findings = findings;
	engine->kernels = kernels_new(code_objects);
	engine->last_launches = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	for (unsigned wake = 0; wake < WAKES; wake++)
		engine->dispatch.woken[wake] = functions_of(wake);
	return engine;
}

void rules_engine_free(struct rules_engine *engine)
{
	if (engine) {
		kernels_free(engine->kernels);
		g_hash_table_destroy(engine->last_launches);
		for (unsigned wake = 0; wake < WAKES; wake++)
			g_free(engine->dispatch.woken[wake]);
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

/*
 * Notes what a kernel uses that was no address when it was recorded: it may be of memory that was
 * freed.
 */
static void check_veiled(const struct rules_context *context, const struct launch *launch)
{
	findings_note(
	    context->findings,
	    "only addresses in kernel arguments were recorded (--kernel-arguments=hashed); other "
	    "values can only be compared for equality");
	for (size_t i = 0; i < launch->code->use_count; i++) {
		uint64_t ignored;

		if (launch->code->uses[i].access &&
		    launch->code->uses[i].kernarg + sizeof(ignored) <= launch->args->length &&
		    !kernel_args_address(launch->args, launch->code->uses[i].kernarg, &ignored)) {
			findings_limit(context->findings,
				       "kernel %s: the address at byte %u of its arguments was "
				       "hashed, because no known memory is there",
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
		    code->incomplete[length] == ' ')
			return true;
	}
	return false;
}

static void check_launch(const struct rules_context *context, struct kernel_ref *kernel,
			 struct kernel_args *args, struct checked_launch *checked)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct rules_context own = *context;
	struct launch launch = { .kernel = kernel,
				 .args = args,
				 .work_items = checked->items,
				 .items_matter = &checked->items_matter,
				 .numbers_matter = &checked->numbers_matter,
				 .hits = checked->hits };

	launch.code = kernels_find_launched(context->kernels, context->process, kernel, args,
					    context->findings, &launch.arch);
	launch.device = process_device(context->process, event->device);
	launch.clang = kernels_clang(context->kernels, context->process, kernel, &launch.amd_clang);
	if (!launch.code)
		return;
	if (args->status == HG_ARGS_WITHHELD) {
		findings_limit(context->findings,
			       "kernel arguments were not recorded (--kernel-arguments=off): the "
			       "memory that kernels use is not analysed");
		return;
	}
	if (args->status == HG_ARGS_UNKNOWN_LAYOUT) {
		findings_limit(context->findings,
			       "kernel %s: its arguments were not recorded, because their layout "
			       "was unknown at the launch",
			       launch.code->name);
		return;
	}
	if (args->status == HG_ARGS_TRUNCATED) {
		findings_limit(context->findings,
			       "kernel %s: only the first %u bytes of its arguments were recorded",
			       launch.code->name, args->length);
	}
	if (kernel_args_veiled(args))
		check_veiled(context, &launch);
	if (!launch.code->uses_complete && !is_told_of_atomic(launch.code) &&
	    !paths_known(context, &launch)) {
		char *line =
		    limit_line(launch.code->incomplete_at.file, launch.code->incomplete_at.line);

		findings_limit_of(
		    context->findings, LIMIT_ACCESS,
		    "kernel %s: not every memory access could be traced to an argument: %s%s",
		    launch.code->name,
		    launch.code->incomplete ? launch.code->incomplete : "reason unknown", line);
		g_free(line);
	}
	own.launch = &launch;
	rules_wake(&own, WAKE_CODE);
}

static void handle_launch(struct rules_engine *engine, const struct rules_context *context)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct last_launch *last = last_launch(engine, context->event);
	struct checked_launch *checked;
	uint64_t groups = (uint64_t)event->grid_x * event->grid_y * event->grid_z;
	uint64_t items = groups * event->block_x * event->block_y * event->block_z;

	last->hits = NULL;
	if (!kernel || !args) {
		findings_limit(engine->findings,
			       "a launch names a kernel or arguments that were not recorded: the "
			       "events before it were lost");
		return;
	}
	/* The same arguments on the same device and in the same address space lead to the same
	 * findings. */
	checked = checked_launch_of(args);
	if (!checked->hits || checked->epoch != context->process->epoch ||
	    checked->contents != context->process->contents.version ||
	    checked->device != event->device ||
	    (checked->numbers_matter &&
	     checked->filled != context->process->contents.filled_version) ||
	    (checked->items_matter && checked->items != items)) {
		if (checked->hits)
			g_ptr_array_set_size(checked->hits, 0);
		else
			checked->hits = g_ptr_array_new();
		checked->items_matter = checked->numbers_matter = false;
		checked->items = items;
		checked->device = event->device;
		check_launch(context, kernel, args, checked);
		checked->epoch = context->process->epoch;
		checked->contents = context->process->contents.version;
		checked->filled = context->process->contents.filled_version;
	}
	for (unsigned i = 0; i < checked->hits->len; i++) {
		struct finding *finding = checked->hits->pdata[i];

		finding->launches++;
		finding->work_items = MAX(finding->work_items, items);
		finding->groups += groups;
		finding_hit(finding, context->event->ns, event->stack_id);
	}
	last->kernel_id = event->kernel_id;
	last->stack_id = event->stack_id;
	last->ns = context->event->ns;
	last->groups = groups;
	last->hits = checked->hits;
}

/* The launch that was recorded before the call did not happen after all, most probably. */
static void take_back_launch(struct rules_engine *engine, const struct process *process,
			     const struct hg_event *event)
{
	struct last_launch *last = last_launch(engine, event);

	if (!last->hits || last->kernel_id != event->error->ptr ||
	    !process_refused_launch(process, event->error->code, last->ns))
		return;
	for (unsigned i = 0; i < last->hits->len; i++) {
		struct finding *finding = last->hits->pdata[i];

		finding->launches--;
		finding->groups -= last->groups;
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

static struct rules_context context_of(const struct rules_engine *engine, struct process *process,
				       const struct hg_event *event)
{
	engine->findings->process = process;
	return (struct rules_context){ .findings = engine->findings,
				       .kernels = engine->kernels,
				       .process = process,
				       .event = event,
				       .dispatch = &engine->dispatch };
}

void rules_engine_before(struct rules_engine *engine, struct process *process,
			 const struct hg_event *event)
{
	struct rules_context context;

	if (!process || event->type != HG_EVENT_free)
		return;
	ranges_note(process, event);
	context = context_of(engine, process, event);
	if (hg_event_is_of_c_library(event)) {
		context.wake = WAKE_HOST_RELEASE;
		rules_wake_as_is(&context);
		return;
	}
	context.history = call_history_of(process);
	context.released =
	    address_space_find_base(&process->space, event->free->ptr, event->free->api);
	rules_wake(&context, WAKE_RELEASE);
	call_history_released(&context);
}

/* Returns what an event wakes once the replay applied it, or WAKES if it wakes nothing. */
static enum wake wake_of(const struct hg_event *event)
{
	switch (event->type) {
#define EVENT(type, wake)     \
	case HG_EVENT_##type: \
		return WAKE_##wake
		EVENT(alloc, ALLOC);
		EVENT(memory, MEMORY);
		EVENT(advise, ADVISE);
		EVENT(prefetch, PREFETCH);
		EVENT(copy, COPY);
		EVENT(fill, FILL);
		EVENT(launch, LAUNCH);
		EVENT(stream, STREAM);
		EVENT(event, EVENT);
		EVENT(sync, SYNC);
		EVENT(call, CALL);
		EVENT(error, ERROR);
		EVENT(migration, MIGRATION);
		EVENT(smi_source, MIGRATION);
		EVENT(residency, RESIDENCY);
		EVENT(annotation, ANNOTATION);
		EVENT(fix, FIX);
		EVENT(fix_plan, FIX);
		EVENT(omp_runtime, OMP);
		EVENT(omp_target, OMP);
		EVENT(omp_data, OMP);
		EVENT(omp_content, OMP);
		EVENT(omp_submit, OMP);
		EVENT(OPEN_CALL, OPEN_CALL);
#undef EVENT
	default:
		return WAKES;
	}
}

void rules_engine_event(struct rules_engine *engine, struct process *process,
			const struct hg_event *event)
{
	struct rules_context context;
	enum wake wake;

	if (hg_event_is_of_c_library(event))
		return;
	wake = wake_of(event);
	context = context_of(engine, process, event);
	context.history = call_history_of(process);
	if (event->type == HG_EVENT_OPEN_CALL) {
		rules_wake(&context, wake);
		return;
	}
	rules_wake(&context, WAKE_CALL_OF_HIP);
	if (event->type == HG_EVENT_launch)
		handle_launch(engine, &context);
	else if (event->type == HG_EVENT_error &&
		 hg_api_class(event->error->api) == HG_CLASS_LAUNCH)
		take_back_launch(engine, process, event);
	call_history_event(&context, &context.memory);
	if (wake != WAKES)
		rules_wake(&context, wake);
}

/* Why a pointer in memory may not be known. */
static void note_unexamined(struct findings *findings, const struct process *process)
{
	const struct contents *contents = &process->contents;
	const struct hg_ev_pointers_left_out *left = &contents->unexamined;

	if (!contents->missed)
		return;
	if (left->launches) {
		findings_note(findings,
			      "before %" G_GUINT64_FORMAT
			      " launches the memory that they use was not "
			      "searched for pointers, to save time",
			      left->launches);
	}
	if (left->unreadable) {
		findings_note(findings,
			      "%" G_GUINT64_FORMAT " times memory was not searched for pointers, "
			      "because its pages are on a GPU or were never written",
			      left->unreadable);
	}
	if (left->copies || left->untouched) {
		findings_note(findings,
			      "%" G_GUINT64_FORMAT " copies from the host were searched for "
			      "pointers in part, and %" G_GUINT64_FORMAT " not at all",
			      left->copies, left->untouched);
	}
	if (contents->left_out) {
		findings_note(findings,
			      "%" G_GUINT64_FORMAT " pointers in memory are more than are kept",
			      contents->left_out);
	}
}

static void note_ranges(struct findings *findings, const struct process *process)
{
	/* Ranges may have begun before the recording, or before fork(). */
	uint64_t unbalanced =
	    process->state.late || process->forked ? 0 : ranges_unbalanced(process);

	if (unbalanced) {
		findings_note(findings,
			      "process %d: %" G_GUINT64_FORMAT
			      " ends of ranges had no begin on their thread",
			      process->pid, unbalanced);
	}
	if (ranges_too_many(process)) {
		findings_note(findings,
			      "process %d: ranges have more different names than are kept; the "
			      "numbers in later ones, or these themselves, are left out",
			      process->pid);
	}
}

static void note_process(struct findings *findings, const struct process *process)
{
	note_unexamined(findings, process);
	note_ranges(findings, process);
	if (process->inherited_unknown && process->device_count >= 0) {
		findings_limit(
		    findings,
		    "process %d: it had too many allocations before the fork to follow them",
		    process->pid);
	}
	if (process->unknown_graphs) {
		findings_limit(findings,
			       "process %d: %" G_GUINT64_FORMAT
			       " launches of graphs with nodes (up to %" G_GUINT64_FORMAT
			       ") of a kind that is not recorded: what those do is not analysed",
			       process->pid, process->unknown_graphs, process->unknown_nodes);
	}
	if (process->unresolved_frees && process->threshold <= 1) {
		findings_note(findings,
			      "%" G_GUINT64_FORMAT " releases of memory whose allocation was not "
			      "recorded",
			      process->unresolved_frees);
	}
}

void rules_engine_finish(struct rules_engine *engine, const struct replay *replay)
{
	GPtrArray *list = engine->findings->list;
	bool unrecorded = false;

	for (unsigned i = 0; i < replay->processes->len; i++) {
		struct process *process = replay->processes->pdata[i];
		struct rules_context context = context_of(engine, process, NULL);

		context.history = call_history_known(process);
		if (context.history)
			rules_wake(&context, WAKE_FINISH);
	}
	for (unsigned i = 0; i < list->len;)
		if (finding_is_enough(list->pdata[i]))
			i++;
		else
			g_ptr_array_remove_index(list, i);
	findings_fold(list);
	for (unsigned i = 0; i < list->len; i++)
		finding_render(list->pdata[i]);
	engine->findings->process = NULL;
	for (unsigned i = 0; i < replay->processes->len; i++) {
		note_process(engine->findings, replay->processes->pdata[i]);
		unrecorded |= process_passes_recorder(replay->processes->pdata[i]);
	}
	if (unrecorded)
		findings_unrecorded(engine->findings);
	findings_sort(engine->findings);
}
