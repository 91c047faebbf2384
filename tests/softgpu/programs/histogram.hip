// SPDX-License-Identifier: Apache-2.0
// Counting into shared bins, and clustering.
#include "program.h"

#define BINS 64

// ---- bins in LDS, then added to memory ----

__global__ void private_kernel(const uint8_t *in, unsigned *bins, int n)
{
	__shared__ unsigned bin[BINS];

	for (int b = threadIdx.x; b < BINS; b += blockDim.x)
		bin[b] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bin[in[i] % BINS], 1u);
	__syncthreads();
	for (int b = threadIdx.x; b < BINS; b += blockDim.x)
		atomicAdd(&bins[b], bin[b]);
}

static std::vector<uint8_t> bytes(int n)
{
	std::vector<uint8_t> v(n);

	for (int i = 0; i < n; i++)
		v[i] = (uint8_t)(hash32(i) & hash32(i + n));
	return v;
}

static bool private_bins(void)
{
	std::vector<uint8_t> in = bytes(30000);
	std::vector<unsigned> want(BINS);
	device<uint8_t> din(in);
	device<unsigned> bins(BINS);

	for (uint8_t b : in)
		want[b % BINS]++;
	private_kernel<<<5, 192>>>(din, bins, (int)in.size());
	return same(bins.get(), want);
}

// ---- one atomic for all lanes of a wave with the same bin ----

__global__ void aggregate_kernel(const uint8_t *in, unsigned *bins, unsigned *atomics, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	int mine = in[i] % 8;
	bool done = false;

	while (!done) {
		int leader = __ffsll((long long)__ballot(true)) - 1;
		int bin = __shfl(mine, leader);
		// Before the branch: compilers take two __ballot(true) for the same value.
		unsigned long long same = __ballot(bin == mine);

		if (bin == mine) {
			if (__lane_id() == leader) {
				atomicAdd(&bins[bin], __popcll(same));
				atomicAdd(atomics, 1);
			}
			done = true;
		}
	}
}

static bool aggregated(void)
{
	std::vector<uint8_t> in = bytes(1000);
	std::vector<unsigned> want(8);
	device<uint8_t> din(in);
	device<unsigned> bins(8), atomics(1);
	unsigned expected = 0;

	for (size_t first = 0; first < in.size(); first += 64) {
		unsigned seen = 0;

		for (size_t i = first; i < first + 64 && i < in.size(); i++) {
			want[in[i] % 8]++;
			seen |= 1u << in[i] % 8;
		}
		expected += (unsigned)__builtin_popcount(seen);
	}
	aggregate_kernel<<<groups(in.size(), 128), 128>>>(din, bins, atomics, (int)in.size());
	return same(bins.get(), want) && atomics.get()[0] == expected;
}

// ---- weights as float and double; powers of two add up exactly ----

__global__ void weigh_kernel(const uint8_t *in, float *f, double *d, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		atomicAdd(&f[in[i] % BINS], 0.25f);
		atomicAdd(&d[in[i] % BINS], 1.0 / 1024);
	}
}

static bool weighted(void)
{
	std::vector<uint8_t> in = bytes(4000);
	std::vector<float> f(BINS);
	std::vector<double> d(BINS);
	device<uint8_t> din(in);
	device<float> df(BINS);
	device<double> dd(BINS);

	for (uint8_t b : in) {
		f[b % BINS] += 0.25f;
		d[b % BINS] += 1.0 / 1024;
	}
	weigh_kernel<<<groups(in.size(), 256), 256>>>(din, df, dd, (int)in.size());
	return same(df.get(), f) && same(dd.get(), d);
}

// ---- k-means in integer coordinates ----

struct point {
	int x, y;
};

__global__ void assign_kernel(const point *p, const point *centre, int *member, int *sum_x,
			      int *sum_y, int *count, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
	long long nearest = 0x7fffffffffffffffll;

	if (i >= n)
		return;
	for (int c = 0; c < k; c++) {
		long long dx = p[i].x - centre[c].x, dy = p[i].y - centre[c].y, d = dx * dx + dy * dy;

		if (d < nearest) {
			nearest = d;
			best = c;
		}
	}
	member[i] = best;
	atomicAdd(&sum_x[best], p[i].x);
	atomicAdd(&sum_y[best], p[i].y);
	atomicAdd(&count[best], 1);
}

__global__ void centre_kernel(point *centre, int *sum_x, int *sum_y, int *count)
{
	int c = threadIdx.x;

	if (count[c])
		centre[c] = { sum_x[c] / count[c], sum_y[c] / count[c] };
	sum_x[c] = sum_y[c] = count[c] = 0;
}

static bool kmeans(void)
{
	const int n = 700, k = 5;
	std::vector<point> p(n), centre(k);
	std::vector<int> member(n);

	for (int i = 0; i < n; i++)
		p[i] = { (int)(hash32(2 * i) % 20000) - 10000, (int)(hash32(2 * i + 1) % 20000) - 10000 };
	for (int c = 0; c < k; c++)
		centre[c] = p[c];
	device<point> dp(p), dcentre(centre);
	device<int> dmember(n), sum_x(k), sum_y(k), count(k);

	for (int step = 0; step < 6; step++) {
		long long x[k] = {}, y[k] = {}, m[k] = {};

		for (int i = 0; i < n; i++) {
			long long nearest = INT64_MAX;

			for (int c = 0; c < k; c++) {
				long long dx = p[i].x - centre[c].x, dy = p[i].y - centre[c].y;

				if (dx * dx + dy * dy < nearest) {
					nearest = dx * dx + dy * dy;
					member[i] = c;
				}
			}
			x[member[i]] += p[i].x;
			y[member[i]] += p[i].y;
			m[member[i]]++;
		}
		for (int c = 0; c < k; c++)
			if (m[c])
				centre[c] = { (int)(x[c] / m[c]), (int)(y[c] / m[c]) };
		assign_kernel<<<groups(n, 256), 256>>>(dp, dcentre, dmember, sum_x, sum_y, count, n, k);
		centre_kernel<<<1, k>>>(dcentre, sum_x, sum_y, count);
	}
	std::vector<point> got = dcentre.get();

	return same(dmember.get(), member) && !memcmp(got.data(), centre.data(), k * sizeof(point));
}

static const program programs[] = {
	{ "private_bins", private_bins },
	{ "aggregated", aggregated },
	{ "weighted", weighted },
	{ "kmeans", kmeans },
	{},
};
MAIN(programs)
