/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analyzer as a component of Babeltrace 2: sink.hipgrain.findings reports what is wrong in the
 * hipgrain events that reach it, from wherever the graph has them: files, a relay daemon, filters.
 *
 * Parameters: "bundle" (the directory of a recording: its code objects and manifest), "format" (as
 * hipgrain report --format), "output" (a file; else standard output).
 */
#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/output.h"
#include "analyzer/analyze.h"
#include "analyzer/reader/event_queue.h"
#include "analyzer/reader/decode_messages.h"
#include "tracer/open_calls.h"
#include "tracer/ring.h"

struct findings_sink {
	bt_message_iterator *iterator;
	struct analysis analysis;
	struct analysis_run *run;
	struct event_queue *queue;
	struct decode *decode;
	pthread_t analyst; /* takes the events while the graph reads on */
	bool analysing;
	enum report_format format;
	char *output;
};

static void *analyse(void *data)
{
	struct findings_sink *sink = data;

	event_queue_deliver(sink->queue, analysis_event, sink->run);
	return NULL;
}

/* The graph's side is done: wait for the other. */
static void join_analyst(struct findings_sink *sink)
{
	if (sink->analysing) {
		decode_end(sink->decode);
		event_queue_finish(sink->queue);
		pthread_join(sink->analyst, NULL);
		sink->analysing = false;
	}
}

static int write_report(const struct findings_sink *sink)
{
	FILE *file = sink->output ? output_open(sink->output) : output_on(dup(STDOUT_FILENO));
	int result;

	if (!file)
		return -errno;
	result = report_write(&sink->analysis, sink->format, 0, file);
	if (fclose(file) != 0 && result == 0)
		result = -errno;
	return result;
}

/* Returns a text parameter in *text, NULL if it was not given; false if it is something else. */
static bool text_parameter(const bt_value *parameters, const char *name, const char **text)
{
	const bt_value *value = bt_value_map_borrow_entry_value_const(parameters, name);

	*text = NULL;
	if (value && !bt_value_is_string(value))
		return false;
	if (value)
		*text = bt_value_string_get(value);
	return true;
}

static bt_component_class_initialize_method_status refuse(const char *what, const char *given)
{
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_UNKNOWN(
	    "hipgrain", "sink.hipgrain.findings: %s%s", what, given ? given : "");
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
}

static void destroy(struct findings_sink *sink)
{
	join_analyst(sink);
	if (sink->run)
		analysis_drop(sink->run);
	analysis_clear(&sink->analysis);
	if (sink->decode)
		decode_free(sink->decode);
	if (sink->queue)
		event_queue_free(sink->queue);
	g_free(sink->output);
	g_free(sink);
}

/*
 * Takes what the trace has not of a recording that the recorder put into it. The trace of another
 * recording was exported, and says itself if all of that is there.
 */
static void take_rings(struct findings_sink *sink, const char *bundle)
{
	char *rings = g_build_filename(bundle, HG_RINGS, NULL);
	char *drained = g_build_filename(rings, HG_RINGS_DRAINED, NULL);

	if (g_file_test(drained, G_FILE_TEST_EXISTS))
		decode_rings(sink->decode, rings, true);
	else
		sink->analysis.facts.compared = false;
	g_free(drained);
	g_free(rings);
}

static bt_component_class_initialize_method_status
initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *configuration,
	   const bt_value *parameters, void *data)
{
	const char *bundle, *format, *output;
	struct findings_sink *sink;
	char *folder;
	int chosen;

	(void)configuration;
	(void)data;
	if (!text_parameter(parameters, "bundle", &bundle) ||
	    !text_parameter(parameters, "format", &format) ||
	    !text_parameter(parameters, "output", &output))
		return refuse("bundle, format and output are strings", NULL);
	chosen = format ? report_format_by_name(format) : REPORT_TEXT;
	if (chosen < 0)
		return refuse("unknown format ", format);
	if (bundle && !g_file_test(bundle, G_FILE_TEST_IS_DIR))
		return refuse("no such directory: ", bundle);
	if (bt_self_component_sink_add_input_port(self, "in", NULL, NULL) !=
	    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	sink = g_new0(struct findings_sink, 1);
	sink->format = (enum report_format)chosen;
	sink->output = g_strdup(output);
	sink->run = analysis_begin(&sink->analysis, bundle, report_needs_overview(sink->format));
	sink->queue = event_queue_new();
	sink->decode = decode_new(sink->queue, &sink->analysis.stats);
	decode_layout(sink->decode, bundle);
	if (bundle) {
		take_rings(sink, bundle);
		folder = g_build_filename(bundle, HG_OPEN_CALLS, NULL);
		decode_open_calls(sink->decode, folder);
		g_free(folder);
	}
	if (pthread_create(&sink->analyst, NULL, analyse, sink) != 0) {
		destroy(sink);
		return refuse("cannot start a thread", NULL);
	}
	sink->analysing = true;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static struct findings_sink *sink_of(bt_self_component_sink *self)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
}

static void finalize(bt_self_component_sink *self)
{
	struct findings_sink *sink = sink_of(self);

	if (sink->iterator)
		bt_message_iterator_put_ref(sink->iterator);
	destroy(sink);
}

static bt_component_class_sink_graph_is_configured_method_status
graph_is_configured(bt_self_component_sink *self)
{
	bt_self_component_port_input *port =
	    bt_self_component_sink_borrow_input_port_by_index(self, 0);

	return (bt_component_class_sink_graph_is_configured_method_status)
	    bt_message_iterator_create_from_sink_component(self, port, &sink_of(self)->iterator);
}

static bt_component_class_sink_consume_method_status finish(struct findings_sink *sink)
{
	struct analysis_run *run = sink->run;
	int result;

	join_analyst(sink);
	sink->run = NULL;
	analysis_end(run);
	result = write_report(sink);
	if (result < 0) {
		refuse("the report cannot be written: ", strerror(-result));
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct findings_sink *sink = sink_of(self);
	bt_message_array_const messages;
	bt_message_iterator_next_status status;
	uint64_t count;

	status = bt_message_iterator_next(sink->iterator, &messages, &count);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		return finish(sink);
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		/* The status values of the two enumerations are the same by design. */
		return (bt_component_class_sink_consume_method_status)status;
	}
	for (uint64_t i = 0; i < count; i++) {
		decode_message(sink->decode, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

BT_PLUGIN_MODULE();
BT_PLUGIN(hipgrain);
BT_PLUGIN_DESCRIPTION("Wrong, fragile and slow uses of memory in HIP programs");
BT_PLUGIN_LICENSE("Apache-2.0");
BT_PLUGIN_SINK_COMPONENT_CLASS(findings, consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(findings, initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(findings, finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(findings, graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(findings, "Reports what is wrong in hipgrain's events");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(findings, "See sink.hipgrain.findings in hipgrain(1).");
