/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers which calls, launches and copies came before, of each process: rules look at it. */
#include "call_history.h"

#include <string.h>

#include "kernels.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_stream.h"

static void free_memory(gpointer data)
{
	struct memory_history *memory = data;

	allocation_unref(memory->allocation);
	g_free(memory);
}

static void free_launch(gpointer data)
{
	struct launch_memory *launch = data;

	g_array_free(launch->touched, TRUE);
	path_memory_clear(&launch->paths);
	g_free(launch);
}

static void free_site(gpointer data)
{
	struct site_history *site = data;

	allocation_unref(site->latest);
	g_free(site);
}

static void init_process(void *data)
{
	struct process_history *process = data;

	process->memory = g_hash_table_new_full(NULL, NULL, NULL, free_memory);
	process->launches = g_hash_table_new_full(NULL, NULL, NULL, free_launch);
	process->sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_site);
	process->streams = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	process->kernels = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	process->large_turn = 1;
}

static void clear_process(void *data)
{
	struct process_history *process = data;

	g_hash_table_destroy(process->memory);
	g_hash_table_destroy(process->launches);
	g_hash_table_destroy(process->sites);
	g_hash_table_destroy(process->streams);
	g_hash_table_destroy(process->kernels);
}

static const struct attachment_type history_type = { sizeof(struct process_history), init_process,
						     clear_process };

struct process_history *call_history_of(struct process *process)
{
	struct process_history *history = attachment_get(&process->attachments, &history_type);

	history->process = process;
	return history;
}

struct process_history *call_history_known(struct process *process)
{
	return attachment_find(&process->attachments, &history_type);
}

static gboolean is_stale(gpointer allocation, gpointer memory, gpointer data)
{
	(void)memory;
	(void)data;
	return ((const struct allocation *)allocation)->freed;
}

const struct memory_history *call_history_find(const struct process_history *process,
					       const struct allocation *allocation)
{
	return process && allocation ? g_hash_table_lookup(process->memory, allocation) : NULL;
}

bool memory_is_kept_on_host(const struct memory_history *memory, int32_t device)
{
	bool mapped = memory && device >= 0 && device < 64 && memory->accessed_by >> device & 1;

	if (!memory || memory->home || memory->preferred == device)
		return false;
	return mapped || memory->preferred == HG_PLACE_HOST;
}

struct memory_history *call_history_memory(struct process_history *process,
					   struct allocation *allocation)
{
	struct memory_history *memory = g_hash_table_lookup(process->memory, allocation);

	if (!memory) {
		/* Releases of host memory are many; those that matter here are found now. */
		if (g_hash_table_size(process->memory) >= process->memory_limit) {
			g_hash_table_foreach_remove(process->memory, is_stale, NULL);
			process->memory_limit = 2 * g_hash_table_size(process->memory) + 1024;
		}
		memory = g_new0(struct memory_history, 1);
		memory->allocation = allocation_ref(allocation);
		memory->preferred = NOWHERE;
		g_hash_table_insert(process->memory, allocation, memory);
	}
	return memory;
}

struct site_history *call_history_site(struct process_history *process, unsigned api,
				       uint32_t stack_id)
{
	gint64 key = (gint64)(((uint64_t)api << 32) | stack_id);
	struct site_history *site = g_hash_table_lookup(process->sites, &key);

	if (!site) {
		site = g_new0(struct site_history, 1);
		site->api = api;
		site->stack_id = stack_id;
		g_hash_table_insert(process->sites, g_memdup2(&key, sizeof(key)), site);
	}
	return site;
}

/* ---- launches ---- */

static unsigned access_through(const struct isa_kernel *code, uint32_t kernarg)
{
	for (size_t i = 0; code && i < code->use_count; i++)
		if (code->uses[i].kernarg == kernarg)
			return code->uses[i].access;
	return 0;
}

/* Whatever looks like a pointer into an allocation counts as one: also what is in structs. */
static void touch(struct process_history *history, struct launch_memory *launch,
		  const struct rules_context *context, const struct kernel_args *args,
		  const struct isa_kernel *code)
{
	for (uint32_t at = 0; at + 8 <= args->length; at += 4) {
		struct touched touched = { .kernarg = at };
		uint64_t offset;
		struct allocation *allocation;

		if (!kernel_args_address(args, at, &touched.address) ||
		    touched.address < context->process->page_size)
			continue;
		allocation = address_space_find(&context->process->space, touched.address, &offset);
		if (allocation) {
			touched.memory = call_history_memory(history, allocation);
			touched.access = access_through(code, at);
			g_array_append_val(launch->touched, touched);
		}
	}
}

/* Touches what lies behind pointers in memory, too. */
static void touch_paths(struct process_history *history, struct launch_memory *launch)
{
	for (unsigned i = 0; i < launch->paths.list->len; i++) {
		const struct path_memory_use *found =
		    &g_array_index(launch->paths.list, struct path_memory_use, i);
		const struct pointer_argument *pointer = &found->pointer;
		struct touched touched = {
			.address = pointer->address,
			.kernarg = pointer->kernarg,
			.access = found->use.certain ? found->use.access : 0,
			.chain = pointer->chain,
			.path = pointer->path,
			.doubt = pointer->doubt,
		};

		if (pointer->place.kind != PLACE_ALLOCATION)
			continue;
		touched.memory = call_history_memory(history, pointer->place.allocation);
		g_array_append_val(launch->touched, touched);
	}
}

