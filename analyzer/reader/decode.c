/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of libbabeltrace2 to struct hg_event, batches to the records in them. */
#include "decode.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "early_events.h"
#include "fields.h"
#include "launches.h"
#include "members.h"
#include "open_calls.h"
#include "order.h"
#include "record_event.h"
#include "page_parts.h"
#include "rings.h"
#include "short_batches.h"
#include "whole_records.h"
#include "tracer/early_events.h"

#define RECENT 16u /* classes that are found without a look into the table */

struct decode {
	struct event_queue *queue;
	struct reader_stats *stats;
	GHashTable *decoders; /* bt_event_class -> struct decoder */
	struct {
		const bt_event_class *class;
		struct decoder *decoder;
	} recent[RECENT];     /* by the class's address */
	GHashTable *launches; /* of each thread, by launch_key() */
	/* Processes, by pid, whose `process` event was read: to that event's number. */
	GHashTable *announced;
	unsigned announcements;
	struct launch_arguments *arguments;
	GByteArray *bytes;
	GArray *words;
	uint64_t begin;    /* by the trace's clock */
	int64_t offset_ns; /* of the clock's origin */
	bool offset_known;
	struct event_order *order;
	struct short_batches *batches; /* may be NULL */
	struct early_events *early;    /* NULL: there are none, or none any more */
	struct rings *rings;           /* NULL: there are none */
	bool rings_last;               /* what the trace has of them comes first */
	struct page_parts *parts;
	GArray *open_calls; /* NULL: there are none */
	guint open_next;
	bool stopped;
};

static void pass_message(void *item, void *data);
static void pass_records(const struct order_records *records, void *data);
static void note_found(const struct hg_open_batch *page, void *data);

struct decode *decode_new(struct event_queue *queue, struct reader_stats *stats)
{
	static const struct order_calls calls = { pass_message, pass_records, note_found };
	struct decode *decode = g_new0(struct decode, 1);

	decode->order = order_new(&calls, decode);
	decode->queue = queue;
	decode->stats = stats;
	if (!stats->counts)
		stats->counts = counts_new();
	decode->decoders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	decode->launches = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	decode->announced = g_hash_table_new(NULL, NULL);
	decode->arguments = launch_arguments_new();
	decode->parts = page_parts_new();
	decode->bytes = g_byte_array_new();
	decode->words = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	return decode;
}

void decode_free(struct decode *decode)
{
	decode->stopped = true;
	decode_end(decode, NULL);
	order_free(decode->order);
	g_hash_table_destroy(decode->decoders);
	g_hash_table_destroy(decode->launches);
	g_hash_table_destroy(decode->announced);
	launch_arguments_free(decode->arguments);
	page_parts_free(decode->parts);
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

/* Process, thread and the launch's id, of 22, 22 and 8 bits (PID_MAX_LIMIT of Linux is 2^22). */
static gint64 launch_key(const struct hg_event *event)
{
	return (gint64)((uint64_t)(uint32_t)event->pid << 32 |
			((uint64_t)(uint32_t)event->tid & 0xffffffu) << 8 |
			event->launch.launch_id);
}

static void keep_launch(struct decode *decode, const struct hg_event *event)
{
	gint64 key = launch_key(event);
	struct hg_ev_launch *known = g_hash_table_lookup(decode->launches, &key);

	if (known) {
		*known = event->launch;
	} else {
		g_hash_table_insert(decode->launches, g_memdup2(&key, sizeof(key)),
				    g_memdup2(&event->launch, sizeof(event->launch)));
	}
}

/*
 * Fill in a launch that only names the one it repeats; false if that is not there. It was lost
 * unless the process's beginning was not recorded or not kept.
 */
static bool repeat_launch(struct decode *decode, struct hg_event *event)
{
	gint64 key = launch_key(event);
	const struct hg_ev_launch *known = g_hash_table_lookup(decode->launches, &key);

	if (known)
		event->launch = *known;
	else if (g_hash_table_contains(decode->announced, GINT_TO_POINTER(event->pid)))
		decode->stats->orphans++;
	else
		decode->stats->stateless++;
	return known;
}

/* Differs for each program that a process executes, and each process of one pid. */
static unsigned image_of(struct decode *decode, int32_t pid)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(decode->announced, GINT_TO_POINTER(pid)));
}

void decode_fetch_from(struct decode *decode, struct short_batches *batches)
{
	decode->batches = batches;
}

