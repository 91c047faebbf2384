/* SPDX-License-Identifier: Apache-2.0 */
/* The one place in the source that stands for a finding, and its places by role. */
#include "place.h"

static struct source_place of_stack(const struct analysis *analysis, const struct process *process,
				    uint32_t stack_id)
{
	const struct source_frame *frame =
	    user_frame(symbolize_stack(analysis->symbolizer, process, stack_id));

	return frame ? (struct source_place){ frame->file, frame->line, frame->function }
		     : (struct source_place){ 0 };
}

struct source_place place_of_allocation(const struct analysis *analysis,
					const struct finding *finding)
{
	const struct allocation *allocation = finding->allocation;

	return allocation && !allocation->symbol
		   ? of_stack(analysis, finding->process, allocation->stack_id)
		   : (struct source_place){ 0 };
}

struct source_place place_of_call(const struct analysis *analysis, const struct finding *finding)
{
	return finding->sites->len
		   ? of_stack(analysis, finding->process,
			      g_array_index(finding->sites, struct site, 0).stack_id)
		   : (struct source_place){ 0 };
}

struct source_place place_of_instruction(const struct finding *finding)
{
	return (struct source_place){ finding->device_file, finding->device_line, finding->kernel };
}

struct source_place place_of_finding(const struct analysis *analysis, const struct finding *finding)
{
	const struct source_place places[] = {
		place_of_allocation(analysis, finding),
		place_of_call(analysis, finding),
		place_of_instruction(finding),
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
		if (places[i].file)
			return places[i];
	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
		if (places[i].function)
			return places[i];
	return (struct source_place){ 0 };
}
