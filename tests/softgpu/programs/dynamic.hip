// SPDX-License-Identifier: Apache-2.0
// Dynamic programming and search over tables.
#include "program.h"

// ---- longest common subsequence: anti-diagonals, one group ----

__global__ void lcs_kernel(const char *a, const char *b, int *table, int m, int n)
{
	for (int d = 2; d <= m + n; d++) {
		for (int i = 1 + threadIdx.x; i <= m; i += blockDim.x) {
			int j = d - i;

			if (j < 1 || j > n)
				continue;
			int *cell = &table[i * (n + 1) + j];

			*cell = a[i - 1] == b[j - 1] ? cell[-n - 2] + 1 : max(cell[-n - 1], cell[-1]);
		}
		__syncthreads();
	}
}

static bool lcs(void)
{
	const int m = 150, n = 190;
	std::vector<char> a(m), b(n);
	std::vector<int> want((m + 1) * (n + 1));

	for (int i = 0; i < m; i++)
		a[i] = (char)('a' + hash32(i) % 4);
	for (int i = 0; i < n; i++)
		b[i] = (char)('a' + hash32(i + 900) % 4);
	for (int i = 1; i <= m; i++)
		for (int j = 1; j <= n; j++) {
			int *cell = &want[i * (n + 1) + j];

			*cell = a[i - 1] == b[j - 1] ? cell[-n - 2] + 1 : std::max(cell[-n - 1], cell[-1]);
		}
	device<char> da(a), db(b);
	device<int> table(want.size());

	lcs_kernel<<<1, 128>>>(da, db, table, m, n);
	return same(table.get(), want);
}

// ---- all pairs of shortest paths, and the vertex in between ----

__global__ void floyd_kernel(int *distance, int *via, int n, int k)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < n && j < n) {
		int d = distance[i * n + k] + distance[k * n + j];

		if (d < distance[i * n + j]) {
			distance[i * n + j] = d;
			via[i * n + j] = k;
		}
	}
}

static bool floyd_warshall(void)
{
	const int n = 45;
	std::vector<int> distance(n * n), via(n * n, -1);

	for (int i = 0; i < n * n; i++)
		distance[i] = i % (n + 1) ? (int)(hash32(i) % 4 ? 1000000 : 1 + hash32(i) % 90) : 0;
	device<int> d(distance), v(via);

	for (int k = 0; k < n; k++) {
		floyd_kernel<<<dim3(groups(n, 16), groups(n, 16)), dim3(16, 16)>>>(d, v, n, k);
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				if (distance[i * n + k] + distance[k * n + j] < distance[i * n + j]) {
					distance[i * n + j] = distance[i * n + k] + distance[k * n + j];
					via[i * n + j] = k;
				}
	}
	return same(d.get(), distance) && same(v.get(), via);
}

// ---- knapsack: a row per item ----

__global__ void knapsack_kernel(const int *from, int *to, int weight, int value, int capacity)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;

	if (c <= capacity)
		to[c] = c >= weight ? max(from[c], from[c - weight] + value) : from[c];
}

static bool knapsack(void)
{
	const int items = 30, capacity = 400;
	std::vector<int> best(capacity + 1);
	device<int> a(capacity + 1), b(capacity + 1);

	for (int i = 0; i < items; i++) {
		int weight = 5 + (int)(hash32(i) % 60), value = 1 + (int)(hash32(i + 77) % 100);

		knapsack_kernel<<<groups(capacity + 1, 64), 64>>>(i & 1 ? b : a, i & 1 ? a : b, weight,
								 value, capacity);
		for (int c = capacity; c >= weight; c--)
			best[c] = std::max(best[c], best[c - weight] + value);
	}
	return same(a.get(), best);
}

// ---- edit distance: a pair of strings per work-item, rows in private memory ----

#define LENGTH 20

__global__ void edit_kernel(const char *words, int *distance, int n)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned char row[LENGTH + 1];

	if (p >= n * n)
		return;
	const char *a = words + p / n * LENGTH, *b = words + p % n * LENGTH;

	for (int j = 0; j <= LENGTH; j++)
		row[j] = (unsigned char)j;
	for (int i = 1; i <= LENGTH; i++) {
		int diagonal = row[0];

		row[0] = (unsigned char)i;
		for (int j = 1; j <= LENGTH; j++) {
			int d = min(min(row[j], row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));

			diagonal = row[j];
			row[j] = (unsigned char)d;
		}
	}
	distance[p] = row[LENGTH];
}

static bool edit_distance(void)
{
	const int n = 14;
	std::vector<char> words(n * LENGTH);
	std::vector<int> want(n * n);

	for (size_t i = 0; i < words.size(); i++)
		words[i] = (char)('a' + hash32(i) % 3);
	for (int p = 0; p < n * n; p++) {
		int t[LENGTH + 1][LENGTH + 1];

		for (int i = 0; i <= LENGTH; i++)
			for (int j = 0; j <= LENGTH; j++)
				t[i][j] = !i || !j ? i + j
						   : std::min(std::min(t[i - 1][j], t[i][j - 1]) + 1,
							      t[i - 1][j - 1] +
								  (words[p / n * LENGTH + i - 1] !=
								   words[p % n * LENGTH + j - 1]));
		want[p] = t[LENGTH][LENGTH];
	}
	device<char> dw(words);
	device<int> out(n * n);

	edit_kernel<<<groups(n * n, 64), 64>>>(dw, out, n);
	return same(out.get(), want);
}

// ---- queens: search with an explicit stack, a first row and second row per work-item ----

__host__ __device__ static int queens_from(int n, unsigned columns, unsigned left, unsigned right)
{
	unsigned stack[16][4], all = (1u << n) - 1;
	int depth = 0, found = 0;

	stack[0][0] = columns;
	stack[0][1] = left;
	stack[0][2] = right;
	stack[0][3] = all & ~(columns | left | right);
	if (columns == all)
		return 1;
	while (depth >= 0) {
		unsigned *s = stack[depth], bit = s[3] & (0u - s[3]);

		if (!bit) {
			depth--;
			continue;
		}
		s[3] ^= bit;
		if ((s[0] | bit) == all) {
			found++;
			continue;
		}
		unsigned *t = stack[++depth];

		t[0] = s[0] | bit;
		t[1] = (s[1] | bit) << 1;
		t[2] = (s[2] | bit) >> 1;
		t[3] = all & ~(t[0] | t[1] | t[2]);
	}
	return found;
}

__global__ void queens_kernel(int n, int *out)
{
	unsigned a = 1u << threadIdx.x, b = 1u << threadIdx.y;

	if ((a | a << 1 | a >> 1) & b)
		return;
	atomicAdd(out, queens_from(n, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1));
}

static bool queens(void)
{
	std::vector<int> want = { 92, 352 };
	device<int> out(2);

	queens_kernel<<<1, dim3(8, 8)>>>(8, out);
	queens_kernel<<<1, dim3(9, 9)>>>(9, out + 1);
	return same(out.get(), want) && queens_from(8, 0, 0, 0) == 92;
}

static const program programs[] = {
	{ "lcs", lcs },
	{ "floyd_warshall", floyd_warshall },
	{ "knapsack", knapsack },
	{ "edit_distance", edit_distance },
	{ "queens", queens },
	{},
};
MAIN(programs)
