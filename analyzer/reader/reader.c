/* SPDX-License-Identifier: Apache-2.0 */
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

#include "batches.h"
#include "fields.h"
#include "salvage.h"

/* How the members of one event class of one trace map to an event layout. */
struct decoder {
	int type; /* enum hg_event_type, or -1: not ours, or unknown */
	bool unknown;
	bool alias; /* of the type's own event */
	const struct field *fields;
	uint64_t member[FIELDS_MAX];
	bool present[FIELDS_MAX];
	uint64_t pid, tid; /* members of the common context, NO_MEMBER without one */
};
#define NO_MEMBER UINT64_MAX

struct reader {
	struct reader_stats *stats;       /* the reading thread's until it has ended */
	GHashTable *decoders;             /* bt_event_class -> struct decoder */
	const bt_event_class *last_class; /* events of one class come in rows */
	struct decoder *last_decoder;
	GByteArray *bytes;
	GArray *words;
	GPtrArray *salvaged; /* temporary folders */
	struct batches *batches;
	bt_graph *graph;
	bool stopped; /* the callback wants no more */
};

/* ---- finding the traces ---- */

static GPtrArray *found_directories;

static int note_metadata(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	if (type == FTW_F && strcmp(path + place->base, "metadata") == 0) {
		g_ptr_array_add(found_directories, g_strndup(path, (gsize)place->base - 1));
	}
	return 0;
}

/* Every folder with a CTF metadata file, sorted so that the result does not depend on readdir. */
static gint compare_paths(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *find_traces(const char *directory)
{
	found_directories = g_ptr_array_new_with_free_func(g_free);
	nftw(directory, note_metadata, 16, FTW_PHYS);
	g_ptr_array_sort(found_directories, compare_paths);
	return found_directories;
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

/* ---- decoding ---- */

static uint64_t find_member(const bt_field_class *structure, const char *name)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
		    bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0) {
			return i;
		}
	}
	return NO_MEMBER;
}

static struct decoder *make_decoder(const bt_event_class *class)
{
	struct decoder *decoder = g_new0(struct decoder, 1);
	const char *name = bt_event_class_get_name(class);
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(class);
	const bt_field_class *context =
	    bt_stream_class_borrow_event_common_context_field_class_const(
		bt_event_class_borrow_stream_class_const(class));
	const struct field *field;
	unsigned i;

	decoder->type = -1;
	decoder->pid = find_member(context, "vpid");
	decoder->tid = find_member(context, "vtid");
	for (i = 0; name && i < HG_EVENT_TYPES; i++) {
		if (strcmp(name, event_layouts[i].name) == 0) {
			decoder->type = (int)i;
			break;
		}
	}
	for (unsigned a = 0; name && a < EVENT_ALIASES; a++) {
		if (strcmp(name, event_aliases[a].layout.name) == 0) {
			decoder->type = (int)event_aliases[a].type;
			decoder->fields = event_aliases[a].layout.fields;
			decoder->alias = true;
		}
	}
	if (decoder->type < 0) {
		decoder->unknown = name && strncmp(name, "hipgrain:", 9) == 0;
		return decoder;
	}
	if (!decoder->alias) {
		decoder->fields = event_layouts[decoder->type].fields;
	}
	for (field = decoder->fields; payload && field->name; field++) {
		size_t at = (size_t)(field - decoder->fields);

		decoder->member[at] = find_member(payload, field->name);
		decoder->present[at] = decoder->member[at] != NO_MEMBER;
	}
	return decoder;
}

static uint64_t integer_value(const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
		return bt_field_integer_unsigned_get_value(field);
	}
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		return (uint64_t)bt_field_integer_signed_get_value(field);
	}
	return 0;
}

static void store_integer(void *target, size_t size, uint64_t value)
{
	/* All targets are little-endian integers of 1 to 8 bytes, as is the host (x86-64). */
	memcpy(target, &value, size);
}

