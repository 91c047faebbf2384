/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds HG407: the host never waits for the end of an asynchronous copy to it; the next copy
 * overwrites the result, a release drops it, or the process ends.
 *
 * The host's reads are not recorded. A read before the wait may find the old bytes, and after the
 * next copy has begun it is too late for the wait: the result was read too early, or never. Results
 * that a kernel or another copy may use are left out, and so is a copy of the same bytes again (a
 * measurement), which replaces nothing.
 */
#include "access_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg4xx.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"

#define COPIES_KEPT 64 /* of a process, the latest */

struct pending_copy {
	struct allocation *to, *from; /* references */
	uint64_t start, end, source;
	uint64_t writes; /* of `from`, ever, when it was copied */
	struct use use;
};

static void clear_copy(gpointer data)
{
	struct pending_copy *copy = data;

	allocation_unref(copy->to);
	allocation_unref(copy->from);
}

static void init_copies(void *data)
{
	GArray *copies = g_array_new(FALSE, FALSE, sizeof(struct pending_copy));

	g_array_set_clear_func(copies, clear_copy);
	*(GArray **)data = copies;
}

static void clear_copies(void *data)
{
	g_array_free(*(GArray **)data, TRUE);
}

static const struct attachment_type copies_type = { sizeof(GArray *), init_copies, clear_copies };

static GArray *copies_of(const struct rules_context *context)
{
	return *(GArray **)attachment_get(&context->process->attachments, &copies_type);
}

static uint64_t writes_of(const struct allocation *allocation)
{
	const struct access_history *history = access_history_of(allocation);

	return history ? history->writes : 0;
}

/* ---- reports ---- */

/* Describes how the result of a copy ended. */
struct ending {
	const char *clause;
	const char *harm;
	const char *by; /* the call that ended it, or NULL */
	uint32_t by_stack;
	const char *doubt;
};

#define READ_EARLY "code that reads them may read what was there before"

static void report(const struct rules_context *context, const struct pending_copy *copy,
		   const struct ending *ending)
{
	struct place place = { .kind = PLACE_ALLOCATION,
			       .allocation = copy->to,
			       .offset = copy->start - copy->to->ptr };
	char *stream = order_stream_text(context->process, &copy->use);
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, RULE_HG407, context->process, &is_new, "%u %u %u",
			 copy->use.stack_id, copy->to->stack_id, ending->by_stack);

	finding_hit(finding, copy->use.ns, copy->use.stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, copy->end - copy->start);
	finding_met(finding, &place);
	finding_detail(finding, (uint64_t)copy->use.stream << 8 ^ copy->use.kind);
	if (is_new) {
		finding->about_order = true;
		finding->absence = ending->by ? ABSENCE_NONE : ABSENCE_TO_END;
		finding_at_most(finding, CONFIDENCE_LIKELY, ending->doubt);
		finding->api = g_strdup(use_name(&copy->use));
		finding_set_place(finding, &place, copy->start);
		if (ending->by) {
			finding->related = g_strdup(ending->by);
			finding->related_stack_id = ending->by_stack;
		}
		finding->message = g_strdup_printf(
		    "%s in %s copies %s bytes to the host, and %s before the host has waited for "
		    "it: %s.",
		    finding->api, stream, FIGURE(0), ending->clause, ending->harm);
		finding->fix = g_strdup_printf("call hipStreamSynchronize for %s before the host "
					       "uses or releases what %s copied",
					       stream, finding->api);
	}
	g_free(stream);
}

static void report_overwritten(const struct rules_context *context, const struct pending_copy *copy)
{
	const struct hg_ev_copy *next = context->event->copy;
	char *clause = g_strdup_printf("%s overwrites them", hg_api_name(next->api));
	const struct ending ending = {
		.clause = clause,
		.harm = READ_EARLY,
		.by = hg_api_name(next->api),
		.by_stack = next->stack_id,
		.doubt = "the program may need the last of the results alone",
	};

	report(context, copy, &ending);
	g_free(clause);
}

static void report_released(const struct rules_context *context, const struct pending_copy *copy)
{
	const struct hg_ev_free *from = context->event->free;
	char *clause = g_strdup_printf("%s releases that memory", hg_api_name(from->api));
	const struct ending ending = {
		.clause = clause,
		.harm = "the result is lost, and code that read the memory before its release may "
			"have read what was there before",
		.by = hg_api_name(from->api),
		.by_stack = from->stack_id,
		.doubt = "the program may not need the result",
	};

	report(context, copy, &ending);
	g_free(clause);
}

static void report_never(const struct rules_context *context, const struct pending_copy *copy)
{
	const struct ending ending = {
		.clause = "the recording ends",
		.harm = READ_EARLY,
		.doubt = "the program may not need the result, or have been ended before its wait",
	};

	report(context, copy, &ending);
}

/* ---- copies ---- */

static bool is_done(const struct process_order *at, const struct pending_copy *copy)
{
	return order_done(&at->order, copy->use.moment);
}