void decode_begin_at(struct decode *decode, uint64_t moment)
{
	decode->begin = moment;
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

/* The event at hand has its fields: what others of its type refer to, and to the queue. */
static void finish_event(struct decode *decode, struct hg_event *event, bool alias)
{
	if (alias && event->type == HG_EVENT_alloc) { /* of the host: events.def */
		event->alloc.symbol = "";
		event->alloc.device = -1;
		event->alloc.device_ptr = event->alloc.ptr;
	}
	if (event->type == HG_EVENT_launch && alias) {
		if (!repeat_launch(decode, event))
			return;
	} else if (event->type == HG_EVENT_process) {
		g_hash_table_insert(decode->announced, GINT_TO_POINTER(event->pid),
				    GUINT_TO_POINTER(++decode->announcements));
	} else if (event->type == HG_EVENT_launch && event->launch.launch_id) {
		keep_launch(decode, event);
	} else if (event->type == HG_EVENT_args) {
		launch_arguments_known(decode->arguments, event->pid, image_of(decode, event->pid),
				       &event->args);
	}
	decode->stats->events++;
	decode->stopped = !event_queue_commit(decode->queue);
}

/* An event whose turn it is. */
static void handle_event(struct decode *decode, const bt_message *message)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	struct decoder *decoder = decoder_of(decode, bt_event_borrow_class_const(source));
	const bt_field *payload = bt_event_borrow_payload_field_const(source);
	const bt_field *context = bt_event_borrow_common_context_field_const(source);
	struct hg_event *event = event_queue_next(decode->queue);
	const struct field *fields;

	memset(event, 0, sizeof(*event)); /* an older recording lacks fields */
	event->type = decoder->unknown ? HG_EVENT_TYPES : (enum hg_event_type)decoder->type;
	event->pid = (int32_t)member_integer(context, decoder->pid, decoder->pid_type);
	event->tid = (int32_t)member_integer(context, decoder->tid, decoder->tid_type);
	event->ns = time_of(decode, message);
	if (decoder->unknown) {
		decode->stopped = !event_queue_commit(decode->queue);
		return;
	}
	fields = decoder->fields;
	for (size_t i = 0; fields[i].name; i++) {
		static const char *const empty = "";

		if (decoder->present[i]) {
			member_store(decode->queue, decode->bytes,
				     bt_field_structure_borrow_member_field_by_index_const(
					 payload, decoder->member[i]),
				     decoder->member_type[i], &fields[i], (char *)event);
		} else if (fields[i].kind == FIELD_STRING) {
			memcpy((char *)event + fields[i].offset, &empty, sizeof(empty));
		}
	}
	finish_event(decode, event, decoder->alias);
}

/* ---- early events ---- */

/* Among what is held back, a copy of an early event has an odd address. */
#define EARLY_ITEM 1u
/* Marks an open call, which decode->open_calls owns, among the items of the order. */
#define OPEN_ITEM 2u

static void note_damaged(struct decode *decode, const struct early_event *early)
{
	if (!decode->stats->truncated)
		decode->stats->truncated = g_strdup_printf(
		    "an event of '%s/%d-*' at %" G_GUINT64_FORMAT " ns is damaged: it is not read",
		    HG_EARLY, early->pid, early->ns);
}

static void handle_early(struct decode *decode, const struct early_event *early)
{
	struct hg_event *event = event_queue_next(decode->queue);
	bool alias = false;

	memset(event, 0, sizeof(*event));
	event->pid = early->pid;
	event->tid = early->tid;
	event->ns = (int64_t)early->ns + decode->offset_ns;
	if (early_event_class(early) == EARLY_UNKNOWN) {
		event->type = HG_EVENT_TYPES;
		decode->stopped = !event_queue_commit(decode->queue);
		return;
	}
	event->type = early_event_type(early, &alias);
	if (early_event_fill(decode->queue, event, early))
		finish_event(decode, event, alias);
	else
		note_damaged(decode, early);
}

/* Records before `since` are left out. */
static void add_batch(struct decode *decode, int32_t pid, const struct hg_ev_batch *batch,
		      int64_t since)
{
	struct order_batch whole = { .number = batch->number,
				     .tid = batch->thread,
				     .words = batch->words };

	whole.records = whole_records(batch->records, &whole.words);
	counts_batch(decode->stats->counts, pid, &whole, batch->begin);
	order_batch(decode->order, pid, &whole, (int64_t)batch->begin + decode->offset_ns, since);
}

static void take_early_batch(struct decode *decode, const struct early_event *early)
{
	struct hg_ev_batch batch;
	uint64_t *records;

	if (early_event_batch(early, &batch, &records))
		add_batch(decode, early->pid, &batch, INT64_MIN);
	else
		note_damaged(decode, early);
	g_free(records);
}

