/* SPDX-License-Identifier: Apache-2.0 */
/* Advice and prefetches of memory, and how its pages moved, call by call and move by move. */
#include <string.h>

#include "migration_state.h"

#include "tracer/events/ev_migration.h"

/* hipMemoryAdvise, H523 and later headers. */
static const char *const advice_names[] = {
	[1] = "SetReadMostly",          [2] = "UnsetReadMostly",    [3] = "SetPreferredLocation",
	[4] = "UnsetPreferredLocation", [5] = "SetAccessedBy",      [6] = "UnsetAccessedBy",
	[100] = "SetCoarseGrain",       [101] = "UnsetCoarseGrain",
};

const char *migration_advice_name(int32_t advice)
{
	return advice >= 0 && (unsigned)advice < G_N_ELEMENTS(advice_names) ? advice_names[advice]
									    : NULL;
}

static void free_span(gpointer data)
{
	struct migration_span *span = data;

	allocation_unref(span->allocation);
	g_free(span);
}

static void free_history(gpointer data)
{
	struct migration_history *history = data;

	allocation_unref(history->allocation);
	g_array_free(history->calls, TRUE);
	g_ptr_array_free(history->moves, TRUE);
	g_free(history);
}

void migration_row_free(gpointer data)
{
	struct migration_row *row = data;

	allocation_unref(row->allocation);
	g_free(row->kernel);
	g_free(row);
}

static void init_result(void *data)
{
	struct migration_result *result = data;

	result->rows = g_ptr_array_new_with_free_func(migration_row_free);
	result->spans = g_ptr_array_new_with_free_func(free_span);
	result->histories = g_hash_table_new_full(NULL, NULL, NULL, free_history);
}

static void clear_result(void *data)
{
	struct migration_result *result = data;

	g_ptr_array_free(result->rows, TRUE);
	g_hash_table_destroy(result->histories);
	g_ptr_array_free(result->spans, TRUE);
}

static const struct attachment_type result_type = { sizeof(struct migration_result), init_result,
						    clear_result };

struct migration_result *migration_result(const struct findings *findings)
{
	return findings_result(findings, &result_type);
}

/* NULL: there are too many. */
static struct migration_history *history_of(const struct rules_context *context,
					    struct allocation *allocation)
{
	GHashTable *all = migration_result(context->findings)->histories;
	struct migration_history *history = g_hash_table_lookup(all, allocation);

	if (history)
		return history;
	if (g_hash_table_size(all) == HISTORIES) {
		findings_limit(context->findings,
			       "advice is reported for the first %u allocations only", HISTORIES);
		return NULL;
	}
	history = g_new0(struct migration_history, 1);
	history->allocation = allocation_ref(allocation);
	history->calls = g_array_new(FALSE, FALSE, sizeof(struct migration_advice));
	history->moves = g_ptr_array_new();
	g_hash_table_insert(all, allocation, history);
	return history;
}

void history_advice(const struct rules_context *context, const struct migration_advice *advice,
		    struct allocation *allocation)
{
	struct migration_history *history = history_of(context, allocation);

	if (!history)
		return;
	if (history->calls->len == HISTORY_CALLS) {
		history->left_out++;
		return;
	}
	g_array_append_val(history->calls, *advice);
}

/* Returns true if nothing but the same came in between. */
static bool continues(const struct migration_span *span, const struct migration_span *next)
{
	return span && span->trigger == next->trigger && span->from == next->from &&
	       span->to == next->to && span->launch_ns == next->launch_ns &&
	       span->before.api == next->before.api &&
	       span->before.stack_id == next->before.stack_id;
}

void history_move(const struct migration *migration, const struct rules_context *context,
		  const struct hg_ev_migration *move, struct allocation *allocation, uint64_t bytes,
		  int64_t began, int64_t ns, const struct gpu_work *launch)
{
	GPtrArray *all = migration_result(context->findings)->spans;
	struct migration_history *history = allocation ? history_of(context, allocation) : NULL;
	struct migration_span *last = NULL, *span;
	struct migration_span next = {
		.process = context->process,
		.trigger = (enum migration_trigger)move->trigger,
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
	if (next.trigger == MIGRATION_CPU_FAULT)
		next.before = phase_at(migration, ns, &open).before;
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
			       "times of page migrations are reported for the first %u series only",
			       SPANS);
		if (history)
			history->left_out++;
		return;
	}
	span = g_memdup2(&next, sizeof(next));
	span->allocation = allocation ? allocation_ref(allocation) : NULL;
	g_ptr_array_add(all, span);
	if (history)
		g_ptr_array_add(history->moves, span);
}

const struct migration_history *finding_history(const struct findings *findings,
						const struct finding *finding)
{
	return finding->allocation && g_str_has_prefix(finding->rule->id, "HG3")
		   ? g_hash_table_lookup(migration_result(findings)->histories, finding->allocation)
		   : NULL;
}
