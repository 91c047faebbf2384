/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include <string.h>

#include "kernels.h"
#include "moves.h"
#include "reach.h"

struct watch {
	GPtrArray *processes; /* struct process_watch, in order of appearance */
	GHashTable *by_process;
	struct process_watch *latest; /* that was asked for */
};

static void free_memory(gpointer data)
{
	struct memory_watch *memory = data;

	allocation_unref(memory->allocation);
	g_free(memory);
}

static void free_launch(gpointer data)
{
	struct launch_watch *launch = data;

	g_array_free(launch->touched, TRUE);
	g_free(launch);
}

static void free_site(gpointer data)
{
	struct site_watch *site = data;

	allocation_unref(site->latest);
	g_free(site);
}

static void free_process(gpointer data)
{
	struct process_watch *process = data;

	g_hash_table_destroy(process->memory);
	g_hash_table_destroy(process->launches);
	g_hash_table_destroy(process->sites);
	g_hash_table_destroy(process->streams);
	g_hash_table_destroy(process->kernels);
	moves_free(process->moves);
	reach_free(process->reach);
	g_free(process);
}

struct watch *watch_new(void)
{
	struct watch *watch = g_new0(struct watch, 1);

	watch->processes = g_ptr_array_new_with_free_func(free_process);
	watch->by_process = g_hash_table_new(NULL, NULL);
	return watch;
}

void watch_free(struct watch *watch)
{
	if (watch) {
		g_ptr_array_free(watch->processes, TRUE);
		g_hash_table_destroy(watch->by_process);
		g_free(watch);
	}
}

static struct process_watch *find(struct watch *watch, struct process *process)
{
	struct process_watch *found = watch->latest;

	if (found && found->process == process) {
		return found;
	}
	found = g_hash_table_lookup(watch->by_process, process);
	if (found) {
		watch->latest = found;
		return found;
	}
	found = g_new0(struct process_watch, 1);
	found->process = process;
	found->memory = g_hash_table_new_full(NULL, NULL, NULL, free_memory);
	found->launches = g_hash_table_new_full(NULL, NULL, NULL, free_launch);
	found->sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_site);
	found->streams = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	found->kernels = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	found->moves = moves_new();
	found->reach = reach_new();
	g_ptr_array_add(watch->processes, found);
	g_hash_table_insert(watch->by_process, process, found);
	watch->latest = found;
	return found;
}

static gboolean is_stale(gpointer allocation, gpointer memory, gpointer data)
{
	(void)memory;
	(void)data;
	return ((const struct allocation *)allocation)->freed;
}

struct memory_watch *watch_memory(struct process_watch *process, struct allocation *allocation)
{
	struct memory_watch *memory = g_hash_table_lookup(process->memory, allocation);

	if (!memory) {
		/* Releases of host memory are many; those that matter here are found now. */
		if (g_hash_table_size(process->memory) >= process->memory_limit) {
			g_hash_table_foreach_remove(process->memory, is_stale, NULL);
			process->memory_limit = 2 * g_hash_table_size(process->memory) + 1024;
		}
		memory = g_new0(struct memory_watch, 1);
		memory->allocation = allocation_ref(allocation);
		memory->preferred = NOWHERE;
		g_hash_table_insert(process->memory, allocation, memory);
	}
	return memory;
}

struct site_watch *watch_site(struct process_watch *process, unsigned api, uint32_t stack_id)
{
	gint64 key = (gint64)(((uint64_t)api << 32) | stack_id);
	struct site_watch *site = g_hash_table_lookup(process->sites, &key);

	if (!site) {
		site = g_new0(struct site_watch, 1);
		site->api = api;
		site->stack_id = stack_id;
		g_hash_table_insert(process->sites, g_memdup2(&key, sizeof(key)), site);
	}
	return site;
}

/* ---- launches ---- */

static unsigned access_through(const struct isa_kernel *code, uint32_t kernarg)
{
	for (size_t i = 0; code && i < code->use_count; i++) {
		if (code->uses[i].kernarg == kernarg) {
			return code->uses[i].access;
		}
	}
	return 0;
}

/* Whatever looks like a pointer into an allocation counts as one: also what is in structs. */
static void touch(struct process_watch *watch, struct launch_watch *launch,
		  const struct rules_context *context, const struct kernel_args *args,
		  const struct isa_kernel *code)
{
	for (uint32_t at = 0; at + 8 <= args->length; at += 4) {
		struct touched touched = { .kernarg = at };
		uint64_t offset;
		struct allocation *allocation;

		if (!kernel_args_address(args, at, &touched.address) ||
		    touched.address < context->process->page_size) {
			continue;
		}
		allocation = address_space_find(&context->process->space, touched.address, &offset);
		if (allocation) {
			touched.memory = watch_memory(watch, allocation);
			touched.access = access_through(code, at);
			g_array_append_val(launch->touched, touched);
		}
	}
}

static const struct launch_watch *launch_of(struct process_watch *watch,
					    const struct rules_context *context)
{
	const struct hg_ev_launch *event = &context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct launch_watch *launch =
	    g_hash_table_lookup(watch->launches, GUINT_TO_POINTER(event->args_id));
	const struct isa_kernel *code = NULL;
	const char *arch;

	if (launch && launch->epoch == context->process->epoch) {
		return launch;
	}
	if (!launch) {
		launch = g_new0(struct launch_watch, 1);
		launch->touched = g_array_new(FALSE, FALSE, sizeof(struct touched));
		g_hash_table_insert(watch->launches, GUINT_TO_POINTER(event->args_id), launch);
	}
	launch->epoch = context->process->epoch;
	g_array_set_size(launch->touched, 0);
	if (kernel) {
		code = kernels_find(context->kernels, context->process, kernel, context->findings,
				    &arch);
	}
	launch->unknown =
	    !code || !args || !code->uses_complete || args->status != HG_ARGS_COMPLETE;
	if (args) {
		touch(watch, launch, context, args, code);
	}
	return launch;
}

