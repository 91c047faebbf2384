/* SPDX-License-Identifier: Apache-2.0 */
/* Takes what was published in a page of a process's file since the last time (tracer/ring.h). */
#ifndef HIPGRAIN_TRACER_RING_PART_H
#define HIPGRAIN_TRACER_RING_PART_H

#include <stdint.h>

#include "tracer/ring.h"

/* This says how far a page was read. It is all 0 for a page that was not looked at. */
struct ring_cursor {
	uint32_t number; /* of the page's use */
	uint32_t at;     /* bytes of records that were taken; HG_RING_RECORDS: no more are */
	uint32_t parts;  /* that were taken */
	uint32_t taken;  /* words of the last part, or 0 */
};

/* Words that ring_part() writes at most; and bytes after which a part ends. */
#define RING_PART_WORDS (HG_RING_RECORDS / 8u)
#define RING_PART_USUAL 16000u

/*
 * Writes whole records that the page has behind the cursor to `out`, as they are in the page, and
 * zeros up to a word. Moves the cursor. The page's owner may go on storing meanwhile. Returns the
 * number of words, 0 if there is nothing new. Of a damaged page nothing is taken behind the damage.
 */
uint32_t ring_part(const struct hg_ring_page *page, struct ring_cursor *cursor, uint64_t *out);

#endif
