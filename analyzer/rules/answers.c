/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime itself said about memory, against what the table says. */
#include "answers.h"

#include "analyzer/rules/context.h"

/* hipMemRangeCoherencyMode (memory-model.md A.2.4); pool flags (A.2.6). */
enum { MODE_FINE = 0, MODE_COARSE = 1, MODE_INDETERMINATE = 2 };
enum { POOL_FINE = 2, POOL_COARSE = 4, POOL_EXTENDED_FINE = 8 };

/* hipMemoryType was renumbered with release 6 (A.2.5). */
static enum location location_of(const struct process *process, const struct memory_answer *answer)
{
	int shift = process->runtime_version >= 60000000 ? 1 : 0;

	if (answer->managed != 0 || process->runtime_version == 0 || answer->type < shift) {
		return LOCATION_UNKNOWN;
	}
	switch (answer->type - shift) {
	case 0:
		return LOCATION_HOST;
	case 1:
		return LOCATION_DEVICE;
	default:
		return LOCATION_UNKNOWN;
	}
}

struct runtime_answer runtime_answer(const struct process *process,
				     const struct allocation *allocation)
{
	const struct memory_answer *answer = &allocation->answer;
	struct runtime_answer result = { GRAIN_UNKNOWN, LOCATION_UNKNOWN, false };

	if (!answer->known) {
		return result;
	}
	result.location = location_of(process, answer);
	if (answer->coherency == MODE_INDETERMINATE) {
		result.mixed = true;
	} else if (answer->coherency == MODE_FINE) {
		result.granularity = GRAIN_FINE;
	} else if (answer->coherency == MODE_COARSE) {
		result.granularity = GRAIN_COARSE;
	} else if (answer->pool_flags & (POOL_FINE | POOL_EXTENDED_FINE)) {
		result.granularity = GRAIN_FINE;
	} else if (answer->pool_flags & POOL_COARSE) {
		result.granularity = GRAIN_COARSE;
	}
	return result;
}

/* ---- HG205 ---- */

/* hipExtMallocWithFlags flags that ask for fine-grained memory (A.2.2). */
enum { EXT_FINE_GRAINED = 1, EXT_UNCACHED = 3 };

static bool asks_for_fine(const struct allocation *allocation)
{
	return allocation->api == HG_API_hipExtMallocWithFlags &&
	       (allocation->flags == EXT_FINE_GRAINED || allocation->flags == EXT_UNCACHED);
}

static void report_fallback(const struct rules_context *context, const struct place *place,
			    bool answered)
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
		    "hipExtMallocWithFlags was asked for %s and succeeded, but the memory is "
		    "coarse-grained: this GPU offers no such pool%s.",
		    flags, answered ? ", as the runtime itself says" : "");
		finding->fix =
		    g_strdup("set HSA_FORCE_FINE_GRAIN_PCIE=1 where the GPUs are not linked by "
			     "XGMI;\nor use pinned host memory (hipHostMalloc), which is "
			     "fine-grained");
	}
	g_free(flags);
}

void check_fine_request(const struct rules_context *context, const struct place *place)
{
	struct model_environment environment = process_environment(context->process);
	struct model_memory memory;

	if (!asks_for_fine(place->allocation)) {
		return;
	}
	memory = model_memory(place->allocation->api, place->allocation->flags, &environment);
	if (memory.granularity == GRAIN_COARSE && memory.certain) {
		report_fallback(context, place, false);
	}
}

/* ---- disagreement ---- */

static void note_granularity(const struct rules_context *context,
			     const struct allocation *allocation, const struct model_memory *table,
			     enum granularity granularity)
{
	char *flags = model_flags_text(allocation->api, allocation->flags);

	findings_note(
	    context->findings,
	    "%s%s%s%s: documented as %s%s%s%s, but this runtime made it %s; the findings go by "
	    "the runtime",
	    hg_api_name(allocation->api), flags[0] ? " (" : "", flags, flags[0] ? ")" : "",
	    model_granularity_name(table->granularity), table->sources[0] ? " (" : "",
	    table->sources, table->sources[0] ? ")" : "", model_granularity_name(granularity));
	g_free(flags);
}

void check_memory(const struct rules_context *context)
{
	struct place place = process_place(context->process, context->event->memory.ptr);
	const struct allocation *allocation = place.allocation;
	struct runtime_answer answer;
	struct model_environment environment;
	struct model_memory table;
	struct grain expected;

	if (place.kind != PLACE_ALLOCATION || !allocation->answer.known) {
		return;
	}
	answer = runtime_answer(context->process, allocation);
	environment = process_environment(context->process);
	table = model_memory(allocation->api, allocation->flags, &environment);
	expected = place_table_grain(context->process, &place);
	if (answer.granularity != GRAIN_UNKNOWN && answer.granularity != expected.granularity &&
	    expected.granularity != GRAIN_UNKNOWN) {
		if (asks_for_fine(allocation) && answer.granularity == GRAIN_COARSE) {
			report_fallback(context, &place, true);
		}
		if (expected.granularity == table.granularity) {
			note_granularity(context, allocation, &table, answer.granularity);
		} else {
			findings_note(context->findings,
				      "%s: advice was to make it %s, but the runtime says that it "
				      "is %s; the findings go by the runtime",
				      hg_api_name(allocation->api),
				      model_granularity_name(expected.granularity),
				      model_granularity_name(answer.granularity));
		}
	}
	if (answer.location != LOCATION_UNKNOWN && table.location != LOCATION_UNKNOWN &&
	    table.location != LOCATION_MOVABLE && answer.location != table.location) {
		findings_note(
		    context->findings,
		    "%s: documented as %s, but this runtime placed it in %s; the findings "
		    "go by the runtime",
		    hg_api_name(allocation->api), model_location_name(table.location),
		    model_location_name(answer.location));
	}
	grain_clear(&expected);
}