/* As take_event(). */
static void take_early(struct decode *decode, const struct early_event *early)
{
	int64_t ns = (int64_t)early->ns + decode->offset_ns;
	struct early_event *copy;
	bool alias, is_process = false, is_state = false;

	counts_event(decode->stats->counts, early->pid, early_event_kind(early));
	switch (early_event_class(early)) {
	case EARLY_BATCH_OPEN:
		order_open(decode->order, early->pid, early->tid, early_event_number(early), ns);
		return;
	case EARLY_BATCH:
		take_early_batch(decode, early);
		return;
	case EARLY_EVENT:
		is_process = early_event_type(early, &alias) == HG_EVENT_process;
		is_state = early_event_type(early, &alias) == HG_EVENT_state;
		break;
	case EARLY_UNKNOWN:
		break;
	}
	if (is_process)
		order_forget(decode->order, early->pid);
	order_heard(decode->order, early->pid, ns, is_process || is_state);
	copy = early_event_copy(early);
	if (order_hold(decode->order, early->pid, ns, (char *)copy + EARLY_ITEM))
		return;
	handle_early(decode, copy);
	g_free(copy);
}

/* Those up to that moment of the trace's clock. */
static void take_early_until(struct decode *decode, uint64_t moment)
{
	const struct early_event *early;

	while (decode->early && !decode->stopped && (early = early_events_next(decode->early)) &&
	       early->ns <= moment) {
		if (!decode->offset_known) {
			decode->offset_ns = (int64_t)early->origin;
			decode->offset_known = true;
		}
		take_early(decode, early);
		early_events_take(decode->early);
	}
}

void decode_early(struct decode *decode, const char *folder)
{
	decode->early = early_events_open(folder, &decode->stats->truncated);
}

/* ---- rings ---- */

static void count_page(const struct ring_page *page, void *data)
{
	struct decode *decode = data;
	struct order_batch batch = { .number = page->number,
				     .tid = page->tid,
				     .words = page->words };

	batch.records = (uint64_t *)page->records;
	counts_batch(decode->stats->counts, page->pid, &batch, page->begin);
}

static uint32_t part_taken(const struct ring_page *page, void *data)
{
	const struct decode *decode = data;

	return page_parts_taken(decode->parts, page->pid, page->file, page->number);
}

/* Those up to that moment of the trace's clock. */
static void take_rings_until(struct decode *decode, uint64_t moment)
{
	static const struct ring_calls calls = { count_page, pass_records, part_taken };

	if (decode->rings && !decode->offset_known) {
		decode->offset_ns = rings_origin(decode->rings);
		decode->offset_known = true;
	}
	while (decode->rings && !decode->stopped &&
	       rings_pass(decode->rings, (int64_t)MIN(moment, (uint64_t)INT64_MAX),
			  decode->offset_ns, &calls, decode)) {
	}
}

bool decode_rings(struct decode *decode, const char *folder, bool last)
{
	decode->rings_last = last;
	decode->rings = rings_open(folder, &decode->stats->truncated);
	return g_file_test(folder, G_FILE_TEST_IS_DIR);
}

/* ---- open calls ---- */

static void handle_open_call(struct decode *decode, const struct open_call *open)
{
	struct hg_event *event = event_queue_next(decode->queue);

	memset(event, 0, sizeof(*event));
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
		if (!order_hold(decode->order, open->pid, ns, (char *)open + OPEN_ITEM))
			handle_open_call(decode, open);
	}
}

void decode_open_calls(struct decode *decode, const char *folder)
{
	decode->open_calls = open_calls_read(folder, &decode->stats->unpublished);
}

/* ---- batches ---- */

static void pass_message(void *item, void *data)
{
	const bt_message *message = item;
	struct decode *decode = data;

	if ((uintptr_t)item & OPEN_ITEM) {
		if (!decode->stopped)
			handle_open_call(decode, (void *)((char *)item - OPEN_ITEM));
		return;
	}
	if ((uintptr_t)item & EARLY_ITEM) {
		struct early_event *early = (void *)((char *)item - EARLY_ITEM);

		if (!decode->stopped)
			handle_early(decode, early);
		g_free(early);
		return;
	}
	if (!decode->stopped)
		handle_event(decode, message);
	bt_message_put_ref(message);
}

/* One of order_records. */
struct record {
	int64_t ns;
	int32_t pid, tid;
	const uint64_t *words;
};

static struct hg_event *begin_event(struct decode *decode, const struct record *record)
{
	struct hg_event *event = event_queue_next(decode->queue);

