/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG405, HG702, HG704, HG705: streams, events and waits without the effect that they seem to have.
 */
#include "ordering.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg4xx.h"
#include "analyzer/rules/ids/hg7xx.h"

#include "analyzer/model/waits.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_sync.h"

#define MANY_BARRIERS 16 /* HG702: fewer are a start-up, not a pattern */

/* ---- HG405 ---- */

struct event_waits {
	uint64_t early; /* while nothing was recorded */
	uint64_t late;  /* once something was */
	unsigned api;
	uint32_t stack_id;
	int64_t ns;
};

static void streams_wait_event(const struct rules_context *context, struct process_order *at,
			       uint64_t handle, unsigned api, uint32_t stack_id)
{
	const struct order_event *event = order_event(&at->order, handle);
	struct event_waits *waits = g_hash_table_lookup(at->waits, &handle);

	if (!event->created || event->shared || (event->recorded && !waits))
		return;
	if (!waits) {
		waits = g_new0(struct event_waits, 1);
		waits->api = api;
		waits->stack_id = stack_id;
		waits->ns = context->event->ns;
		g_hash_table_insert(at->waits, g_memdup2(&handle, sizeof(handle)), waits);
	}
	if (event->recorded)
		waits->late++;
	else
		waits->early++;
}

/*
 * A loop that waits for what the previous round recorded does nothing in the first round, and is
 * right: an event that is waited for after its record too is no finding.
 */
static void check_waits(struct findings *findings, struct process_order *at,
			const struct order_event *event, const struct event_waits *waits)
{
	struct finding *finding;
	bool is_new;

	if (!waits || waits->late || at->hidden_records)
		return;
	finding = findings_get(findings, RULE_HG405, at->process, &is_new, "%u %u %d", waits->api,
			       waits->stack_id, event->recorded);
	finding_hit(finding, waits->ns, waits->stack_id);
	if (!is_new)
		return;
	finding->about_order = true;
	finding->api = g_strdup(hg_api_name(waits->api));
	if (event->recorded) {
		finding->message =
		    g_strdup_printf("%s names an event before hipEventRecord does, and nothing "
				    "waits for it afterwards: the call does not wait at all.",
				    finding->api);
		finding->fix = g_strdup_printf("call hipEventRecord before %s", finding->api);
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"the wait may be for an earlier iteration that does not exist");
	} else {
		finding->message = g_strdup_printf("%s names an event that was never recorded: "
						   "the call succeeds and does not wait.",
						   finding->api);
		finding->fix = g_strdup("call hipEventRecord in the stream whose work is waited "
					"for, or remove the wait");
	}
}

static void streams_event_ends(const struct rules_context *context, struct process_order *at,
			       uint64_t handle)
{
	check_waits(context->findings, at, order_event(&at->order, handle),
		    g_hash_table_lookup(at->waits, &handle));
	g_hash_table_remove(at->waits, &handle);
}

/* ---- HG705 ---- */

static void report_gone(const struct rules_context *context, struct process_order *at, unsigned api,
			uint32_t stack_id)
{
	bool is_new;
	struct finding *finding = findings_get(context->findings, RULE_HG705, at->process, &is_new,
					       "%u %u", api, stack_id);

	finding_hit(finding, context->event->ns, stack_id);
	if (!is_new)
		return;
	finding->api = g_strdup(hg_api_name(api));
	finding->message = g_strdup_printf(
	    "%s is called with a stream that hipStreamDestroy destroyed before.", finding->api);
	finding->fix = g_strdup("call hipStreamDestroy after the last use of the stream");
}

/* A call that waits for a stream, or destroys one. Up to 6.4 it fails; 7.2 looks into what was
 * released [SEEN72]. */
static void streams_gone(const struct rules_context *context, struct process_order *at,
			 unsigned api, uint64_t stream, uint32_t stack_id)
{
	switch (api) {
	case HG_API_hipStreamSynchronize:
	case HG_API_hipStreamSynchronize_spt:
	case HG_API_hipStreamQuery:
	case HG_API_hipStreamQuery_spt:
	case HG_API_hipStreamDestroy:
		if (g_hash_table_contains(at->gone_streams, &stream))
			report_gone(context, at, api, stack_id);
		break;
	default:
		break;
	}
}

static void streams_failed(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_error *error = context->event->error;

	streams_gone(context, at, error->api, error->ptr, error->stack_id);
}

/* ---- HG704 ---- */

struct sync_site {
	unsigned api;
	uint32_t stack_id;
	int64_t ns;
	uint64_t idle;    /* the thread knew already that everything was complete */
	uint64_t idle_ns; /* these took; 0: not recorded */
	int64_t first_idle_ns, last_idle_ns;
	uint64_t needless; /* between two launches that use only the GPU's own memory */
};

