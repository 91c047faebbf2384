/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording as text, one a line, in the order in which they are analysed. */
#include <errno.h>
#include <getopt.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/event_ranges.h"
#include "analyzer/cmds/read_recording.h"
#include "analyzer/reader/fields.h"
#include "analyzer/reader/read_open_calls.h"
#include "analyzer/reader/reader.h"
#include "analyzer/rules/engine/finding_ranges.h"
#include "tracer/message.h"

const char usage_events[] =
    "Usage: hipgrain events [OPTION]... TRACE\n"
    "Print every event of a recording, one per line, those of a process in chronological\n"
    "order; unlike babeltrace2, with every host allocation.\n"
    "\n"
    "      --range PATTERN       only events in ranges of the program whose name or path\n"
    "                            matches PATTERN\n"
    "  -h, --help                print this help\n";

static int64_t signed_value(const void *value, size_t size)
{
	switch (size) {
	case 1:
		return *(const int8_t *)value;
	case 2:
		return *(const int16_t *)value;
	case 4:
		return *(const int32_t *)value;
	default:
		return *(const int64_t *)value;
	}
}

static uint64_t unsigned_value(const void *value, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, value, size); /* little-endian, as x86-64 is */
	return number;
}

static void print_text(const char *text)
{
	putchar('"');
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", stdout);
		else if (*text == '"')
			printf("\\%c", *text);
		else
			putchar(*text);
	putchar('"');
}

static void print_sequence(const struct field *field, const char *fields, bool bytes)
{
	uint32_t count;
	const void *elements;

	memcpy(&count, fields + field->count_offset, sizeof(count));
	memcpy(&elements, fields + field->offset, sizeof(elements));
	putchar('[');
	for (uint32_t i = 0; i < count; i++)
		if (bytes)
			printf(" %02x", ((const uint8_t *)elements)[i]);
		else
			printf(" 0x%" PRIX64, ((const uint64_t *)elements)[i]);
	fputs(" ]", stdout);
}

static void print_field(const struct field *field, const char *fields)
{
	const char *value = fields + field->offset;
	const char *text = NULL;
	uint64_t number;

	printf("%s = ", field->name);
	switch (field->kind) {
	case FIELD_UNSIGNED:
		number = unsigned_value(value, field->size);
		if (field->show == SHOW_API)
			text = hg_api_name_if_known((unsigned)number);
		if (text)
			fputs(text, stdout);
		else if (field->show == SHOW_HEX)
			printf("0x%" PRIX64, number);
		else
			printf("%" PRIu64, number);
		break;
	case FIELD_SIGNED:
		printf("%" PRId64, signed_value(value, field->size));
		break;
	case FIELD_STRING:
		memcpy(&text, value, sizeof(text));
		print_text(text ? text : "");
		break;
	case FIELD_BYTES:
	case FIELD_WORDS:
		print_sequence(field, fields, field->kind == FIELD_BYTES);
		break;
	}
}

/* Prints a call that did not return, which is no event, at the time when it was made. */
static void print_open_call(const struct hg_event *event)
{
	const struct hg_open_call *call = &event->open_call->call;

	printf("%" PRId64 " open_call: { vpid = %d, vtid = %d }, { api = %s, ptr = 0x%" PRIX64
	       ", src = 0x%" PRIX64 ", size = %" PRIu64 ", rows = %" PRIu64 ", depth = %" PRIu64
	       ", kind = %d, stream = 0x%" PRIX64 ", event = 0x%" PRIX64
	       ", kernel_id = %u, stack_id = %u }\n",
	       event->ns, event->pid, event->tid, hg_api_name((unsigned)call->state), call->ptr,
	       call->src, call->size, call->rows, call->depth, call->kind, call->stream,
	       call->event, call->kernel_id, call->stack_id);
}

static int print_event(const struct hg_event *event, void *range)
{
	const struct event_layout *layout;

	if (range && (event->type >= HG_EVENT_TYPES || !event_in_selected_range(event)))
		return 0;
	if (event->type == HG_EVENT_OPEN_CALL) {
		print_open_call(event);
		return ferror(stdout) ? -EIO : 0;
	}
	if (event->type >= HG_EVENT_TYPES) {
		printf("%" PRId64 " unknown: { vpid = %d, vtid = %d }\n", event->ns, event->pid,
		       event->tid);
		return ferror(stdout) ? -EIO : 0;
	}
	layout = &event_layouts[event->type];
	printf("%" PRId64 " %s: { vpid = %d, vtid = %d }, { ", event->ns, layout->name, event->pid,
	       event->tid);
	for (const struct field *field = layout->fields(); field->name; field++) {
		print_field(field, event->fields);
		fputs(field[1].name ? ", " : " ", stdout);
	}
	puts("}");
	return ferror(stdout) ? -EIO : 0;
}

int cmd_events(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "range", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	struct reader_stats stats = { 0 };
	char *range = NULL;
	int code, status;

	while ((code = next_option(argc, argv, "h", long_options)) != -1) {
		if (code == 'r') {
			range = optarg;
			continue;
		}
		if (code != 'h')
			return HG_EXIT_USAGE;
		fputs(usage_events, stdout);
		return HG_EXIT_OK;
	}
	if (argc - optind != 1) {
		message_error("exactly one recording is required (try 'hipgrain events --help')");
		return HG_EXIT_USAGE;
	}
	finding_ranges_select(range);
	status = read_recording(argv[optind], print_event, range, &stats);
	reader_stats_clear(&stats);
	return status;
}
