/* SPDX-License-Identifier: Apache-2.0 */
/* Why code objects of a file were not analysed. */
#include "scan_refusals.h"

#include "tracer/message.h"

struct refusal {
	char *reason;
	unsigned count;
};

void scan_refusals_add(struct scan_refusals *refusals, const char *reason)
{
	struct refusal row = { .count = 1 };

	if (!refusals->rows)
		refusals->rows = g_array_new(FALSE, FALSE, sizeof(struct refusal));
	for (guint i = 0; i < refusals->rows->len; i++) {
		struct refusal *known = &g_array_index(refusals->rows, struct refusal, i);

		if (g_str_equal(known->reason, reason)) {
			known->count++;
			return;
		}
	}
	row.reason = g_strdup(reason);
	g_array_append_val(refusals->rows, row);
}

void scan_refusals_report(struct scan_refusals *refusals, const char *path)
{
	for (guint i = 0; refusals->rows && i < refusals->rows->len; i++) {
		struct refusal *row = &g_array_index(refusals->rows, struct refusal, i);

		if (row->count == 1)
			message_warning("%s: %s", path, row->reason);
		else
			message_warning("%s: %u times: %s", path, row->count, row->reason);
		g_free(row->reason);
	}
	g_clear_pointer(&refusals->rows, g_array_unref);
}
