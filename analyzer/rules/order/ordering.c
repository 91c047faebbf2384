/* SPDX-License-Identifier: Apache-2.0 */
/* From events to the order of work: who waits for whom, by
 * docs/memory-model.md#visibility-and-waiting. */
#include "access_history.h"

#include <string.h>

#include "analyzer/model/waits.h"
#include "analyzer/replay/stream_names.h"
#include "analyzer/rules/engine/supposition.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

#define POOL_FREES_DO_NOT_WAIT 70000000 /* hipFree of a pool's memory, from HIP 7 on [CLR7] */
#define GONE_STREAMS_KEPT      4096

/*
 * The latest launch of a thread, in case that an error takes it back. Between the launch and its
 * error other threads, and the runtime itself, may allocate and free: what the launch uses is kept
 * as it was, and holds its allocations.
 */
struct launched {
	bool known; /* not taken back yet */
	uint32_t kernel_id;
	int64_t ns;
	struct moment moment;
	struct launch_uses *uses; /* NULL: nothing is known; without paths */
	unsigned room;            /* for so many uses */
};

static void drop_allocation(gpointer data)
{
	allocation_unref(data);
}

static void release_uses(struct launched *last)
{
	for (unsigned i = 0; last->uses && i < last->uses->count; i++)
		allocation_unref(last->uses->at[i].allocation);
	if (last->uses)
		last->uses->count = 0;
}

static void free_launched(gpointer data)
{
	struct launched *last = data;

	release_uses(last);
	g_free(last->uses);
	g_free(last);
}

/* `uses` may be NULL. */
static void keep_uses(struct launched *last, const struct launch_uses *uses)
{
	release_uses(last);
	if (!uses)
		return;
	if (!last->uses || last->room < uses->count) {
		last->room = uses->count;
		last->uses =
		    g_realloc(last->uses, sizeof(*uses) + last->room * sizeof(uses->at[0]));
	}
	*last->uses = (struct launch_uses){ .code = uses->code, .count = uses->count };
	for (unsigned i = 0; i < uses->count; i++) {
		last->uses->at[i] =
		    (struct launch_use){ .allocation = allocation_ref(uses->at[i].allocation),
					 .address = uses->at[i].address,
					 .kernarg = uses->at[i].kernarg,
					 .access = uses->at[i].access };
	}
}

static void init_order(void *data)
{
	struct process_order *at = data;

	at->serialised = -1;
	at->device_memory_only = true;
	order_init(&at->order);
	at->gone_streams = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	at->waits = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	at->early = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	at->syncs = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	at->lost = g_hash_table_new_full(NULL, NULL, drop_allocation, g_free);
	at->last_launches = g_hash_table_new_full(NULL, NULL, NULL, free_launched);
}

static void clear_order(void *data)
{
	struct process_order *at = data;

	order_clear(&at->order);
	g_hash_table_destroy(at->gone_streams);
	g_hash_table_destroy(at->waits);
	g_hash_table_destroy(at->syncs);
	g_hash_table_destroy(at->early);
	g_hash_table_destroy(at->lost);
	g_hash_table_destroy(at->last_launches);
}

static const struct attachment_type order_type = { sizeof(struct process_order), init_order,
						   clear_order };

struct process_order *order_of(struct process *process)
{
	struct process_order *at = attachment_get(&process->attachments, &order_type);

	at->process = process;
	return at;
}

struct process_order *order_known(struct process *process)
{
	return attachment_find(&process->attachments, &order_type);
}

/* ---- which stream ---- */

/* Calls whose null stream is the calling thread's own. */
static bool is_per_thread(unsigned api)
{
	const char *name = hg_api_name(api);
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, "_spt") == 0;
}

static bool is_null(uint64_t handle)
{
	return handle == 0 || handle == STREAM_LEGACY;
}