bool order_is_query(unsigned api)
{
	return api == HG_API_hipStreamQuery || api == HG_API_hipStreamQuery_spt ||
	       api == HG_API_hipEventQuery;
}

/* Is what this call waits for complete already? */
static bool is_over(const struct process_order *at, const struct hg_ev_sync *sync)
{
	struct order_event *event;

	switch (sync->api) {
	case HG_API_hipEventSynchronize:
		event = g_hash_table_lookup(at->order.events, &sync->event);
		return event && event->recorded && !event->shared &&
		       order_done(&at->order, event->moment);
	case HG_API_hipStreamSynchronize:
		if (sync->stream > STREAM_PER_THREAD) {
			const struct order_stream *stream =
			    order_stream_known(&at->order, sync->stream);

			return stream && order_stream_idle(&at->order, stream);
		}
		break;
	default:
		break;
	}
	for (unsigned i = 0; i < at->order.slots; i++)
		if (at->order.done[i] < at->order.epochs[i])
			return false;
	return true;
}

void streams_early(struct process_order *at, uint64_t handle, unsigned api)
{
	if (hg_api_class(api) == HG_CLASS_LAUNCH || strstr(hg_api_name(api), "Async"))
		g_hash_table_add(at->early, g_memdup2(&handle, sizeof(handle)));
}

/*
 * Returns true if the interface requires a wait here. That the runtime copies pageable memory
 * before it returns, or that an environment variable makes launches wait, is not guaranteed by the
 * interface.
 */
static bool is_due(struct process_order *at, const struct hg_ev_sync *sync)
{
	switch (sync->api) {
	case HG_API_hipStreamSynchronize:
	case HG_API_hipStreamSynchronize_spt:
		if (sync->stream > STREAM_PER_THREAD)
			return g_hash_table_remove(at->early, &sync->stream);
		break;
	case HG_API_hipDeviceSynchronize:
		if (g_hash_table_size(at->early)) {
			g_hash_table_remove_all(at->early);
			return true;
		}
		break;
	default:
		break;
	}
	return g_hash_table_size(at->early) > 0;
}

static void count_idle(struct sync_site *site, const struct hg_event *event)
{
	if (!site->idle++)
		site->first_idle_ns = event->ns;
	site->last_idle_ns = event->ns;
	site->idle_ns += event->sync->duration;
}

/* Waits for nothing take next to no time: they matter in a loop that does little else. */
static bool idles(const struct sync_site *site)
{
	int64_t between = site->last_idle_ns - site->first_idle_ns;

	return site->idle >= MANY_WAITS &&
	       (!site->idle_ns || site->idle_ns >= (uint64_t)between / IDLE_SHARE);
}

static void streams_sync(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_sync *sync = context->event->sync;
	gpointer key = GUINT_TO_POINTER(sync->stack_id);
	struct sync_site *site;
	/* A wait by one thread is unknown to another thread. */
	bool same_thread = at->wait_tid == context->event->tid, due;

	at->wait_tid = context->event->tid;
	streams_gone(context, at, sync->api, sync->stream, sync->stack_id);
	if (order_is_query(sync->api) || sync->stack_id == 0)
		return;
	site = g_hash_table_lookup(at->syncs, key);
	if (!site) {
		site = g_new0(struct sync_site, 1);
		*site = (struct sync_site){ .api = sync->api,
					    .stack_id = sync->stack_id,
					    .ns = context->event->ns };
		g_hash_table_insert(at->syncs, key, site);
	}
	at->latest_wait = NULL;
	due = is_due(at, sync);
	if (is_over(at, sync)) {
		if (same_thread && !due)
			count_idle(site, context->event);
	} else if (at->launches_since_wait == 1 && at->others_since_wait == 0 &&
		   at->device_memory_only) {
		at->latest_wait = site;
	}
	at->launches_since_wait = at->others_since_wait = 0;
	at->device_memory_only = true;
}

static void report_waits(struct findings *findings, struct process_order *at,
			 const struct sync_site *site)
{
	bool idle = idles(site), is_new;
	struct finding *finding;

	if (!idle && site->needless < MANY_WAITS)
		return;
	finding = findings_get(findings, RULE_HG704, at->process, &is_new, "%u", site->stack_id);
	finding_hit(finding, site->ns, site->stack_id);
	finding->count = idle ? site->idle : site->needless;
	finding->about_order = true;
	finding->api = g_strdup(hg_api_name(site->api));
	finding_figure(finding, 0, FIGURE_SUM, finding->count);
	if (idle) {
		finding->message = g_strdup_printf("%s was called %s times although the host had "
						   "already waited for the same work.",
						   finding->api, FIGURE(0));
		finding->fix = g_strdup_printf("remove %s, or call it once", finding->api);
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"there may be work that is not in the trace");
		return;
	}
	finding->message = g_strdup_printf(
	    "%s waited %s times for a single kernel that only used the GPU's own memory, and the "
	    "next thing was another launch: the GPU idles meanwhile, and the host could not have "
	    "read the result.",
	    finding->api, FIGURE(0));
	finding->fix =
	    g_strdup_printf("remove %s: kernels in one stream run in order anyway", finding->api);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"a measurement of time by the host's clock looks the same");
}

