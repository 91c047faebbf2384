/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of libbabeltrace2 to struct hg_event, batches to the records in them. */
#include "decode_messages.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "fields.h"
#include "launches.h"
#include "event_members.h"
#include "read_open_calls.h"
#include "record_order.h"
#include "record_event.h"
#include "page_parts.h"
#include "read_rings.h"
#include "stored_event.h"
#include "tracer/event_layout.h"
#include "tracer/ring_part.h"

#define RECENT 16u /* classes that are found without a look into the table */

struct decode {
	struct event_queue *queue;
	struct reader_stats *stats;
	GHashTable *decoders; /* bt_event_class -> struct decoder */
	struct {
		const bt_event_class *class;
		struct decoder *decoder;
	} recent[RECENT]; /* by the class's address */
	/* Processes, by pid, whose `process` event was read: to that event's number. */
	GHashTable *announced;
	GHashTable *newest; /* by pid: the latest file of which pages came */
	unsigned announcements;
	struct launch_arguments *arguments;
	GByteArray *bytes;
	GArray *words;
	uint64_t begin;    /* by the trace's clock */
	int64_t offset_ns; /* of the clock's origin */
	bool offset_known;
	struct event_order *order;
	struct stored_layout *layout;
	struct rings *rings; /* NULL: there are none */
	struct ring_calls ring_calls;
	bool rings_last; /* the pages that the trace has come first */
	struct page_parts *parts;
	GArray *open_calls; /* NULL: there are none */
	guint open_next;
	bool stopped;
};

static void pass_open_call(void *item, void *data);
static void pass_record(const struct order_record *record, void *data);
static enum hg_group group_of(unsigned number, void *data);
static void count_page(const struct ring_page *page, void *data);
static uint32_t part_taken(const struct ring_page *page, void *data);

struct decode *decode_new(struct event_queue *queue, struct reader_stats *stats)
{
	static const struct order_calls calls = { pass_open_call, pass_record };
	struct decode *decode = g_new0(struct decode, 1);

	decode->order = order_new(&calls, decode);
	decode->queue = queue;
	decode->stats = stats;
	if (!stats->counts)
		stats->counts = counts_new();
	decode->decoders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	decode->announced = g_hash_table_new(NULL, NULL);
	decode->newest = g_hash_table_new(NULL, NULL);
	decode->arguments = launch_arguments_new();
	decode->parts = page_parts_new(decode->order);
	decode->ring_calls = (struct ring_calls){
		.group = group_of, .page = count_page, .record = pass_record, .known = part_taken
	};
	decode->bytes = g_byte_array_new();
	decode->words = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	return decode;
}

void decode_free(struct decode *decode)
{
	decode->stopped = true;
	decode_end(decode);
	page_parts_free(decode->parts);
	order_free(decode->order);
	g_hash_table_destroy(decode->decoders);
	g_hash_table_destroy(decode->announced);
	g_hash_table_destroy(decode->newest);
	launch_arguments_free(decode->arguments);
	stored_layout_free(decode->layout);
	g_byte_array_free(decode->bytes, TRUE);
	g_clear_pointer(&decode->open_calls, g_array_unref);
	g_array_free(decode->words, TRUE);
	g_free(decode);
}

static struct decoder *decoder_of(struct decode *decode, const bt_event_class *class)
{
	unsigned slot = (unsigned)((uintptr_t) class >> 5) % RECENT;
	struct decoder *decoder;

	if (decode->recent[slot].class == class)
		return decode->recent[slot].decoder;
	decoder = g_hash_table_lookup(decode->decoders, class);
	if (!decoder) {
		decoder = decoder_of_class(class);
		g_hash_table_insert(decode->decoders, (gpointer) class, decoder);
	}
	decode->recent[slot].class = class;
	decode->recent[slot].decoder = decoder;
	return decoder;
}

/* Differs for each program that a process executes, and each process of one pid. */
static unsigned image_of(struct decode *decode, int32_t pid)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(decode->announced, GINT_TO_POINTER(pid)));
}

