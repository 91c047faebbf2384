/* SPDX-License-Identifier: Apache-2.0 */
/* What the graphs of libbabeltrace2 have in common that read files and relays. */
#ifndef HIPGRAIN_GRAPH_H
#define HIPGRAIN_GRAPH_H

#include <babeltrace2/babeltrace.h>

#include "analyzer/reader/decode.h"

/* A sink that decodes every message; it ends the graph when nobody wants more. 0 or -EIO. */
int graph_add_sink(bt_graph *graph, struct decode *decode, const bt_component_sink **sink);

/* libbabeltrace2's plugin of that name, which the caller puts. 0 or -ENOENT. */
int graph_find_plugin(const char *name, const bt_plugin **plugin);

/* A class of the plugin "ctf", which the caller puts; NULL if it is not there. */
const bt_component_class_source *graph_source_class(const char *name, const bt_plugin **plugin);

/* This thread's last error as one line: its innermost cause. The caller frees. */
char *graph_take_error(void);

#endif
