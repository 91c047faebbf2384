/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds calls that meet a defect of HIP's memory pools: HG626 if an allocation from one failed for
 * lack of memory, HG713 if a block was given back in another stream than it was taken in.
 */
#include "pool_defects.h"

#include <stdlib.h>

#include "analyzer/replay/stream_order.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"

#define DEFECTS_FROM  70200000  /* HIP 7.2 */
#define DEFECTS_KNOWN 100200000 /* the first release of which nobody said whether it has them */
#define OUT_OF_MEMORY 2         /* hipErrorOutOfMemory [H523] */

bool pool_has_defects(const struct process *process, bool *confirmed)
{
	const char *value = process_env(process, "DEBUG_HIP_MEM_POOL_VMHEAP");

	*confirmed = process->runtime_version < DEFECTS_KNOWN;
	return process->runtime_version >= DEFECTS_FROM &&
	       !(value && *value && strtol(value, NULL, 0) == 0);
}

static bool is_of_pool(unsigned api)
{
	return api == HG_API_hipMallocAsync || api == HG_API_hipMallocFromPoolAsync;
}

/* Returns "HIP 7.2"; the caller frees it. */
static char *release_text(const struct process *process)
{
	return g_strdup_printf("HIP %d.%d", process->runtime_version / 10000000,
			       process->runtime_version / 100000 % 100);
}

void check_pool_failure(const struct rules_context *context)
{
	const struct hg_ev_error *error = context->event->error;
	struct finding *finding;
	bool confirmed, is_new;
	char *release;

	if (!is_of_pool(error->api) || error->code != OUT_OF_MEMORY ||
	    !pool_has_defects(context->process, &confirmed))
		return;
	finding = findings_get(context->findings, RULE_HG626, context->process, &is_new, "%u %u",
			       error->api, error->stack_id);
	finding_hit(finding, context->event->ns, error->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, error->size);
	if (!is_new)
		return;
	release = release_text(context->process);
	finding->api = g_strdup(hg_api_name(error->api));
	finding->message = g_strdup_printf(
	    "%s of %s bytes failed with hipErrorOutOfMemory (2): %s keeps what it had mapped of "
	    "them, and releases a block of its own twice when the program ends, which aborts it "
	    "(\"double free detected\").",
	    finding->api, FIGURE(0), release);
	finding->fix = g_strdup(
	    "allocate less (hipMemGetInfo says what is free), or with hipMalloc, which fails "
	    "without harm;\nor set DEBUG_HIP_MEM_POOL_VMHEAP=0 for the program: pools as before "
	    "HIP 7.2");
	finding_at_most(finding, confirmed ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
			confirmed ? "a later patch of this release may have mended it"
				  : "it is not known whether this release still does so");
	g_free(release);
}

/* Both handles of the null stream of a device are the same stream. */
static bool are_same_stream(uint64_t a, uint64_t b)
{
	return a == b || (a <= STREAM_LEGACY && b <= STREAM_LEGACY);
}

void check_pool_freed_elsewhere(const struct rules_context *context)
{
	const struct hg_ev_free *from = context->event->free;
	struct allocation *allocation = context->released;
	struct finding *finding;
	bool confirmed, is_new;
	char *release;

	if (!allocation || from->api != HG_API_hipFreeAsync || !is_of_pool(allocation->api) ||
	    are_same_stream(from->stream, allocation->stream) ||
	    !pool_has_defects(context->process, &confirmed))
		return;
	finding = findings_get(context->findings, RULE_HG713, context->process, &is_new, "%u %u",
			       from->stack_id, allocation->stack_id);
	finding_hit(finding, context->event->ns, from->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation });
	if (!is_new)
		return;
	release = release_text(context->process);
	finding->api = g_strdup(hg_api_name(from->api));
	finding_set_place(finding,
			  &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation },
			  allocation->ptr);
	finding->message = g_strdup_printf(
	    "hipFreeAsync gives back %s bytes in another stream than %s took them in: pools of %s "
	    "were seen to unmap pages that such a block has in common with later ones, whose "
	    "content is then 0.",
	    FIGURE(0), hg_api_name(allocation->api), release);
	finding->fix = g_strdup(
	    "let the stream of the allocation wait (hipEventRecord, hipStreamWaitEvent), and call "
	    "hipFreeAsync in it" FIX_NOT_TESTED
	    ";\nor set DEBUG_HIP_MEM_POOL_VMHEAP=0 for the program, whose pools are then without "
	    "such pages" FIX_NOT_TESTED);
	finding_at_most(finding, CONFIDENCE_POSSIBLE,
			confirmed ? "it was seen on RDNA 2, in a quarter of such calls; of other "
				    "GPUs nothing is known"
				  : "it is not known whether this release still does so");
	g_free(release);
}
