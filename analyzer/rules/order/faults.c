/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles a GPU's memory access fault. The hardware reports a page of 4 KiB. Findings about a
 * kernel's use of memory on that page (finding->if_faulted) were likely, because it was unknown if
 * a launch executes that code; the fault shows that one did. A fault that none of them names is
 * HG614.
 */
#include "faults.h"
#include "suspects.h"
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/other_uses.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_device.h"

#include <string.h>

static void free_row(gpointer data)
{
	struct fault_row *row = data;

	allocation_unref(row->allocation);
	g_free(row->module);
	g_free(row->rules);
	g_free(row);
}

static const struct attachment_list_type result_type = ATTACHMENT_LIST(free_row);

const GPtrArray *faults_result(const struct findings *findings)
{
	return findings_list(findings, &result_type);
}

char *fault_reason(uint32_t mask)
{
	/*
	 * ROCr has these names of hsa_amd_memory_fault_reason_t in this order (hsa_ext_amd.h of
	 * ROCr 6.2).
	 */
	static const struct {
		uint32_t bit;
		const char *text;
	} reasons[] = {
		{ 1, "page not present" },
		{ 2, "write access to a read-only page" },
		{ 4, "execute access to a page that is not executable" },
		{ 8, "only the host may access it" },
		{ 16, "uncorrectable error of device memory" },
		{ 64, "uncorrectable error of a cache" },
		{ 0x80000000, "hang" },
	};
	const char *imprecise = mask & 32 ? ", the address may not be exact" : "";

	for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++)
		if (mask & reasons[i].bit)
			return g_strconcat(reasons[i].text, imprecise, NULL);
	return g_strconcat("reason unknown", imprecise, NULL);
}

static bool is_on_page(const struct allocation *allocation, const struct fault *fault)
{
	return use_meets(allocation, allocation->ptr, fault->page, FAULT_PAGE);
}

/* Returns true if the finding's memory, or the address that it is about, is on the page. */
static bool is_about_page(const struct finding *finding, const struct fault *fault)
{
	return use_meets(finding->allocation, finding->address, fault->page, FAULT_PAGE);
}

/* Returns true if the finding says that a kernel that may have run accesses what it cannot. */
static bool may_have_faulted(const struct rules_context *context, const struct finding *finding)
{
	return finding->process == context->process && finding->count && finding->if_faulted &&
	       suspects_may_have(context, finding->kernel_symbol);
}

/* Returns true if such a finding is about memory on that page. */
static bool names(const struct finding *finding, const struct fault *fault)
{
	const struct allocation *allocation = finding->allocation;

	/* The finding is not about the page if other memory was allocated there since. */
	if (allocation && allocation->freed && fault->place.kind == PLACE_ALLOCATION)
		return false;
	/* A target region has one finding, whatever memory of the host it uses. */
	return is_about_page(finding, fault) ||
	       (finding->rule == &rules[RULE_HG806] && is_system_memory(&fault->place));
}

/*
 * Returns true for blocks of the C library: a smaller one that is not recorded may live there by
 * now.
 */
static bool may_be_reused(const struct finding *finding)
{
	return finding->allocation && finding->allocation->freed &&
	       finding->allocation->layer == LAYER_HOST;
}

static struct place place_of(const struct rules_context *context, const struct finding *finding)
{
	return process_place(context->process, finding->address);
}

/* Returns true if the fault can mean no other memory than the finding's. */
static bool means_its_memory(const struct rules_context *context, const struct fault *fault,
			     const struct finding *finding)
{
	struct suspects suspects;
	bool means;

	if (!is_about_page(finding, fault))
		return false;
	if (finding->allocation ? !is_on_page(finding->allocation, fault)
				: place_of(context, finding).kind != PLACE_HEAP)
		return true;
	suspects_find(context, fault, &suspects);
	means = page_means(fault, finding->allocation, &suspects);
	suspects_clear(&suspects);
	return means;
}

/* Settles how sure the only finding is that names the memory. */
static void prove(const struct rules_context *context, const struct fault *fault,
		  struct finding *finding)
{
	if (finding->if_faulted != CONFIDENCE_PROVEN || may_be_reused(finding))
		return;
	if (means_its_memory(context, fault, finding)) {
		finding_confirm(finding);
	} else if (is_about_page(finding, fault)) {
		page_doubt(context, fault, finding->allocation, false, finding);
	} else {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"a fault was reported in other memory of the operating system's, "
				"which the region may use as well");
	}
}

static void take_place(struct fault_row *row, const struct fault *fault)
{
	row->kind = fault->place.kind;
	row->offset = fault->place.offset;
	if (fault->place.allocation)
		row->allocation = allocation_ref(fault->place.allocation);
}