static struct order_stream *stream_of(const struct rules_context *context, struct process_order *at,
				      unsigned api, uint64_t handle, int32_t device)
{
	struct order_stream *stream;
	unsigned number;

	if (handle == 0 && is_per_thread(api))
		handle = STREAM_PER_THREAD;
	stream = order_stream(&at->order, handle, device, context->event->tid);
	number = stream_number(at->process, handle);
	if (number) /* as other formats of the report have it */
		stream->number = number;
	return stream;
}

/* Variables that make every launch and copy wait (docs/memory-model.md#environment-variables). */
static bool is_serialised(struct process_order *at)
{
	static const char *const names[] = { "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL",
					     "AMD_SERIALIZE_COPY", "CUDA_LAUNCH_BLOCKING" };

	if (at->serialised < 0) {
		at->serialised = 0;
		for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
			const char *value = process_env(at->process, names[i]);

			at->serialised |= value && *value && strcmp(value, "0") != 0;
		}
	}
	return at->serialised;
}

/* ---- waiting ---- */

static void host_waits(struct process_order *at, enum wait wait, struct order_stream *stream,
		       int32_t device)
{
	switch (wait) {
	case WAIT_NOTHING:
		break;
	case WAIT_ITSELF:
		order_host_stream(&at->order, stream);
		break;
	case WAIT_DEVICE:
		order_host_device(&at->order, device);
		break;
	case WAIT_EVERYTHING:
		order_host_everything(&at->order);
		break;
	}
}

/* Waits that no call of the program's shows: from here on the order cannot be determined. */
static void lose_track(const struct rules_context *context, struct process_order *at,
		       const char *why)
{
	if (!at->unfollowed) {
		at->unfollowed = true;
		findings_limit(context->findings,
			       "process %d: %s: the order of work in its streams after that is not "
			       "analysed (HG215, HG4xx, HG602, HG7xx)",
			       at->process->pid, why);
	}
	order_host_everything(&at->order);
}

/* ---- work ---- */

static struct use use_of(const struct order_stream *stream, struct moment moment,
			 const struct rules_context *context, unsigned api, uint32_t stack_id)
{
	return (struct use){
		.moment = moment,
		.ns = context->event->ns,
		.stack_id = stack_id,
		.device = stream->device,
		.api = (uint16_t)api,
		.kind = (uint8_t)stream->kind,
		.stream = stream->number,
	};
}

/* Calls that record events given to them, which their event does not name. */
static bool records_unseen(unsigned api)
{
	switch (api) {
	case HG_API_hipExtLaunchKernel:
	case HG_API_hipExtModuleLaunchKernel:
	case HG_API_hipHccModuleLaunchKernel:
	case HG_API_hipGraphLaunch:
	case HG_API_hipGraphLaunch_spt:
		return true;
	default:
		return false;
	}
}

static void wake(const struct rules_context *context, enum wake wake, const struct work *work)
{
	struct rules_context own = *context;

	own.work = work;
	rules_wake(&own, wake);
}

static void wake_submit(const struct rules_context *context, struct process_order *at,
			const struct order_stream *stream, uint64_t handle, uint32_t stack_id,
			unsigned api, const struct launch_uses *uses)
{
	const struct work work = { .at = at,
				   .stream = stream,
				   .handle = handle,
				   .stack_id = stack_id,
				   .api = api,
				   .uses = uses };

	wake(context, WAKE_SUBMIT, &work);
}