void decode_begin_at(struct decode *decode, uint64_t moment)
{
	decode->begin = moment;
	if (moment)
		order_drop_late(decode->order);
}

static bool is_too_early(const struct decode *decode, const bt_message *message)
{
	return decode->begin &&
	       bt_clock_snapshot_get_value(
		   bt_message_event_borrow_default_clock_snapshot_const(message)) < decode->begin;
}

static int64_t time_of(struct decode *decode, const bt_message *message)
{
	const bt_clock_snapshot *snapshot =
	    bt_message_event_borrow_default_clock_snapshot_const(message);
	int64_t ns;

	if (bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) !=
	    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return 0;
	/* LTTng-UST's clock counts nanoseconds. */
	decode->offset_ns = ns - (int64_t)bt_clock_snapshot_get_value(snapshot);
	decode->offset_known = true;
	return ns;
}

/* The event at hand is whole. */
static void deliver(struct decode *decode, const struct hg_event *event)
{
	if (event->type == HG_EVENT_process || event->type == HG_EVENT_launch ||
	    event->type == HG_EVENT_device)
		counts_event(decode->stats->counts, event);
	decode->stats->events++;
	decode->stopped = !event_queue_commit(decode->queue);
}

/* The event at hand has its fields: what others of its type refer to, and to the queue. */
static void finish_event(struct decode *decode, const struct hg_event *event)
{
	if (event->type == HG_EVENT_process) {
		g_hash_table_insert(decode->announced, GINT_TO_POINTER(event->pid),
				    GUINT_TO_POINTER(++decode->announcements));
	} else if (event->type == HG_EVENT_args) {
		launch_arguments_known(decode->arguments, event->pid, image_of(decode, event->pid),
				       event->args);
	}
	deliver(decode, event);
}

/* Takes an event of the trace itself, as an exported one has them. */
static void handle_event(struct decode *decode, const bt_message *message,
			 const struct decoder *decoder)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	const bt_field *payload = bt_event_borrow_payload_field_const(source);
	const bt_field *context = bt_event_borrow_common_context_field_const(source);
	struct event_room *room = event_queue_next(decode->queue);
	struct hg_event *event = &room->event;
	const struct field *fields;

	event_room_clear(room); /* a trace of another version lacks fields */
	if (!decoder->unknown)
		event->type = (enum hg_event_type)decoder->type;
	event->pid = (int32_t)member_number(context, decoder->pid);
	event->tid = (int32_t)member_number(context, decoder->tid);
	event->ns = time_of(decode, message);
	if (decoder->unknown) {
		decode->stopped = !event_queue_commit(decode->queue);
		return;
	}
	fields = decoder->fields;
	for (size_t i = 0; fields[i].name; i++) {
		static const char *const empty = "";

		const bt_field *field = member_field(payload, decoder->member[i]);

		if (field) {
			member_store(decode->queue, decode->bytes, field, &fields[i],
				     (char *)&room->of);
		} else if (fields[i].kind == FIELD_STRING) {
			memcpy((char *)&room->of + fields[i].offset, &empty, sizeof(empty));
		}
	}
	finish_event(decode, event);
}

void decode_layout(struct decode *decode, const char *bundle)
{
	decode->layout = stored_layout_read(bundle, &decode->stats->truncated);
}

/* ---- rings ---- */

/* Returns the group to which events of that type count. Numbers of types are those of the
 * recording's version. */
static enum hg_group group_of(unsigned number, void *data)
{
	const struct decode *decode = data;
	enum hg_event_type type;

	if (!stored_type_of(decode->layout, number, &type))
		return HG_GROUP_OTHER;
	return type == HG_EVENT_alloc    ? HG_GROUP_ALLOC
	       : type == HG_EVENT_free   ? HG_GROUP_FREE
	       : type == HG_EVENT_launch ? HG_GROUP_LAUNCH
	       : type == HG_EVENT_copy   ? HG_GROUP_COPY
					 : HG_GROUP_OTHER;
}

