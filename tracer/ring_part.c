/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of pages. */
#include "tracer/ring_part.h"

#include <stdbool.h>
#include <string.h>

#include "tracer/packed_record.h"

/*
 * Returns how many bytes of the run's records are whole, from `in_run` on. A record's first byte is
 * stored last, and is read first here, so the bytes behind it are there. What the records mean does
 * not matter for their lengths.
 */
static uint32_t whole_bytes(const uint64_t *run, uint32_t words, uint32_t in_run)
{
	const unsigned char *begin = (const unsigned char *)(run + 1);
	struct hg_packed_bytes bytes = { .at = begin + in_run,
					 .end = (const unsigned char *)(run + words) };
	struct hg_packed ignored = { 0 };
	uint64_t record[HG_RECORD_COPY_WORDS];
	const unsigned char *end = bytes.at;

	while (bytes.at < bytes.end && __atomic_load_n(bytes.at, __ATOMIC_ACQUIRE) &&
	       hg_packed_read(&bytes, &ignored, record))
		end = bytes.at;
	return (uint32_t)(end - begin);
}

/* Takes what is new in the run at the cursor; `last`: it is the page's last record, which may grow.
 */
static uint32_t take_run(const uint64_t *run, uint32_t words, struct ring_cursor *cursor, bool last,
			 uint64_t *out)
{
	uint32_t whole = whole_bytes(run, words, cursor->in_run), bytes = whole - cursor->in_run,
		 taken = 0;

	if (bytes) {
		taken = 1 + (bytes + 7) / 8;
		out[taken - 1] = 0;
		out[0] = hg_packed_head(taken);
		memcpy(out + 1, (const char *)(run + 1) + cursor->in_run, bytes);
	}
	if (last) {
		cursor->in_run = whole;
	} else {
		cursor->in_run = 0;
		cursor->at += words;
	}
	return taken;
}

uint32_t ring_part(const struct hg_ring_page *page, struct ring_cursor *cursor, uint64_t *out)
{
	uint32_t words = __atomic_load_n(&page->words, __ATOMIC_ACQUIRE), used = 0, length;
	const uint64_t *record;

	if (words > sizeof(page->records) / sizeof(page->records[0]))
		words = sizeof(page->records) / sizeof(page->records[0]);
	while (cursor->at < words) {
		record = &page->records[cursor->at];
		length = hg_record_words(*record);
		if (!length || (used && used + length + 1 > RING_PART_USUAL))
			break;
		if (*record >> 56 == HG_RECORD_PACKED) {
			bool last = cursor->at + length >= words;

			if (length > words - cursor->at)
				length = words - cursor->at;
			used += take_run(record, length, cursor, last, out + used);
			if (last)
				break;
			continue;
		}
		if (length > words - cursor->at)
			break;
		memcpy(out + used, record, length * sizeof(*out));
		used += length;
		cursor->at += length;
	}
	cursor->taken = used;
	if (used)
		cursor->parts++;
	return used;
}