	event->type = HG_EVENT_TYPES; /* of a record that is not known */
	event->ns = record->ns;
	event->pid = record->pid;
	event->tid = record->tid;
	return event;
}

static void end_event(struct decode *decode)
{
	decode->stats->events++;
	decode->stopped = !event_queue_commit(decode->queue);
}

static void pass_launch(struct decode *decode, const struct record *record)
{
	struct hg_ev_launch launch;
	const uint8_t *bytes;
	struct hg_event *event;
	uint32_t length;

	launches_read(record->words, &launch, &bytes, &length);
	if (launch_arguments_id(decode->arguments, record->pid, image_of(decode, record->pid),
				&launch, bytes, length)) {
		event = begin_event(decode, record);
		event->type = HG_EVENT_args;
		event->args = (struct hg_ev_args){ .args_id = launch.args_id,
						   .kernel_id = launch.kernel_id,
						   .status = HG_ARGS_COMPLETE,
						   .length = length };
		event->args.bytes = event_queue_keep(decode->queue, bytes, length);
		end_event(decode);
	}
	event = begin_event(decode, record);
	event->type = HG_EVENT_launch;
	event->launch = launch;
	end_event(decode);
}

/* False if the record is of no use: what it repeats is not there (repeat_launch() counts), or it is
 * damaged. */
static bool fill_event(struct decode *decode, struct hg_event *event, const uint64_t *words)
{
	if (words[0] >> 56 != HG_RECORD_RELAUNCH)
		return record_event(decode->queue, event, words);
	event->type = HG_EVENT_launch;
	event->launch.launch_id = (uint8_t)words[0];
	return repeat_launch(decode, event);
}

/* An event of the schema; its fields lie in the record. */
static void pass_schema_event(struct decode *decode, const struct record *record)
{
	size_t size = record->words[1] >> 32,
	       room = (hg_record_words(record->words[0]) - 2) * sizeof(uint64_t);
	struct early_event early;

	if (!decode->early)
		return;
	early = early_event_of(decode->early, (unsigned)(record->words[0] >> 24) & 0xffff,
			       record->words + 2, MIN(size, room));
	early.pid = record->pid;
	early.tid = record->tid;
	early.ns = (uint64_t)(record->ns - decode->offset_ns);
	counts_event(decode->stats->counts, early.pid, early_event_kind(&early));
	handle_early(decode, &early);
}

static void pass_record(struct decode *decode, const struct record *record)
{
	struct hg_event *event;

	if (record->words[0] >> 56 == HG_RECORD_EVENT) {
		pass_schema_event(decode, record);
		return;
	}

	if (record->words[0] >> 56 == HG_RECORD_LAUNCH) {
		pass_launch(decode, record);
		return;
	}
	event = begin_event(decode, record);
	if (fill_event(decode, event, record->words))
		end_event(decode);
}