static void on_launch(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_launch *launch = context->event->launch;
	struct order_stream *stream =
	    stream_of(context, at, launch->api, launch->stream, launch->device);
	const struct launch_uses *uses = launch_uses(context);
	gpointer key = GINT_TO_POINTER(context->event->tid);
	struct launched *last = g_hash_table_lookup(at->last_launches, key);
	struct moment moment;

	at->hidden_records |= records_unseen(launch->api);
	wake_submit(context, at, stream, launch->stream, launch->stack_id, launch->api, uses);
	moment = order_submit(&at->order, stream);
	if (uses) {
		struct use use = use_of(stream, moment, context, launch->api, launch->stack_id);

		wake(context, WAKE_WORK, &(struct work){ .at = at, .uses = uses, .use = &use });
	}
	if (is_serialised(at)) {
		order_host_stream(&at->order, stream);
		streams_early(at, launch->stream, launch->api);
	}
	if (!last) {
		last = g_new0(struct launched, 1);
		g_hash_table_insert(at->last_launches, key, last);
	}
	last->known = uses != NULL;
	last->kernel_id = launch->kernel_id;
	last->ns = context->event->ns;
	last->moment = moment;
	keep_uses(last, uses);
}

static void on_error(const struct rules_context *context, struct process_order *at)
{
	struct launched *last =
	    g_hash_table_lookup(at->last_launches, GINT_TO_POINTER(context->event->tid));

	if (!last || !last->known || last->kernel_id != context->event->error->ptr ||
	    hg_api_class(context->event->error->api) != HG_CLASS_LAUNCH ||
	    !process_refused_launch(at->process, context->event->error->code, last->ns))
		return;
	wake(context, WAKE_TAKEN_BACK,
	     &(struct work){ .at = at, .uses = last->uses, .moment = last->moment });
	last->known = false;
}

/* Returns what kind of memory that is, and sets *gpu to the GPU that it is of. */
static enum wait_memory memory_at(const struct process *process, uint64_t address, int32_t *gpu)
{
	struct place place = process_place(process, address);
	enum wait_memory memory = WAIT_MEMORY_OTHER;
	struct grain grain;

	if (place.kind != PLACE_ALLOCATION)
		return memory;
	*gpu = place.allocation->device;
	grain = place_grain_brief(process, &place);
	if (grain.location == LOCATION_DEVICE) {
		memory = grain.granularity == GRAIN_COARSE && place.allocation->ptr == address
			     ? WAIT_MEMORY_BEGINNING
			     : WAIT_MEMORY_GPU;
	}
	return memory;
}

/* Returns true if both sides have the attribute: then a copy within the device waits as well. */
static bool are_sync_memops(const struct process *process, const struct hg_ev_copy *copy)
{
	struct place dst = process_place(process, copy->dst),
		     src = process_place(process, copy->src);

	return dst.kind == PLACE_ALLOCATION && src.kind == PLACE_ALLOCATION &&
	       dst.allocation->sync_memops && src.allocation->sync_memops;
}

static enum wait_memory memory_of_copy(const struct process *process, const struct hg_ev_copy *copy)
{
	int32_t from = 0, to = 0;
	enum wait_memory memory =
	    MIN(memory_at(process, copy->src, &from), memory_at(process, copy->dst, &to));

	if (are_sync_memops(process, copy))
		return WAIT_MEMORY_OTHER;
	return from == to ? memory : MIN(memory, WAIT_MEMORY_GPUS);
}

/* The runtime stages or pins memory that HIP does not know, and waits for that [HIPAMD52]. */
static bool is_staged(const struct process *process, uint64_t address)
{
	struct place place = process_place(process, address);

	return place.kind != PLACE_ALLOCATION || is_system_memory(&place);
}

static void on_copy(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_copy *copy = context->event->copy;
	struct order_stream *stream = stream_of(context, at, copy->api, copy->stream, copy->device);
	enum wait wait =
	    wait_of_call(context, copy->api, memory_of_copy(at->process, copy), copy->stack_id);
	struct use use;

	wake_submit(context, at, stream, copy->stream, copy->stack_id, copy->api, NULL);
	use = use_of(stream, order_submit(&at->order, stream), context, copy->api, copy->stack_id);
	use.host = wait != WAIT_NOTHING;
	if (wait == WAIT_NOTHING && !model_wait_depends(copy->api) &&
	    (is_staged(at->process, copy->dst) || is_staged(at->process, copy->src)))
		wait = WAIT_ITSELF;
	if (is_serialised(at))
		wait = WAIT_ITSELF;
	wake(context, WAKE_WORK,
	     &(struct work){ .at = at, .use = &use, .waits = wait != WAIT_NOTHING });
	if (wait != WAIT_NOTHING)
		streams_early(at, copy->stream, copy->api);
	host_waits(at, wait, stream, copy->device);
}

