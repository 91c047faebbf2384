/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of a trace: the numbers of fields are those of perfetto's protos/perfetto/trace
 * [PERFETTO]. */
#include "trace_writer.h"

#include <glib.h>

#include "proto.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3, UNIT_BYTES = 3 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INTERNED_NAMES = 2, NAME_IID = 1, NAME_TEXT = 2 };
enum { ANNOTATION_NUMBER = 3, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };

#define SEQUENCE 1 /* all packets are of one writer */

struct perfetto {
	FILE *stream;
	GHashTable *names; /* text -> number that stands for it */
	uint64_t tracks;
	bool begun;
	/* These are empty between calls. */
	GByteArray *trace, *packet, *part, *inner;
};

struct perfetto *perfetto_begin(FILE *stream)
{
	struct perfetto *trace = g_new0(struct perfetto, 1);

	trace->stream = stream;
	trace->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	trace->trace = g_byte_array_new();
	trace->packet = g_byte_array_new();
	trace->part = g_byte_array_new();
	trace->inner = g_byte_array_new();
	return trace;
}

void perfetto_end(struct perfetto *trace)
{
	g_hash_table_destroy(trace->names);
	g_byte_array_unref(trace->trace);
	g_byte_array_unref(trace->packet);
	g_byte_array_unref(trace->part);
	g_byte_array_unref(trace->inner);
	g_free(trace);
}

/* Writes trace->packet. An error stays with the stream. */
static void write_packet(struct perfetto *trace)
{
	proto_number(trace->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_number(trace->packet, PACKET_FLAGS,
		     trace->begun ? FLAG_NEEDS_STATE : FLAG_CLEARED | FLAG_NEEDS_STATE);
	trace->begun = true;
	proto_message(trace->trace, TRACE_PACKET, trace->packet);
	fwrite(trace->trace->data, 1, trace->trace->len, trace->stream);
	g_byte_array_set_size(trace->trace, 0);
}

/* ---- tracks ---- */

static uint64_t begin_track(struct perfetto *trace, uint64_t parent, const char *name)
{
	proto_number(trace->part, TRACK_UUID, ++trace->tracks);
	if (parent)
		proto_number(trace->part, TRACK_PARENT, parent);
	if (name)
		proto_text(trace->part, TRACK_NAME, name);
	return trace->tracks;
}

static void end_track(struct perfetto *trace)
{
	proto_message(trace->packet, PACKET_TRACK, trace->part);
	write_packet(trace);
}

uint64_t perfetto_process(struct perfetto *trace, int32_t pid, const char *name,
			  const char *command)
{
	uint64_t track = begin_track(trace, 0, NULL);

	proto_number(trace->inner, PROCESS_PID, (uint32_t)pid);
	proto_text(trace->inner, PROCESS_COMMAND, command);
	proto_text(trace->inner, PROCESS_NAME, name);
	proto_message(trace->part, TRACK_PROCESS, trace->inner);
	end_track(trace);
	return track;
}

uint64_t perfetto_thread(struct perfetto *trace, uint64_t process, int32_t pid, int32_t tid,
			 const char *name)
{
	uint64_t track = begin_track(trace, process, NULL);

	proto_number(trace->inner, THREAD_PID, (uint32_t)pid);
	proto_number(trace->inner, THREAD_TID, (uint32_t)tid);
	if (name)
		proto_text(trace->inner, THREAD_NAME, name);
	proto_message(trace->part, TRACK_THREAD, trace->inner);
	end_track(trace);
	return track;
}

uint64_t perfetto_track(struct perfetto *trace, uint64_t process, const char *name)
{
	uint64_t track = begin_track(trace, process, name);

	end_track(trace);
	return track;
}

uint64_t perfetto_bytes(struct perfetto *trace, uint64_t process, const char *name)
{
	uint64_t track = begin_track(trace, process, name);

	proto_number(trace->inner, COUNTER_UNIT, UNIT_BYTES);
	proto_message(trace->part, TRACK_COUNTER, trace->inner);
	end_track(trace);
	return track;
}

/* ---- events ---- */

/* Returns the number of a name; the packet that is being made defines a new one. */
static uint64_t number_of(struct perfetto *trace, const char *name)
{
	gpointer known = g_hash_table_lookup(trace->names, name);
	guint number;

	if (known)
		return GPOINTER_TO_UINT(known);
	number = g_hash_table_size(trace->names) + 1;
	g_hash_table_insert(trace->names, g_strdup(name), GUINT_TO_POINTER(number));
	proto_number(trace->inner, NAME_IID, number);
	proto_text(trace->inner, NAME_TEXT, name);
	proto_message(trace->part, INTERNED_NAMES, trace->inner);
	proto_message(trace->packet, PACKET_INTERNED, trace->part);
	return number;
}

static void begin_event(struct perfetto *trace, uint64_t track, int64_t ns, unsigned type,
			const char *name)
{
	uint64_t number = name ? number_of(trace, name) : 0;

	proto_number(trace->packet, PACKET_TIMESTAMP, (uint64_t)ns);
	proto_number(trace->part, EVENT_TYPE, type);
	proto_number(trace->part, EVENT_TRACK, track);
	if (name)
		proto_number(trace->part, EVENT_NAME_IID, number);
}

static void end_event(struct perfetto *trace)
{
	proto_message(trace->packet, PACKET_TRACK_EVENT, trace->part);
	write_packet(trace);
}

static void put_note(struct perfetto *trace, const struct perfetto_note *note)
{
	if (!note || !note->name)
		return;
	proto_text(trace->inner, ANNOTATION_NAME, note->name);
	if (note->text)
		proto_text(trace->inner, ANNOTATION_TEXT, note->text);
	else
		proto_number(trace->inner, ANNOTATION_NUMBER, note->number);
	proto_message(trace->part, EVENT_ANNOTATION, trace->inner);
}

void perfetto_instant(struct perfetto *trace, uint64_t track, int64_t ns, const char *name,
		      const struct perfetto_note *note, uint64_t flow, bool ends)
{
	begin_event(trace, track, ns, TYPE_INSTANT, name);
	put_note(trace, note);
	if (flow)
		proto_fixed64(trace->part, ends ? EVENT_FLOW_END : EVENT_FLOW, flow);
	end_event(trace);
}

void perfetto_slice(struct perfetto *trace, uint64_t track, int64_t from, int64_t to,
		    const char *name, const struct perfetto_note *note)
{
	begin_event(trace, track, from, TYPE_BEGIN, name);
	put_note(trace, note);
	end_event(trace);
	begin_event(trace, track, to, TYPE_END, NULL);
	end_event(trace);
}

void perfetto_count(struct perfetto *trace, uint64_t track, int64_t ns, int64_t value)
{
	begin_event(trace, track, ns, TYPE_COUNTER, NULL);
	proto_number(trace->part, EVENT_COUNTER, (uint64_t)value);
	end_event(trace);
}