static void pass_records(const struct order_records *records, void *data)
{
	struct record record = { .pid = records->pid, .tid = records->tid };
	struct decode *decode = data;

	for (uint32_t at = 0; at < records->count && !decode->stopped;
	     at += hg_record_words(records->words[at])) {
		record.words = &records->words[at];
		record.ns = records->begin_ns + (int64_t)(uint32_t)record.words[1];
		pass_record(decode, &record);
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
	if (decode->batches && !short_batches_fetch(decode->batches, decode->words) &&
	    !decode->stats->truncated)
		decode->stats->truncated = g_strdup("records of batches can no longer be read");
}

static void take_batch(struct decode *decode, const struct decoder *decoder,
		       const bt_field *payload, int32_t pid)
{
	struct hg_ev_batch batch = {
		.number = (uint32_t)member_number(payload, decoder->member[0]),
		.thread = (int32_t)member_number(payload, decoder->member[1]),
		.begin = member_number(payload, decoder->member[2]),
	};

	read_words(decode, member_field(payload, decoder->member[3]));
	batch.records = (const uint64_t *)(void *)decode->words->data;
	batch.words = decode->words->len;
	add_batch(decode, pid, &batch,
		  decode->begin ? (int64_t)decode->begin + decode->offset_ns : INT64_MIN);
}

static void note_missing_part(struct decode *decode, const struct hg_ev_page *page)
{
	if (!decode->stats->truncated)
		decode->stats->truncated =
		    g_strdup_printf("records of process %d are missing before part %u of page %u",
				    page->pid, page->part, page->number);
}

static void add_part(int32_t pid, const struct order_batch *batch, uint64_t begin, void *data)
{
	struct decode *decode = data;

	counts_batch(decode->stats->counts, pid, batch, begin);
	order_batch(decode->order, pid, batch, (int64_t)begin + decode->offset_ns, INT64_MIN);
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

	read_words(decode, member_field(payload, member[7]));
	page.records = (const uint64_t *)(void *)decode->words->data;
	page.words = decode->words->len;
	if (!order_knows(decode->order, page.pid))
		order_reach(decode->order, page.pid, INT64_MIN);
	/* Where the trace's beginning was deleted, it may begin in the middle of a page. */
	if (!page_parts_take(decode->parts, &page, add_part, decode) && !decode->begin)
		note_missing_part(decode, &page);
}

static void take_swept(struct decode *decode, const struct decoder *decoder,
		       const bt_field *payload)
{
	int32_t pid = (int32_t)member_number(payload, decoder->member[0]);
	uint64_t until = member_number(payload, decoder->member[2]);
	struct order_missing missing = { .pid = pid,
					 .records = member_number(payload, decoder->member[3]) };

	order_reach(decode->order, pid,
		    until == UINT64_MAX ? INT64_MAX : (int64_t)until + decode->offset_ns);
	if (until == UINT64_MAX && missing.records)
		g_array_append_val(decode->stats->missing, missing);
}

/* An event as it comes: passed on, or held back while its process owes records. */
static void take_event(struct decode *decode, const bt_message *message)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	struct decoder *decoder = decoder_of(decode, bt_event_borrow_class_const(source));
	const bt_field *payload = bt_event_borrow_payload_field_const(source);
	const bt_field *context = bt_event_borrow_common_context_field_const(source);
	int32_t pid = (int32_t)member_integer(context, decoder->pid, decoder->pid_type);
	int64_t ns;

	if (decoder->type < 0 && !decoder->unknown && !decoder->batch)
		return;
	ns = time_of(decode, message);
	take_early_until(decode, (uint64_t)(ns - decode->offset_ns));
	if (!decode->rings_last)
		take_rings_until(decode, (uint64_t)(ns - decode->offset_ns));
	take_open_calls_until(decode, (uint64_t)(ns - decode->offset_ns));
	/* The recorder's own events: */
	if (decoder->batch == PAGE) {
		if (!is_too_early(decode, message))
			take_page(decode, decoder, payload);
		return;
	}
	if (decoder->batch == SWEPT) {
		take_swept(decode, decoder, payload);
		return;
	}
	counts_event(decode->stats->counts, pid, decoder->kind);
	switch (decoder->batch) {
	case BATCH_OPEN:
		order_open(decode->order, pid,
			   (int32_t)member_integer(context, decoder->tid, decoder->tid_type),
			   (uint32_t)member_number(payload, decoder->member[0]), ns);
		return;
	case BATCH:
		take_batch(decode, decoder, payload, pid);
		return;
	default:
		break;
	}
	if (is_too_early(decode, message))
		return;
	if (decoder->type == HG_EVENT_process && !member_number(payload, decoder->late))
		order_forget(decode->order, pid);
	order_heard(decode->order, pid, ns,
		    decoder->type == HG_EVENT_process || decoder->type == HG_EVENT_state);
	if (order_hold(decode->order, pid, ns, (void *)(uintptr_t)message))
		bt_message_get_ref(message);
	else
		handle_event(decode, message);
}

static void note_found(const struct hg_open_batch *page, void *data)
{
	struct decode *decode = data;

	counts_found(decode->stats->counts, page);
}

static void add_lost(struct decode *decode)
{
	for (guint i = 0; decode->rings && i < rings_lost(decode->rings)->len; i++) {
		const struct ring_lost *lost =
		    &g_array_index(rings_lost(decode->rings), struct ring_lost, i);
		struct order_missing missing = { .pid = lost->pid, .records = lost->records };

		g_array_append_val(decode->stats->missing, missing);
	}
}

void decode_end(struct decode *decode, const char *open_batches)
{
	if (!decode->stats->missing)
		decode->stats->missing = g_array_new(FALSE, FALSE, sizeof(struct order_missing));
	take_early_until(decode, UINT64_MAX);
	if (!decode->rings_last)
		take_rings_until(decode, UINT64_MAX);
	take_open_calls_until(decode, UINT64_MAX);
	order_end(decode->order, open_batches, decode->offset_ns, decode->stats->missing);
	if (decode->rings_last)
		take_rings_until(decode, UINT64_MAX);
	add_lost(decode);
	g_clear_pointer(&decode->rings, rings_close);
	g_clear_pointer(&decode->early, early_events_close); /* what was held back refers to it */
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