static void on_fill(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_fill *fill = context->event->fill;
	struct order_stream *stream = stream_of(context, at, fill->api, fill->stream, fill->device);
	int32_t gpu;
	enum wait wait = wait_of_call(context, fill->api, memory_at(at->process, fill->dst, &gpu),
				      fill->stack_id);
	struct use use;

	wake_submit(context, at, stream, fill->stream, fill->stack_id, fill->api, NULL);
	use = use_of(stream, order_submit(&at->order, stream), context, fill->api, fill->stack_id);
	wake(context, WAKE_WORK,
	     &(struct work){
		 .at = at, .use = &use, .waits = wait != WAIT_NOTHING || is_serialised(at) });
	if (is_serialised(at)) {
		streams_early(at, fill->stream, fill->api);
		wait = WAIT_ITSELF;
	}
	host_waits(at, wait, stream, fill->device);
}

static void on_prefetch(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_prefetch *prefetch = context->event->prefetch;
	struct order_stream *stream =
	    stream_of(context, at, prefetch->api, prefetch->stream, MAX(prefetch->target, 0));

	order_submit(&at->order, stream);
	host_waits(at, model_wait(prefetch->api, at->process->runtime_version, WAIT_MEMORY_OTHER),
		   stream, 0);
}

/* ---- streams, events, waits ---- */

static void on_stream(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_stream *event = context->event->stream;

	if (event->api != HG_API_hipStreamDestroy) {
		g_hash_table_remove(at->gone_streams, &event->stream);
		order_stream_created(&at->order, event->stream, event->flags & 1, event->device);
		return;
	}
	if (g_hash_table_size(at->gone_streams) < GONE_STREAMS_KEPT) {
		g_hash_table_add(at->gone_streams,
				 g_memdup2(&event->stream, sizeof(event->stream)));
	}
	order_stream_destroyed(&at->order, event->stream);
}

/* `event` events do not tell the device: with several, a null stream could be any of theirs. */
static bool is_ambiguous(const struct process_order *at, uint64_t stream)
{
	return is_null(stream) && at->process->devices->len > 1;
}

static void on_event(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_event *event = context->event->event;
	int32_t device = at->process->devices->len
			     ? ((struct device *)at->process->devices->pdata[0])->ordinal
			     : 0;
	struct order_stream *stream;

	switch (event->api) {
	case HG_API_hipEventCreate:
	case HG_API_hipEventCreateWithFlags:
		wake(context, WAKE_EVENT_END, &(struct work){ .at = at, .handle = event->event });
		order_event_created(&at->order, event->event, event->flags);
		break;
	case HG_API_hipIpcOpenEventHandle:
		order_event_created(&at->order, event->event, 0);
		order_event(&at->order, event->event)->shared = true;
		break;
	case HG_API_hipEventDestroy:
		wake(context, WAKE_EVENT_END, &(struct work){ .at = at, .handle = event->event });
		order_event_destroyed(&at->order, event->event);
		break;
	case HG_API_hipEventRecord:
	case HG_API_hipEventRecord_spt:
	case HG_API_hipEventRecordWithFlags:
		stream = stream_of(context, at, event->api, event->stream, device);
		if (is_ambiguous(at, event->stream))
			order_wait_everything(&at->order, stream);
		order_record(&at->order, event->event, stream);
		break;
	case HG_API_hipStreamWaitEvent:
	case HG_API_hipStreamWaitEvent_spt:
		wake(context, WAKE_EVENT_WAIT,
		     &(struct work){ .at = at, .handle = event->event, .api = event->api });
		stream = stream_of(context, at, event->api, event->stream, device);
		if (is_ambiguous(at, event->stream))
			order_host_event(&at->order, event->event);
		else if (at->hidden_records && !order_event(&at->order, event->event)->recorded)
			order_wait_everything(&at->order, stream);
		else
			order_wait_event(&at->order, stream, event->event);
		break;
	default:
		break;
	}
}

