/* SPDX-License-Identifier: Apache-2.0 */
/* The graphs of libbabeltrace2 that read files and relays have these functions in common. */
#ifndef HIPGRAIN_GRAPH_H
#define HIPGRAIN_GRAPH_H

#include <babeltrace2/babeltrace.h>

#include "analyzer/reader/decode_messages.h"

/* Adds a sink that decodes every message; it ends the graph when nobody wants more. Returns 0 or
 * -EIO. */
int graph_add_sink(bt_graph *graph, struct decode *decode, const bt_component_sink **sink);

/* Finds libbabeltrace2's plugin of that name, which the caller puts. Returns 0 or -ENOENT. */
int graph_find_plugin(const char *name, const bt_plugin **plugin);

/* Returns a class of the plugin "ctf", or NULL if it is not there. The caller puts the plugin. */
const bt_component_class_source *graph_source_class(const char *name, const bt_plugin **plugin);

/* Returns this thread's last error as one line: its innermost cause. The caller frees it. */
char *graph_take_error(void);

#endif
