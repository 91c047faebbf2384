/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hipMemAdvise made of pages. Advice acts on whole pages: the runtime rounds the range
 * outwards (memory-model.md A5.7, ROCR24 runtime.cpp), so neighbours change too, and it stays
 * until the mapping goes away, not until the allocation is freed.
 */
#ifndef HIPGRAIN_PAGES_H
#define HIPGRAIN_PAGES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct page_advice {
	uint64_t start; /* bytes, page-aligned */
	uint64_t end;
	bool coarse;
	int64_t ns; /* when */
	uint32_t stack_id;
};

struct page_map {
	GTree *ranges; /* start -> struct page_advice, never overlapping */
	uint64_t page_size;
};

void page_map_init(struct page_map *map, uint64_t page_size);
void page_map_destroy(struct page_map *map);

/* Set the advice for every page that [start, start + size) touches. */
void page_map_advise(struct page_map *map, uint64_t start, uint64_t size, bool coarse, int64_t ns,
		     uint32_t stack_id);

/* The mapping of these pages is gone, and with it what was advised. Rounds inwards. */
void page_map_drop(struct page_map *map, uint64_t start, uint64_t size);

/* How the bytes [start, start + size) are covered. */
struct page_summary {
	uint64_t coarse;                  /* bytes advised coarse-grained */
	uint64_t fine;                    /* bytes advised fine-grained */
	uint64_t plain;                   /* bytes never advised */
	const struct page_advice *latest; /* most recent advice that covers any of them, or NULL */
};
struct page_summary page_map_summary(const struct page_map *map, uint64_t start, uint64_t size);

#endif
