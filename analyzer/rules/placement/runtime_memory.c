/* SPDX-License-Identifier: Apache-2.0 */
/* HG205, and notes: the runtime's report about memory, compared with the table's answer. */
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/runtime_attributes.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/events/ev_memory.h"

/* ---- HG205 ---- */

/*
 * hipExtMallocWithFlags flags that request fine-grained memory
 * (docs/memory-model.md#hipextmallocwithflags).
 */
enum { EXT_FINE_GRAINED = 1, EXT_UNCACHED = 3 };

static bool asks_for_fine(const struct allocation *allocation)
{
	return allocation->api == HG_API_hipExtMallocWithFlags &&
	       (allocation->flags == EXT_FINE_GRAINED || allocation->flags == EXT_UNCACHED);
}

static void report_fallback(const struct rules_context *context, const struct place *place,
			    bool reported)
{
	const struct allocation *allocation = place->allocation;
	char *flags = model_flags_text(allocation->api, allocation->flags);
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG205, context->process, &is_new, "%u",
			       allocation->stack_id);
	finding_hit(finding, context->event->ns, allocation->stack_id);
	if (is_new) {
		finding->api = g_strdup(hg_api_name(allocation->api));
		finding_set_place(finding, place, allocation->ptr);
		finding->granularity = GRAIN_COARSE;
		finding->message = g_strdup_printf(
		    "hipExtMallocWithFlags was called with %s and succeeded, but the memory is "
		    "coarse-grained: this GPU offers no such pool%s.",
		    flags, reported ? ", as the runtime itself reports" : "");
		finding->fix =
		    g_strdup("set HSA_FORCE_FINE_GRAIN_PCIE=1 where the GPUs are not linked by "
			     "XGMI" FIX_NOT_TESTED ";\nor use pinned host memory "
			     "(hipHostMalloc), which is fine-grained" FIX_NOT_TESTED);
	}
	g_free(flags);
}

static void check_fine_request(const struct rules_context *context, const struct place *place)
{
	struct model_environment environment = process_environment(context->process);
	struct model_memory memory;

	if (!asks_for_fine(place->allocation))
		return;
	memory = model_memory(place->allocation->api, place->allocation->flags, &environment);
	if (memory.granularity == GRAIN_COARSE && memory.certain)
		report_fallback(context, place, false);
}

/* ---- disagreement ---- */

static void note_granularity(const struct rules_context *context,
			     const struct allocation *allocation, const struct model_memory *table,
			     enum granularity granularity)
{
	char *flags = model_flags_text(allocation->api, allocation->flags);

	findings_note(context->findings,
		      "%s%s%s%s: documented as %s%s%s%s, but this runtime made it %s; the findings "
		      "use the runtime's answer",
		      hg_api_name(allocation->api), flags[0] ? " (" : "", flags,
		      flags[0] ? ")" : "", model_granularity_name(table->granularity),
		      table->sources[0] ? " (" : "", table->sources, table->sources[0] ? ")" : "",
		      model_granularity_name(granularity));
	g_free(flags);
}

static void check_memory(const struct rules_context *context)
{
	struct place place = process_place(context->process, context->event->memory->ptr);
	const struct allocation *allocation = place.allocation;
	struct runtime_attributes reported;
	struct model_environment environment;
	struct model_memory table;
	struct grain expected;

	if (place.kind != PLACE_ALLOCATION || !allocation->attributes.known)
		return;
	reported = runtime_attributes(context->process, allocation);
	environment = process_environment(context->process);
	table = model_memory(allocation->api, allocation->flags, &environment);
	expected = place_table_grain(context->process, &place);
	if (reported.granularity != GRAIN_UNKNOWN && reported.granularity != expected.granularity &&
	    expected.granularity != GRAIN_UNKNOWN) {
		if (asks_for_fine(allocation) && reported.granularity == GRAIN_COARSE)
			report_fallback(context, &place, true);
		if (expected.granularity == table.granularity) {
			note_granularity(context, allocation, &table, reported.granularity);
		} else {
			findings_note(context->findings,
				      "%s: it was advised to be %s, but the runtime reports %s; "
				      "the findings use the runtime's answer",
				      hg_api_name(allocation->api),
				      model_granularity_name(expected.granularity),
				      model_granularity_name(reported.granularity));
		}
	}
	if (reported.location != LOCATION_UNKNOWN && table.location != LOCATION_UNKNOWN &&
	    table.location != LOCATION_MOVABLE && reported.location != table.location) {
		findings_note(context->findings,
			      "%s: documented as %s, but this runtime placed it in %s; the "
			      "findings use the runtime's answer",
			      hg_api_name(allocation->api), model_location_name(table.location),
			      model_location_name(reported.location));
	}
	grain_clear(&expected);
}

void check_runtime_memory(const struct rules_context *context)
{
	struct place place;

	if (context->wake == WAKE_MEMORY)
		check_memory(context);
	else if (is_new_allocation(context, &place))
		check_fine_request(context, &place);
}
