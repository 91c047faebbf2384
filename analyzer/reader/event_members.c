/* SPDX-License-Identifier: Apache-2.0 */
/* Reads members of events by libbabeltrace2. */
#include "event_members.h"

#include <string.h>

#include "keep_text.h"

static uint64_t integer_value(const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return bt_field_integer_unsigned_get_value(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return (uint64_t)bt_field_integer_signed_get_value(field);
	return 0;
}

const bt_field *member_field(const bt_field *structure, uint64_t member)
{
	return structure && member != NO_MEMBER
		   ? bt_field_structure_borrow_member_field_by_index_const(structure, member)
		   : NULL;
}

uint64_t member_number(const bt_field *structure, uint64_t member)
{
	const bt_field *field = member_field(structure, member);

	return field ? integer_value(field) : 0;
}

static uint32_t store_sequence(struct event_queue *queue, GByteArray *scratch,
			       const bt_field *field, const struct field *layout, char *fields)
{
	guint size = layout->kind == FIELD_BYTES ? 1 : sizeof(uint64_t);
	uint64_t count;
	const void *elements;

	if (!bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_ARRAY))
		return 0;
	count = bt_field_array_get_length(field);
	g_byte_array_set_size(scratch, 0);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t value =
		    integer_value(bt_field_array_borrow_element_field_by_index_const(field, i));

		g_byte_array_append(scratch, (const uint8_t *)&value, size);
	}
	elements = event_queue_keep(queue, scratch->data, scratch->len);
	memcpy(fields + layout->offset, &elements, sizeof(elements));
	return (uint32_t)count;
}

void member_store(struct event_queue *queue, GByteArray *scratch, const bt_field *field,
		  const struct field *layout, char *fields)
{
	const char *text;
	uint64_t length, value;
	uint32_t count;

	switch (layout->kind) {
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
		/* Integers have 1 to 8 bytes and are little-endian, as is the host (x86-64). */
		value = integer_value(field);
		memcpy(fields + layout->offset, &value, layout->size);
		break;
	case FIELD_STRING:
		/*
		 * babeltrace2 2.0 keeps a reused field's old text when the new one is empty: only
		 * its length tells.
		 */
		length = bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_STRING
			     ? bt_field_string_get_length(field)
			     : 0;
		text = length ? keep_text(queue, layout, bt_field_string_get_value(field), length)
			      : "";
		memcpy(fields + layout->offset, &text, sizeof(text));
		break;
	case FIELD_BYTES:
	case FIELD_WORDS:
		count = store_sequence(queue, scratch, field, layout, fields);
		memcpy(fields + layout->count_offset, &count, sizeof(count));
		break;
	}
}