static uint32_t store_sequence(struct reader *reader, const bt_field *field,
			       const struct field *layout, char *event)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	uint64_t count;
	const void *elements;

	if (!bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
		return 0;
	}
	count = bt_field_array_get_length(field);
	g_byte_array_set_size(reader->bytes, 0);
	g_array_set_size(reader->words, 0);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t value =
		    integer_value(bt_field_array_borrow_element_field_by_index_const(field, i));
		uint8_t byte = (uint8_t)value;

		if (layout->kind == FIELD_BYTES) {
			g_byte_array_append(reader->bytes, &byte, 1);
		} else {
			g_array_append_val(reader->words, value);
		}
	}
	elements = layout->kind == FIELD_BYTES
		       ? batches_keep(reader->batches, reader->bytes->data, reader->bytes->len)
		       : batches_keep(reader->batches, reader->words->data,
				      reader->words->len * sizeof(uint64_t));
	memcpy(event + layout->offset, &elements, sizeof(elements));
	return (uint32_t)count;
}

static void decode_field(struct reader *reader, const bt_field *field, const struct field *layout,
			 char *event)
{
	const char *text;
	uint64_t length;
	uint32_t count;

	switch (layout->kind) {
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
		store_integer(event + layout->offset, layout->size, integer_value(field));
		break;
	case FIELD_STRING:
		/* babeltrace2 2.0 keeps a reused field's old text when the new one is empty: only
		 * its length tells. */
		length = bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_STRING
			     ? bt_field_string_get_length(field)
			     : 0;
		text = length ? batches_keep(reader->batches, bt_field_string_get_value(field),
					     length + 1)
			      : "";
		memcpy(event + layout->offset, &text, sizeof(text));
		break;
	case FIELD_BYTES:
	case FIELD_WORDS:
		count = store_sequence(reader, field, layout, event);
		memcpy(event + layout->count_offset, &count, sizeof(count));
		break;
	}
}

static int32_t context_value(const bt_field *context, uint64_t member)
{
	return context && member != NO_MEMBER
		   ? (int32_t)integer_value(
			 bt_field_structure_borrow_member_field_by_index_const(context, member))
		   : 0;
}

static struct decoder *decoder_of(struct reader *reader, const bt_event_class *class)
{
	if (class != reader->last_class) {
		reader->last_class = class;
		reader->last_decoder = g_hash_table_lookup(reader->decoders, class);
		if (!reader->last_decoder) {
			reader->last_decoder = make_decoder(class);
			g_hash_table_insert(reader->decoders, (gpointer) class,
					    reader->last_decoder);
		}
	}
	return reader->last_decoder;
}

static void handle_event(struct reader *reader, const bt_message *message)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	const bt_event_class *class = bt_event_borrow_class_const(source);
	struct decoder *decoder = decoder_of(reader, class);
	const bt_field *payload = bt_event_borrow_payload_field_const(source);
	const bt_field *context = bt_event_borrow_common_context_field_const(source);
	struct hg_event *event;
	const struct field *fields;

	if (decoder->type < 0 && !decoder->unknown) {
		return;
	}
	event = batches_next(reader->batches);
	event->type = decoder->unknown ? HG_EVENT_TYPES : (enum hg_event_type)decoder->type;
	event->pid = context_value(context, decoder->pid);
	event->tid = context_value(context, decoder->tid);
	if (bt_clock_snapshot_get_ns_from_origin(
		bt_message_event_borrow_default_clock_snapshot_const(message), &event->ns) !=
	    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
		event->ns = 0;
	}
	if (decoder->unknown) {
		reader->stopped = !batches_commit(reader->batches);
		return;
	}
	fields = decoder->fields;
	for (size_t i = 0; fields[i].name; i++) {
		static const char *const empty = "";

		if (decoder->present[i]) {
			decode_field(reader,
				     bt_field_structure_borrow_member_field_by_index_const(
					 payload, decoder->member[i]),
				     &fields[i], (char *)event);
		} else if (fields[i].kind == FIELD_STRING) {
			memcpy((char *)event + fields[i].offset, &empty, sizeof(empty));
		}
	}
	if (decoder->alias && event->type == HG_EVENT_alloc) { /* of the host: events.h */
		event->alloc.device = -1;
		event->alloc.device_ptr = event->alloc.ptr;
	}
	reader->stats->events++;
	reader->stopped = !batches_commit(reader->batches);
}