static void take_memory(const struct rules_context *context, struct fault_row *row,
			const struct finding *finding)
{
	if (!finding->allocation) {
		row->kind = place_of(context, finding).kind;
		return;
	}
	row->allocation = allocation_ref(finding->allocation);
	row->offset = finding->offset;
	if (finding->allocation->freed)
		row->kind = PLACE_FREED;
	else if (finding->address - finding->allocation->ptr < finding->allocation->size)
		row->kind = PLACE_ALLOCATION;
	else
		row->kind = PLACE_PAST_END;
}

/*
 * Finds the findings that name the memory. One of several uses of memory on that page caused the
 * fault; it is unknown which.
 */
static void find_named(const struct rules_context *context, struct fault_row *row,
		       const struct fault *fault)
{
	const GPtrArray *list = context->findings->list;
	GPtrArray *named = g_ptr_array_new();
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < list->len; i++) {
		struct finding *finding = list->pdata[i];

		/* The GPU's access was not left there. */
		if (finding->rule == &rules[RULE_HG622] && finding->process == context->process &&
		    is_about_page(finding, fault))
			finding_withdraw(finding);
		if (!may_have_faulted(context, finding))
			continue;
		finding_turn_to(finding, fault->page, FAULT_PAGE);
		if (!names(finding, fault))
			continue;
		if (!strstr(text->str, finding->rule->id)) {
			g_string_append_printf(text, "%s%s", text->len ? ", " : "",
					       finding->rule->id);
		}
		g_ptr_array_add(named, finding);
	}
	if (named->len == 1)
		prove(context, fault, named->pdata[0]);
	if (named->len && is_about_page(named->pdata[0], fault)) {
		take_memory(context, row, named->pdata[0]);
		row->vague = !means_its_memory(context, fault, named->pdata[0]);
	} else if (named->len) {
		take_place(row, fault);
	}
	row->rules = g_string_free(text, named->len == 0);
	g_ptr_array_free(named, TRUE);
}

/*
 * Looks for a block on the page if the page's start has none: blocks of the host's heap begin and
 * end anywhere, and the C library's header is in front of those that it maps.
 */
static void look_beside(const struct rules_context *context, struct fault *fault)
{
	struct allocation *block;

	if (fault->place.kind != PLACE_HEAP && fault->place.kind != PLACE_UNKNOWN)
		return;
	block = address_space_overlapping(&context->process->space, LAYER_HOST, fault->page,
					  FAULT_PAGE);
	if (block)
		fault->place = (struct place){ .kind = PLACE_ALLOCATION, .allocation = block };
}

/*
 * Looks for what was released there, where XNACK is on: a page that is missing then is one that the
 * process has not, so that nothing came there since, recorded or not.
 */
static void look_before(const struct rules_context *context, struct fault *fault, uint32_t reason)
{
	const struct device *device = process_device(context->process, fault->device);
	struct place *place = &fault->place, gone = { .kind = PLACE_FREED };

	if (!(reason & FAULT_ABSENT) || !device || device->xnack != 1 ||
	    (place->kind != PLACE_UNKNOWN &&
	     (place->kind != PLACE_PAST_END || place->offset < FAULT_PAGE)))
		return;
	gone.allocation = address_space_find_gone(&context->process->space, fault->page, FAULT_PAGE,
						  &gone.offset);
	if (gone.allocation)
		*place = gone;
}

void check_faults(const struct rules_context *context)
{
	const struct hg_ev_call *event = context->event->call;
	struct fault fault = { .page = event->ptr & ~(uint64_t)(FAULT_PAGE - 1),
			       .device = event->device,
			       .writes = event->flags & FAULT_READ_ONLY };
	struct fault_row *row;

	note_peer_access(context);
	if (event->api == HG_API_gpu_queue_error)
		report_queue_error(context);
	if (event->api != HG_API_gpu_memory_fault)
		return;
	fault.place = process_place(context->process, event->ptr);
	look_before(context, &fault, (uint32_t)event->flags);
	row = g_new0(struct fault_row, 1);
	row->process = context->process;
	row->address = event->ptr;
	row->reason = (uint32_t)event->flags;
	row->device = event->device;
	row->ns = context->event->ns;
	row->kind = fault.place.kind;
	if (!(row->reason & FAULT_HARDWARE))
		find_named(context, row, &fault);
	if (fault.place.kind == PLACE_STATIC && fault.place.module)
		row->module = g_strdup(fault.place.module->path);
	if (!row->rules) {
		look_beside(context, &fault);
		row->rules = g_strdup(rules[report_fault(context, row, &fault)].id);
		take_place(row, &fault);
	}
	g_ptr_array_add(findings_list(context->findings, &result_type), row);
}