static void count_kernel(struct process_watch *watch, const struct hg_event *event)
{
	const struct hg_ev_launch *launch = &event->launch;
	struct kernel_watch *kernel =
	    g_hash_table_lookup(watch->kernels, GUINT_TO_POINTER(launch->kernel_id));
	uint64_t items = (uint64_t)launch->grid_x * launch->grid_y * launch->grid_z *
			 launch->block_x * launch->block_y * launch->block_z;

	if (!kernel) {
		kernel = g_new0(struct kernel_watch, 1);
		kernel->first_site = launch->stack_id;
		kernel->first_ns = event->ns;
		g_hash_table_insert(watch->kernels, GUINT_TO_POINTER(launch->kernel_id), kernel);
	}
	kernel->launches++;
	kernel->work_items = MAX(kernel->work_items, items);
}

/* ---- events ---- */

/* Calls after which memory may be used without an event that says so. */
static bool api_hides_work(unsigned api)
{
	switch (api) {
	case HG_API_hipIpcGetMemHandle:
	case HG_API_hipMemExportToShareableHandle:
	case HG_API_hipMemGetHandleForAddressRange:
	case HG_API_hipMemPoolExportPointer:
	case HG_API_hipMemPoolExportToShareableHandle:
	case HG_API_hipGraphLaunch:
	case HG_API_hipGraphLaunch_spt:
		return true;
	default:
		return api >= HG_API_hipStreamBeginCapture && /* graphs */
		       api < HG_API_hsa_amd_memory_pool_allocate;
	}
}

static void note_work(struct process_watch *watch, uint64_t stream)
{
	watch->several_streams |= watch->any_work && watch->stream != stream;
	watch->any_work = true;
	watch->stream = stream;
}

static void count_stream(struct process_watch *watch, const struct hg_ev_stream *event)
{
	gint64 key = (gint64)event->stream;

	if (event->api == HG_API_hipStreamDestroy) {
		g_hash_table_remove(watch->streams, &key);
	} else {
		g_hash_table_add(watch->streams, g_memdup2(&key, sizeof(key)));
		watch->most_streams = MAX(watch->most_streams, g_hash_table_size(watch->streams));
	}
}

void watch_before(struct watch *watch, const struct rules_context *context)
{
	const struct hg_ev_free *from = &context->event->free;
	struct process_watch *process;
	struct allocation *allocation;

	if (context->event->type != HG_EVENT_free || from->api < HG_API_hipMalloc) {
		return;
	}
	process = find(watch, context->process);
	allocation =
	    address_space_find_base(&context->process->space, from->ptr, (enum hg_api)from->api);
	if (allocation) {
		transfer_release(process, context, allocation);
		leaks_release(process, context, allocation);
		g_hash_table_remove(process->memory, allocation);
	}
}

void watch_event(struct watch *watch, const struct rules_context *context)
{
	const struct hg_event *event = context->event;
	const struct launch_watch *launch;
	struct process_watch *process;

	/* Most events of most traces. */
	if ((event->type == HG_EVENT_free && event->free.api < HG_API_hipMalloc) ||
	    (event->type == HG_EVENT_alloc && event->alloc.api < HG_API_hipMalloc)) {
		return;
	}
	process = find(watch, context->process);
	moves_call(process, context);

	switch (event->type) {
	case HG_EVENT_alloc:
		leaks_alloc(process, context);
		environment_alloc(context);
		break;
	case HG_EVENT_copy:
		note_work(process, event->copy.stream);
		transfer_copy(process, context);
		break;
	case HG_EVENT_fill:
		note_work(process, event->fill.stream);
		transfer_fill(process, context);
		break;
	case HG_EVENT_launch:
		note_work(process, event->launch.stream);
		count_kernel(process, event);
		process->hidden_work |= api_hides_work(event->launch.api);
		launch = launch_of(process, context);
		transfer_launch(process, context, launch);
		migration_launch(process, context, launch);
		moves_launch(process, context, launch);
		reach_launch(process, context, launch);
		break;
	case HG_EVENT_prefetch:
		transfer_other(process, context);
		migration_prefetch(process, context);
		moves_event(process, context);
		break;
	case HG_EVENT_advise:
		migration_advise(process, context);
		moves_advise(process, context);
		break;
	case HG_EVENT_stream:
		count_stream(process, &event->stream);
		break;
	case HG_EVENT_sync:
	case HG_EVENT_event:
		transfer_other(process, context);
		moves_event(process, context);
		break;
	case HG_EVENT_migration:
	case HG_EVENT_smi_source:
		moves_event(process, context);
		break;
	case HG_EVENT_call:
		/* Graphs, exported memory, host functions: work that no event shows. */
		process->hidden_work |= api_hides_work(event->call.api);
		break;
	default:
		break;
	}
}

void watch_finish(struct watch *watch, const struct rules_context *context)
{
	for (unsigned i = 0; i < watch->processes->len; i++) {
		struct process_watch *process = watch->processes->pdata[i];
		struct rules_context own = *context;

		own.process = process->process;
		leaks_finish(process, &own);
		environment_finish(process, &own);
		moves_finish(process, &own);
		reach_finish(process, &own);
	}
}