static void count_losses(struct reader_stats *stats, const bt_message *message)
{
	uint64_t count = 0;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (bt_message_discarded_events_get_count(message, &count) ==
		    BT_PROPERTY_AVAILABILITY_NOT_AVAILABLE) {
			count = 1;
		}
		stats->lost += count;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (bt_message_discarded_packets_get_count(message, &count) ==
		    BT_PROPERTY_AVAILABILITY_NOT_AVAILABLE) {
			count = 1;
		}
		stats->lost_packets += count;
		break;
	default:
		break;
	}
}

/* ---- the babeltrace2 graph: ctf.fs source -> muxer -> our sink ---- */

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
	struct reader *reader = data;
	bt_message_array_const messages;
	uint64_t count;
	bt_message_iterator_next_status status =
	    bt_message_iterator_next(iterator, &messages, &count);

	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		/* The status values of the two enumerations are the same by design. */
		return (bt_graph_simple_sink_component_consume_func_status)status;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (!reader->stopped) {
			if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT) {
				handle_event(reader, messages[i]);
			} else {
				count_losses(reader->stats, messages[i]);
			}
		}
		bt_message_put_ref(messages[i]);
	}
	return reader->stopped ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
			       : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* The last error of this thread as one line: the innermost cause says what really happened. */
static char *take_error(void)
{
	const bt_error *error = bt_current_thread_take_error();
	char *text;

	if (!error) {
		return g_strdup("unknown babeltrace2 error");
	}
	text = g_strdup(bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	bt_error_release(error);
	g_strdelimit(text, "\n", ' ');
	return text;
}

static const bt_component_class_source *source_class(const bt_plugin **plugin)
{
	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK) {
		return NULL;
	}
	return bt_plugin_borrow_source_component_class_by_name_const(*plugin, "fs");
}

static const bt_component_class_filter *muxer_class(const bt_plugin **plugin)
{
	if (bt_plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK) {
		return NULL;
	}
	return bt_plugin_borrow_filter_component_class_by_name_const(*plugin, "muxer");
}

/* One source component a trace folder: a damaged trace then cannot hide a good one. */
static int add_source(bt_graph *graph, const bt_component_class_source *class, const char *path,
		      unsigned number, const bt_component_filter *muxer, uint64_t *muxer_port)
{
	const bt_component_source *source = NULL;
	bt_value *params = bt_value_map_create();
	bt_value *inputs = NULL;
	char *name = g_strdup_printf("trace-%u", number);
	int result = -ENOMEM;

	if (!params ||
	    bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) !=
		BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
	    bt_value_array_append_string_element(inputs, path) !=
		BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK) {
		goto out;
	}
	result = -EINVAL;
	if (bt_graph_add_source_component(graph, class, name, params, BT_LOGGING_LEVEL_NONE,
					  &source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		goto out;
	}
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(source); i++) {
		if (bt_graph_connect_ports(
			graph, bt_component_source_borrow_output_port_by_index_const(source, i),
			bt_component_filter_borrow_input_port_by_index_const(muxer,
									     (*muxer_port)++),
			NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
			goto out;
		}
	}
	result = 0;
out:
	bt_value_put_ref(params);
	g_free(name);
	return result;
}

/*
 * Returns 0; or a negative errno, and in *failed the number of the trace that could not be added,
 * or traces->len if it is not about one trace.
 */
