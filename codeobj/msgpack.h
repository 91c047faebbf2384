/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader of MessagePack, as far as the metadata note uses it: one forward pass, no copies.
 * Every read checks its bounds; a malformed or truncated document makes `bad` true and every
 * later read fail, so that callers may check once at the end.
 */
#ifndef HIPGRAIN_CODEOBJ_MSGPACK_H
#define HIPGRAIN_CODEOBJ_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct msgpack {
	const uint8_t *at, *end;
	bool bad;
};

enum msgpack_type {
	MSGPACK_NIL,
	MSGPACK_BOOL,
	MSGPACK_UINT,
	MSGPACK_INT, /* negative */
	MSGPACK_FLOAT,
	MSGPACK_STRING,
	MSGPACK_BINARY,
	MSGPACK_ARRAY,
	MSGPACK_MAP,
	MSGPACK_EXTENSION,
};

struct msgpack_value {
	enum msgpack_type type;
	uint64_t number;      /* BOOL, UINT; ARRAY: elements; MAP: pairs */
	const uint8_t *bytes; /* STRING, BINARY, EXTENSION */
	uint32_t length;
};

/* The next value; an array's or map's elements follow and are read by further calls. */
bool msgpack_read(struct msgpack *reader, struct msgpack_value *value);

/* Skip what belongs to a value that msgpack_read() just returned (nothing for scalars). */
bool msgpack_skip_elements(struct msgpack *reader, const struct msgpack_value *value);

/* Returns true if a value is the string `text`. It stands here, as the length of most texts is
 * known to the compiler. */
static inline bool msgpack_is(const struct msgpack_value *value, const char *text)
{
	size_t length = strlen(text);

	return value->type == MSGPACK_STRING && value->length == length &&
	       !memcmp(value->bytes, text, length);
}

#endif
