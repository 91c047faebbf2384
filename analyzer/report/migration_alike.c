/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the account of moves that read the same in the source: see alike.c. */
#include "analyzer/rules/migration/migration.h"
#include "selection.h"

static char *describe(const struct analysis *analysis, const void *of)
{
	const struct migration_row *row = of;
	const struct allocation *allocation = row->allocation;
	GString *text = g_string_new(NULL);
	char *place;

	g_string_printf(text, "%p|%s|%d|%d|%u|%d", (void *)row->process,
			row->kernel ? row->kernel : "", row->by_host, row->phase.within,
			row->phase.before.api, row->phase.before.tid);
	if (row->phase.before.api) {
		place = stack_place(analysis->symbolizer, row->process, row->phase.before.stack_id);
		g_string_append_printf(text, "|%s", place);
		g_free(place);
	}
	if (allocation) {
		place = stack_place(analysis->symbolizer, row->process, allocation->stack_id);
		g_string_append_printf(text, "|%s %s", hg_api_name(allocation->api), place);
		g_free(place);
		if (!allocation->stack_id)
			g_string_append_printf(text, "|%" G_GINT64_MODIFIER "x", allocation->ptr);
	}
	return g_string_free(text, FALSE);
}

/* Returns true if what came next is the same place, too. */
static bool same_after(const struct analysis *analysis, const struct migration_row *a,
		       const struct migration_row *b)
{
	char *first = stack_place(analysis->symbolizer, a->process, a->phase.after.stack_id);
	char *second = stack_place(analysis->symbolizer, b->process, b->phase.after.stack_id);
	bool same = a->phase.after.api == b->phase.after.api && g_strcmp0(first, second) == 0;

	g_free(first);
	g_free(second);
	return same;
}

static void join(const struct analysis *analysis, void *into, void *of)
{
	struct migration_row *to = into, *from = of;

	for (unsigned i = 0; i < MIGRATION_TRIGGERS; i++) {
		to->to_device[i] += from->to_device[i];
		to->to_host[i] += from->to_host[i];
	}
	to->faults_moved += from->faults_moved;
	to->faults_kept += from->faults_kept;
	to->again += from->again;
	to->unused += from->unused;
	to->only_written += from->only_written;
	to->use_unknown += from->use_unknown;
	to->unchanged += from->unchanged;
	to->one_of_several |= from->one_of_several;
	if (from->phase.after.api && !to->phase.after.api) {
		to->phase.after = from->phase.after;
	} else if (from->phase.after.api) {
		to->phase.several_after |=
		    from->phase.several_after || !same_after(analysis, to, from);
	}
	if (from->allocation && from->allocation->ns > to->allocation->ns) {
		to->allocations += from->allocations;
		allocation_unref(to->allocation);
		to->allocation = allocation_ref(from->allocation);
	}
}

void unite_migration(struct analysis *analysis)
{
	unite_list(analysis, migration_result(&analysis->findings)->rows, describe, join);
}
