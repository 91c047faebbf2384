/* SPDX-License-Identifier: Apache-2.0 */
/* In which order the nodes of a graph run: after those that they depend on. */
#include "preload/hip/known_graphs.h"

#include <string.h>

#include "preload/core/id_table.h"
#include "preload/core/pool.h"
#include "preload/hip/hip_runtime.h"

/* Nodes as numbers, and their edges. */
struct order {
	void **node;
	uint32_t count, edges;
	void **from, **to;
	uint32_t *place; /* by hash: a node's number + 1, or 0; so many, a power of 2: */
	uint32_t places;
	uint32_t *waits; /* of each node: on how many others that have not come yet */
	uint32_t *first; /* of each node: its edges in `after`, up to those of the next */
	uint32_t *after; /* the nodes that depend on it */
	uint32_t *queue;
};

static uint32_t *place_of(const struct order *order, const void *node)
{
	uint32_t at = (uint32_t)hg_hash(0, &node, sizeof(node)) & (order->places - 1);

	while (order->place[at] && order->node[order->place[at] - 1] != node)
		at = (at + 1) & (order->places - 1);
	return &order->place[at];
}

/* Returns false if there is an edge between nodes that are not listed. */
static bool add_edges(struct order *order)
{
	for (uint32_t i = 0; i < order->count; i++)
		*place_of(order, order->node[i]) = i + 1;
	for (uint32_t i = 0; i < order->edges; i++) {
		uint32_t from = *place_of(order, order->from[i]);
		uint32_t to = *place_of(order, order->to[i]);

		if (!from || !to)
			return false;
		order->first[from]++;
		order->waits[to - 1]++;
	}
	for (uint32_t i = 0; i < order->count; i++)
		order->first[i + 1] += order->first[i];
	/* This fills each node's room from its end to its beginning. */
	for (uint32_t i = 0; i < order->edges; i++) {
		uint32_t from = *place_of(order, order->from[i]) - 1;

		order->after[--order->first[from + 1]] = *place_of(order, order->to[i]) - 1;
	}
	/* Each room began one place later before that loop. */
	for (uint32_t i = 0; i < order->count; i++)
		order->first[i] = order->first[i + 1];
	order->first[order->count] = order->edges;
	return true;
}

/* Into the queue; of how many at its beginning no other could have run instead. False: a cycle. */
static bool sort(struct order *order, size_t *ordered)
{
	uint32_t head = 0, tail = 0, alone = 0;

	for (uint32_t i = 0; i < order->count; i++)
		if (!order->waits[i])
			order->queue[tail++] = i;
	for (; head < tail; head++) {
		uint32_t node = order->queue[head];

		if (alone == head && tail - head == 1)
			alone++;
		for (uint32_t i = order->first[node]; i < order->first[node + 1]; i++)
			if (!--order->waits[order->after[i]])
				order->queue[tail++] = order->after[i];
	}
	*ordered = alone;
	return tail == order->count;
}

size_t hg_hip_graph_sort(void *graph, void **nodes, size_t count)
{
	int (*get_edges)(void *, void **, void **, size_t *) =
	    (int (*)(void *, void **, void **, size_t *))hg_hip_query("hipGraphGetEdges");
	struct order order = { .node = nodes, .count = (uint32_t)count, .places = 2 };
	size_t edges = 0, ordered = 0;
	void **sorted, **pointers;
	uint32_t *numbers;

	if (count <= 1 || count > UINT32_MAX / 8 || !get_edges)
		return count == 1;
	if (get_edges(graph, NULL, NULL, &edges) || edges > UINT32_MAX / 8) {
		hg_hip_forget_error();
		return 0;
	}
	order.edges = (uint32_t)edges;
	while (order.places < 2 * count)
		order.places *= 2;
	pointers = hg_pool_calloc(2 * edges + count, sizeof(*pointers));
	numbers = hg_pool_calloc(order.places + 3 * count + 1 + edges, sizeof(*numbers));
	if (!pointers || !numbers)
		goto out;
	order.from = pointers;
	order.to = pointers + edges;
	sorted = pointers + 2 * edges;
	order.place = numbers;
	order.waits = order.place + order.places;
	order.first = order.waits + count;
	order.queue = order.first + count + 1;
	order.after = order.queue + count;
	if (edges && get_edges(graph, order.from, order.to, &edges)) {
		hg_hip_forget_error();
		goto out;
	}
	if (edges != order.edges || !add_edges(&order))
		goto out;
	if (!sort(&order, &ordered)) {
		ordered = 0;
		goto out;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = nodes[order.queue[i]];
	memcpy(nodes, sorted, count * sizeof(*nodes));
out:
	hg_pool_free(pointers);
	hg_pool_free(numbers);
	return ordered;
}
