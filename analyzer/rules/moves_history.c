/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked for memory, and how its pages moved, call by call and move by move. */
#include <string.h>

#include "moves_state.h"

/* hipMemoryAdvise, H523 and later headers. */
static const char *const advice_names[] = {
	[1] = "SetReadMostly",          [2] = "UnsetReadMostly",    [3] = "SetPreferredLocation",
	[4] = "UnsetPreferredLocation", [5] = "SetAccessedBy",      [6] = "UnsetAccessedBy",
	[100] = "SetCoarseGrain",       [101] = "UnsetCoarseGrain",
};

const char *move_advice_name(int32_t advice)
{
	return advice >= 0 && (unsigned)advice < G_N_ELEMENTS(advice_names) ? advice_names[advice]
									    : NULL;
}

void move_span_free(gpointer data)
{
	struct move_span *span = data;

	allocation_unref(span->allocation);
	g_free(span);
}

void move_history_free(gpointer data)
{
	struct move_history *history = data;

	allocation_unref(history->allocation);
	g_array_free(history->calls, TRUE);
	g_ptr_array_free(history->moves, TRUE);
	g_free(history);
}

/* NULL: there are too many. */
static struct move_history *history_of(const struct rules_context *context,
				       struct allocation *allocation)
{
	GHashTable *all = context->findings->histories;
	struct move_history *history = g_hash_table_lookup(all, allocation);

	if (history) {
		return history;
	}
	if (g_hash_table_size(all) == HISTORIES) {
		findings_limit(context->findings,
			       "what was advised for memory is told of the first %u allocations "
			       "only",
			       HISTORIES);
		return NULL;
	}
	history = g_new0(struct move_history, 1);
	history->allocation = allocation_ref(allocation);
	history->calls = g_array_new(FALSE, FALSE, sizeof(struct move_advice));
	history->moves = g_ptr_array_new();
	g_hash_table_insert(all, allocation, history);
	return history;
}

void history_advice(const struct rules_context *context, const struct move_advice *advice,
		    struct allocation *allocation)
{
	struct move_history *history = history_of(context, allocation);

	if (!history) {
		return;
	}
	if (history->calls->len == HISTORY_CALLS) {
		history->left_out++;
		return;
	}
	g_array_append_val(history->calls, *advice);
}

/* Whether nothing but the same came in between. */
static bool continues(const struct move_span *span, const struct move_span *next)
{
	return span && span->trigger == next->trigger && span->from == next->from &&
	       span->to == next->to && span->launch_ns == next->launch_ns &&
	       span->before.api == next->before.api &&
	       span->before.stack_id == next->before.stack_id;
}

void history_move(const struct moves *moves, const struct rules_context *context,
		  const struct hg_ev_migration *move, struct allocation *allocation, uint64_t bytes,
		  int64_t began, int64_t ns, const struct moment *launch)
{
	GPtrArray *all = context->findings->move_spans;
	struct move_history *history = allocation ? history_of(context, allocation) : NULL;
	struct move_span *last = NULL, *span;
	struct move_span next = {
		.process = context->process,
		.trigger = (enum move_trigger)move->trigger,
		.from = move->from,
		.to = move->to,
		.first_ns = began,
		.last_ns = ns,
		.bytes = bytes,
		.moves = 1,
	};
	bool open;

	if (launch) {
		next.kernel_id = launch->kernel_id;
		next.launch_ns = launch->ns;
		next.launch_device = launch->device;
		next.launch_stream = launch->stream;
	}
	if (next.trigger == MOVE_CPU_FAULT) {
		next.before = phase_at(moves, ns, &open).before;
	}
	if (history) {
		last = history->moves->len ? history->moves->pdata[history->moves->len - 1] : NULL;
	} else if (all->len) {
		last = all->pdata[all->len - 1];
		last =
		    last->process == next.process && last->allocation == allocation ? last : NULL;
	}
	if (continues(last, &next)) {
		last->last_ns = MAX(last->last_ns, ns);
		last->bytes += bytes;
		last->moves++;
		return;
	}
	if (all->len == SPANS) {
		findings_limit(context->findings,
			       "when pages moved is told of the first %u series of moves only",
			       SPANS);
		if (history) {
			history->left_out++;
		}
		return;
	}
	span = g_memdup2(&next, sizeof(next));
	span->allocation = allocation ? allocation_ref(allocation) : NULL;
	g_ptr_array_add(all, span);
	if (history) {
		g_ptr_array_add(history->moves, span);
	}
}

const struct move_history *finding_history(const struct findings *findings,
					   const struct finding *finding)
{
	return finding->allocation && g_str_has_prefix(finding->rule->id, "HG3")
		   ? g_hash_table_lookup(findings->histories, finding->allocation)
		   : NULL;
}
