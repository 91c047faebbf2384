// SPDX-License-Identifier: Apache-2.0
// Sums, and sums of everything before.
#include "program.h"

#define GROUP 256

// ---- tree in LDS; long long is exact in any order ----

__global__ void tree_kernel(const int *in, long long *out, int n)
{
	__shared__ long long part[GROUP];
	long long sum = 0;

	for (int i = blockIdx.x * GROUP + threadIdx.x; i < n; i += gridDim.x * GROUP)
		sum += in[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int s = GROUP / 2; s; s >>= 1) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	if (!threadIdx.x)
		atomicAdd((unsigned long long *)out, (unsigned long long)part[0]);
}

static std::vector<int> numbers(int n)
{
	std::vector<int> v(n);

	for (int i = 0; i < n; i++)
		v[i] = (int)hash32(i) >> 8;
	return v;
}

static bool tree(void)
{
	std::vector<int> in = numbers(20011);
	device<int> din(in);
	device<long long> out(1);
	std::vector<long long> want(1);

	for (int i : in)
		want[0] += i;
	tree_kernel<<<7, GROUP>>>(din, out, (int)in.size());
	return same(out.get(), want);
}

// ---- shuffles within the wave, the last group sums up (threadfence and a ticket) ----

__device__ unsigned ticket;

__global__ void ticket_kernel(const double *a, const double *b, double *part, double *out, int n)
{
	__shared__ double wave_sum[GROUP / 64];
	__shared__ bool last;
	double sum = 0;

	for (int i = blockIdx.x * GROUP + threadIdx.x; i < n; i += gridDim.x * GROUP)
		sum = fma(a[i], b[i], sum);
	for (int d = 32; d; d >>= 1)
		sum += __shfl_down(sum, d);
	if (threadIdx.x % 64 == 0)
		wave_sum[threadIdx.x / 64] = sum;
	__syncthreads();
	if (!threadIdx.x) {
		part[blockIdx.x] = (wave_sum[0] + wave_sum[1]) + (wave_sum[2] + wave_sum[3]);
		__threadfence();
		last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && !threadIdx.x) {
		double total = 0;

		for (unsigned g = 0; g < gridDim.x; g++)
			total += ((volatile double *)part)[g];
		*out = total;
	}
}

static bool dot(void)
{
	const int n = 10007, ngroups = 5;
	std::vector<double> a(n), b(n), want(1);

	for (int i = 0; i < n; i++) {
		a[i] = unit(i) - 0.5;
		b[i] = unit(i + n) * 3;
	}
	for (int g = 0; g < ngroups; g++) {
		double lane[GROUP] = {}, wave[4];

		for (int t = 0; t < GROUP; t++)
			for (int i = g * GROUP + t; i < n; i += ngroups * GROUP)
				lane[t] = fma(a[i], b[i], lane[t]);
		for (int w = 0; w < 4; w++) {
			for (int d = 32; d; d >>= 1)
				for (int t = 0; t < d; t++)
					lane[w * 64 + t] += lane[w * 64 + t + d];
			wave[w] = lane[w * 64];
		}
		want[0] += (wave[0] + wave[1]) + (wave[2] + wave[3]);
	}
	device<double> da(a), db(b), part(ngroups), out(1);

	for (int repeat = 0; repeat < 2; repeat++) // the ticket must be back at zero
		ticket_kernel<<<ngroups, GROUP>>>(da, db, part, out, n);
	return same(out.get(), want);
}

// ---- minimum, maximum and where ----

__global__ void extreme_kernel(const float *in, unsigned long long *best, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		unsigned long long key =
		    (unsigned long long)__float_as_uint(in[i]) << 32 | (unsigned)i;

		atomicMax(&best[0], key);
		atomicMin(&best[1], key);
	}
}

