/* SPDX-License-Identifier: Apache-2.0 */
/* Writes packets of events, and the description of all events of tracer/events.def. */
#include "ctf_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/reader/fields.h"
#include "analyzer/reader/packet.h"
#include "tracer/tree.h"

#define PACKET_FILL (256u << 10) /* bytes after which a packet is written */

/* The rest of packet.context. */
struct packet_tail {
	uint64_t number, discarded;
	uint32_t cpu;
} __attribute__((packed));

#define HEAD_SIZE (sizeof(struct packet_header) + sizeof(struct packet_tail))

struct ctf_writer {
	const struct ctf_trace *trace;
	char name[32]; /* of its file */
	int error;
	GByteArray *packet; /* with room for its head */
	uint64_t begin, end, number, instance;
};

/* ---- the description ---- */

/* The interface functions by their names: as babeltrace2 and Trace Compass print them. */
static void describe_apis(GString *text)
{
	g_string_append(text, "typealias enum : integer { size = 16; align = 8; signed = 0; } {\n");
	for (unsigned id = 0; id <= UINT16_MAX; id++)
		if (hg_api_name_if_known(id))
			g_string_append_printf(text, "\t\"%s\" = %u,\n", hg_api_name_if_known(id),
					       id);
	g_string_append(text, "} := hipgrain_api_t;\n\n");
}

static void describe_field(GString *text, const struct field *field)
{
	if (field->show == SHOW_API && field->size == sizeof(uint16_t)) {
		g_string_append_printf(text, "\t\thipgrain_api_t _%s;\n", field->name);
		return;
	}
	switch (field->kind) {
	case FIELD_STRING:
		g_string_append_printf(text, "\t\tstring _%s;\n", field->name);
		return;
	case FIELD_BYTES:
	case FIELD_WORDS:
		g_string_append_printf(
		    text,
		    "\t\tinteger { size = 32; align = 8; signed = 0; } __%s_length;\n"
		    "\t\tinteger { size = %d; align = 8; signed = 0; } _%s[ __%s_length ];\n",
		    field->name, field->kind == FIELD_BYTES ? 8 : 64, field->name, field->name);
		return;
	case FIELD_SIGNED:
	case FIELD_UNSIGNED:
	default:
		g_string_append_printf(
		    text, "\t\tinteger { size = %zu; align = 8; signed = %d; base = %d; } _%s;\n",
		    8 * field->size, field->kind == FIELD_SIGNED, field->show == SHOW_HEX ? 16 : 10,
		    field->name);
	}
}

static void describe_events(GString *text)
{
	for (unsigned type = 0; type < HG_EVENT_TYPES; type++) {
		g_string_append_printf(text,
				       "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n"
				       "\tfields := struct {\n",
				       event_layouts[type].name, type);
		for (const struct field *field = event_layouts[type].fields(); field->name; field++)
			describe_field(text, field);
		g_string_append(text, "\t};\n};\n\n");
	}
}

