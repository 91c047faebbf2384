/* SPDX-License-Identifier: Apache-2.0 */
/* A trace directory to events in order of time. */
#include "reader.h"

#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <ftw.h>
#include <glib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_queue.h"
#include "chunks.h"
#include "decode_messages.h"
#include "tracer/open_calls.h"
#include "tracer/ring.h"
#include "graph.h"
#include "crash_guard.h"
#include "salvage.h"
#include "temporary.h"

struct reader {
	struct reader_stats *stats; /* the reading thread's until it has ended */
	struct event_queue *queue;
	struct decode *decode;
	GPtrArray *salvaged; /* temporary directories */
	bt_graph *graph;
	bool apart; /* a chunk of a trace is damaged: each is read as a trace of its own */
};

/* ---- finding the traces ---- */

static GPtrArray *found_directories;

static int note_metadata(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	if (type == FTW_F && strcmp(path + place->base, "metadata") == 0)
		g_ptr_array_add(found_directories, g_strndup(path, (gsize)place->base - 1));
	return 0;
}

/* Returns every directory with a CTF metadata file, sorted so that the result does not depend on
 * readdir(). */
static GPtrArray *find_traces(const char *directory)
{
	found_directories = g_ptr_array_new_with_free_func(g_free);
	nftw(directory, note_metadata, 16, FTW_PHYS);
	chunks_sort(found_directories);
	return found_directories;
}

bool holds_trace(const char *directory)
{
	GPtrArray *traces = find_traces(directory);
	bool any = traces->len > 0;

	g_ptr_array_free(traces, TRUE);
	return any;
}

/*
 * Take out what cannot be read: damaged metadata; and, without a word, traces of other users in
 * which nothing was recorded.
 */
static void drop_unreadable_traces(GPtrArray *traces, struct reader_stats *stats)
{
	for (unsigned i = 0; i < traces->len;) {
		const char *trace = traces->pdata[i];
		bool sound = trace_metadata_is_sound(trace);

		if (sound && trace_is_described(trace)) {
			i++;
			continue;
		}
		if (trace_holds_events(trace)) {
			g_free(stats->truncated);
			stats->truncated = g_strdup_printf(
			    "%s/metadata %s", trace,
			    sound ? "does not describe the trace's events" : "is damaged");
		}
		g_ptr_array_remove_index(traces, i);
	}
}

/*
 * In place of traces that would end the process, or be misread: what is whole of them, without
 * index.
 */
static void drop_damaged_packets(struct reader *reader, GPtrArray *traces)
{
	for (unsigned i = 0; i < traces->len; i++) {
		char *what = NULL, *folder;

		if (trace_index_is_sound(traces->pdata[i]) &&
		    trace_is_of_whole_packets(traces->pdata[i]))
			continue;
		folder = salvage_trace(traces->pdata[i], &what);
		if (folder) {
			g_free(reader->stats->truncated);
			reader->stats->truncated = what;
		} else {
			folder = trace_without_index(traces->pdata[i]);
		}
		if (folder) {
			g_ptr_array_add(reader->salvaged, folder);
			g_free(traces->pdata[i]);
			traces->pdata[i] = g_strdup(folder);
		}
	}
}

/* All traces of one recording have one clock. Of a rotated one the oldest chunk defines it. */
static void begin_when_whole(struct decode *decode, const GPtrArray *traces)
{
	uint64_t since = 0;

	for (unsigned i = 0; i < traces->len; i++)
		if (!chunk_continues(traces, i))
			since = MAX(since, trace_whole_since(traces->pdata[i]));
	decode_begin_at(decode, since);
}

/* ---- the babeltrace2 graph: ctf.fs source -> muxer -> our sink ---- */

static const bt_component_class_filter *muxer_class(const bt_plugin **plugin)
{
	if (graph_find_plugin("utils", plugin) != 0)
		return NULL;
	return bt_plugin_borrow_filter_component_class_by_name_const(*plugin, "muxer");
}

/*
 * Adds one source component for a trace directory: a damaged trace then cannot hide a good one. The
 * chunks of one trace, `count` directories from number `first` on, are one component: it knows what
 * is missing between them. Returns 0 or a negative errno.
 */
