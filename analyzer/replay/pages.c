/* SPDX-License-Identifier: Apache-2.0 */
/* Advice on ranges of pages, the latest for each. */
#include "pages.h"

#include "address_space.h"

void page_map_init(struct page_map *map, uint64_t page_size)
{
	map->page_size = page_size;
	/* The key is the first member of the value; freeing the value frees both. */
	map->ranges = g_tree_new_full(compare_addresses, NULL, NULL, g_free);
}

void page_map_destroy(struct page_map *map)
{
	g_tree_destroy(map->ranges);
}

static void insert(struct page_map *map, struct page_advice range)
{
	struct page_advice *copy;

	if (range.start >= range.end)
		return;
	copy = g_new(struct page_advice, 1);
	*copy = range;
	g_tree_insert(map->ranges, &copy->start, copy);
}

/* Returns the first range that ends after `address`, or NULL. */
static GTreeNode *first_touching(const struct page_map *map, uint64_t address)
{
	GTreeNode *node = g_tree_upper_bound(map->ranges, &address);
	GTreeNode *before = node ? g_tree_node_previous(node) : g_tree_node_last(map->ranges);

	if (before && ((struct page_advice *)g_tree_node_value(before))->end > address)
		return before;
	return node;
}

/* Cut [start, end) out of what is there. */
static void carve(struct page_map *map, uint64_t start, uint64_t end)
{
	GTreeNode *node;

	while ((node = first_touching(map, start)) != NULL) {
		struct page_advice old = *(struct page_advice *)g_tree_node_value(node);
		struct page_advice left = old, right = old;

		if (old.start >= end)
			break;
		g_tree_remove(map->ranges, &old.start);
		left.end = MIN(old.end, start);
		right.start = MAX(old.start, end);
		insert(map, left);
		insert(map, right);
	}
}

void page_map_advise(struct page_map *map, const struct page_call *call)
{
	uint64_t mask = map->page_size - 1;
	struct page_advice range = { .call = *call };

	if (call->size == 0 || call->ptr + call->size < call->ptr)
		return;
	range.start = call->ptr & ~mask;
	range.end = (call->ptr + call->size + mask) & ~mask;
	carve(map, range.start, range.end);
	insert(map, range);
}

void page_map_drop(struct page_map *map, uint64_t start, uint64_t size)
{
	uint64_t mask = map->page_size - 1;
	uint64_t first = (start + mask) & ~mask;
	uint64_t end = (start + size) & ~mask;

	if (first < end)
		carve(map, first, end);
}

struct page_summary page_map_summary(const struct page_map *map, uint64_t start, uint64_t size)
{
	struct page_summary summary = { 0 };
	uint64_t end = start + size;
	GTreeNode *node;

	for (node = first_touching(map, start); node; node = g_tree_node_next(node)) {
		const struct page_advice *range = g_tree_node_value(node);
		uint64_t bytes;

		if (range->start >= end)
			break;
		bytes = MIN(range->end, end) - MAX(range->start, start);
		if (range->call.coarse)
			summary.coarse += bytes;
		else
			summary.fine += bytes;
		if (!summary.latest || range->call.ns > summary.latest->call.ns)
			summary.latest = range;
	}
	summary.plain = size - summary.coarse - summary.fine;
	return summary;
}

static bool is_same_call(const struct page_call *a, const struct page_call *b)
{
	return a == b || (a && b && a->ns == b->ns && a->ptr == b->ptr && a->size == b->size &&
			  a->coarse == b->coarse && a->stack_id == b->stack_id);
}

/* A stretch that may grow yet. */
struct stretch {
	uint64_t from, to;
	const struct page_call *call;
};

static void extend(struct stretch *stretch, uint64_t to, const struct page_call *call,
		   void (*each)(void *data, uint64_t from, uint64_t to,
				const struct page_call *call),
		   void *data)
{
	if (stretch->from < stretch->to && !is_same_call(stretch->call, call)) {
		each(data, stretch->from, stretch->to, stretch->call);
		stretch->from = stretch->to;
	}
	stretch->to = to;
	stretch->call = call;
}

void page_map_each(const struct page_map *map, uint64_t start, uint64_t size,
		   void (*each)(void *data, uint64_t from, uint64_t to,
				const struct page_call *call),
		   void *data)
{
	struct stretch stretch = { start, start, NULL };
	uint64_t end = start + size;

	for (GTreeNode *node = first_touching(map, start); node; node = g_tree_node_next(node)) {
		const struct page_advice *range = g_tree_node_value(node);

		if (range->start >= end)
			break;
		if (stretch.to < range->start)
			extend(&stretch, range->start, NULL, each, data);
		extend(&stretch, MIN(range->end, end), &range->call, each, data);
	}
	if (stretch.to < end)
		extend(&stretch, end, NULL, each, data);
	if (stretch.from < stretch.to)
		each(data, stretch.from, stretch.to, stretch.call);
}
