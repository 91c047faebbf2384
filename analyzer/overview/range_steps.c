/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginnings and ends of the program's ranges, in order of time: as many as fit, and the end of
 * each range whose beginning is there.
 */
#include "overview_internal.h"

#include "tracer/events/ev_range.h"

/* The pushed ranges of a thread, or the started ones of a process, that are open. */
struct open_steps {
	uint64_t kept, left_out;
};

static struct open_steps *open_of(struct overview *overview, const struct process *process,
				  int32_t tid)
{
	char *key = g_strdup_printf("%p %d", (const void *)process, tid);
	struct open_steps *open = g_hash_table_lookup(overview->range_open, key);

	if (!open) {
		open = g_new0(struct open_steps, 1);
		g_hash_table_insert(overview->range_open, g_strdup(key), open);
	}
	g_free(key);
	return open;
}

static void add_step(struct overview *overview, struct process *process,
		     const struct hg_event *event)
{
	struct range_step step = { .process = process,
				   .tid = event->tid,
				   .kind = event->range->kind,
				   .source = event->range->source,
				   .id = event->range->id,
				   .ns = event->ns };

	step.name = g_string_chunk_insert_const(overview->range_names, event->range->name);
	g_array_append_val(overview->ranges, step);
}

static void begin(struct overview *overview, struct process *process, int32_t tid,
		  const struct hg_event *event)
{
	struct open_steps *open = open_of(overview, process, tid);

	/* What lies inside of a range that is left out is left out. */
	if (open->left_out || overview->ranges->len >= overview->most_ranges) {
		open->left_out++;
		overview->ranges_left_out++;
	} else {
		open->kept++;
		add_step(overview, process, event);
	}
}

static void end(struct overview *overview, struct process *process, int32_t tid,
		const struct hg_event *event)
{
	struct open_steps *open = open_of(overview, process, tid);

	if (open->left_out) {
		open->left_out--;
	} else if (open->kept) {
		open->kept--;
		add_step(overview, process, event);
	}
}

void overview_add_range(struct overview *overview, struct process *process,
			const struct hg_event *event)
{
	switch (event->range->kind) {
	case HG_RANGE_PUSH:
		begin(overview, process, event->tid, event);
		break;
	case HG_RANGE_POP:
		end(overview, process, event->tid, event);
		break;
	case HG_RANGE_START:
		begin(overview, process, 0, event);
		break;
	case HG_RANGE_STOP:
		end(overview, process, 0, event);
		break;
	case HG_RANGE_MARK:
		if (overview->ranges->len < overview->most_ranges)
			add_step(overview, process, event);
		else
			overview->ranges_left_out++;
		break;
	default:
		break;
	}
}
