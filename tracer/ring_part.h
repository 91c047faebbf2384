/* SPDX-License-Identifier: Apache-2.0 */
/* Takes what was published in a page of a process's file since the last time (tracer/ring.h). */
#ifndef HIPGRAIN_TRACER_RING_PART_H
#define HIPGRAIN_TRACER_RING_PART_H

#include <stdint.h>

#include "tracer/ring.h"

/* How far a page was read. All 0 for a page that was not looked at. */
struct ring_cursor {
	uint32_t number; /* of the page's use */
	uint32_t at;     /* word where the next record begins */
	uint32_t in_run; /* bytes of the run of packed records there that were taken */
	uint32_t parts;  /* that were taken */
	uint32_t taken;  /* words of the last part, or 0 */
};

/* Words that ring_part() writes at most; and unless one record has more. */
#define RING_PART_WORDS (HG_RING_PAGE / 8u + 1u)
#define RING_PART_USUAL 2048u

/*
 * Writes records that the page has behind the cursor to `out`, as they are in the page; a run of
 * packed records of which some were taken before begins with the next one, in a run of its own.
 * Moves the cursor. The page's owner may go on storing meanwhile. Returns the number of words, 0 if
 * there is nothing new. What a damaged page has is copied no further than its end.
 */
uint32_t ring_part(const struct hg_ring_page *page, struct ring_cursor *cursor, uint64_t *out);

#endif
