/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that moved, in Chrome's trace event format: a complete event a series of moves, on as many
 * rows as overlap; a flow event from the launch that faulted; and a counter of the bytes so far.
 */
#include <stdlib.h>

#include "chrome.h"
#include "history.h"
#include "json_values.h"

/* Rows of one process, and what has moved in it. */
struct moves_track {
	GArray *ends; /* int64_t, of each row's latest event */
	int64_t to_devices, to_host;
};

static void track_free(gpointer data)
{
	struct moves_track *track = data;

	g_array_free(track->ends, TRUE);
	g_free(track);
}

static int by_start(gconstpointer a, gconstpointer b)
{
	const struct migration_span *x = *(const struct migration_span *const *)a;
	const struct migration_span *y = *(const struct migration_span *const *)b;

	return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static int by_end(gconstpointer a, gconstpointer b)
{
	const struct migration_span *x = *(const struct migration_span *const *)a;
	const struct migration_span *y = *(const struct migration_span *const *)b;

	return (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

/* Returns the first row on which nothing else is drawn then. */
static int row_of(struct chrome_trace *trace, struct moves_track *track,
		  const struct migration_span *span)
{
	int64_t end = MAX(span->last_ns, span->first_ns + 1);
	unsigned at = 0;
	char *key, *name;
	int row;

	while (at < track->ends->len && g_array_index(track->ends, int64_t, at) > span->first_ns)
		at++;
	if (at == track->ends->len)
		g_array_append_val(track->ends, end);
	else
		g_array_index(track->ends, int64_t, at) = end;
	key = g_strdup_printf("moves %p %u", (const void *)span->process, at);
	name = at ? g_strdup_printf("pages that move, %u", at + 1) : g_strdup("pages that move");
	row = chrome_row(trace, span->process->pid, key, name);
	g_free(key);
	g_free(name);
	return row;
}

/* Returns the launch's lane, if it was drawn at that time; else NULL. */
static const struct lane *launch_lane(const struct chrome_trace *trace,
				      const struct migration_span *span)
{
	for (unsigned i = 0; i < trace->overview->lanes->len; i++) {
		const struct lane *lane = trace->overview->lanes->pdata[i];

		if (lane->process != span->process || lane->kind != SPAN_LAUNCH ||
		    lane->device != span->launch_device || lane->stream != span->launch_stream)
			continue;
		for (unsigned k = 0; k < lane->spans->len; k++) {
			const struct span *drawn = &g_array_index(lane->spans, struct span, k);

			if (drawn->start_ns <= span->launch_ns && span->launch_ns <= drawn->end_ns)
				return lane;
		}
	}
	return NULL;
}

static void add_flow(struct chrome_trace *trace, const char *phase,
		     const struct migration_span *span, int row, int64_t ns, int64_t id)
{
	struct json_object *object =
	    chrome_event(trace, phase, "moves for", span->process->pid, row);

	put(object, "cat", json_object_new_string("migration"));
	put(object, "id", json_object_new_int64(id));
	put(object, "ts", chrome_moment(trace, ns));
	if (*phase == 'f')
		put(object, "bp", json_object_new_string("e"));
}

static void add_span(struct chrome_trace *trace, const struct analysis *analysis,
		     struct moves_track *track, const struct migration_span *span, int64_t id)
{
	struct json_object *arguments = json_object_new_object();
	const struct lane *lane = span->kernel_id ? launch_lane(trace, span) : NULL;
	char *name =
	    span->to < 0
		? g_strdup_printf("to the host: %s", move_cause_text(span->trigger))
		: g_strdup_printf("to GPU %d: %s", span->to, move_cause_text(span->trigger));
	char *what = move_span_text(analysis, span);
	int row = row_of(trace, track, span);
	struct json_object *object = chrome_event(trace, "X", name, span->process->pid, row);

	put(object, "cat", json_object_new_string("migration"));
	put(object, "ts", chrome_moment(trace, span->first_ns));
	put(object, "dur",
	    json_object_new_double((double)MAX(span->last_ns - span->first_ns, 1) / 1000.0));
	put(arguments, "bytes", json_object_new_int64((int64_t)span->bytes));
	put(arguments, "moves", json_object_new_int64((int64_t)span->moves));
	put(arguments, "what", text_value(what));
	put_allocation(arguments, analysis, span->process, span->allocation);
	put(object, "args", arguments);
	if (lane && span->launch_ns <= span->first_ns) {
		add_flow(trace, "s", span, chrome_lane_row(trace, lane), span->launch_ns, id);
		add_flow(trace, "f", span, row, span->first_ns, id);
	}
	g_free(name);
	g_free(what);
}

static void add_count(struct chrome_trace *trace, struct moves_track *track,
		      const struct migration_span *span)
{
	struct json_object *arguments = json_object_new_object();
	struct json_object *object =
	    chrome_event(trace, "C", "bytes that moved", span->process->pid, 0);

	*(span->to < 0 ? &track->to_host : &track->to_devices) += (int64_t)span->bytes;
	put(arguments, "to GPUs", json_object_new_int64(track->to_devices));
	put(arguments, "to the host", json_object_new_int64(track->to_host));
	put(object, "ts", chrome_moment(trace, span->last_ns));
	put(object, "args", arguments);
}

void chrome_migration(struct chrome_trace *trace, const struct analysis *analysis)
{
	GPtrArray *spans = g_ptr_array_new();
	GHashTable *tracks = g_hash_table_new_full(NULL, NULL, NULL, track_free);

	for (unsigned i = 0; i < migration_result(&analysis->findings)->spans->len; i++) {
		struct migration_span *span =
		    migration_result(&analysis->findings)->spans->pdata[i];

		if (!g_hash_table_contains(tracks, span->process)) {
			struct moves_track *track = g_new0(struct moves_track, 1);

			track->ends = g_array_new(FALSE, FALSE, sizeof(int64_t));
			g_hash_table_insert(tracks, span->process, track);
		}
		g_ptr_array_add(spans, span);
	}
	g_ptr_array_sort(spans, by_start);
	for (unsigned i = 0; i < spans->len; i++) {
		const struct migration_span *span = spans->pdata[i];

		add_span(trace, analysis, g_hash_table_lookup(tracks, span->process), span, i + 1);
	}
	g_ptr_array_sort(spans, by_end);
	for (unsigned i = 0; i < spans->len; i++) {
		const struct migration_span *span = spans->pdata[i];

		add_count(trace, g_hash_table_lookup(tracks, span->process), span);
	}
	g_hash_table_destroy(tracks);
	g_ptr_array_free(spans, TRUE);
}
