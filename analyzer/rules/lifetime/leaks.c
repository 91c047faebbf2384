/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds memory that is allocated in every iteration: HG608 if each releases it, HG512 if each pins
 * and releases it, HG620 if none releases it and none uses it again.
 */
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/evidence.h"

#include "analyzer/rules/ids/hg5xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/lifetime/leaks.h"
#include "analyzer/rules/lifetime/pool_defects.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_free.h"

#include <string.h>

/*
 * Returns true if the GPU's driver pins these pages of the host, so that they stay where they are.
 */
static bool is_pinned(unsigned api)
{
	return api == HG_API_hipHostMalloc || api == HG_API_hipHostAlloc ||
	       api == HG_API_hipMallocHost || api == HG_API_hipMemAllocHost ||
	       api == HG_API_hipHostRegister;
}

/*
 * Returns true for allocations that wait for the device, or that nothing but their release gives
 * back.
 */
static bool is_watched(const struct allocation *allocation)
{
	return (allocation->layer == LAYER_HIP || allocation->layer == LAYER_REGISTERED) &&
	       !allocation->symbol && allocation->stack_id &&
	       allocation->api != HG_API_hsa_amd_memory_pool_allocate && /* HG803's business */
	       allocation->api != HG_API_hsa_memory_allocate &&          /* the same */
	       allocation->api != HG_API_hipIpcOpenMemHandle;            /* HG612's */
}

/* Stream-ordered allocation comes from a pool: made for loops. */
static bool is_pooled(unsigned api)
{
	return api == HG_API_hipMallocAsync || api == HG_API_hipMallocFromPoolAsync ||
	       api == HG_API_hipFreeAsync || api == HG_API_hipGraphAddMemAllocNode ||
	       api == HG_API_hipGraphAddMemFreeNode;
}

/* Without a threshold a pool gives its memory back at the next wait [H523]. */
#define FROM_A_POOL                                                                                \
	";\nor use hipMallocAsync and hipFreeAsync in a created stream (HIP 5.2's hipMallocAsync " \
	"crashes with the null stream), which take them from a pool, and set "                     \
	"hipMemPoolAttrReleaseThreshold of the device's default pool to UINT64_MAX, so that the "  \
	"pool keeps them over waits"

/* Returns what to add to the advice against allocations in a loop: pools, where they work. */
static const char *pool_alternative(const struct process *process, unsigned api)
{
	bool confirmed;

	if (api != HG_API_hipMalloc)
		return "";
	return pool_has_defects(process, &confirmed)
		   ? " (not from a pool: those of this release of HIP have defects, see HG713)"
		   : FROM_A_POOL;
}

const char *release_of(unsigned api)
{
	switch (api) {
	case HG_API_hipHostMalloc:
	case HG_API_hipHostAlloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
		return "hipHostFree";
	case HG_API_hipHostRegister:
		return "hipHostUnregister";
	case HG_API_hipMallocAsync:
	case HG_API_hipMallocFromPoolAsync:
	case HG_API_hipMemPoolImportPointer:
		return "hipFreeAsync";
	case HG_API_hipGraphAddMemAllocNode:
		return "hipGraphAddMemFreeNode";
	case HG_API_hipMemMap:
		return "hipMemUnmap, hipMemRelease";
	case HG_API_hipMemAddressReserve:
		return "hipMemAddressFree";
	default:
		return "hipFree";
	}
}

static struct finding *site_finding(const struct rules_context *context, enum rule_id rule,
				    const struct site_history *site, bool *is_new)
{
	const struct allocation *latest = site->latest;
	struct finding *finding = findings_get(context->findings, rule, context->process, is_new,
					       "%u %u", site->api, site->stack_id);

	if (*is_new) {
		finding->api = g_strdup(hg_api_name(site->api));
		finding_set_place(finding,
				  &(struct place){ .kind = PLACE_ALLOCATION,
						   .allocation = (struct allocation *)latest },
				  latest->ptr);
	}
	return finding;
}

