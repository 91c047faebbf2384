/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU's memory access fault. The hardware reports a page of 4 KiB. Findings about a kernel's use
 * of memory on that page (HG209, HG601, HG607) were likely, because it was unknown whether a launch
 * executes that code; the fault shows that one did.
 */
#include "faults.h"
#include "tracer/api/hsa.h"

#include <string.h>

#define FAULT_PAGE 4096u

static void free_row(gpointer data)
{
	struct fault_row *row = data;

	allocation_unref(row->allocation);
	g_free(row->module);
	g_free(row->rules);
	g_free(row);
}

static void init_result(void *data)
{
	*(GPtrArray **)data = g_ptr_array_new_with_free_func(free_row);
}

static void clear_result(void *data)
{
	g_ptr_array_free(*(GPtrArray **)data, TRUE);
}

static const struct attachment_type result_type = { sizeof(GPtrArray *), init_result,
						    clear_result };

const GPtrArray *faults_result(const struct findings *findings)
{
	return *(GPtrArray **)findings_result(findings, &result_type);
}

char *fault_reason(uint32_t mask)
{
	/* hsa_amd_memory_fault_reason_t (hsa_ext_amd.h of ROCr 6.2), in ROCr's order */
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

static bool meets(uint64_t page, uint64_t start, uint64_t size)
{
	return start < page + FAULT_PAGE && page < start + size;
}

/* Whether the finding says that a kernel uses memory on that page, which it cannot. */
static bool names(const struct finding *finding, uint64_t page, const struct place *now)
{
	const struct allocation *allocation = finding->allocation;
	bool inside =
	    allocation && allocation->size && finding->address - allocation->ptr < allocation->size;

	if (finding->rule == &rules[RULE_HG601]) {
		/* Not if other memory was allocated there since. */
		return inside && now->kind != PLACE_ALLOCATION &&
		       meets(page, allocation->ptr, allocation->size);
	}
	if (finding->rule == &rules[RULE_HG209] || finding->rule == &rules[RULE_HG607]) {
		return inside ? meets(page, allocation->ptr, allocation->size)
			      : meets(page, finding->address, 1);
	}
	return false;
}

/* Blocks of the C library: a smaller one that is not recorded may live there by now. */
static bool may_be_reused(const struct finding *finding)
{
	return finding->rule == &rules[RULE_HG601] && finding->allocation->layer == LAYER_HOST;
}

/* One of several uses of memory on that page caused the fault; it is unknown which. */
static void prove(const struct rules_context *context, struct fault_row *row, uint64_t page,
		  const struct place *now)
{
	const GPtrArray *list = context->findings->list;
	GPtrArray *named = g_ptr_array_new();
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < list->len; i++) {
		struct finding *finding = list->pdata[i];

		if (finding->process == context->process && finding->launches &&
		    names(finding, page, now)) {
			if (!strstr(text->str, finding->rule->id)) {
				g_string_append_printf(text, "%s%s", text->len ? ", " : "",
						       finding->rule->id);
			}
			g_ptr_array_add(named, finding);
		}
	}
	if (named->len == 1 && !may_be_reused(named->pdata[0])) {
		struct finding *finding = named->pdata[0];

		finding->confidence = CONFIDENCE_PROVEN;
		g_clear_pointer(&finding->doubts, g_free);
	}
	if (named->len) {
		const struct finding *finding = named->pdata[0];

		if (finding->allocation) {
			row->allocation = allocation_ref(finding->allocation);
			row->offset = finding->offset;
			if (finding->allocation->freed)
				row->kind = PLACE_FREED;
			else if (finding->address - finding->allocation->ptr <
				 finding->allocation->size)
				row->kind = PLACE_ALLOCATION;
			else
				row->kind = PLACE_PAST_END;
		}
		row->rules = g_string_free(text, FALSE);
	} else {
		g_string_free(text, TRUE);
	}
	g_ptr_array_free(named, TRUE);
}

void note_fault(const struct rules_context *context)
{
	const struct hg_ev_call *event = &context->event->call;
	uint64_t page = event->ptr & ~(uint64_t)(FAULT_PAGE - 1);
	struct place place;
	struct fault_row *row;

	if (event->api != HG_API_gpu_memory_fault)
		return;
	place = process_place(context->process, event->ptr);
	row = g_new0(struct fault_row, 1);
	row->process = context->process;
	row->address = event->ptr;
	row->reason = (uint32_t)event->flags;
	row->device = event->device;
	row->ns = context->event->ns;
	row->kind = place.kind;
	/* Broken memory says nothing about the program. */
	if (!(row->reason & (16u | 64u | 0x80000000u)))
		prove(context, row, page, &place);
	if (!row->allocation && place.allocation) {
		row->allocation = allocation_ref(place.allocation);
		row->offset = place.offset;
	}
	if (place.kind == PLACE_STATIC && place.module)
		row->module = g_strdup(place.module->path);
	g_ptr_array_add(*(GPtrArray **)findings_result(context->findings, &result_type), row);
}
