/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of processes' files that come in parts (event `page` of events.def). */
#ifndef HIPGRAIN_READER_PAGE_PARTS_H
#define HIPGRAIN_READER_PAGE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "record_order.h"
#include "tracer/events.h"
#include "tracer/ring.h"

struct hg_ev_page;

struct page_parts;

/* The records go to `order`. */
struct page_parts *page_parts_new(struct event_order *order);
/* Nothing may be held back by the order any more. */
void page_parts_free(struct page_parts *parts);

/* A part brought this. */
struct page_taken {
	bool part_is_missing; /* before it, and for the first time: nothing of the page is read
			       * any more */
	bool full;            /* it was the last one of a page that was full */
	bool open;            /* ... of one that did not become full */
	uint64_t records[HG_GROUPS]; /* of the part */
	uint64_t all[HG_GROUPS];     /* of the page so far */
};

/* Takes a part. Its records' times are of CLOCK_MONOTONIC plus `offset`. */
void page_parts_take(struct page_parts *parts, const struct hg_ev_page *part, int64_t offset,
		     group_of_type *group, void *data, struct page_taken *taken);

/* Returns how many bytes of a page were taken; UINT32_MAX: all, as it has ended. */
uint32_t page_parts_taken(const struct page_parts *parts, int32_t pid, uint64_t file,
			  uint32_t number);

/* Notes that the process's file has the page, whose records are counted as those of the file. */
void page_parts_in_file(struct page_parts *parts, int32_t pid, uint64_t file, uint32_t number);

/* Passes on, once, the other pages whose end has not come, and how many records were read of each.
 */
void page_parts_left(struct page_parts *parts,
		     void (*left)(int32_t pid, const uint64_t tally[HG_GROUPS], void *data),
		     void *data);

#endif
