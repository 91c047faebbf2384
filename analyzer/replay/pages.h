/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page map keeps what hipMemAdvise made of pages. Advice acts on whole pages: the runtime rounds
 * the range outwards (docs/memory-model.md#advice, ROCR24 runtime.cpp), so neighbours change too,
 * and it stays until the mapping ends, not until the allocation is freed.
 */
#ifndef HIPGRAIN_PAGES_H
#define HIPGRAIN_PAGES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A call that changes the granularity of pages. */
struct page_call {
	unsigned api; /* HG_API_NAME; 0: the recorder did it (run --fix) */
	uint64_t ptr; /* the range as the caller gave it, bytes */
	uint64_t size;
	bool coarse;
	int64_t ns; /* when */
	uint32_t stack_id;
};

/* Pages whose granularity the latest call for them decides. */
struct page_advice {
	uint64_t start; /* bytes, page-aligned */
	uint64_t end;
	struct page_call call;
};

struct page_map {
	GTree *ranges; /* start -> struct page_advice, never overlapping */
	uint64_t page_size;
};

void page_map_init(struct page_map *map, uint64_t page_size);
void page_map_destroy(struct page_map *map);

/* Set the advice for every page that the range of the call touches. */
void page_map_advise(struct page_map *map, const struct page_call *call);

/* These pages were unmapped, and with them what was advised. Rounds inwards. */
void page_map_drop(struct page_map *map, uint64_t start, uint64_t size);

/* This says how the bytes [start, start + size) are covered. */
struct page_summary {
	uint64_t coarse;                  /* bytes advised coarse-grained */
	uint64_t fine;                    /* bytes advised fine-grained */
	uint64_t plain;                   /* bytes never advised */
	const struct page_advice *latest; /* most recent advice that covers any of them, or NULL */
};
struct page_summary page_map_summary(const struct page_map *map, uint64_t start, uint64_t size);

/*
 * Call `each` for the stretches of [start, start + size) in order of address, neighbours of one
 * call and of no call joined: [from, to) and the call that decides, NULL where there is none.
 */
void page_map_each(const struct page_map *map, uint64_t start, uint64_t size,
		   void (*each)(void *data, uint64_t from, uint64_t to,
				const struct page_call *call),
		   void *data);

#endif
