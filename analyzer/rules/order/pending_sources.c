/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds HG408: the host changes pinned memory before it has waited for an asynchronous copy from
 * there, which may carry the old bytes, the new ones, or some of both.
 *
 * The recorder samples the bytes after the copy was submitted, and again before the same thread's
 * next copy from there and before it waits (host_source_changed). The host did not change them if a
 * GPU wrote there meanwhile.
 */
#include "access_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg4xx.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"

#define COPIES_KEPT 64 /* of a process, the latest */

struct read_source {
	struct allocation *allocation; /* a reference */
	uint64_t start, size;
	uint64_t writes; /* of the allocation, ever, when it was submitted */
	struct use use;
	int32_t tid;
};

static void clear_source(gpointer data)
{
	allocation_unref(((struct read_source *)data)->allocation);
}

static void init_sources(void *data)
{
	GArray *sources = g_array_new(FALSE, FALSE, sizeof(struct read_source));

	g_array_set_clear_func(sources, clear_source);
	*(GArray **)data = sources;
}

static void clear_sources(void *data)
{
	g_array_free(*(GArray **)data, TRUE);
}

static const struct attachment_type sources_type = { sizeof(GArray *), init_sources,
						     clear_sources };

static GArray *sources_of(const struct rules_context *context)
{
	return *(GArray **)attachment_get(&context->process->attachments, &sources_type);
}

static uint64_t writes_of(const struct allocation *allocation)
{
	const struct access_history *history = access_history_of(allocation);

	return history ? history->writes : 0;
}

static void report(const struct rules_context *context, const struct read_source *source)
{
	struct place place = { .kind = PLACE_ALLOCATION,
			       .allocation = source->allocation,
			       .offset = source->start - source->allocation->ptr };
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, RULE_HG408, context->process, &is_new, "%u %u",
			 source->use.stack_id, source->allocation->stack_id);
	char *stream;

	finding_hit(finding, source->use.ns, source->use.stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, source->size);
	finding_met(finding, &place);
	finding_detail(finding, (uint64_t)source->use.stream << 8 ^ source->use.kind);
	if (!is_new)
		return;
	stream = order_stream_text(context->process, &source->use);
	finding->about_order = true;
	finding->api = g_strdup(use_name(&source->use));
	finding_set_place(finding, &place, source->start);
	finding->message = g_strdup_printf(
	    "%s in %s copies %s bytes from pinned memory, and the host changed them before it "
	    "waited "
	    "for the copy, which may carry the old bytes, the new ones, or some of both.",
	    finding->api, stream, FIGURE(0));
	finding->fix = g_strdup_printf("call hipStreamSynchronize for %s before the host writes "
				       "there again, or use two buffers in turn, each with an "
				       "event to wait for",
				       stream);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"the host may know in another way that the copy is complete");
	g_free(stream);
}

static void on_change(const struct rules_context *context, GArray *sources)
{
	const struct hg_ev_call *call = context->event->call;
	const struct process_order *at = order_known(context->process);
	uint64_t later = call->flags; /* copies from there, which are not meant */

	if (call->api != HG_API_host_source_changed)
		return;
	for (guint i = sources->len; at && i-- > 0;) {
		const struct read_source *source = &g_array_index(sources, struct read_source, i);

		if (source->start != call->ptr || source->size != call->size ||
		    source->tid != context->event->tid)
			continue;
		if (later) {
			later--;
			continue;
		}
		if (!order_done(&at->order, source->use.moment) &&
		    writes_of(source->allocation) == source->writes)
			report(context, source);
		g_array_remove_index(sources, i);
		return;
	}
}

/* Forgets complete copies, which a change cannot disturb any more. */
static void forget_done(const struct process_order *at, GArray *sources)
{
	for (guint i = sources->len; i-- > 0;)
		if (order_done(&at->order,
			       g_array_index(sources, struct read_source, i).use.moment))
			g_array_remove_index(sources, i);
}

static void on_copy(const struct rules_context *context, GArray *sources)
{
	const struct hg_ev_copy *copy = context->event->copy;
	struct place place = process_place(context->process, copy->src);
	struct read_source source = {
		.start = copy->src,
		.size = copy->size,
		.use = *context->work->use,
		.tid = context->event->tid,
	};

	if (copy->rows > 1 || copy->depth > 1 || place.kind != PLACE_ALLOCATION ||
	    is_system_memory(&place) ||
	    place_grain_brief(context->process, &place).location != LOCATION_HOST)
		return;
	forget_done(context->work->at, sources);
	source.allocation = allocation_ref(place.allocation);
	source.writes = writes_of(place.allocation);
	if (sources->len == COPIES_KEPT)
		g_array_remove_index(sources, 0);
	g_array_append_val(sources, source);
}

static void on_release(const struct allocation *released, GArray *sources)
{
	for (guint i = sources->len; i-- > 0;)
		if (g_array_index(sources, struct read_source, i).allocation == released)
			g_array_remove_index(sources, i);
}

void check_pending_sources(const struct rules_context *context)
{
	GArray *sources = sources_of(context);
	const struct work *work = context->work;

	if (context->wake == WAKE_CALL)
		on_change(context, sources);
	else if (work->at->unfollowed)
		g_array_set_size(sources, 0);
	else if (context->wake == WAKE_ORDERED_RELEASE)
		on_release(work->allocation, sources);
	else if (context->event->type == HG_EVENT_copy && context->wake == WAKE_WORK)
		on_copy(context, sources);
	else if (context->event->type == HG_EVENT_launch && context->wake == WAKE_SUBMIT &&
		 !launch_uses_all(work->uses)) /* it may write anything */
		g_array_set_size(sources, 0);
}