static void on_alloc(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_alloc *event = context->event->alloc;
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

static void describe_pinned(struct finding *finding, const struct allocation *allocation,
			    const char *release)
{
	bool registered = allocation->api == HG_API_hipHostRegister;

	finding->message = g_strdup_printf(
	    "%s bytes are %s with %s and released with %s, again and again: each time the driver "
	    "%s every page, and the release waits for all work on the device.",
	    FIGURE(0), registered ? "registered" : "pinned", finding->api, release,
	    allocation_is_in_place(allocation) ? "visits" : "maps and unmaps");
	finding->fix =
	    g_strdup(registered ? "register the memory once, as long as it is used"
				: "allocate one pinned buffer before the loop, and use it again");
}

static void describe_pairs(struct finding *finding, const char *release, unsigned api)
{
	finding->message =
	    g_strdup_printf("%s bytes are allocated with %s, used by a launch and released with "
			    "%s, repeatedly: each release waits for all work on the device.",
			    FIGURE(0), finding->api, release);
	finding->fix =
	    g_strdup_printf("allocate the most that a round needs once, before the loop%s",
			    pool_alternative(finding->process, api));
}

static void report_pairs(const struct rules_context *context, const struct site_history *site,
			 const struct allocation *allocation)
{
	const struct hg_ev_free *from = context->event->free;
	bool pinned = is_pinned(allocation->api), is_new;
	struct finding *finding =
	    site_finding(context, pinned ? RULE_HG512 : RULE_HG608, site, &is_new);

	finding_hit(finding, allocation->ns, allocation->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_detail(finding, from->api);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION,
					      .allocation = (struct allocation *)allocation });
	if (!is_new)
		return;
	finding->least_count = ALLOCATION_PAIRS;
	if (pinned)
		describe_pinned(finding, allocation, hg_api_name(from->api));
	else
		describe_pairs(finding, hg_api_name(from->api), allocation->api);
}

static void on_release(struct process_history *history, const struct rules_context *context,
		       struct allocation *allocation)
{
	const struct hg_ev_free *from = context->event->free;
	struct site_history *site;

	if (!is_watched(allocation))
		return;
	site = call_history_site(history, allocation->api, allocation->stack_id);
	if (site->live) {
		site->live--;
		site->live_bytes -= MIN(site->live_bytes, allocation->size);
	}
	site->releases++;
	/* Programs use pinned memory for copies as well as for launches. */
	if (site->last_ptr != allocation->ptr || is_pooled(from->api) ||
	    is_pooled(allocation->api) ||
	    (!is_pinned(allocation->api) && context->process->launches == site->last_launches))
		return;
	site->pairs++;
	report_pairs(context, site, allocation);
}

static void report_leak(struct process_history *history, const struct rules_context *context,
			const struct site_history *site)
{
	struct finding *finding;
	bool is_new;

	finding = site_finding(context, RULE_HG620, site, &is_new);
	if (!is_new)
		return;
	finding->absence = ABSENCE_SO_FAR;
	finding_hit(finding, site->latest->ns, site->stack_id);
	finding_figure(finding, 0, FIGURE_SUM, site->left);
	finding_figure(finding, 1, FIGURE_SUM, site->left_bytes);
	finding_figure(finding, 2, FIGURE_SUM, site->releases);
	finding->message = g_strdup_printf(
	    "%s blocks (%s bytes) that %s allocated here, with launches between them, were still "
	    "allocated at the end of the recording, although none of them was used after the next "
	    "one was allocated; %s were released.",
	    FIGURE(0), FIGURE(1), finding->api, FIGURE(2));
	/* A program that allocates and releases in each round gets HG608. */
	if (is_pooled(site->api)) {
		finding->fix = g_strdup_printf("release each block after its last use (%s), or "
					       "allocate one before the loop",
					       release_of(site->api));
	} else {
		finding->fix = g_strdup_printf(
		    "allocate the most that a round needs once, before the loop, and release it "
		    "after the loop (%s)%s",
		    release_of(site->api), pool_alternative(context->process, site->api));
	}
	if (history->unknown_ns > site->latest->ns || history->hidden_work)
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"work whose memory is not known may use them later");
	else
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"the program may keep them for a use that did not come");
}

/* Counts a block that was not used since its call site allocated the next one. */
static gboolean count_left(gpointer key, gpointer value, gpointer data)
{
	struct allocation *allocation = value;
	struct process_history *history = data;
	const struct memory_history *memory = g_hash_table_lookup(history->memory, allocation);
	struct site_history *site;

	(void)key;
	if (!is_watched(allocation))
		return FALSE;
	site = call_history_site(history, allocation->api, allocation->stack_id);
	if (site->latest && site->latest != allocation &&
	    (memory ? memory->used_ns : 0) < site->latest->ns) {
		site->left++;
		site->left_bytes += allocation->size;
	}
	return FALSE;
}

static void on_finish(struct process_history *history, const struct rules_context *context)
{
	GHashTableIter iterator;
	gpointer value;

	g_tree_foreach(context->process->space.layers[LAYER_HIP], count_left, history);
	g_tree_foreach(context->process->space.layers[LAYER_REGISTERED], count_left, history);
	g_hash_table_iter_init(&iterator, history->sites);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct site_history *site = value;

		if (site->left >= LEAKED_BLOCKS && site->iterations >= LEAKED_BLOCKS &&
		    site->live >= site->releases)
			report_leak(history, context, site);
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
