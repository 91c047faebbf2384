/* SPDX-License-Identifier: Apache-2.0 */
/* events.bin of a capture of HIP's: its records, and what they say. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/import/hrr_calls.h"

static void read_record(const struct hrr_record *record)
{
	const struct hrr_row *row = hrr_row(record->type);
	/* Of its own size, so that a byte beyond it is noticed. */
	uint8_t *copy = g_malloc(MAX(record->length, 1));
	struct hrr_record own = *record;
	struct hrr_launch launch;
	struct hrr_call call;
	char *why = NULL;

	memcpy(copy, record->data, record->length);
	own.data = copy;
	if (row->kind == HRR_IS_CALL && hrr_call_read(&call, row, &own, &why) == 0 && why)
		abort();
	if (row->kind == HRR_IS_LAUNCH && hrr_launch_read(&launch, row, &own, &why) == 0) {
		for (guint i = 0; i < launch.arguments->len; i++) {
			const struct hrr_argument *argument =
			    &g_array_index(launch.arguments, struct hrr_argument, i);

			g_free(g_memdup2(argument->data, argument->size));
		}
		hrr_launch_clear(&launch);
	}
	g_free(why);
	g_free(copy);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct hrr_events events;
	char *why = NULL;

	if (hrr_events_read(&events, data, size, &why)) {
		if (!why)
			abort();
		g_free(why);
		return 0;
	}
	for (guint i = 0; i < events.records->len; i++)
		read_record(&g_array_index(events.records, struct hrr_record, i));
	hrr_events_clear(&events);
	return 0;
}