static void count_page(const struct ring_page *page, void *data)
{
	struct decode *decode = data;

	page_parts_in_file(decode->parts, page->pid, page->file, page->number);
	counts_read(decode->stats->counts, page->pid, page->rest);
	if (page->full) {
		counts_full(decode->stats->counts, page->pid, page->known);
		counts_full(decode->stats->counts, page->pid, page->rest);
	}
}

static uint32_t part_taken(const struct ring_page *page, void *data)
{
	const struct decode *decode = data;

	return page_parts_taken(decode->parts, page->pid, page->file, page->number);
}

/* Takes the records up to that moment of the trace's clock. */
static void take_rings_until(struct decode *decode, uint64_t moment)
{
	if (decode->rings && !decode->offset_known) {
		decode->offset_ns = rings_origin(decode->rings);
		decode->offset_known = true;
	}
	while (decode->rings && !decode->stopped &&
	       rings_pass(decode->rings, (int64_t)MIN(moment, (uint64_t)INT64_MAX),
			  decode->offset_ns, &decode->ring_calls, decode)) {
	}
}

void decode_leave_out_blocks(struct decode *decode)
{
	decode->ring_calls.no_blocks = true;
}

bool decode_rings(struct decode *decode, const char *folder, bool last)
{
	decode->rings_last = last;
	decode->rings = rings_open(folder, decode->stats->counts, &decode->stats->truncated);
	return g_file_test(folder, G_FILE_TEST_IS_DIR);
}

/* ---- open calls ---- */

static void handle_open_call(struct decode *decode, const struct open_call *open)
{
	struct hg_event *event = &event_queue_next(decode->queue)->event;

	event->type = HG_EVENT_OPEN_CALL;
	event->pid = open->pid;
	event->tid = open->call.thread;
	event->ns = (int64_t)open->call.start + decode->offset_ns;
	event->open_call = event_queue_keep(decode->queue, open, sizeof(*open));
	decode->stopped = !event_queue_commit(decode->queue);
}

/* Takes the open calls that began up to that moment of the trace's clock. */
static void take_open_calls_until(struct decode *decode, uint64_t moment)
{
	while (decode->open_calls && !decode->stopped &&
	       decode->open_next < decode->open_calls->len) {
		struct open_call *open =
		    &g_array_index(decode->open_calls, struct open_call, decode->open_next);
		int64_t ns = (int64_t)open->call.start + decode->offset_ns;

		if (open->call.start > moment)
			break;
		decode->open_next++;
		if (open->call.start < decode->begin)
			continue;
		/* The call says nothing if nothing is known of its process. */
		if (!order_hold(decode->order, open->pid, ns, open))
			handle_open_call(decode, open);
	}
}

void decode_open_calls(struct decode *decode, const char *folder)
{
	decode->open_calls = open_calls_read(folder, &decode->stats->unpublished);
}

/* ---- records ---- */

static void pass_open_call(void *item, void *data)
{
	struct decode *decode = data;

	if (!decode->stopped)
		handle_open_call(decode, item);
}

static struct event_room *begin_event(struct decode *decode, const struct order_record *record)
{
	struct event_room *room = event_queue_next(decode->queue);

	room->event = (struct hg_event){ .type = HG_EVENT_TYPES, /* of a record that is not known */
					 .ns = record->ns,
					 .pid = record->pid,
					 .tid = record->tid,
					 .fields = &room->of };
	return room;
}

static void pass_launch(struct decode *decode, const struct order_record *record)
{
	const struct launch *whole = record->launch;
	struct hg_ev_launch launch;
	struct event_room *room;

	launch_read(whole, &launch);
	if (launch_arguments_id(decode->arguments, record->pid, image_of(decode, record->pid),
				&launch, launch_bytes(whole), whole->length)) {
		room = begin_event(decode, record);
		room->event.type = HG_EVENT_args;
		room->of.args = (struct hg_ev_args){ .args_id = launch.args_id,
						     .kernel_id = launch.kernel_id,
						     .status = HG_ARGS_COMPLETE,
						     .length = whole->length };
		room->of.args.bytes =
		    event_queue_keep(decode->queue, launch_bytes(whole), whole->length);
		deliver(decode, &room->event);
	}
	room = begin_event(decode, record);
	room->event.type = HG_EVENT_launch;
	room->of.launch = launch;
	deliver(decode, &room->event);
}