static void on_sync(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_sync *sync = context->event->sync;

	switch (sync->api) {
	case HG_API_hipEventSynchronize:
	case HG_API_hipEventQuery:
		wake(context, WAKE_EVENT_WAIT,
		     &(struct work){ .at = at,
				     .handle = sync->event,
				     .api = sync->api,
				     .stack_id = sync->stack_id });
		if (at->hidden_records && !order_event(&at->order, sync->event)->recorded)
			order_host_everything(&at->order);
		else
			order_host_event(&at->order, sync->event);
		break;
	case HG_API_hipDeviceSynchronize:
	case HG_API_hipCtxSynchronize:
	case HG_API_hipExecutionCtxSynchronize:
		order_host_device(&at->order, sync->device);
		break;
	default: /* hipStreamSynchronize, hipStreamQuery, their _spt forms */
		order_host_stream(&at->order,
				  stream_of(context, at, sync->api, sync->stream, sync->device));
		break;
	}
}

static void on_call(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_call *call = context->event->call;

	switch (call->api) {
	case HG_API_hipStreamWaitValue32:
	case HG_API_hipStreamWaitValue64:
	case HG_API_hipStreamBatchMemOp:
		lose_track(context, at, "its streams wait for values in memory");
		break;
	case HG_API_hipExecutionCtxRecordEvent:
	case HG_API_hipExecutionCtxWaitEvent:
		lose_track(context, at, "its events are of all streams of a context");
		break;
	case HG_API_hipWaitExternalSemaphoresAsync:
	case HG_API_hipGraphicsMapResources:
		lose_track(context, at, "its streams wait for another interface");
		break;
	case HG_API_hipLaunchHostFunc:
	case HG_API_hipLaunchHostFunc_spt:
	case HG_API_hipStreamAddCallback:
	case HG_API_hipStreamAddCallback_spt:
		/* The host function can tell any thread that the stream came this far. */
		order_host_stream(&at->order,
				  stream_of(context, at, call->api, call->stream, call->device));
		break;
	case HG_API_hipStreamBeginCapture:
	case HG_API_hipStreamBeginCapture_spt:
	case HG_API_hipStreamBeginCaptureToGraph:
		at->hidden_records = true;
		break;
	case HG_API_hipEventElapsedTime:
		at->latest_wait = NULL; /* the host wanted to know how long it took */
		break;
	default:
		host_waits(at,
			   model_wait(call->api, at->process->runtime_version, WAIT_MEMORY_OTHER),
			   NULL, call->device);
		break;
	}
}

/* ---- allocation and release ---- */

static bool is_pool_memory(const struct allocation *allocation)
{
	return allocation->api == HG_API_hipMallocAsync ||
	       allocation->api == HG_API_hipMallocFromPoolAsync ||
	       allocation->api == HG_API_hipGraphAddMemAllocNode;
}

/* Adds memory of a pool, which is allocated when its stream comes that far. */
static void on_alloc(const struct rules_context *context)
{
	const struct hg_ev_alloc *from = context->event->alloc;
	struct process_order *at;
	struct order_stream *stream;
	struct place place;
	struct use use;
	bool busy;

	/*
	 * The process reports memory that it had before the recording began: it was allocated long
	 * ago.
	 */
	if (context->process->state.telling || !is_new_allocation(context, &place) ||
	    !is_pool_memory(place.allocation) || from->api == HG_API_hipGraphAddMemAllocNode)
		return;
	at = order_of(context->process);
	stream = stream_of(context, at, from->api, from->stream, from->device);
	busy = !order_stream_idle(&at->order, stream);
	use = use_of(stream, order_submit(&at->order, stream), context, from->api, from->stack_id);
	pool_allocated(at, place.allocation, &use, busy);
	if (is_serialised(at))
		order_host_stream(&at->order, stream);
}

