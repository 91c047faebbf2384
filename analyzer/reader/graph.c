/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of libbabeltrace2 whose messages come here. */
#include "graph.h"

#include <errno.h>
#include <glib.h>

#include "crash_guard.h"
#ifdef HIPGRAIN_PORTABLE
#include "tracer/install.h"
#endif

static bt_graph_simple_sink_component_initialize_func_status
sink_initialize(bt_message_iterator *iterator, void *data)
{
	(void)iterator; /* consume gets it again */
	(void)data;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status
sink_consume(bt_message_iterator *iterator, void *data)
{
	struct decode *decode = data;
	bt_message_array_const messages;
	uint64_t count;
	bt_message_iterator_next_status status =
	    bt_message_iterator_next(iterator, &messages, &count);

	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		/* The status values of the two enumerations are the same by design. */
		return (bt_graph_simple_sink_component_consume_func_status)status;
	}
	guard_reading(false); /* a crash of decode_message() is ours */
	for (uint64_t i = 0; i < count; i++) {
		decode_message(decode, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	guard_reading(true);
	return decode_stopped(decode) ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
				      : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

int graph_add_sink(bt_graph *graph, struct decode *decode, const bt_component_sink **sink)
{
	return bt_graph_add_simple_sink_component(graph, "hipgrain", sink_initialize, sink_consume,
						  NULL, decode,
						  sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK
		   ? 0
		   : -EIO;
}

/* Finds the plugin of a portable tree, which belongs to the libbabeltrace2 beside it. Returns 0 or
 * -ENOENT. */
static int find_bundled(const char *name, const bt_plugin **plugin)
{
	const bt_plugin_set *set = NULL;
#ifdef HIPGRAIN_PORTABLE
	char *file = g_strdup_printf("babeltrace-plugin-%s.so", name);
	char *path = install_bundled(file);

	if (path && bt_plugin_find_all_from_file(path, BT_FALSE, &set) ==
			BT_PLUGIN_FIND_ALL_FROM_FILE_STATUS_OK) {
		*plugin = bt_plugin_set_borrow_plugin_by_index_const(set, 0);
		bt_plugin_get_ref(*plugin);
	}
	free(path);
	g_free(file);
#else
	(void)name;
	(void)plugin;
#endif
	if (!set)
		return -ENOENT;
	bt_plugin_set_put_ref(set);
	return 0;
}

int graph_find_plugin(const char *name, const bt_plugin **plugin)
{
	if (find_bundled(name, plugin) == 0)
		return 0;
	return bt_plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, plugin) ==
		       BT_PLUGIN_FIND_STATUS_OK
		   ? 0
		   : -ENOENT;
}

const bt_component_class_source *graph_source_class(const char *name, const bt_plugin **plugin)
{
	if (graph_find_plugin("ctf", plugin) != 0)
		return NULL;
	return bt_plugin_borrow_source_component_class_by_name_const(*plugin, name);
}

char *graph_take_error(void)
{
	const bt_error *error = bt_current_thread_take_error();
	char *text;

	if (!error)
		return g_strdup("unknown babeltrace2 error");
	text = g_strdup(bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	bt_error_release(error);
	g_strdelimit(text, "\n", ' ');
	return text;
}