/* ---- HG702 ---- */

static bool is_blocking_busy(const struct order *order, const struct order_stream *null)
{
	for (unsigned i = 0; i < order->slots; i++) {
		const struct order_stream *stream = order->owners[i];

		if (stream && stream->kind == STREAM_KIND_BLOCKING && stream->on == null->on &&
		    order->done[i] < order->epochs[i])
			return true;
	}
	return false;
}

static void count_barrier(const struct rules_context *context, struct process_order *at,
			  const struct order_stream *stream, uint32_t stack_id, unsigned api)
{
	struct finding *finding;
	bool is_new;

	/* A stream that has been waited on by the null stream since its last work is not dirty. */
	if (stream->kind != STREAM_KIND_LEGACY || !stream->on->dirty ||
	    model_wait(api, at->process->runtime_version, WAIT_MEMORY_OTHER) != WAIT_NOTHING ||
	    !is_blocking_busy(&at->order, stream))
		return;
	at->barriers++;
	finding = findings_get(context->findings, RULE_HG702, at->process, &is_new, "barriers");
	finding_hit(finding, context->event->ns, stack_id);
	if (is_new) {
		finding->about_order = true;
		finding->api = g_strdup(hg_api_name(api));
	}
}

static void finish_barriers(struct findings *findings, struct process_order *at)
{
	struct finding *finding;
	bool is_new;

	if (at->barriers == 0)
		return;
	finding = findings_get(findings, RULE_HG702, at->process, &is_new, "barriers");
	if (at->barriers < MANY_BARRIERS) {
		finding->count = 0;
		return;
	}
	finding_figure(finding, 0, FIGURE_SUM, at->barriers);
	finding->message =
	    g_strdup_printf("%s times work was submitted to the null stream while other streams "
			    "were busy: it waits for all of them, and they all wait for it.",
			    FIGURE(0));
	finding->fix = g_strdup("use a separate stream for it, create the others with "
				"hipStreamNonBlocking and order them by events,\n"
				"or compile with -fgpu-default-stream=per-thread");
}

/* ---- */

static void streams_submit(const struct rules_context *context, struct process_order *at,
			   const struct order_stream *stream, uint64_t handle, uint32_t stack_id,
			   unsigned api, const struct launch_uses *uses)
{
	bool launch = context->event->type == HG_EVENT_launch;

	if (launch && at->latest_wait)
		at->latest_wait->needless++;
	at->latest_wait = NULL;
	at->launches_since_wait += launch;
	at->others_since_wait += !launch;
	at->device_memory_only &= uses && uses->device_memory_only;
	if (g_hash_table_size(at->gone_streams) && g_hash_table_contains(at->gone_streams, &handle))
		report_gone(context, at, api, stack_id);
	count_barrier(context, at, stream, stack_id, api);
}

static void streams_finish(struct findings *findings, struct process_order *at)
{
	GHashTableIter iterator;
	gpointer key, value;

	g_hash_table_iter_init(&iterator, at->waits);
	while (g_hash_table_iter_next(&iterator, &key, &value))
		check_waits(findings, at, order_event(&at->order, *(uint64_t *)key), value);
	g_hash_table_iter_init(&iterator, at->syncs);
	while (g_hash_table_iter_next(&iterator, NULL, &value))
		report_waits(findings, at, value);
	finish_barriers(findings, at);
}

void check_streams(const struct rules_context *context)
{
	const struct work *work = context->work;
	struct process_order *at;

	switch (context->wake) {
	case WAKE_SUBMIT:
		streams_submit(context, work->at, work->stream, work->handle, work->stack_id,
			       work->api, work->uses);
		break;
	case WAKE_EVENT_WAIT:
		streams_wait_event(context, work->at, work->handle, work->api, work->stack_id);
		break;
	case WAKE_EVENT_END:
		streams_event_ends(context, work->at, work->handle);
		break;
	case WAKE_SYNC:
		streams_sync(context, order_of(context->process));
		break;
	case WAKE_ERROR:
		streams_failed(context, order_of(context->process));
		break;
	default:
		at = order_known(context->process);
		if (at)
			streams_finish(context->findings, at);
		break;
	}
}
