// SPDX-License-Identifier: Apache-2.0
// Graphs: frontiers, relaxation, components, ranks.
#include "program.h"

#include <queue>

struct graph {
	int n;
	std::vector<int> row, to;
	std::vector<unsigned> weight;
};

static graph make_graph(int n, int degree)
{
	graph g = { n, { 0 }, {}, {} };

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < (int)(hash32(i) % (2 * degree)); k++) {
			uint32_t h = hash32((uint32_t)(i * 64 + k) ^ 0x5555u);

			// Mostly near, some far, and some vertices that nobody reaches.
			g.to.push_back((int)((h & 7 ? (unsigned)i + h % 17 : h) % (unsigned)(n - 5)));
			g.weight.push_back(1 + (h >> 20) % 50);
		}
		g.row.push_back((int)g.to.size());
	}
	return g;
}

// ---- breadth first: a frontier that grows by atomics ----

__global__ void bfs_kernel(const int *row, const int *to, int *level, const int *frontier, int size,
			   int *next, int *next_size, int depth)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= size)
		return;
	for (int k = row[frontier[i]]; k < row[frontier[i] + 1]; k++)
		if (atomicCAS(&level[to[k]], -1, depth) == -1)
			next[atomicAdd(next_size, 1)] = to[k];
}

static bool bfs(void)
{
	graph g = make_graph(3000, 4);
	std::vector<int> want(g.n, -1), none(g.n, -1);
	std::queue<int> q;

	want[0] = 0;
	for (q.push(0); !q.empty(); q.pop())
		for (int k = g.row[q.front()]; k < g.row[q.front() + 1]; k++)
			if (want[g.to[k]] < 0) {
				want[g.to[k]] = want[q.front()] + 1;
				q.push(g.to[k]);
			}
	none[0] = 0;
	device<int> row(g.row), to(g.to), level(none), a(g.n), b(g.n), size(1);
	int *from = a, *next = b, count = 1;

	for (int depth = 1; count; depth++) {
		HIP(hipMemset(size, 0, sizeof(int)));
		bfs_kernel<<<groups(count, 128), 128>>>(row, to, level, from, count, next, size, depth);
		std::swap(from, next);
		count = size.get()[0];
	}
	return same(level.get(), want);
}

// ---- shortest paths: relaxation until nothing changes, the flag in host memory ----

__global__ void relax_kernel(const int *row, const int *to, const unsigned *weight,
			     unsigned *distance, int *changed, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n || distance[i] == ~0u)
		return;
	for (int k = row[i]; k < row[i + 1]; k++) {
		unsigned d = distance[i] + weight[k];

		if (d < atomicMin(&distance[to[k]], d))
			*changed = 1;
	}
}

static bool shortest_paths(void)
{
	graph g = make_graph(600, 4);
	std::vector<unsigned> want(g.n, ~0u), start(g.n, ~0u);
	std::priority_queue<std::pair<unsigned, int>> q;
	int *changed;

	start[1] = want[1] = 0;
	for (q.push({ 0, 1 }); !q.empty();) {
		unsigned d = 0u - q.top().first;
		int v = q.top().second;

		q.pop();
		if (d > want[v])
			continue;
		for (int k = g.row[v]; k < g.row[v + 1]; k++)
			if (d + g.weight[k] < want[g.to[k]]) {
				want[g.to[k]] = d + g.weight[k];
				q.push({ 0u - want[g.to[k]], g.to[k] });
			}
	}
	device<int> row(g.row), to(g.to);
	device<unsigned> weight(g.weight), distance(start);

	HIP(hipHostMalloc((void **)&changed, sizeof(int)));
	do {
		*changed = 0;
		relax_kernel<<<groups(g.n, 64), 64>>>(row, to, weight, distance, changed, g.n);
		FINISH();
	} while (*changed);
	HIP(hipHostFree(changed));
	return same(distance.get(), want);
}

// ---- connected components: hooking and pointer jumping ----

__device__ static int find(const int *parent, int v)
{
	while (parent[v] != v)
		v = parent[v];
	return v;
}

__global__ void hook_kernel(const int *row, const int *to, int *parent, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	for (int k = row[i]; k < row[i + 1]; k++) {
		int a = find(parent, i), b = find(parent, to[k]);

		while (a != b) {
			int high = max(a, b), low = min(a, b);
			int was = atomicCAS(&parent[high], high, low);

			if (was == high)
				break;
			a = find(parent, was);
			b = find(parent, low);
		}
	}
}

__global__ void flatten_kernel(int *parent, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		parent[i] = find(parent, i);
}

static bool components(void)
{
	graph g = make_graph(1200, 1);
	std::vector<int> want(g.n), start(g.n);
	bool changed = true;

	for (int i = 0; i < g.n; i++)
		start[i] = want[i] = i;
	while (changed) {
		changed = false;
		for (int i = 0; i < g.n; i++)
			for (int k = g.row[i]; k < g.row[i + 1]; k++) {
				int low = std::min(want[i], want[g.to[k]]);

				changed |= want[i] != low || want[g.to[k]] != low;
				want[i] = want[g.to[k]] = low;
			}
	}
	device<int> row(g.row), to(g.to), parent(start);

	hook_kernel<<<groups(g.n, 256), 256>>>(row, to, parent, g.n);
	flatten_kernel<<<groups(g.n, 256), 256>>>(parent, g.n);
	return same(parent.get(), want);
}

// ---- ranks of pages, in fixed point: any order gives the same ----

__global__ void rank_kernel(const int *row, const int *to, const unsigned long long *rank,
			    unsigned long long *next, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n || row[i] == row[i + 1])
		return;
	unsigned long long share = rank[i] * 85 / 100 / (unsigned)(row[i + 1] - row[i]);

	for (int k = row[i]; k < row[i + 1]; k++)
		atomicAdd(&next[to[k]], share);
}

static bool page_rank(void)
{
	graph g = make_graph(500, 4);
	std::vector<unsigned long long> rank(g.n, 1ull << 40), base(g.n, (1ull << 40) * 15 / 100);
	device<int> row(g.row), to(g.to);
	device<unsigned long long> a(rank), b(g.n);

	for (int step = 0; step < 6; step++) {
		std::vector<unsigned long long> next = base;
		unsigned long long *from = step & 1 ? b : a, *into = step & 1 ? a : b;

		for (int i = 0; i < g.n; i++)
			for (int k = g.row[i]; k < g.row[i + 1]; k++)
				next[g.to[k]] += rank[i] * 85 / 100 / (unsigned)(g.row[i + 1] - g.row[i]);
		rank = next;
		HIP(hipMemcpy(into, base.data(), g.n * 8, hipMemcpyHostToDevice));
		rank_kernel<<<groups(g.n, 128), 128>>>(row, to, from, into, g.n);
	}
	return same(a.get(), rank);
}

static const program programs[] = {
	{ "bfs", bfs },
	{ "shortest_paths", shortest_paths },
	{ "components", components },
	{ "page_rank", page_rank },
	{},
};
MAIN(programs)
