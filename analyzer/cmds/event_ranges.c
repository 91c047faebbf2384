/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the ranges of each process, and nothing else of it. */
#include "analyzer/cmds/event_ranges.h"

#include "analyzer/replay/process_state.h"
#include "analyzer/replay/ranges.h"
#include "analyzer/rules/engine/finding_ranges.h"

/* Returns what is known of the event's process, from its beginning or an exec on. */
static struct process *process_of(const struct hg_event *event)
{
	static GHashTable *processes; /* pid -> struct process */
	struct process *process;

	if (!processes)
		processes = g_hash_table_new_full(NULL, NULL, NULL, process_free);
	process = g_hash_table_lookup(processes, GINT_TO_POINTER(event->pid));
	if (!process || event->type == HG_EVENT_process) {
		process = process_new(event->pid);
		g_hash_table_replace(processes, GINT_TO_POINTER(event->pid), process);
	}
	return process;
}

bool event_in_selected_range(const struct hg_event *event)
{
	struct process *process = process_of(event);
	bool found = range_path_selected(ranges_of_thread(process, event->tid).path);

	if (event->type != HG_EVENT_range)
		return found;
	ranges_apply(process, event);
	return found || range_path_selected(ranges_of_thread(process, event->tid).path);
}
