/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG501: asynchronous copies of pageable memory, which are not asynchronous. Whoever waits for the
 * copy at once wanted none that is: what the thread does next decides.
 */
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"

#include "analyzer/rules/ids/hg5xx.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_sync.h"

#include <string.h>

/* The latest copy of a thread, until its next call. */
struct pending_copy {
	struct hg_ev_copy copy;
	int64_t ns;
	struct place host; /* with a reference to its allocation */
	bool from_host;
};

static void free_pending(gpointer data)
{
	struct pending_copy *pending = data;

	allocation_unref(pending->host.allocation);
	g_free(pending);
}

static void clear_pending(void *data)
{
	GHashTable **threads = data;

	g_clear_pointer(threads, g_hash_table_destroy);
}

/* By thread. */
static const struct attachment_type pending_type = { sizeof(GHashTable *), NULL, clear_pending };

/* Returns true for every copy function whose name says so, of whatever shape. */
static bool is_async_copy(unsigned api)
{
	return strstr(hg_api_name(api), "Async");
}

static uint64_t bytes_of(const struct hg_ev_copy *copy)
{
	return copy->size * copy->rows * (copy->depth ? copy->depth : 1);
}

/* Describes the largest of several copies by one call. */
static void describe(struct finding *finding, const struct pending_copy *pending)
{
	const struct hg_ev_copy *copy = &pending->copy;
	char *what = place_figure(finding, 1, &pending->host);
	char *took = copy->duration / 1000 ? g_strdup_printf(" during the call (this one took "
							     "%" G_GUINT64_FORMAT " us)",
							     copy->duration / 1000)
					   : g_strdup("");

	allocation_unref(finding->allocation);
	finding_set_place(finding, &pending->host, pending->from_host ? copy->src : copy->dst);
	finding_set_message(
	    finding, g_strdup_printf(
			 "%s copies %s bytes %s pageable memory (%s): the runtime stages or "
			 "pins it%s, so the call does not overlap with other work.",
			 finding->api, FIGURE(0), pending->from_host ? "from" : "to", what, took));
	finding->bytes = bytes_of(copy);
	g_free(took);
	g_free(what);
}

static void report(const struct rules_context *context, const struct pending_copy *pending)
{
	const struct hg_ev_copy *copy = &pending->copy;
	const struct place *host = &pending->host;
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG501, context->process, &is_new, "%u %u %u",
			       copy->api, copy->stack_id,
			       host->allocation ? host->allocation->stack_id : 0);
	finding_hit(finding, pending->ns, copy->stack_id);
	finding_figure(finding, 0, FIGURE_MOST, bytes_of(copy));
	if (host->allocation) {
		finding_figure(finding, 1, FIGURE_RANGE, host->allocation->size);
		finding_met(finding, host);
	}
	if (is_new) {
		finding->api = g_strdup(hg_api_name(copy->api));
		finding->fix = g_strdup(
		    is_file_mapping(host)
			? "read the file into a buffer of hipHostMalloc, and copy from there"
			: "allocate the host buffer with hipHostMalloc, or register it once with "
			  "hipHostRegister");
	}
	if (bytes_of(copy) > finding->bytes)
		describe(finding, pending);
	if (is_new && !copy->duration) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"the duration of copies in a graph is not recorded");
	}
}

static void on_copy(const struct rules_context *context, GHashTable *threads)
{
	const struct hg_ev_copy *copy = context->event->copy;
	struct place dst = process_place(context->process, copy->dst);
	struct place src = process_place(context->process, copy->src);
	bool from_host = is_system_memory(&src);
	struct pending_copy *pending;

	if (!is_async_copy(copy->api) || bytes_of(copy) < PAGEABLE_COPY ||
	    from_host == is_system_memory(&dst))
		return;
	pending = g_new0(struct pending_copy, 1);
	pending->copy = *copy;
	pending->ns = context->event->ns;
	pending->host = from_host ? src : dst;
	pending->from_host = from_host;
	if (pending->host.allocation)
		allocation_ref(pending->host.allocation);
	g_hash_table_replace(threads, GINT_TO_POINTER(context->event->tid), pending);
}

/* Returns true if the event is a call that may follow a copy: others describe something. */
static bool is_call(const struct hg_event *event)
{
	switch (event->type) {
	case HG_EVENT_alloc:
	case HG_EVENT_free:
	case HG_EVENT_copy:
	case HG_EVENT_fill:
	case HG_EVENT_prefetch:
	case HG_EVENT_advise:
	case HG_EVENT_launch:
	case HG_EVENT_stream:
	case HG_EVENT_event:
	case HG_EVENT_sync:
	case HG_EVENT_call:
		return true;
	default:
		return false;
	}
}

/*
 * Returns true if the thread waits for the copy, and the host did nothing worth mentioning in
 * between: less than a quarter of what the copy took.
 */
static bool waits_at_once(const struct pending_copy *pending, const struct hg_event *event)
{
	int64_t between = event->ns - (int64_t)event->sync->duration - pending->ns;

	if (event->type != HG_EVENT_sync)
		return false;
	switch (event->sync->api) {
	case HG_API_hipStreamSynchronize:
	case HG_API_hipStreamSynchronize_spt:
		if (event->sync->stream != pending->copy.stream)
			return false;
		break;
	case HG_API_hipDeviceSynchronize:
		break;
	default:
		return false;
	}
	return between <= MAX((int64_t)PAGEABLE_GAP, (int64_t)(pending->copy.duration / 4));
}

void check_pageable(const struct rules_context *context)
{
	GHashTable **threads = attachment_get(&context->process->attachments, &pending_type);
	struct pending_copy *pending;
	GHashTableIter iterator;
	gpointer value;

	if (!*threads)
		*threads = g_hash_table_new_full(NULL, NULL, NULL, free_pending);
	if (context->wake == WAKE_COPY) {
		on_copy(context, *threads);
	} else if (context->wake == WAKE_FINISH) {
		g_hash_table_iter_init(&iterator, *threads);
		while (g_hash_table_iter_next(&iterator, NULL, &value))
			report(context, value);
		g_hash_table_remove_all(*threads);
	} else if (is_call(context->event)) {
		pending = g_hash_table_lookup(*threads, GINT_TO_POINTER(context->event->tid));
		if (!pending)
			return;
		if (!waits_at_once(pending, context->event))
			report(context, pending);
		g_hash_table_remove(*threads, GINT_TO_POINTER(context->event->tid));
	}
}
