/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubts what was found of a launch that may not have run yet when a call changes its memory: where
 * that is, how GPUs may access it, its granularity. Rules judge memory as it is at the launch,
 * which returns before the kernel runs; nothing makes such a call wait for kernels.
 */
#include "analyzer/rules/engine/checked.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "analyzer/rules/order/in_flight.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_prefetch.h"

#include <string.h>

/* Holds what a call changes. */
struct change {
	unsigned api;
	uint64_t start, end;               /* whole pages */
	const struct order_stream *stream; /* it is in that stream's order; NULL: at once */
};

/* hipMemoryAdvise [HIPAMD52] */
#define ADVISE_SET_READ_MOSTLY   1
#define ADVISE_UNSET_READ_MOSTLY 2

static void set_range(const struct process *process, struct change *change, uint64_t ptr,
		      uint64_t size)
{
	uint64_t page = process->page_size;

	change->start = ptr & ~(page - 1);
	change->end = (ptr + size + page - 1) & ~(page - 1);
}

/* Returns true if the event changes memory, and fills in what. */
static bool find_change(const struct rules_context *context, struct change *change)
{
	const struct hg_event *event = context->event;
	struct process_order *at = order_known(context->process);

	*change = (struct change){ 0 };
	switch (event->type) {
	case HG_EVENT_advise:
		change->api = event->advise->api;
		set_range(context->process, change, event->advise->ptr, event->advise->size);
		return event->advise->advice != ADVISE_SET_READ_MOSTLY &&
		       event->advise->advice != ADVISE_UNSET_READ_MOSTLY;
	case HG_EVENT_prefetch:
		change->api = event->prefetch->api;
		set_range(context->process, change, event->prefetch->ptr, event->prefetch->size);
		if (at)
			change->stream = order_stream(&at->order, event->prefetch->stream,
						      MAX(event->prefetch->target, 0), event->tid);
		return true;
	default:
		change->api = event->alloc->api;
		set_range(context->process, change, event->alloc->ptr, event->alloc->size);
		return layer_of_api(event->alloc->api) == LAYER_REGISTERED;
	}
}

static bool meets(const struct change *change, uint64_t start, uint64_t size)
{
	return start < change->end && change->start < start + size;
}

static bool changes_allocation(const struct change *change, const struct allocation *allocation)
{
	return meets(change, allocation->ptr, MAX(allocation->size, 1)) ||
	       meets(change, allocation->device_ptr, MAX(allocation->size, 1));
}

static bool changes_place(const struct change *change, const struct place *place, uint64_t address)
{
	return place->allocation ? changes_allocation(change, place->allocation)
				 : meets(change, address, 1);
}

/* Returns true if the call may change the memory that the finding is about at that launch. */
static bool changes_its_memory(const struct rules_context *context, const struct change *change,
			       const struct finding *finding, const struct kernel_args *args)
{
	struct place place = { .allocation = finding->allocation };
	uint64_t address;

	for (unsigned i = 0; finding->candidates && i < finding->candidates->len; i++) {
		const struct candidate *one = finding->candidates->pdata[i];

		if (one->count > 1 || changes_allocation(change, one->allocation))
			return true;
	}
	if (finding->kernarg_offset >= 0 && !finding->chain &&
	    kernel_args_address(args, (uint32_t)finding->kernarg_offset, &address)) {
		place = process_place(context->process, address);
		return changes_place(change, &place, address);
	}
	return finding->met.several || changes_place(change, &place, finding->address);
}

/* Returns true for rules which judge where memory is, or how GPUs see it, at the launch. */
static bool judges_memory(const struct finding *finding)
{
	return g_str_has_prefix(finding->rule->id, "HG1") ||
	       g_str_has_prefix(finding->rule->id, "HG2") || finding->rule == &rules[RULE_HG806];
}

static bool is_before(const struct rules_context *context, const struct change *change,
		      const struct flight *flight)
{
	const struct process_order *at = order_known(context->process);

	return change->stream && flight->ordered && at &&
	       order_before(&at->order, flight->moment, change->stream);
}

/* Counts the launches of each finding that the change may come before. */
static void count_launches(const struct rules_context *context, const struct change *change,
			   const struct flight *flight, GHashTable *counts)
{
	struct kernel_args *args = process_args(context->process, flight->args_id);
	const GPtrArray *hits = args ? checked_launch_of(args)->hits : NULL;

	for (unsigned i = 0; hits && i < hits->len; i++) {
		struct finding *finding = hits->pdata[i];
		guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, finding));

		if (judges_memory(finding) && changes_its_memory(context, change, finding, args))
			g_hash_table_insert(
			    counts, finding,
			    GUINT_TO_POINTER(count + (guint)MIN(flight->count, G_MAXINT)));
	}
}

static void doubt(struct finding *finding, const struct change *change, uint64_t launches)
{
	bool all = launches >= finding->launches;
	char *text = g_strdup_printf("%s changed this memory after %s, before anything waited for "
				     "it: the kernel may have run after that",
				     hg_api_name(change->api), all ? "the launch" : "a launch");

	if (!finding->doubts || !strstr(finding->doubts, text)) {
		finding_at_most(finding, all ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY, text);
		finding->maybe_harmless |= all;
	}
	g_free(text);
}

void note_changed_memory(const struct rules_context *context)
{
	const struct flights *flights = flights_of(context->process);
	struct change change;
	GHashTable *counts;
	GHashTableIter iter;
	gpointer finding, count;

	/* While a process tells what it had before, nothing changes. */
	if (!flights || context->process->state.telling || !find_change(context, &change))
		return;
	counts = g_hash_table_new(NULL, NULL);
	for (unsigned i = 0; i < flights->list->len; i++) {
		const struct flight *flight = flights->list->pdata[i];

		if (flight->kernel_id && flight_is_open(context->process, flights, flight) &&
		    !is_before(context, &change, flight))
			count_launches(context, &change, flight, counts);
	}
	g_hash_table_iter_init(&iter, counts);
	while (g_hash_table_iter_next(&iter, &finding, &count))
		doubt(finding, &change, GPOINTER_TO_UINT(count));
	g_hash_table_destroy(counts);
}
