/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes fields: protobuf.dev/programming-guides/encoding. */
#include "proto.h"

#include <string.h>

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

static void put_varint(GByteArray *message, uint64_t value)
{
	do {
		guint8 byte = (guint8)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

		g_byte_array_append(message, &byte, 1);
		value >>= 7;
	} while (value);
}

static void put_tag(GByteArray *message, unsigned field, unsigned wire)
{
	put_varint(message, (uint64_t)field << 3 | wire);
}

void proto_number(GByteArray *message, unsigned field, uint64_t value)
{
	put_tag(message, field, WIRE_VARINT);
	put_varint(message, value);
}

void proto_fixed64(GByteArray *message, unsigned field, uint64_t value)
{
	uint64_t bytes = GUINT64_TO_LE(value);

	put_tag(message, field, WIRE_FIXED64);
	g_byte_array_append(message, (const guint8 *)&bytes, sizeof(bytes));
}

void proto_text(GByteArray *message, unsigned field, const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);
	size_t length = strlen(valid);

	put_tag(message, field, WIRE_BYTES);
	put_varint(message, length);
	g_byte_array_append(message, (const guint8 *)valid, (guint)length);
	g_free(valid);
}

void proto_message(GByteArray *message, unsigned field, GByteArray *inner)
{
	put_tag(message, field, WIRE_BYTES);
	put_varint(message, inner->len);
	g_byte_array_append(message, inner->data, inner->len);
	g_byte_array_set_size(inner, 0);
}
