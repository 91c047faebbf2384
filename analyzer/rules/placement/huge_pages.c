/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG220: much host memory is registered in pages of 4 KiB, on a machine where the kernel would have
 * given huge ones if it had been asked. Where it gives them to everybody, or to nobody, there is
 * nothing to say.
 */
#include <string.h>
#include <sys/mman.h>

#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"

enum { HUGE_PAGES_ON_ADVICE = 2 }; /* of struct hg_ev_runtime */

#define MIB           (1u << 20)
#define ADVICE_RANGES 4096 /* more are not followed: then there is no finding */

struct range {
	uint64_t start, end;
};

/* Keeps for what a process has asked the kernel for huge pages, since it began. */
static void init_advice(void *data)
{
	*(GArray **)data = g_array_new(FALSE, FALSE, sizeof(struct range));
}

static void clear_advice(void *data)
{
	g_array_unref(*(GArray **)data);
}

static const struct attachment_type advice_type = { sizeof(GArray *), init_advice, clear_advice };

static GArray *advice_of(const struct rules_context *context)
{
	return *(GArray **)attachment_get(&context->process->attachments, &advice_type);
}

static void note_advice(const struct rules_context *context)
{
	const struct hg_ev_call *call = context->event->call;
	GArray *advice;
	struct range range = { call->ptr, call->ptr + call->size };

	if (call->api != HG_API_madvise)
		return;
	advice = advice_of(context);
	if (advice->len <= ADVICE_RANGES)
		g_array_append_val(advice, range);
}

static bool is_advised(const GArray *advice, const struct allocation *registered)
{
	for (unsigned i = 0; i < advice->len; i++) {
		const struct range *range = &g_array_index(advice, struct range, i);

		if (range->start < registered->ptr + registered->size &&
		    range->end > registered->ptr)
			return true;
	}
	return advice->len > ADVICE_RANGES;
}

static bool covers(const struct allocation *allocation, const struct allocation *registered)
{
	return allocation && allocation->ptr <= registered->ptr &&
	       allocation->ptr + allocation->size >= registered->ptr + registered->size;
}

/*
 * Returns the memory that was registered, as it was allocated, if that is private memory of the
 * process's alone whose pages are the kernel's ordinary ones without advice; else NULL.
 */
static const struct allocation *plain_memory(const struct process *process,
					     const struct allocation *registered)
{
	const char *tunables = process_env(process, "GLIBC_TUNABLES");
	const struct allocation *block = address_space_overlapping(
	    &process->space, LAYER_HOST, registered->ptr, registered->size);
	const struct allocation *mapping = address_space_overlapping(
	    &process->space, LAYER_MAPPING, registered->ptr, registered->size);
	uint32_t flags;

	if (block)
		return covers(block, registered) && (!tunables || !strstr(tunables, "hugetlb"))
			   ? block
			   : NULL;
	if (!covers(mapping, registered) || mapping->api != HG_API_mmap)
		return NULL;
	flags = (uint32_t)mapping->flags;
	return (flags & MAP_ANONYMOUS) && (flags & MAP_TYPE) == MAP_PRIVATE &&
		       !(flags & MAP_HUGETLB)
		   ? mapping
		   : NULL;
}

static void check_registration(const struct rules_context *context)
{
	const struct process *process = context->process;
	const struct allocation *memory;
	struct finding *finding;
	struct place place;
	bool is_new;

	if (context->event->alloc->api != HG_API_hipHostRegister ||
	    context->event->alloc->size < REGISTERED_SIZE || process->page_size != 4096 ||
	    process->huge_pages != HUGE_PAGES_ON_ADVICE || process->state.late ||
	    process->inherited || process->inherited_unknown || !is_new_allocation(context, &place))
		return;
	memory = plain_memory(process, place.allocation);
	if (!memory || is_advised(advice_of(context), place.allocation))
		return;
	finding = findings_get(context->findings, RULE_HG220, context->process, &is_new, "%u %u",
			       place.allocation->stack_id, memory->stack_id);
	finding_hit(finding, context->event->ns, place.allocation->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, place.allocation->size / MIB);
	finding_figure(finding, 1, FIGURE_RANGE, place.allocation->size / process->page_size);
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	finding->absence = ABSENCE_BETWEEN;
	finding->api = g_strdup(hg_api_name(place.allocation->api));
	finding_set_place(finding, &place, place.allocation->ptr);
	finding->message = g_strdup_printf(
	    "hipHostRegister takes %s MiB from %s in %s pages of 4 KiB. On this machine the kernel "
	    "gives pages of 2 MiB to those who ask, with which this takes less than half the time.",
	    FIGURE(0), hg_api_name(memory->api), FIGURE(1));
	finding->fix = g_strdup("call madvise(" FIX_POINTER ", " FIX_SIZE
				", MADV_HUGEPAGE) on it" FIX_POINTER_NOTE
				", before anything is written to it");
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"what the program requests by system calls of its own is not recorded");
}

void check_huge_pages(const struct rules_context *context)
{
	if (context->wake == WAKE_CALL)
		note_advice(context);
	else
		check_registration(context);
}