static bool is_fresh(const struct launch_memory *launch, const struct process *process)
{
	return launch->epoch == process->epoch &&
	       (!launch->follows || launch->version == process->contents.version);
}

static const struct launch_memory *launch_of(struct process_history *history,
					     const struct rules_context *context)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct launch_memory *launch =
	    g_hash_table_lookup(history->launches, GUINT_TO_POINTER(event->args_id));
	struct launch with = { .kernel = kernel, .args = args };

	if (launch && is_fresh(launch, context->process))
		return launch;
	if (!launch) {
		launch = g_new0(struct launch_memory, 1);
		launch->touched = g_array_new(FALSE, FALSE, sizeof(struct touched));
		g_hash_table_insert(history->launches, GUINT_TO_POINTER(event->args_id), launch);
	}
	launch->epoch = context->process->epoch;
	launch->version = context->process->contents.version;
	g_array_set_size(launch->touched, 0);
	path_memory_clear(&launch->paths);
	if (kernel) {
		with.code = kernels_find_launched(context->kernels, context->process, kernel, args,
						  context->findings, &with.arch);
	}
	launch->follows = with.code && with.code->path_use_count;
	launch->unknown = !with.code || !args || args->status != HG_ARGS_COMPLETE;
	if (args)
		touch(history, launch, context, args, with.code);
	if (args && with.code) {
		path_memory_find(context, &with, &launch->paths);
		touch_paths(history, launch);
		launch->unknown |= !path_memory_known(&with, &launch->paths);
	}
	return launch;
}

/* Notes that the event at hand has to do with the memory at an address. */
static void note_use(struct process_history *history, const struct hg_event *event,
		     uint64_t address)
{
	uint64_t offset;
	struct allocation *allocation =
	    address_space_find(&history->process->space, address, &offset);

	if (allocation)
		call_history_memory(history, allocation)->used_ns = event->ns;
}

static void note_launched(struct process_history *history, const struct hg_event *event,
			  const struct launch_memory *launch)
{
	if (launch->unknown)
		history->unknown_ns = event->ns;
	for (unsigned i = 0; i < launch->touched->len; i++)
		g_array_index(launch->touched, struct touched, i).memory->used_ns = event->ns;
}

static void count_kernel(struct process_history *history, const struct hg_event *event)
{
	const struct hg_ev_launch *launch = event->launch;
	struct kernel_history *kernel =
	    g_hash_table_lookup(history->kernels, GUINT_TO_POINTER(launch->kernel_id));
	uint64_t items = (uint64_t)launch->grid_x * launch->grid_y * launch->grid_z *
			 launch->block_x * launch->block_y * launch->block_z;

	if (!kernel) {
		kernel = g_new0(struct kernel_history, 1);
		kernel->first_site = launch->stack_id;
		kernel->first_ns = event->ns;
		g_hash_table_insert(history->kernels, GUINT_TO_POINTER(launch->kernel_id), kernel);
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
	case HG_API_hipIpcOpenMemHandle:
	case HG_API_hipMemPoolImportPointer:
	case HG_API_hipMemImportFromShareableHandle:
	case HG_API_hipMemPoolImportFromShareableHandle:
	case HG_API_hipImportExternalMemory:
	case HG_API_hipGraphLaunch:
	case HG_API_hipGraphLaunch_spt:
		return true;
	default:
		return api >= HG_API_hipStreamBeginCapture && /* graphs */
		       api < HG_API_hsa_amd_memory_pool_allocate;
	}
}

static void note_work(struct process_history *history, uint64_t stream)
{
	history->several_streams |= history->any_work && history->stream != stream;
	history->any_work = true;
	history->stream = stream;
}

static void count_stream(struct process_history *history, const struct hg_ev_stream *event)
{
	gint64 key = (gint64)event->stream;

	if (event->api == HG_API_hipStreamDestroy) {
		g_hash_table_remove(history->streams, &key);
	} else {
		g_hash_table_add(history->streams, g_memdup2(&key, sizeof(key)));
		history->most_streams =
		    MAX(history->most_streams, g_hash_table_size(history->streams));
	}
}

void call_history_released(const struct rules_context *context)
{
	if (context->released)
		g_hash_table_remove(context->history->memory, context->released);
}

void call_history_event(const struct rules_context *context, const struct launch_memory **memory)
{
	struct process_history *process = context->history;
	const struct hg_event *event = context->event;

	switch (event->type) {
	case HG_EVENT_copy:
		note_work(process, event->copy->stream);
		note_use(process, event, event->copy->dst);
		note_use(process, event, event->copy->src);
		break;
	case HG_EVENT_fill:
		note_work(process, event->fill->stream);
		note_use(process, event, event->fill->dst);
		break;
	case HG_EVENT_launch:
		note_work(process, event->launch->stream);
		count_kernel(process, event);
		process->hidden_work |= api_hides_work(event->launch->api);
		*memory = launch_of(process, context);
		note_launched(process, event, *memory);
		break;
	case HG_EVENT_stream:
		count_stream(process, event->stream);
		break;
	case HG_EVENT_alloc:
		process->hidden_work |= api_hides_work(event->alloc->api);
		break;
	case HG_EVENT_call:
		/* Graphs, exported memory, host functions: work that no event shows. */
		process->hidden_work |= api_hides_work(event->call->api);
		break;
	default:
		break;
	}
}