static int add_source(bt_graph *graph, const bt_component_class_source *class,
		      const GPtrArray *traces, unsigned first, unsigned count,
		      const bt_component_filter *muxer, uint64_t *muxer_port)
{
	const bt_component_source *source = NULL;
	bt_value *params = bt_value_map_create();
	bt_value *inputs = NULL;
	char *name = g_strdup_printf("trace-%u", first);
	int result = -ENOMEM;

	if (!params || bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) !=
			   BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK)
		goto out;
	for (unsigned i = first; i < first + count; i++)
		if (bt_value_array_append_string_element(inputs, traces->pdata[i]) !=
		    BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
			goto out;
	result = -EINVAL;
	if (bt_graph_add_source_component(graph, class, name, params, BT_LOGGING_LEVEL_NONE,
					  &source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		goto out;
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(source); i++)
		if (bt_graph_connect_ports(
			graph, bt_component_source_borrow_output_port_by_index_const(source, i),
			bt_component_filter_borrow_input_port_by_index_const(muxer,
									     (*muxer_port)++),
			NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			goto out;
	result = 0;
out:
	bt_value_put_ref(params);
	g_free(name);
	return result;
}

/*
 * Returns 0; or a negative errno, and in *failed the number of the trace that could not be added,
 * or traces->len if it is not about one trace; -EAGAIN when it has several chunks.
 */
static int build_graph(bt_graph *graph, GPtrArray *traces, struct reader *reader, unsigned *failed)
{
	const bt_plugin *ctf = NULL, *utils = NULL;
	const bt_component_class_source *source = graph_source_class("fs", &ctf);
	const bt_component_class_filter *filter = muxer_class(&utils);
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	uint64_t ports = 0;
	int result = -EIO;

	*failed = traces->len;
	if (!source || !filter ||
	    bt_graph_add_filter_component(graph, filter, "muxer", NULL, BT_LOGGING_LEVEL_NONE,
					  &muxer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
	    graph_add_sink(graph, reader->decode, &sink) < 0)
		goto out;
	for (unsigned i = 0, count; i < traces->len; i += count) {
		for (count = 1; !reader->apart && i + count < traces->len &&
				chunk_continues(traces, i + count);
		     count++) {
		}
		if (add_source(graph, source, traces, i, count, muxer, &ports) < 0) {
			*failed = i;
			result = count > 1 ? -EAGAIN : -EINVAL;
			goto out;
		}
	}
	if (bt_graph_connect_ports(graph,
				   bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK)
		result = 0;
out:
	bt_plugin_put_ref(ctf);
	bt_plugin_put_ref(utils);
	return result;
}

/* In place of a trace that cannot be read: its whole packets, or nothing. Reports which. */
static void replace_damaged(struct reader *reader, GPtrArray *traces, unsigned index)
{
	char *why = graph_take_error();
	char *what = NULL;
	char *folder = salvage_trace(traces->pdata[index], &what);

	g_free(reader->stats->truncated);
	if (folder && !g_ptr_array_find_with_equal_func(reader->salvaged, traces->pdata[index],
							g_str_equal, NULL)) {
		g_ptr_array_add(reader->salvaged, folder);
		g_free(traces->pdata[index]);
		traces->pdata[index] = g_strdup(folder);
		reader->stats->truncated = what;
		g_free(why);
		return;
	}
	temporary_remove(folder);
	g_free(what);
	g_ptr_array_remove_index(traces, index);
	reader->stats->truncated = why;
}

/* A graph over all traces that can be read, or NULL with *error. */
static bt_graph *make_graph(struct reader *reader, GPtrArray *traces, char **error)
{
	while (traces->len) {
		bt_graph *graph = bt_graph_create(0);
		unsigned failed;
		int result;

		if (!graph)
			break;
		result = build_graph(graph, traces, reader, &failed);
		if (result == 0)
			return graph;
		/* A graph in which adding a component failed is of no further use. */
		bt_graph_put_ref(graph);
		if (failed == traces->len) {
			*error = graph_take_error();
			return NULL;
		}
		if (result == -EAGAIN) {
			g_free(graph_take_error());
			reader->apart = true;
			continue;
		}
		replace_damaged(reader, traces, failed);
	}
	*error = reader->stats->truncated ? reader->stats->truncated
					  : g_strdup("libbabeltrace2 is out of memory");
	reader->stats->truncated = NULL;
	return NULL;
}

/* This is the reading thread. libbabeltrace2 gives an error to the thread that met it. */
static void *run_graph(void *data)
{
	struct reader *reader = data;

	guard_reading(true);
	if (reader->graph && bt_graph_run(reader->graph) != BT_GRAPH_RUN_STATUS_OK &&
	    !decode_stopped(reader->decode)) {
		g_free(reader->stats->truncated);
		reader->stats->truncated = graph_take_error();
	}
	guard_reading(false);
	decode_end(reader->decode);
	event_queue_finish(reader->queue);
	return NULL;
}

void reader_stats_clear(struct reader_stats *stats)
{
	g_clear_pointer(&stats->truncated, g_free);
	g_clear_pointer(&stats->counts, counts_free);
}

/* Takes, before the trace, what a bundle has beside it. Returns true if processes stored records
 * there. */
static bool take_bundle(struct decode *decode, const char *bundle, bool traced)
{
	char *rings = g_build_filename(bundle, HG_RINGS, NULL);
	char *calls = g_build_filename(bundle, HG_OPEN_CALLS, NULL);
	bool any;

	decode_layout(decode, bundle);
	any = decode_rings(decode, rings, traced);
	decode_open_calls(decode, calls);
	g_free(calls);
	g_free(rings);
	return any;
}

static int read_it(const char *directory, const char *bundle, bool definitions,
		   reader_callback callback, void *data, struct reader_stats *stats, char **error)
{
	GPtrArray *traces = find_traces(directory);
	char *above = g_build_filename(directory, "..", NULL);
	struct reader reader = { .stats = stats };
	pthread_t thread;
	bool rings, traced;
	int result;

	memset(stats, 0, sizeof(*stats));
	*error = NULL;
	guard_begin(directory);
	stats->counts = counts_new();
	reader.queue = event_queue_new();
	reader.decode = decode_new(reader.queue, stats);
	if (definitions)
		decode_leave_out_blocks(reader.decode);
	rings = take_bundle(reader.decode, bundle ? bundle : above, traces->len > 0);
	reader.salvaged = g_ptr_array_new_with_free_func((GDestroyNotify)temporary_remove);
	traced = traces->len > 0;
	drop_unreadable_traces(traces, stats);
	drop_damaged_packets(&reader, traces);
	begin_when_whole(reader.decode, traces);
	/* A trace that cannot be read is not made up for by what is behind it. */
	rings &= !traced;
	if (traces->len == 0 && !rings) {
		*error = stats->truncated;
		stats->truncated = NULL;
		result = *error ? -EINVAL : -ENOENT;
		goto out;
	}
	guard_reading(true);
	reader.graph = traces->len ? make_graph(&reader, traces, error) : NULL;
	guard_reading(false);
	if (!reader.graph && !rings) {
		result = -EINVAL;
		goto out;
	}
	result = -pthread_create(&thread, NULL, run_graph, &reader);
	if (result == 0) {
		result = event_queue_deliver(reader.queue, callback, data);
		pthread_join(thread, NULL);
	}
out:
	bt_graph_put_ref(reader.graph);
	decode_free(reader.decode);
	event_queue_free(reader.queue);
	g_free(above);
	g_ptr_array_free(reader.salvaged, TRUE);
	guard_end(); /* there are no temporary directories any more */
	g_ptr_array_free(traces, TRUE);
	return result;
}

int read_trace(const char *directory, const char *bundle, reader_callback callback, void *data,
	       struct reader_stats *stats, char **error)
{
	return read_it(directory, bundle, false, callback, data, stats, error);
}

int read_definitions(const char *directory, const char *bundle, reader_callback callback,
		     void *data, struct reader_stats *stats, char **error)
{
	return read_it(directory, bundle, true, callback, data, stats, error);
}
