/* SPDX-License-Identifier: Apache-2.0 */
/* The format bytes are those of the MessagePack specification. */
#include "codeobj_internal.h"
#include "msgpack.h"

static bool fail(struct msgpack *reader)
{
	reader->bad = true;
	return false;
}

/* Reads a big-endian integer of 1, 2, 4 or 8 bytes. */
static bool take_integer(struct msgpack *reader, unsigned bytes, uint64_t *number)
{
	if (reader->bad || (size_t)(reader->end - reader->at) < bytes)
		return fail(reader);
	*number = 0;
	while (bytes--)
		*number = *number << 8 | *reader->at++;
	return true;
}

static bool take_bytes(struct msgpack *reader, uint64_t length, struct msgpack_value *value)
{
	if (reader->bad || (uint64_t)(reader->end - reader->at) < length)
		return fail(reader);
	value->bytes = reader->at;
	value->length = (uint32_t)length;
	reader->at += length;
	return true;
}

/* Sign-extends a number of `bytes` bytes; one that is not negative becomes a plain UINT. */
static void set_signed(struct msgpack_value *value, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;
	int64_t number = (int64_t)(value->number << shift) >> shift;

	value->number = (uint64_t)number;
	value->type = number < 0 ? MSGPACK_INT : MSGPACK_UINT;
}

bool msgpack_read(struct msgpack *reader, struct msgpack_value *value)
{
	uint64_t tag, length;

	memset(value, 0, sizeof(*value));
	if (!take_integer(reader, 1, &tag))
		return false;
	if (tag < 0x80) {
		value->type = MSGPACK_UINT;
		value->number = tag;
		return true;
	}
	if (tag < 0x90 || tag == 0xde || tag == 0xdf) {
		value->type = MSGPACK_MAP;
		value->number = tag & 0xf;
		return tag < 0x90 || take_integer(reader, tag == 0xde ? 2 : 4, &value->number);
	}
	if (tag < 0xa0 || tag == 0xdc || tag == 0xdd) {
		value->type = MSGPACK_ARRAY;
		value->number = tag & 0xf;
		return tag < 0xa0 || take_integer(reader, tag == 0xdc ? 2 : 4, &value->number);
	}
	if (tag < 0xc0 || (tag >= 0xd9 && tag <= 0xdb)) {
		value->type = MSGPACK_STRING;
		length = tag & 0x1f;
		return (tag < 0xc0 || take_integer(reader, 1u << (tag - 0xd9), &length)) &&
		       take_bytes(reader, length, value);
	}
	if (tag >= 0xe0) {
		value->number = tag;
		set_signed(value, 1);
		return true;
	}
	switch (tag) {
	case 0xc0:
		value->type = MSGPACK_NIL;
		return true;
	case 0xc2:
	case 0xc3:
		value->type = MSGPACK_BOOL;
		value->number = tag & 1;
		return true;
	case 0xc4:
	case 0xc5:
	case 0xc6:
		value->type = MSGPACK_BINARY;
		return take_integer(reader, 1u << (tag - 0xc4), &length) &&
		       take_bytes(reader, length, value);
	case 0xc7:
	case 0xc8:
	case 0xc9: /* the type byte of an extension is not counted in its length */
		value->type = MSGPACK_EXTENSION;
		return take_integer(reader, 1u << (tag - 0xc7), &length) &&
		       take_bytes(reader, length + 1, value);
	case 0xca:
	case 0xcb:
		value->type = MSGPACK_FLOAT;
		return take_integer(reader, tag == 0xca ? 4 : 8, &value->number);
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		value->type = MSGPACK_UINT;
		return take_integer(reader, 1u << (tag - 0xcc), &value->number);
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		if (!take_integer(reader, 1u << (tag - 0xd0), &value->number))
			return false;
		set_signed(value, 1u << (tag - 0xd0));
		return true;
	case 0xd4:
	case 0xd5:
	case 0xd6:
	case 0xd7:
	case 0xd8:
		value->type = MSGPACK_EXTENSION;
		return take_bytes(reader, (1u << (tag - 0xd4)) + 1, value);
	default: /* 0xc1 is never used */
		return fail(reader);
	}
}

/* Number of values that still belong to a container; a map has two per pair. */
static uint64_t element_count(const struct msgpack_value *value)
{
	if (value->type == MSGPACK_MAP)
		return 2 * value->number;
	return value->type == MSGPACK_ARRAY ? value->number : 0;
}

/* Iterative, because nesting depth is the input's choice; every value takes at least a byte. */
bool msgpack_skip_elements(struct msgpack *reader, const struct msgpack_value *value)
{
	uint64_t pending = element_count(value);
	struct msgpack_value element;

	while (pending) {
		if (pending > (uint64_t)(reader->end - reader->at))
			return fail(reader);
		if (!msgpack_read(reader, &element))
			return false;
		pending += element_count(&element);
		pending--;
	}
	return true;
}
