/* SPDX-License-Identifier: Apache-2.0 */
/* Takes records of calls and of launches apart. */
#include "hrr_calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"

#define HASH_SIZE 16u
/* Kinds of arguments in a launch. */
#define ARGUMENT_KINDS       4u
#define ARGUMENT_OF_POINTERS 3u /* a structure with pointers: their offsets follow */

static const struct hrr_row rows[] = {
#define HRR_CALL(number, name, fields) [number] = { #name, HRR_IS_CALL, HG_API_##name, fields },
#define HRR_LAUNCH(number, name)       [number] = { #name, HRR_IS_LAUNCH, HG_API_##name, NULL },
#define HRR_OTHER(number, name)        [number] = { #name, HRR_IS_OTHER, 0, NULL },
#include "analyzer/import/hrr.def"
};

const struct hrr_row *hrr_row(uint16_t type)
{
	static const struct hrr_row unknown = { "", HRR_UNKNOWN, 0, NULL };

	return type < G_N_ELEMENTS(rows) && rows[type].name ? &rows[type] : &unknown;
}

static int __attribute__((format(printf, 4, 5)))
fail(char **error, const struct hrr_row *row, const struct hrr_record *record, const char *format,
     ...)
{
	va_list args;
	char *what;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	*error = g_strdup_printf("record %u at byte %" PRIu64 ": %s %s", record->number, record->at,
				 row->name, what);
	g_free(what);
	return -EINVAL;
}

/* ---- calls ---- */

static size_t size_of_letter(char letter)
{
	return letter == 'h' ? HASH_SIZE : strchr("adfkvxy", letter) ? 4 : 8;
}

static void set(struct hrr_call *call, char letter, uint64_t value)
{
	switch (letter) {
	case 'a':
		call->advice = (int32_t)value;
		break;
	case 'b':
		call->event = value;
		break;
	case 'd':
		call->device = (int32_t)value;
		break;
	case 'f':
		call->flags = (uint32_t)value;
		break;
	case 'k':
		call->kind = (int32_t)value;
		break;
	case 'l':
		call->location = (int32_t)(uint32_t)value;
		call->location_id = (int32_t)(uint32_t)(value >> 32);
		break;
	case 'n':
		call->size = value;
		break;
	case 'p':
		call->ptr = value;
		break;
	case 'q':
		call->src = value;
		break;
	case 'r':
		call->rows = value;
		break;
	case 's':
		call->stream = value;
		break;
	case 't':
		call->pitch = value;
		break;
	case 'u':
		call->src_pitch = value;
		break;
	case 'v':
	case 'V':
		call->value = (uint32_t)value;
		break;
	case 'w':
		call->width = value;
		break;
	case 'y':
		call->priority = (int32_t)value;
		break;
	default:
		break; /* of no interest */
	}
}

int hrr_call_read(struct hrr_call *call, const struct hrr_row *row, const struct hrr_record *record,
		  char **error)
{
	size_t size = sizeof(call->result);
	const uint8_t *at = record->data;

	for (const char *letter = row->fields; *letter; letter++)
		size += size_of_letter(*letter);
	if (record->length != size)
		return fail(error, row, record, "has %u bytes, not %zu", record->length, size);
	*call = (struct hrr_call){ 0 };
	memcpy(&call->result, at, sizeof(call->result));
	at += sizeof(call->result);
	for (const char *letter = row->fields; *letter; letter++) {
		uint64_t value = 0;

		if (*letter != 'h') {
			memcpy(&value, at, size_of_letter(*letter));
			set(call, *letter, value);
		}
		at += size_of_letter(*letter);
	}
	return 0;
}

/* ---- launches ---- */

struct cursor {
	const uint8_t *at;
	size_t left;
	bool short_of; /* it ended before what was to be read */
};

static const uint8_t *take(struct cursor *cursor, size_t size)
{
	const uint8_t *data = cursor->at;

	if (size > cursor->left) {
		cursor->short_of = true;
		cursor->left = 0;
		return NULL;
	}
	cursor->at += size;
	cursor->left -= size;
	return data;
}

/* Returns a number of `size` bytes; 0 behind the end. */
static uint64_t take_number(struct cursor *cursor, size_t size)
{
	const uint8_t *data = take(cursor, size);
	uint64_t value = 0;

	if (data)
		memcpy(&value, data, size);
	return value;
}

static int take_argument(struct hrr_launch *launch, struct cursor *cursor, unsigned number,
			 const struct hrr_row *row, const struct hrr_record *record, char **error)
{
	uint64_t kind = take_number(cursor, 1);
	struct hrr_argument argument = { .size = (uint16_t)take_number(cursor, 2) };

	argument.data = take(cursor, argument.size);
	if (kind >= ARGUMENT_KINDS)
		return fail(error, row, record, "has argument %u of unknown kind %u", number,
			    (unsigned)kind);
	if (kind == ARGUMENT_OF_POINTERS)
		take(cursor, 2 * take_number(cursor, 2));
	g_array_append_val(launch->arguments, argument);
	return 0;
}

int hrr_launch_read(struct hrr_launch *launch, const struct hrr_row *row,
		    const struct hrr_record *record, char **error)
{
	struct cursor cursor = { record->data, record->length, false };
	const uint8_t *name;
	size_t length;
	unsigned count;
	int result = 0;

	*launch = (struct hrr_launch){ .arguments =
					   g_array_new(FALSE, FALSE, sizeof(struct hrr_argument)) };
	launch->stream = take_number(&cursor, 8);
	length = take_number(&cursor, 2);
	name = take(&cursor, length);
	launch->name = name ? g_strndup((const char *)name, length) : g_strdup("");
	for (unsigned i = 0; i < 2; i++)
		launch->code_object[i] = take_number(&cursor, 8);
	for (unsigned i = 0; i < 3; i++)
		launch->grid[i] = (uint32_t)take_number(&cursor, 4);
	for (unsigned i = 0; i < 3; i++)
		launch->block[i] = (uint32_t)take_number(&cursor, 4);
	launch->shared = (uint32_t)take_number(&cursor, 4);
	count = (unsigned)take_number(&cursor, 2);
	take(&cursor, 2); /* snapshots of memory, which follow in other files */
	for (unsigned i = 0; i < count && !result && !cursor.short_of; i++)
		result = take_argument(launch, &cursor, i + 1, row, record, error);
	/* Launch attributes follow. */
	if (!result && cursor.short_of)
		result = fail(error, row, record, "ends before what it says that it holds");
	if (result)
		hrr_launch_clear(launch);
	return result;
}

void hrr_launch_clear(struct hrr_launch *launch)
{
	g_clear_pointer(&launch->name, g_free);
	g_clear_pointer(&launch->arguments, g_array_unref);
}
