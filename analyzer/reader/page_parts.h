/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of processes' files that come in parts (events `page` and `swept` of events.def). */
#ifndef HIPGRAIN_READER_PAGE_PARTS_H
#define HIPGRAIN_READER_PAGE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "order.h"
#include "tracer/events.h"
#include "tracer/ring.h"

struct page_parts;

struct page_parts *page_parts_new(void);
void page_parts_free(struct page_parts *parts);

/*
 * Takes a part. Calls `add` for its whole records, once for each moment from which their times
 * count, which is `begin`, ns of CLOCK_MONOTONIC; batch->records are the callee's. Parts behind one
 * that is missing cannot be read; false: this is the first of these.
 */
bool page_parts_take(struct page_parts *parts, const struct hg_ev_page *page,
		     void (*add)(int32_t pid, const struct order_batch *batch, uint64_t begin,
				 void *data),
		     void *data);

/* What was read of the page whose part is taken; for `add`. */
uint64_t *page_parts_tally(struct page_parts *parts);

/* Returns that of a page that has ended with the last part, and was full; else NULL. */
const uint64_t *page_parts_full(const struct page_parts *parts);

/* Returns how many words of whole records were taken of a page; UINT32_MAX: all, as it has ended.
 */
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
