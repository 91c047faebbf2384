/* SPDX-License-Identifier: Apache-2.0 */
/* HG608: memory that is allocated in every iteration, and released in each or in none. */
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/evidence.h"

#include "analyzer/rules/engine/thresholds.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hsa.h"

/* Allocations that wait for the device, or that nothing but their release gives back. */
static bool is_watched(const struct allocation *allocation)
{
	return allocation->layer == LAYER_HIP && !allocation->symbol && allocation->stack_id &&
	       allocation->api != HG_API_hsa_amd_memory_pool_allocate && /* HG803's business */
	       allocation->api != HG_API_hipIpcOpenMemHandle;            /* HG612's */
}

/* Stream-ordered allocation comes from a pool: made for loops. */
static bool is_pooled(unsigned api)
{
	return api == HG_API_hipMallocAsync || api == HG_API_hipMallocFromPoolAsync ||
	       api == HG_API_hipFreeAsync || api == HG_API_hipGraphAddMemAllocNode ||
	       api == HG_API_hipGraphAddMemFreeNode;
}

static struct finding *site_finding(const struct rules_context *context,
				    const struct site_history *site, const char *kind, bool *is_new)
{
	const struct allocation *latest = site->latest;
	struct finding *finding = findings_get(context->findings, RULE_HG608, context->process,
					       is_new, "%s %u %u", kind, site->api, site->stack_id);

	if (*is_new) {
		finding->api = g_strdup(hg_api_name(site->api));
		finding->subject = g_strdup(kind);
		finding_set_place(finding,
				  &(struct place){ .kind = PLACE_ALLOCATION,
						   .allocation = (struct allocation *)latest },
				  latest->ptr);
	}
	return finding;
}

static void on_alloc(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_alloc *event = &context->event->alloc;
	struct place place = process_place(context->process, event->ptr);
	struct site_history *site;

	if (place.kind != PLACE_ALLOCATION || place.allocation->ptr != event->ptr ||
	    place.allocation->api != event->api || !is_watched(place.allocation))
		return;
	site = call_history_site(history, event->api, event->stack_id);
	site->iterations += site->allocations && context->process->launches > site->last_launches;
	site->allocations++;
	site->live++;
	site->live_bytes += event->size;
	site->last_ptr = event->ptr;
	site->last_launches = context->process->launches;
	allocation_unref(site->latest);
	site->latest = allocation_ref(place.allocation);
}

static void report_pairs(const struct rules_context *context, const struct site_history *site,
			 const struct allocation *allocation)
{
	const struct hg_ev_free *from = &context->event->free;
	struct finding *finding;
	bool is_new;

	finding = site_finding(context, site, "in a loop", &is_new);
	finding_hit(finding, allocation->ns, allocation->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_detail(finding, from->api);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION,
					      .allocation = (struct allocation *)allocation });
	if (!is_new)
		return;
	finding->least_count = ALLOCATION_PAIRS;
	finding->message =
	    g_strdup_printf("%s bytes are allocated with %s, used by a launch and released with "
			    "%s, repeatedly: each release waits for all work on the device.",
			    FIGURE(0), finding->api, hg_api_name(from->api));
	finding->fix = g_strdup_printf(
	    "allocate them once, before the loop%s",
	    allocation->api == HG_API_hipMalloc
		? ";\nor use hipMallocAsync and hipFreeAsync in a created stream, which take "
		  "them from a pool (HIP 5.2's hipMallocAsync crashes with the null stream)"
		: "");
}

static void on_release(struct process_history *history, const struct rules_context *context,
		       struct allocation *allocation)
{
	const struct hg_ev_free *from = &context->event->free;
	struct site_history *site;

	if (!is_watched(allocation))
		return;
	site = call_history_site(history, allocation->api, allocation->stack_id);
	if (site->live) {
		site->live--;
		site->live_bytes -= MIN(site->live_bytes, allocation->size);
	}
	site->releases++;
	if (site->last_ptr != allocation->ptr || is_pooled(from->api) ||
	    is_pooled(allocation->api) || context->process->launches == site->last_launches)
		return;
	site->pairs++;
	report_pairs(context, site, allocation);
}

static void report_growth(const struct rules_context *context, const struct site_history *site)
{
	struct finding *finding;
	bool is_new;

	finding = site_finding(context, site, "never released", &is_new);
	if (!is_new)
		return;
	finding->absence = true;
	finding_hit(finding, site->latest->ns, site->stack_id);
	finding_figure(finding, 0, FIGURE_SUM, site->live);
	finding_figure(finding, 1, FIGURE_SUM, site->live_bytes);
	finding_figure(finding, 2, FIGURE_SUM, site->releases);
	finding->message = g_strdup_printf(
	    "%s blocks (%s bytes) that %s allocated here, with launches between them, were still "
	    "allocated at the end of the recording; %s were released.",
	    FIGURE(0), FIGURE(1), finding->api, FIGURE(2));
	finding->fix = g_strdup_printf(
	    "release each block after its last use (%s), or allocate one before the loop",
	    is_pooled(site->api)                        ? "hipFreeAsync"
	    : site->latest->api == HG_API_hipHostMalloc ? "hipHostFree"
							: "hipFree");
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"an intentional cache that lives as long as the program looks the same");
}

static void on_finish(struct process_history *history, const struct rules_context *context)
{
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, history->sites);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct site_history *site = value;

		if (site->latest && site->live >= LEAKED_BLOCKS &&
		    site->iterations >= LEAKED_BLOCKS && site->live >= site->releases)
			report_growth(context, site);
	}
}

void check_leaks(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_ALLOC:
		on_alloc(context->history, context);
		break;
	case WAKE_RELEASE:
		if (context->released)
			on_release(context->history, context, context->released);
		break;
	default:
		on_finish(context->history, context);
		break;
	}
}
