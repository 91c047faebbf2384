/* SPDX-License-Identifier: Apache-2.0 */
/* Takes what was published in a page of a process's file since the last time (tracer/ring.h). */
#ifndef HIPGRAIN_TRACER_RING_PART_H
#define HIPGRAIN_TRACER_RING_PART_H

#include <stdint.h>

#include "tracer/events.h"
#include "tracer/ring.h"
#include "tracer/events/ev_page.h"

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

/* Returns the member `check` of an event `page`: FNV-1a of its other members, by words. */
static inline uint64_t ring_part_check(const struct hg_ev_page *part)
{
	const uint64_t head[] = { (uint32_t)part->pid, (uint32_t)part->thread,
				  part->number,        part->part,
				  part->last,          part->begin,
				  part->file,          part->words };
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < sizeof(head) / sizeof(*head); i++)
		hash = (hash ^ head[i]) * UINT64_C(0x100000001b3);
	for (uint32_t i = 0; i < part->words; i++)
		hash = (hash ^ part->records[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
