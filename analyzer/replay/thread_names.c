/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the threads of a process. */
#include "thread_names.h"

#include "codeobj/text.h"
#include "tracer/events/ev_range.h"

/* A program may name any number of threads, by any text. */
#define THREADS_NAMED_MOST 65536u
#define SHOWN_MOST         128u

void thread_names_event(struct process *process, const struct hg_event *event)
{
	char visible[SHOWN_MOST];

	if (event->type != HG_EVENT_range || event->range->kind != HG_RANGE_NAMES_THREAD ||
	    !*event->range->name || g_hash_table_size(process->thread_labels) >= THREADS_NAMED_MOST)
		return;
	text_copy_visible(visible, sizeof(visible), event->range->name);
	g_hash_table_replace(process->thread_labels, GINT_TO_POINTER(event->tid),
			     g_strdup(visible));
}

const char *thread_label(const struct process *process, int32_t tid)
{
	return g_hash_table_lookup(process->thread_labels, GINT_TO_POINTER(tid));
}

char *thread_name(const struct process *process, int32_t tid)
{
	const char *given = thread_label(process, tid);

	return given ? g_strdup_printf("thread %d \"%s\"", tid, given)
		     : g_strdup_printf("thread %d", tid);
}