static void note_damaged(struct decode *decode, const struct order_record *record)
{
	if (!decode->stats->truncated)
		decode->stats->truncated = g_strdup_printf(
		    "an event of process %d at %" G_GINT64_FORMAT " ns is damaged: it is not read",
		    record->pid, record->ns - decode->offset_ns);
}

/* Passes on an event of the schema. */
static void pass_schema_event(struct decode *decode, const struct order_record *record)
{
	struct event_room *room = begin_event(decode, record);
	enum hg_event_type type;
	const struct stored_type *stored =
	    stored_type_of(decode->layout, record->record->event.type, &type);

	memset(&room->of, 0, sizeof(room->of));
	if (!stored) {
		if (!stored_type_is_listed(decode->layout, record->record->event.type))
			note_damaged(decode, record);
		decode->stopped = !event_queue_commit(decode->queue);
		return;
	}
	room->event.type = type;
	if (stored_event_fill(decode->queue, room, stored, record->record->event.fields,
			      record->record->event.size))
		finish_event(decode, &room->event);
	else
		note_damaged(decode, record);
}

static void pass_record(const struct order_record *record, void *data)
{
	struct decode *decode = data;
	struct event_room *room;

	if (decode->stopped)
		return;
	switch (record->record->kind) {
	case HG_KIND_EVENT:
		pass_schema_event(decode, record);
		return;
	case HG_KIND_LAUNCH:
	case HG_KIND_LAUNCH_CHANGED:
		if (record->launch)
			pass_launch(decode, record);
		else
			decode->stats->orphans++;
		return;
	case HG_KIND_BLOCK:
	case HG_KIND_COPY:
	case HG_KIND_STACK:
	case HG_KIND_BEGIN:
		room = begin_event(decode, record);
		record_event(decode->queue, room, record->record);
		deliver(decode, &room->event);
	}
}

static void read_words(struct decode *decode, const bt_field *field)
{
	uint64_t count = 0, *words;

	if (field &&
	    bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_ARRAY))
		count = bt_field_array_get_length(field);
	/* All elements are of one class. */
	if (count && !bt_field_class_type_is(
			 bt_field_get_class_type(
			     bt_field_array_borrow_element_field_by_index_const(field, 0)),
			 BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		count = 0;
	g_array_set_size(decode->words, (guint)count);
	words = (uint64_t *)(void *)decode->words->data;
	for (uint64_t i = 0; i < count; i++)
		words[i] = bt_field_integer_unsigned_get_value(
		    bt_field_array_borrow_element_field_by_index_const(field, i));
}

static void note_missing_part(struct decode *decode, const struct hg_ev_page *page)
{
	if (!decode->stats->truncated)
		decode->stats->truncated =
		    g_strdup_printf("records of process %d are missing before part %u of page %u",
				    page->pid, page->part, page->number);
}

/* Files are numbered in the order in which they were made (hg_ring_id()). */
static uint64_t newest_file(const struct decode *decode, int32_t pid)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(decode->newest, GINT_TO_POINTER(pid)));
}

