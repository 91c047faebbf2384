/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of pages that are with a GPU, or were: ranges in the order of their addresses that do
 * not overlap. Pages that are not in the list are with the host, and no GPU has used them there.
 * Only the pager uses the list. Addresses and sizes are in bytes, of whole pages.
 */
#ifndef SOFTGPU_PAGE_LIST_H
#define SOFTGPU_PAGE_LIST_H

#include "host_pages.h"

/* Pages that are with a GPU, or with the host and entered into page tables of GPUs. */
struct sg_entry {
	uint64_t start, end;
	uint64_t low, high; /* of its struct sg_range */
	uint64_t age;       /* evictions begin with the lowest */
	int32_t gpu;        /* or SG_WITH_HOST */
	uint32_t mapped;    /* SG_WITH_HOST: bit n: GPU n */
	uint8_t granularity;
	int8_t preferred, prefetched;
	bool parked;
	bool fixed; /* can't be */
};

#define SG_LIST_MAX (1u << 20)

struct sg_page_list {
	uint64_t resident[SG_MAX_GPUS]; /* bytes with each GPU */
	size_t count;
	struct sg_entry entries[SG_LIST_MAX];
};

/* Index of the first entry that ends above `address`; `count` if there is none. */
size_t sg_list_above(const struct sg_page_list *list, uint64_t address);
/* The entry of `address`, valid until the list is changed; NULL: there is none. */
struct sg_entry *sg_list_find(struct sg_page_list *list, uint64_t address);
/* Add a range of which nothing is listed. More than SG_LIST_MAX end the program. */
void sg_list_add(struct sg_page_list *list, struct sg_entry entry);
/* Cut the entry that `address` lies within in two. */
void sg_list_split(struct sg_page_list *list, uint64_t address);
/* Make one of neighbours within or next to [start, end) that are alike. */
void sg_list_merge(struct sg_page_list *list, uint64_t start, uint64_t end);
/* Discards the content of [start, end), which must be cut out already. */
void sg_list_erase(struct sg_page_list *list, uint64_t start, uint64_t end);

#endif