static int build_graph(bt_graph *graph, GPtrArray *traces, struct reader *reader, unsigned *failed)
{
	const bt_plugin *ctf = NULL, *utils = NULL;
	const bt_component_class_source *source = source_class(&ctf);
	const bt_component_class_filter *filter = muxer_class(&utils);
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	uint64_t ports = 0;
	int result = -EIO;

	*failed = traces->len;
	if (!source || !filter ||
	    bt_graph_add_filter_component(graph, filter, "muxer", NULL, BT_LOGGING_LEVEL_NONE,
					  &muxer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
	    bt_graph_add_simple_sink_component(graph, "hipgrain", sink_initialize, sink_consume,
					       NULL, reader,
					       &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		goto out;
	}
	for (unsigned i = 0; i < traces->len; i++) {
		if (add_source(graph, source, traces->pdata[i], i, muxer, &ports) < 0) {
			*failed = i;
			result = -EINVAL;
			goto out;
		}
	}
	if (bt_graph_connect_ports(graph,
				   bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
		result = 0;
	}
out:
	bt_plugin_put_ref(ctf);
	bt_plugin_put_ref(utils);
	return result;
}

/* In place of a trace that cannot be read: what is whole of it, or nothing. Says which. */
static void replace_damaged(struct reader *reader, GPtrArray *traces, unsigned index)
{
	char *why = take_error();
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
	salvage_remove(folder);
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

		if (!graph) {
			break;
		}
		if (build_graph(graph, traces, reader, &failed) == 0) {
			return graph;
		}
		/* A graph in which adding a component failed is of no further use. */
		bt_graph_put_ref(graph);
		if (failed == traces->len) {
			*error = take_error();
			return NULL;
		}
		replace_damaged(reader, traces, failed);
	}
	*error = reader->stats->truncated ? reader->stats->truncated
					  : g_strdup("libbabeltrace2 is out of memory");
	reader->stats->truncated = NULL;
	return NULL;
}

/* The reading thread. What libbabeltrace2 says of an error belongs to the thread that met it. */
static void *run_graph(void *data)
{
	struct reader *reader = data;

	if (bt_graph_run(reader->graph) != BT_GRAPH_RUN_STATUS_OK && !reader->stopped) {
		g_free(reader->stats->truncated);
		reader->stats->truncated = take_error();
	}
	batches_finish(reader->batches);
	return NULL;
}

/* Hand on everything that is read; 0, or what the callback returned. */
static int deliver(struct reader *reader, reader_callback callback, void *data)
{
	pthread_t thread;
	const struct hg_event *events;
	struct batch *batch;
	unsigned count;
	int status = -pthread_create(&thread, NULL, run_graph, reader);

	if (status) {
		return status;
	}
	while ((events = batches_take(reader->batches, &batch, &count)) != NULL) {
		for (unsigned i = 0; i < count && status == 0; i++) {
			status = callback(&events[i], data);
		}
		batches_give_back(reader->batches, batch);
		if (status) {
			batches_stop(reader->batches);
		}
	}
	pthread_join(thread, NULL);
	return status;
}

int read_trace(const char *directory, reader_callback callback, void *data,
	       struct reader_stats *stats, char **error)
{
	GPtrArray *traces = find_traces(directory);
	struct reader reader = { .stats = stats };
	int result;

	memset(stats, 0, sizeof(*stats));
	*error = NULL;
	reader.decoders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	reader.batches = batches_new();
	reader.bytes = g_byte_array_new();
	reader.words = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	reader.salvaged = g_ptr_array_new_with_free_func((GDestroyNotify)salvage_remove);
	drop_unreadable_traces(traces, stats);
	if (traces->len == 0) {
		*error = stats->truncated;
		stats->truncated = NULL;
		result = *error ? -EINVAL : -ENOENT;
		goto out;
	}
	reader.graph = make_graph(&reader, traces, error);
	if (!reader.graph) {
		result = -EINVAL;
		goto out;
	}
	result = deliver(&reader, callback, data);
out:
	bt_graph_put_ref(reader.graph);
	batches_free(reader.batches);
	g_hash_table_destroy(reader.decoders);
	g_byte_array_free(reader.bytes, TRUE);
	g_array_free(reader.words, TRUE);
	g_ptr_array_free(reader.salvaged, TRUE);
	g_ptr_array_free(traces, TRUE);
	return result;
}
