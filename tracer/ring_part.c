/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of pages. */
#include "tracer/ring_part.h"

#include <string.h>

#include "tracer/event_record_reader.h"

uint32_t ring_part(const struct hg_ring_page *page, struct ring_cursor *cursor, uint64_t *out)
{
	const unsigned char *from = page->records + cursor->at;
	struct hg_records records = { .at = from, .end = page->records + sizeof(page->records) };
	struct hg_record ignored;
	size_t size;

	/* What the records mean does not matter for their lengths. */
	while (records.at - from < (ptrdiff_t)RING_PART_USUAL &&
	       hg_record_next(&records, &ignored)) {
	}
	size = (size_t)(records.at - from);
	cursor->at += (uint32_t)size;
	cursor->taken = (uint32_t)(size + sizeof(*out) - 1) / sizeof(*out);
	if (size) {
		out[cursor->taken - 1] = 0;
		memcpy(out, from, size);
		cursor->parts++;
	}
	return cursor->taken;
}