static void describe_uuid(GString *text, const uint8_t *uuid)
{
	for (unsigned i = 0; i < CTF_UUID_SIZE; i++)
		g_string_append_printf(text, "%s%02x",
				       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* Returns 0, or -errno of the first write that failed. */
static int append_to(const struct ctf_trace *trace, const char *name, const void *data, size_t size,
		     int flags)
{
	int file = openat(trace->folder, name,
			  O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
	int result = file < 0 ? -errno : tree_write(file, data, size);

	if (file >= 0 && close(file) && !result)
		result = -errno;
	return result;
}

void ctf_trace_begin(struct ctf_trace *trace, int folder)
{
	trace->folder = folder;
	for (unsigned i = 0; i < CTF_UUID_SIZE; i++)
		trace->uuid[i] = (uint8_t)g_random_int_range(0, 256);
	/* A random one, by RFC 4122. */
	trace->uuid[6] = (uint8_t)((trace->uuid[6] & 0x0f) | 0x40);
	trace->uuid[8] = (uint8_t)((trace->uuid[8] & 0x3f) | 0x80);
}

int ctf_write_metadata(const struct ctf_trace *trace)
{
	GString *text = g_string_new("/* CTF 1.8 */\n\n");
	int result;

	for (unsigned bits = 8; bits <= 64; bits *= 2) {
		g_string_append_printf(text,
				       "typealias integer { size = %u; align = 8; signed = false; "
				       "} := uint%u_t;\n",
				       bits, bits);
	}
	g_string_append(text, "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	describe_uuid(text, trace->uuid);
	g_string_append(
	    text, "\";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
		  "\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n\t\tuint64_t "
		  "stream_instance_id;\n\t};\n};\n\n"
		  "clock {\n\tname = \"monotonic\";\n\tfreq = 1000000000;\n\toffset = 0;\n};\n\n"
		  "typealias integer { size = 64; align = 8; signed = false; map = "
		  "clock.monotonic.value; } := uint64_clock_t;\n\n"
		  "stream {\n\tid = 0;\n\tevent.header := struct {\n\t\tuint16_t id;\n"
		  "\t\tuint64_clock_t timestamp;\n\t};\n\tpacket.context := struct {\n"
		  "\t\tuint64_clock_t timestamp_begin;\n\t\tuint64_clock_t timestamp_end;\n"
		  "\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
		  "\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n"
		  "\t\tuint32_t cpu_id;\n\t};\n\tevent.context := struct {\n"
		  "\t\tinteger { size = 32; align = 8; signed = 1; } _vpid;\n"
		  "\t\tinteger { size = 32; align = 8; signed = 1; } _vtid;\n\t};\n};\n\n");
	describe_apis(text);
	describe_events(text);
	result = append_to(trace, "metadata", text->str, text->len, O_EXCL);
	g_string_free(text, TRUE);
	return result;
}

/* ---- packets ---- */

static void flush(struct ctf_writer *writer, uint64_t discarded)
{
	struct packet_header header = { .magic = PACKET_MAGIC,
					.instance = writer->instance,
					.begin = writer->begin,
					.end = writer->end,
					.content_bits = 8 * (uint64_t)writer->packet->len,
					.packet_bits = 8 * (uint64_t)writer->packet->len };
	struct packet_tail tail = { .number = writer->number, .discarded = discarded };

	memcpy(header.uuid, writer->trace->uuid, sizeof(header.uuid));
	memcpy(writer->packet->data, &header, sizeof(header));
	memcpy(writer->packet->data + sizeof(header), &tail, sizeof(tail));
	if (!writer->error)
		writer->error = append_to(writer->trace, writer->name, writer->packet->data,
					  writer->packet->len, writer->number ? 0 : O_EXCL);
	writer->number++;
	g_byte_array_set_size(writer->packet, HEAD_SIZE);
}

struct ctf_writer *ctf_writer_open(const struct ctf_trace *trace, int32_t pid, unsigned part)
{
	struct ctf_writer *writer = g_new0(struct ctf_writer, 1);

	snprintf(writer->name, sizeof(writer->name), part ? "process-%d-%u" : "process-%d", pid,
		 part);
	writer->trace = trace;
	writer->instance = (uint64_t)part << 32 | (uint32_t)pid;
	writer->packet = g_byte_array_new();
	g_byte_array_set_size(writer->packet, HEAD_SIZE);
	return writer;
}

static void put(struct ctf_writer *writer, const void *data, size_t size)
{
	g_byte_array_append(writer->packet, data, (guint)size);
}

void ctf_writer_event(struct ctf_writer *writer, const struct hg_event *event)
{
	uint16_t id = (uint16_t)event->type;
	uint64_t time = (uint64_t)event->ns;

	if (writer->packet->len >= PACKET_FILL)
		flush(writer, 0);
	if (writer->packet->len == HEAD_SIZE)
		writer->begin = time;
	writer->end = time;
	put(writer, &id, sizeof(id));
	put(writer, &time, sizeof(time));
	put(writer, &event->pid, sizeof(event->pid));
	put(writer, &event->tid, sizeof(event->tid));
	event_fields_append(writer->packet, event);
}

int ctf_writer_close(struct ctf_writer *writer, uint64_t missing)
{
	int result;

	if (writer->packet->len > HEAD_SIZE)
		flush(writer, 0);
	/* Readers compare a packet's counter with that of the one before. */
	if (missing) {
		writer->begin = writer->end;
		flush(writer, missing);
	}
	result = writer->error;
	g_byte_array_unref(writer->packet);
	g_free(writer);
	return result;
}
