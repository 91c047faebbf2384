/* SPDX-License-Identifier: Apache-2.0 */
/* Says at the end what programs told of their pools (hipgrain(3)) that cannot be. */
#include "analyzer/rules/engine/rule_api.h"

void note_told_pieces(const struct rules_context *context)
{
	const struct pool_pieces *pieces = &context->process->pool_pieces;
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{ pieces->outside,
		  "hipgrain_alloc() named no bytes of one live allocation, and was "
		  "passed over" },
		/* What a process had before it was recorded is not known. */
		{ context->process->state.late ? 0 : pieces->unknown,
		  "hipgrain_free() named no piece that was live, and was passed "
		  "over" },
		{ pieces->unnamed,
		  "hipgrain_name() named neither a piece nor an allocation, and was "
		  "passed over" },
		{ pieces->left_out, "more pieces of pools are known than are kept apart: one was "
				    "passed over" },
	};

	/* A pool may begin anew without a word. */
	if (pieces->overlapping)
		findings_note(
		    context->findings,
		    "process %d: pieces of pools were taken where others were still live, "
		    "which are taken as given back (%" G_GUINT64_FORMAT " time%s)",
		    context->process->pid, pieces->overlapping,
		    pieces->overlapping == 1 ? "" : "s");
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (rows[i].count)
			findings_limit(context->findings,
				       "process %d: %s (%" G_GUINT64_FORMAT " time%s)",
				       context->process->pid, rows[i].what, rows[i].count,
				       rows[i].count == 1 ? "" : "s");
	}
}
