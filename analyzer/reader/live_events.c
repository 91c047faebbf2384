/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a recording that is being made, from a relay daemon. */
#include "live.h"

#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "event_queue.h"
#include "decode_messages.h"
#include "graph.h"
#include "crash_guard.h"

/* The relay is polled so often when it had nothing new. LTTng sends about once a second. */
#define PAUSE_US (100 * 1000)

struct live {
	struct reader_stats *stats; /* the reading thread's until it has ended */
	struct event_queue *queue;
	struct decode *decode;
	bt_graph *graph;
};

static volatile sig_atomic_t stopped;

void live_stop(void)
{
	stopped = 1;
}

bool live_stopped(void)
{
	return stopped;
}

/* Returns {"inputs": [url], ...}, or NULL. */
static bt_value *source_parameters(const char *url)
{
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	if (params &&
	    bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ==
		BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	    bt_value_array_append_string_element(inputs, url) ==
		BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK &&
	    bt_value_map_insert_string_entry(params, "session-not-found-action", "end") ==
		BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK)
		return params;
	bt_value_put_ref(params);
	return NULL;
}

static int build_graph(struct live *live, const char *url)
{
	const bt_plugin *ctf = NULL;
	const bt_component_class_source *class = graph_source_class("lttng-live", &ctf);
	const bt_component_source *source = NULL;
	const bt_component_sink *sink = NULL;
	bt_value *params = source_parameters(url);
	int result = -EIO;

	/* Under 0 the source refuses sessions in CTF 2; libbabeltrace 2.0 has only that. */
	live->graph = bt_graph_create(bt_get_maximal_mip_version());
	if (live->graph && class && params &&
	    bt_graph_add_source_component(live->graph, class, "relay", params,
					  BT_LOGGING_LEVEL_NONE,
					  &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
	    graph_add_sink(live->graph, live->decode, &sink) == 0 &&
	    bt_graph_connect_ports(live->graph,
				   bt_component_source_borrow_output_port_by_index_const(source, 0),
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK)
		result = 0;
	bt_value_put_ref(params);
	bt_plugin_put_ref(ctf);
	return result;
}

/* This is the reading thread. */
static void *run_graph(void *data)
{
	struct live *live = data;
	bt_graph_run_status status = BT_GRAPH_RUN_STATUS_AGAIN;

	while (!stopped && status == BT_GRAPH_RUN_STATUS_AGAIN) {
		guard_reading(true);
		status = bt_graph_run(live->graph);
		guard_reading(false);
		event_queue_flush(live->queue);
		if (status == BT_GRAPH_RUN_STATUS_AGAIN)
			g_usleep(PAUSE_US);
	}
	if (!stopped && status != BT_GRAPH_RUN_STATUS_OK && !decode_stopped(live->decode))
		live->stats->truncated = graph_take_error();
	decode_end(live->decode);
	event_queue_finish(live->queue);
	return NULL;
}

int read_live(const char *url, reader_callback callback, void *data, struct reader_stats *stats,
	      char **error)
{
	struct live live = { .stats = stats };
	pthread_t thread;
	int result;

	memset(stats, 0, sizeof(*stats));
	*error = NULL;
	guard_begin(url);
	live.queue = event_queue_new();
	live.decode = decode_new(live.queue, stats);
	decode_layout(live.decode, NULL);
	result = build_graph(&live, url);
	if (result < 0) {
		*error = graph_take_error();
		goto out;
	}
	result = -pthread_create(&thread, NULL, run_graph, &live);
	if (result == 0) {
		result = event_queue_deliver(live.queue, callback, data);
		pthread_join(thread, NULL);
	}
	/* It never began: another reader has the session, or it is not there. */
	if (result == 0 && stats->truncated && !stats->events) {
		*error = stats->truncated;
		stats->truncated = NULL;
		result = -EIO;
	}
out:
	guard_end();
	bt_graph_put_ref(live.graph);
	decode_free(live.decode);
	event_queue_free(live.queue);
	return result;
}

/* ---- which sessions there are ---- */

static gint compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const bt_value *query_sessions(const char *url)
{
	const bt_plugin *ctf = NULL;
	const bt_component_class_source *class = graph_source_class("lttng-live", &ctf);
	bt_value *params = bt_value_map_create();
	bt_query_executor *executor = NULL;
	const bt_value *sessions = NULL;

	if (class && params &&
	    bt_value_map_insert_string_entry(params, "url", url) ==
		BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK) {
		executor = bt_query_executor_create(
		    bt_component_class_source_as_component_class_const(class), "sessions", params);
	}
	if (executor &&
	    bt_query_executor_query(executor, &sessions) != BT_QUERY_EXECUTOR_QUERY_STATUS_OK)
		sessions = NULL;
	bt_query_executor_put_ref(executor);
	bt_value_put_ref(params);
	bt_plugin_put_ref(ctf);
	return sessions;
}

GPtrArray *live_sessions(const char *url, char **error)
{
	const bt_value *sessions = query_sessions(url);
	GPtrArray *list;

	*error = NULL;
	if (!sessions || !bt_value_is_array(sessions)) {
		*error = graph_take_error();
		bt_value_put_ref(sessions);
		return NULL;
	}
	list = g_ptr_array_new_with_free_func(g_free);
	for (uint64_t i = 0; i < bt_value_array_get_length(sessions); i++) {
		const bt_value *session = bt_value_array_borrow_element_by_index_const(sessions, i);
		const bt_value *name = bt_value_is_map(session)
					   ? bt_value_map_borrow_entry_value_const(session, "url")
					   : NULL;

		if (name && bt_value_is_string(name))
			g_ptr_array_add(list, g_strdup(bt_value_string_get(name)));
	}
	g_ptr_array_sort(list, compare_texts);
	bt_value_put_ref(sessions);
	return list;
}
