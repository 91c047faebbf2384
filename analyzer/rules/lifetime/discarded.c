/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG613: memory is read after hipMemDiscardBatchAsync and before anything was written there, or
 * prefetched. Only what follows in the same stream is judged, and only until the host waits for
 * anything: what the host writes then is not recorded.
 */
#include <string.h>

#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"

#define RANGES_MOST 1024 /* further ones are not followed */

struct discarded {
	uint64_t start, end;
	uint64_t stream;
	unsigned api;
};

/* Keeps for a process what has been discarded, and is not known to be defined again. */
static void init_ranges(void *data)
{
	*(GArray **)data = g_array_new(FALSE, FALSE, sizeof(struct discarded));
}

static void clear_ranges(void *data)
{
	g_array_unref(*(GArray **)data);
}

static const struct attachment_type ranges_type = { sizeof(GArray *), init_ranges, clear_ranges };

static void note_discard(const struct rules_context *context, GArray *ranges)
{
	const struct hg_ev_call *call = context->event->call;
	struct discarded range = {
		.start = call->ptr,
		.end = call->ptr + call->size,
		.stream = call->stream,
		.api = call->api,
	};

	if (call->api != HG_API_hipMemDiscardBatchAsync &&
	    call->api != HG_API_hipDrvMemDiscardBatchAsync)
		return;
	if (range.end > range.start && ranges->len < RANGES_MOST)
		g_array_append_val(ranges, range);
}

/* Removes the ranges that overlap [start, end): all of each is taken to be defined again. */
static void define(GArray *ranges, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < ranges->len;) {
		const struct discarded *range = &g_array_index(ranges, struct discarded, i);

		if (range->start < end && start < range->end)
			g_array_remove_index_fast(ranges, i);
		else
			i++;
	}
}

/* The discarded range that holds all of [start, end), by earlier work of the stream; or NULL. */
static const struct discarded *undefined(const GArray *ranges, uint64_t start, uint64_t end,
					 uint64_t stream)
{
	for (unsigned i = 0; i < ranges->len; i++) {
		const struct discarded *range = &g_array_index(ranges, struct discarded, i);

		if (range->start <= start && end <= range->end && range->stream == stream)
			return range;
	}
	return NULL;
}

/* Reports a read. `reader` is a kernel's or a function's name. */
static void report(const struct rules_context *context, const struct discarded *range,
		   uint64_t address, uint32_t stack_id, const char *reader)
{
	struct place place = process_place(context->process, address);
	struct finding *finding;
	bool is_new;

	if (place.kind != PLACE_ALLOCATION)
		return;
	finding = findings_get(context->findings, RULE_HG613, context->process, &is_new, "%s %u %u",
			       reader, range->api, place.allocation->stack_id);
	finding_hit(finding, context->event->ns, stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, place.allocation->size);
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	finding->about_order = true;
	finding->api = g_strdup(hg_api_name(range->api));
	finding_set_place(finding, &place, address);
	finding->message = g_strdup_printf(
	    "%s reads memory (%s bytes from %s) that %s discarded before in the same stream, and "
	    "nothing was written there since: what it reads is indeterminate.",
	    reader, FIGURE(0), hg_api_name(place.allocation->api), finding->api);
	finding->fix =
	    g_strdup("discard the memory after its last use, or write it before it is read again");
	finding_at_most(finding, CONFIDENCE_LIKELY, "what the host itself writes is not recorded");
}

static void check_launched(const struct rules_context *context, GArray *ranges)
{
	const struct hg_ev_launch *launch = context->event->launch;
	const struct launch_memory *memory = context->memory;
	struct kernel_ref *kernel = process_kernel(context->process, launch->kernel_id);

	if (!memory || memory->unknown || !kernel) {
		g_array_set_size(ranges, 0);
		return;
	}
	for (unsigned i = 0; i < memory->touched->len; i++) {
		const struct touched *at = &g_array_index(memory->touched, struct touched, i);
		const struct allocation *allocation = at->memory->allocation;
		uint64_t end = allocation->ptr + allocation->size;
		const struct discarded *range =
		    undefined(ranges, allocation->ptr, end, launch->stream);

		if (range && at->access == ISA_READ && !at->chain) {
			char *name = kernel_text(kernel, NULL);

			report(context, range, at->address, launch->stack_id, name);
			g_free(name);
		}
	}
	for (unsigned i = 0; i < memory->touched->len; i++) {
		const struct touched *at = &g_array_index(memory->touched, struct touched, i);
		const struct allocation *allocation = at->memory->allocation;

		if (at->access != ISA_READ)
			define(ranges, allocation->ptr, allocation->ptr + allocation->size);
	}
}

static uint64_t extent(uint64_t size, uint64_t rows, uint64_t pitch, uint64_t depth, uint64_t slice)
{
	return size + (rows > 1 ? (rows - 1) * pitch : 0) + (depth > 1 ? (depth - 1) * slice : 0);
}

static void check_copied(const struct rules_context *context, GArray *ranges)
{
	const struct hg_ev_copy *copy = context->event->copy;
	const struct discarded *range =
	    undefined(ranges, copy->src, copy->src + MAX(copy->size, 1), copy->stream);

	if (range && copy->size)
		report(context, range, copy->src, copy->stack_id, hg_api_name(copy->api));
	define(ranges, copy->dst,
	       copy->dst +
		   extent(copy->size, copy->rows, copy->dst_pitch, copy->depth, copy->dst_slice));
	if (!strstr(hg_api_name(copy->api), "Async"))
		g_array_set_size(ranges, 0); /* the host has waited */
}

void check_discarded(const struct rules_context *context)
{
	GArray *ranges = *(GArray **)attachment_get(&context->process->attachments, &ranges_type);
	const struct hg_event *event = context->event;

	if (context->wake == WAKE_CALL)
		note_discard(context, ranges);
	if (!ranges->len)
		return;
	if (context->history->hidden_work) { /* by graphs, or by other processes */
		g_array_set_size(ranges, 0);
		return;
	}
	switch (context->wake) {
	case WAKE_LAUNCH:
		check_launched(context, ranges);
		break;
	case WAKE_COPY:
		check_copied(context, ranges);
		break;
	case WAKE_FILL:
		define(ranges, event->fill->dst,
		       event->fill->dst + extent(event->fill->size, event->fill->rows,
						 event->fill->pitch, event->fill->depth,
						 event->fill->slice));
		break;
	case WAKE_PREFETCH:
		define(ranges, event->prefetch->ptr, event->prefetch->ptr + event->prefetch->size);
		break;
	case WAKE_RELEASE:
		if (context->released) {
			define(ranges, context->released->ptr,
			       context->released->ptr + context->released->size);
		}
		break;
	case WAKE_SYNC:
		g_array_set_size(ranges, 0);
		break;
	default:
		break;
	}
}