static bool extremes(void)
{
	const int n = 3000;
	std::vector<float> in(n);
	std::vector<unsigned long long> want = { 0, ~0ull };

	for (int i = 0; i < n; i++) {
		uint32_t bits;

		in[i] = unit(i) * 5;
		memcpy(&bits, &in[i], 4);
		unsigned long long key = (unsigned long long)bits << 32 | (unsigned)i;

		want[0] = std::max(want[0], key);
		want[1] = std::min(want[1], key);
	}
	device<float> din(in);
	device<unsigned long long> best(std::vector<unsigned long long>{ 0, ~0ull });

	extreme_kernel<<<groups(n, 128), 128>>>(din, best, n);
	return same(best.get(), want);
}

// ---- scan by doubling, inclusive, one group ----

__global__ void doubling_kernel(const int *in, int *out, int n)
{
	extern __shared__ int buffer[];
	int *from = buffer, *to = buffer + blockDim.x, t = threadIdx.x;

	from[t] = t < n ? in[t] : 0;
	__syncthreads();
	for (int d = 1; d < blockDim.x; d <<= 1) {
		to[t] = t >= d ? from[t] + from[t - d] : from[t];
		__syncthreads();
		int *swap = from;

		from = to;
		to = swap;
	}
	if (t < n)
		out[t] = from[t];
}

static bool scan_doubling(void)
{
	std::vector<int> in = numbers(777), want(in.size());
	int sum = 0;

	for (size_t i = 0; i < in.size(); i++)
		want[i] = sum += in[i];
	device<int> din(in), out(in.size());

	doubling_kernel<<<1, 1024, 2 * 1024 * sizeof(int)>>>(din, out, (int)in.size());
	return same(out.get(), want);
}

// ---- scan over several groups: up and down sweeps, sums of groups, addition ----

__global__ void sweep_kernel(const unsigned *in, unsigned *out, unsigned *sums, int n)
{
	__shared__ unsigned tree[2 * GROUP];
	int base = blockIdx.x * 2 * GROUP, t = threadIdx.x;

	for (int k = t; k < 2 * GROUP; k += GROUP)
		tree[k] = base + k < n ? in[base + k] : 0;
	for (int d = 1; d <= GROUP; d <<= 1) {
		__syncthreads();
		int k = (t + 1) * d * 2 - 1;

		if (k < 2 * GROUP)
			tree[k] += tree[k - d];
	}
	__syncthreads();
	if (!t) {
		sums[blockIdx.x] = tree[2 * GROUP - 1];
		tree[2 * GROUP - 1] = 0;
	}
	for (int d = GROUP; d; d >>= 1) {
		__syncthreads();
		int k = (t + 1) * d * 2 - 1;

		if (k < 2 * GROUP) {
			unsigned left = tree[k - d];

			tree[k - d] = tree[k];
			tree[k] += left;
		}
	}
	__syncthreads();
	for (int k = t; k < 2 * GROUP; k += GROUP)
		if (base + k < n)
			out[base + k] = tree[k];
}

__global__ void add_kernel(unsigned *out, const unsigned *sums, int n)
{
	for (int k = threadIdx.x; k < 2 * GROUP; k += GROUP)
		if (blockIdx.x * 2 * GROUP + k < n)
			out[blockIdx.x * 2 * GROUP + k] += sums[blockIdx.x];
}

static bool scan_groups(void)
{
	const int n = 5000, ngroups = (int)groups(n, 2 * GROUP);
	std::vector<unsigned> in(n), want(n);
	unsigned sum = 0;

	for (int i = 0; i < n; i++) {
		in[i] = hash32(i) % 1000;
		want[i] = sum;
		sum += in[i];
	}
	device<unsigned> din(in), out(n), sums(ngroups), offsets(ngroups), total(1);

	sweep_kernel<<<ngroups, GROUP>>>(din, out, sums, n);
	sweep_kernel<<<1, GROUP>>>(sums, offsets, total, ngroups);
	add_kernel<<<ngroups, GROUP>>>(out, offsets, n);
	return same(out.get(), want) && total.get()[0] == sum;
}

static const program programs[] = {
	{ "tree", tree },
	{ "dot", dot },
	{ "extremes", extremes },
	{ "scan_doubling", scan_doubling },
	{ "scan_groups", scan_groups },
	{},
};
MAIN(programs)