static void take_page(struct decode *decode, const struct decoder *decoder, const bt_field *payload)
{
	const uint64_t *member = decoder->member;
	struct hg_ev_page page = {
		.pid = (int32_t)member_number(payload, member[0]),
		.thread = (int32_t)member_number(payload, member[1]),
		.number = (uint32_t)member_number(payload, member[2]),
		.part = (uint32_t)member_number(payload, member[3]),
		.last = (uint8_t)member_number(payload, member[4]),
		.begin = member_number(payload, member[5]),
		.file = member_number(payload, member[6]),
	};
	struct page_taken taken;

	read_words(decode, member_field(payload, member[7]));
	page.records = (const uint64_t *)(void *)decode->words->data;
	page.words = decode->words->len;
	if (ring_part_check(&page) != member_number(payload, member[8])) {
		if (!decode->stats->truncated)
			decode->stats->truncated =
			    g_strdup("an event 'page' of the trace is damaged");
		return;
	}
	if (page.file > newest_file(decode, page.pid))
		g_hash_table_insert(decode->newest, GINT_TO_POINTER(page.pid),
				    GSIZE_TO_POINTER(page.file));
	page_parts_take(decode->parts, &page, decode->offset_ns, group_of, decode, &taken);
	/* A trace whose beginning was deleted may begin in the middle of a page. */
	if (taken.part_is_missing && !decode->begin)
		note_missing_part(decode, &page);
	counts_read(decode->stats->counts, page.pid, taken.records);
	if (taken.full)
		counts_full(decode->stats->counts, page.pid, taken.all);
	else if (taken.open)
		counts_open(decode->stats->counts, page.pid, page.file, taken.all);
}

static void take_swept(struct decode *decode, const struct decoder *decoder,
		       const bt_field *payload)
{
	int32_t pid = (int32_t)member_number(payload, decoder->member[0]);
	uint64_t until = member_number(payload, decoder->member[2]),
		 file = member_number(payload, decoder->member[1]);

	/* A program that the process executed has pages already: not all of its records came. */
	if (until != UINT64_MAX || file >= newest_file(decode, pid))
		order_reach(decode->order, pid,
			    until == UINT64_MAX ? INT64_MAX : (int64_t)until + decode->offset_ns);
	counts_told(decode->stats->counts, pid, file, member_number(payload, decoder->member[4]),
		    member_number(payload, decoder->member[3]));
}

static void take_event(struct decode *decode, const bt_message *message)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	const struct decoder *decoder = decoder_of(decode, bt_event_borrow_class_const(source));
	const bt_field *payload = bt_event_borrow_payload_field_const(source);
	int64_t ns;

	if (decoder->type < 0 && !decoder->unknown && !decoder->batch)
		return;
	ns = time_of(decode, message);
	if (!decode->rings_last)
		take_rings_until(decode, (uint64_t)(ns - decode->offset_ns));
	take_open_calls_until(decode, (uint64_t)(ns - decode->offset_ns));
	if (decoder->batch == SWEPT)
		take_swept(decode, decoder, payload);
	else if (is_too_early(decode, message))
		return;
	else if (decoder->batch == PAGE)
		take_page(decode, decoder, payload);
	else
		handle_event(decode, message, decoder);
}

/*
 * The end of a page is lost. What was read of it is counted as of a full page: what is missing is
 * then at most what the page had besides.
 */
static void count_left(int32_t pid, const uint64_t tally[HG_GROUPS], void *data)
{
	counts_full(((struct decode *)data)->stats->counts, pid, tally);
}

void decode_end(struct decode *decode)
{
	if (!decode->rings_last)
		take_rings_until(decode, UINT64_MAX);
	take_open_calls_until(decode, UINT64_MAX);
	order_end(decode->order);
	if (decode->rings_last)
		take_rings_until(decode, UINT64_MAX);
	page_parts_left(decode->parts, count_left, decode);
	g_clear_pointer(&decode->rings, rings_close);
	decode->stats->clock_origin_ns = decode->offset_ns;
}

static void count_losses(struct reader_stats *stats, const bt_message *message)
{
	uint64_t count = 0;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (bt_message_discarded_events_get_count(message, &count) ==
		    BT_PROPERTY_AVAILABILITY_NOT_AVAILABLE)
			count = 1;
		stats->lost += count;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (bt_message_discarded_packets_get_count(message, &count) ==
		    BT_PROPERTY_AVAILABILITY_NOT_AVAILABLE)
			count = 1;
		stats->lost_packets += count;
		break;
	default:
		break;
	}
}

void decode_message(struct decode *decode, const bt_message *message)
{
	if (decode->stopped)
		return;
	if (bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT)
		take_event(decode, message);
	else
		count_losses(decode->stats, message);
}

bool decode_stopped(const struct decode *decode)
{
	return decode->stopped;
}
