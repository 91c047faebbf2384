/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of codeobj: bounds-checked little-endian reads, messages. */
#ifndef HIPGRAIN_CODEOBJ_CODEOBJ_INTERNAL_H
#define HIPGRAIN_CODEOBJ_CODEOBJ_INTERNAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "codeobj.h"

/* Store a message (unless error is NULL) and return `status`. */
__attribute__((format(printf, 3, 4))) static inline int
codeobj_fail(struct codeobj_error *error, int status, const char *format, ...)
{
	if (error) {
		va_list args;

		va_start(args, format);
		vsnprintf(error->text, sizeof(error->text), format, args);
		va_end(args);
	}
	return status;
}

/* Returns true if [offset, offset + length) lies in `size` bytes; safe against wrap-around. */
static inline bool codeobj_inside(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

/* Unaligned little-endian reads; the machine is little-endian (x86-64, like the format). */
static inline uint16_t codeobj_u16(const uint8_t *data)
{
	uint16_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

static inline uint32_t codeobj_u32(const uint8_t *data)
{
	uint32_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

static inline uint64_t codeobj_u64(const uint8_t *data)
{
	uint64_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

#endif
