/* SPDX-License-Identifier: Apache-2.0 */
/* What is in the pages of processes' files (ring.h): records of one thread, by time. */
#ifndef HIPGRAIN_TRACER_BATCH_EVENTS_H
#define HIPGRAIN_TRACER_BATCH_EVENTS_H

#include <stdint.h>

/*
 * Records, in words of 64 bits. In the first word bits 56 to 63 are the kind, 48 to 55 the api and
 * the rest the address; in the second the lower half is the time, ns since the page's `begin`.
 */
enum hg_record {
	HG_RECORD_ALLOC = 1,       /* upper half of the second word: size */
	HG_RECORD_ALLOC_STACK = 2, /* likewise; a third word: stack_id */
	HG_RECORD_FREE = 3,        /* upper half of the second word: stack_id */
	HG_RECORD_RELAUNCH = 4,    /* no api; launch_id in the address's place */
	/*
	 * A copy of one row: in the first word the api in bits 0 to 15, kind in 16 to 23, device in
	 * 24 to 39; upper half of the second: duration; then dst, src, size, stream and stack_id, a
	 * word each.
	 */
	HG_RECORD_COPY = 5,
	/*
	 * A launch with all its arguments, and what differs from it in a later one of the same slot
	 * of the same batch: see below.
	 */
	HG_RECORD_LAUNCH = 6,
	HG_RECORD_LAUNCH_CHANGED = 7,
	/* A call stack, of which other records and events have the id (stack_record.h). */
	HG_RECORD_STACK = 8,
	/* Several of the kinds ALLOC, ALLOC_STACK, FREE and COPY in fewer bytes (packed_record.h).
	 */
	HG_RECORD_PACKED = 9,
	/*
	 * An event of events.def: in the first word its number of words in bits 0 to 23, its type
	 * in 24 to 39; upper half of the second: bytes of the fields, which follow in the order of
	 * events.def. Integers are little-endian, of the field's type, and not aligned; a text is
	 * its bytes and a NUL; a sequence is its length in elements (uint32_t) and its elements.
	 */
	HG_RECORD_EVENT = 10,
	/*
	 * Times of the records behind it count from another moment, which is its third word; its
	 * second word is 0. In pages of processes' files (ring.h) only.
	 */
	HG_RECORD_BEGIN = 11,
	HG_RECORD_KINDS, /* so many, with 0 */
};

/*
 * Launches. Nothing depends on what is in another batch, or in an event of its own, but for the
 * definitions of kernels and stacks: a batch that is lost takes its own launches with it and no
 * others, and the stacks that it defines.
 *
 * The first word of both: the kind in bits 56 to 63, the record's length in words in 48 to 55, the
 * slot in 40 to 47. HG_RECORD_LAUNCH: the api in bits 0 to 15, the arguments' length in bytes in 16
 * to 31; upper half of the second: kernel_id; then HG_LAUNCH_STATE words (enum hg_launch_word), and
 * the bytes of the arguments in words, of which the last is filled up with zeros.
 *
 * HG_RECORD_LAUNCH_CHANGED: bits 0 to 39 of the first word and, above these, the upper half of the
 * second say which of those words are others than in the latest record of that slot; they follow in
 * their order. Bit 0 is the first of HG_LAUNCH_STATE, the arguments begin at bit HG_LAUNCH_STATE.
 * All else is as in that record.
 */
enum hg_launch_word {
	HG_LAUNCH_WHERE, /* stack_id in the upper half, device in the lower */
	HG_LAUNCH_GRID,  /* grid_y, grid_x */
	HG_LAUNCH_SHAPE, /* block_x, grid_z */
	HG_LAUNCH_BLOCK, /* block_z, block_y */
	HG_LAUNCH_SHARED,
	HG_LAUNCH_STREAM,
	HG_LAUNCH_STATE, /* so many */
};
#define HG_RECORD_COPY_WORDS  7u
#define HG_RECORD_BEGIN_WORDS 3u

#define HG_LAUNCH_HEAD        2u                                /* words before these */
#define HG_LAUNCH_ARGS        (72u - (uint32_t)HG_LAUNCH_STATE) /* words of arguments at most */
#define HG_LAUNCH_SLOTS       256u
#define HG_LAUNCH_LOW_BITS    40u

static inline uint32_t hg_launch_slot(uint64_t first)
{
	return (uint32_t)(first >> 40) & 0xff;
}

/* Words of a record, by its first; 0 of one that this version does not know. */
static inline uint32_t hg_record_words(uint64_t first)
{
	uint32_t length = (uint32_t)(first >> 48) & 0xff;

	switch ((enum hg_record)(first >> 56)) {
	case HG_RECORD_ALLOC:
	case HG_RECORD_FREE:
	case HG_RECORD_RELAUNCH:
		return 2;
	case HG_RECORD_ALLOC_STACK:
		return 3;
	case HG_RECORD_COPY:
		return HG_RECORD_COPY_WORDS;
	case HG_RECORD_LAUNCH:
		return length >= HG_LAUNCH_HEAD + HG_LAUNCH_STATE ? length : 0;
	case HG_RECORD_LAUNCH_CHANGED:
		return length >= HG_LAUNCH_HEAD ? length : 0;
	case HG_RECORD_STACK:
		return length > 2 ? length : 0;
	case HG_RECORD_PACKED:
		return length;
	case HG_RECORD_EVENT:
		return (first & 0xffffff) > 1 ? (uint32_t)first & 0xffffff : 0;
	case HG_RECORD_BEGIN:
		return HG_RECORD_BEGIN_WORDS;
	case HG_RECORD_KINDS:
		break;
	}
	return 0;
}

/* The type of an HG_RECORD_EVENT. */
static inline unsigned hg_record_type(uint64_t first)
{
	return (unsigned)(first >> 24) & 0xffff;
}

#define HG_RECORD_ADDRESS ((UINT64_C(1) << 48) - 1)

#endif
