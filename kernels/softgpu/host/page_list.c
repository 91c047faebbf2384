// SPDX-License-Identifier: Apache-2.0
/* The pager's list (page_list.h): an array in the order of addresses. */
#include "page_list.h"
#include <string.h>

size_t sg_list_above(const struct sg_page_list *list, uint64_t address)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (list->entries[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct sg_entry *sg_list_find(struct sg_page_list *list, uint64_t address)
{
	size_t index = sg_list_above(list, address);

	return index < list->count && list->entries[index].start <= address ? &list->entries[index]
									    : NULL;
}

static void insert(struct sg_page_list *list, size_t index, struct sg_entry entry)
{
	if (list->count == SG_LIST_MAX)
		sg_die("more than %u ranges of pages in different places", SG_LIST_MAX);
	memmove(&list->entries[index + 1], &list->entries[index],
		(list->count - index) * sizeof entry);
	list->entries[index] = entry;
	list->count++;
}

void sg_list_add(struct sg_page_list *list, struct sg_entry entry)
{
	if (entry.gpu >= 0)
		list->resident[entry.gpu] += entry.end - entry.start;
	insert(list, sg_list_above(list, entry.start), entry);
}

void sg_list_split(struct sg_page_list *list, uint64_t address)
{
	size_t index = sg_list_above(list, address);
	struct sg_entry upper;

	if (index == list->count || list->entries[index].start >= address)
		return;
	upper = list->entries[index];
	upper.start = address;
	list->entries[index].end = address;
	insert(list, index + 1, upper);
}

static bool alike(const struct sg_entry *a, const struct sg_entry *b)
{
	return a->end == b->start && a->low == b->low && a->high == b->high && a->gpu == b->gpu &&
	       a->mapped == b->mapped && a->granularity == b->granularity &&
	       a->preferred == b->preferred && a->prefetched == b->prefetched &&
	       a->parked == b->parked && a->fixed == b->fixed;
}

void sg_list_merge(struct sg_page_list *list, uint64_t start, uint64_t end)
{
	size_t index = sg_list_above(list, start ? start - 1 : 0);

	while (index + 1 < list->count && list->entries[index].start <= end) {
		struct sg_entry *a = &list->entries[index], *b = a + 1;
		if (!alike(a, b)) {
			index++;
			continue;
		}
		a->end = b->end;
		memmove(b, b + 1, (list->count - index - 2) * sizeof *b);
		list->count--;
	}
}

void sg_list_erase(struct sg_page_list *list, uint64_t start, uint64_t end)
{
	size_t first = sg_list_above(list, start), last = first;

	while (last < list->count && list->entries[last].start < end) {
		struct sg_entry *entry = &list->entries[last++];
		if (entry->gpu >= 0)
			list->resident[entry->gpu] -= entry->end - entry->start;
	}
	memmove(&list->entries[first], &list->entries[last],
		(list->count - last) * sizeof *list->entries);
	list->count -= last - first;
}