/* Forgets copies to these bytes, because something else uses them now. */
static void forget(GArray *copies, uint64_t start, uint64_t end)
{
	for (guint i = copies->len; i-- > 0;) {
		const struct pending_copy *copy = &g_array_index(copies, struct pending_copy, i);

		if (copy->start < end && start < copy->end)
			g_array_remove_index(copies, i);
	}
}

/* Returns the bytes from the first to behind the last one, also of rows. */
static uint64_t span(uint64_t size, uint64_t rows, uint64_t pitch, uint64_t depth, uint64_t slice)
{
	return size + (MAX(rows, 1) - 1) * pitch + (MAX(depth, 1) - 1) * slice;
}

/* Returns true if the memory is pinned: the runtime writes to it while the host goes on. */
static bool is_pinned(const struct process *process, const struct place *place)
{
	return place->kind == PLACE_ALLOCATION && !is_system_memory(place) &&
	       place_grain_brief(process, place).location == LOCATION_HOST;
}

static void add_copy(const struct rules_context *context, GArray *copies, uint64_t size)
{
	const struct hg_ev_copy *event = context->event->copy;
	struct place from = process_place(context->process, event->src);
	struct place to = process_place(context->process, event->dst);
	struct pending_copy copy = {
		.start = event->dst,
		.end = event->dst + size,
		.source = event->src,
		.use = *context->work->use,
	};

	if (from.kind != PLACE_ALLOCATION || !is_pinned(context->process, &to) ||
	    place_grain_brief(context->process, &from).location != LOCATION_DEVICE)
		return;
	copy.to = allocation_ref(to.allocation);
	copy.from = allocation_ref(from.allocation);
	copy.writes = writes_of(from.allocation);
	if (copies->len == COPIES_KEPT)
		g_array_remove_index(copies, 0);
	g_array_append_val(copies, copy);
}

static void on_copy(const struct rules_context *context, GArray *copies)
{
	const struct hg_ev_copy *event = context->event->copy;
	bool in_rows = event->rows > 1 || event->depth > 1;
	uint64_t size =
	    span(event->size, event->rows, event->dst_pitch, event->depth, event->dst_slice);

	forget(copies, event->src,
	       event->src + span(event->size, event->rows, event->src_pitch, event->depth,
				 event->src_slice));
	for (guint i = 0; i < copies->len && !in_rows; i++) {
		const struct pending_copy *copy = &g_array_index(copies, struct pending_copy, i);

		if (!is_done(context->work->at, copy) && event->dst <= copy->start &&
		    copy->end <= event->dst + size &&
		    (copy->source != event->src || writes_of(copy->from) != copy->writes))
			report_overwritten(context, copy);
	}
	forget(copies, event->dst, event->dst + size);
	if (!in_rows && size)
		add_copy(context, copies, size);
}

static void on_launch(const struct launch_uses *uses, GArray *copies)
{
	if (!launch_uses_all(uses)) { /* it may read anything */
		g_array_set_size(copies, 0);
		return;
	}
	for (unsigned i = 0; i < uses->count && copies->len; i++) {
		const struct allocation *used = uses->at[i].allocation;

		for (guint k = copies->len; k-- > 0;)
			if (g_array_index(copies, struct pending_copy, k).to == used)
				g_array_remove_index(copies, k);
	}
}

static void on_release(const struct rules_context *context, GArray *copies)
{
	for (guint i = copies->len; i-- > 0;) {
		const struct pending_copy *copy = &g_array_index(copies, struct pending_copy, i);

		if (copy->to != context->work->allocation)
			continue;
		if (!is_done(context->work->at, copy))
			report_released(context, copy);
		g_array_remove_index(copies, i);
	}
}

static void on_finish(const struct rules_context *context, GArray *copies)
{
	const struct process_order *at = order_known(context->process);

	for (guint i = 0; at && i < copies->len; i++) {
		const struct pending_copy *copy = &g_array_index(copies, struct pending_copy, i);

		if (!is_done(at, copy))
			report_never(context, copy);
	}
	g_array_set_size(copies, 0);
}

void check_pending_copies(const struct rules_context *context)
{
	GArray *copies = copies_of(context);
	const struct hg_event *event = context->event;

	if (context->wake == WAKE_FINISH)
		on_finish(context, copies);
	else if (context->work->at->unfollowed)
		g_array_set_size(copies, 0);
	else if (context->wake == WAKE_ORDERED_RELEASE)
		on_release(context, copies);
	else if (context->wake == WAKE_SUBMIT && event->type == HG_EVENT_launch)
		on_launch(context->work->uses, copies);
	else if (context->wake == WAKE_WORK && event->type == HG_EVENT_copy)
		on_copy(context, copies);
	else if (context->wake == WAKE_WORK && event->type == HG_EVENT_fill)
		forget(copies, event->fill->dst,
		       event->fill->dst + span(event->fill->size, event->fill->rows,
					       event->fill->pitch, event->fill->depth,
					       event->fill->slice));
}