static void on_release(const struct rules_context *context)
{
	const struct hg_ev_free *from = context->event->free;
	bool in_stream = is_release_in_stream(from->api), waits = true;
	struct allocation *allocation;
	struct process_order *at;

	if (context->process->device_count < 0 || from->api == HG_API_mremap)
		return; /* it made no HIP call yet; the contents move along */
	if (layer_of_api(from->api) == LAYER_HOST &&
	    address_space_block(&context->process->space, from->ptr))
		return; /* no call was ever given it */
	allocation = address_space_find_base(&context->process->space, from->ptr, from->api);
	if (!allocation)
		return;
	if (is_pool_memory(allocation)) {
		waits = !in_stream && context->process->runtime_version < POOL_FREES_DO_NOT_WAIT;
		note_supposed_wait(context, from->api, "of memory of a pool",
				   !in_stream &&
				       context->process->recorded_version < POOL_FREES_DO_NOT_WAIT,
				   waits, "CLR7", from->stack_id);
	} else if (allocation->layer == LAYER_HOST || allocation->layer == LAYER_MAPPING) {
		waits = false;
	}
	if (!access_history_of(allocation) && !waits)
		return;
	at = order_of(context->process);
	wake(context, WAKE_ORDERED_RELEASE,
	     &(struct work){ .at = at,
			     .stream = in_stream ? stream_of(context, at, from->api, from->stream,
							     allocation->device)
						 : NULL,
			     .allocation = allocation,
			     .waits = waits });
	if (waits) {
		/* hipFreeAsync of other memory is hipFree [CLR62]. */
		unsigned api = in_stream ? (unsigned)HG_API_hipFree : from->api;
		int32_t gpu;
		bool own = memory_at(context->process, allocation->ptr, &gpu) != WAIT_MEMORY_OTHER;

		host_waits(at,
			   model_wait(api, context->process->runtime_version, WAIT_MEMORY_OTHER),
			   NULL, own ? allocation->device : -1);
	}
}

/* ---- */

static void on_finish(const struct rules_context *context)
{
	const struct process_order *at = order_known(context->process);

	if (at && at->order.overflows) {
		findings_limit(context->findings,
			       "more than %u streams had unfinished work at once: their "
			       "order is not always analysed (HG4xx, HG602, HG7xx)",
			       ORDER_SLOTS);
	}
}

void follow_order(const struct rules_context *context)
{
	struct process_order *at;

	switch (context->wake) {
	case WAKE_ALLOC:
		on_alloc(context);
		return;
	case WAKE_RELEASE:
	case WAKE_HOST_RELEASE:
		on_release(context);
		return;
	case WAKE_FINISH:
		on_finish(context);
		return;
	default:
		break;
	}
	/* Waits for HSA queues are not recorded, so the order of their work is unknown. */
	if (context->event->type == HG_EVENT_launch &&
	    context->event->launch->api == HG_API_hsa_queue_dispatch)
		return;
	at = order_of(context->process);
	switch (context->event->type) {
	case HG_EVENT_launch:
		on_launch(context, at);
		break;
	case HG_EVENT_copy:
		on_copy(context, at);
		break;
	case HG_EVENT_fill:
		on_fill(context, at);
		break;
	case HG_EVENT_prefetch:
		on_prefetch(context, at);
		break;
	case HG_EVENT_stream:
		on_stream(context, at);
		break;
	case HG_EVENT_event:
		on_event(context, at);
		break;
	case HG_EVENT_sync:
		on_sync(context, at);
		break;
	case HG_EVENT_call:
		on_call(context, at);
		break;
	default:
		on_error(context, at);
		break;
	}
}
