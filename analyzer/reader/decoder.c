/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up the members of an event class, once for each class of a trace. */
#include "decoder.h"

#include <glib.h>
#include <string.h>

static uint64_t find_member(const bt_field_class *structure, const char *name)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
		    bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0)
			return i;
	}
	return NO_MEMBER;
}

/* Each is looked for in these members. */
static const struct {
	const char *name;
	enum batch_event batch;
	const char *members[10];
} batch_events[] = {
	{ "hipgrain:page",
	  PAGE,
	  { "pid", "thread", "number", "part", "last", "begin", "file", "records", "check" } },
	{ "hipgrain:swept", SWEPT, { "pid", "file", "until", "lost", "records" } },
};

/* Returns true if it is one of these. */
static bool look_for_batch(struct decoder *decoder, const char *name, const bt_field_class *payload)
{
	for (unsigned i = 0; name && i < G_N_ELEMENTS(batch_events); i++) {
		if (strcmp(name, batch_events[i].name) != 0)
			continue;
		decoder->batch = batch_events[i].batch;
		for (unsigned m = 0; batch_events[i].members[m]; m++)
			decoder->member[m] = find_member(payload, batch_events[i].members[m]);
		return true;
	}
	return false;
}

struct decoder *decoder_of_class(const bt_event_class *class)
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
	if (look_for_batch(decoder, name, payload))
		return decoder;
	for (i = 0; name && i < HG_EVENT_TYPES; i++) {
		if (strcmp(name, event_layouts[i].name) == 0) {
			decoder->type = (int)i;
			break;
		}
	}
	if (decoder->type < 0) {
		decoder->unknown = name && strncmp(name, "hipgrain:", 9) == 0;
		return decoder;
	}
	decoder->fields = event_layouts[decoder->type].fields();
	for (field = decoder->fields; field->name; field++)
		decoder->member[field - decoder->fields] = find_member(payload, field->name);
	return decoder;
}
