// SPDX-License-Identifier: Apache-2.0
// Sorting networks, radix sort, counting.
#include "program.h"

#include <algorithm>

static std::vector<unsigned> keys(int n, unsigned below)
{
	std::vector<unsigned> v(n);

	for (int i = 0; i < n; i++)
		v[i] = below ? hash32(i + 99) % below : hash32(i + 99);
	return v;
}

// ---- bitonic: short distances in LDS, long ones in memory ----

#define BLOCK 512

__device__ static inline void order(unsigned &a, unsigned &b, bool up)
{
	if ((a > b) == up) {
		unsigned t = a;

		a = b;
		b = t;
	}
}

__global__ void bitonic_local(unsigned *v, unsigned size, unsigned first)
{
	__shared__ unsigned part[BLOCK];
	unsigned base = blockIdx.x * BLOCK, t = threadIdx.x;

	part[t] = v[base + t];
	part[t + BLOCK / 2] = v[base + t + BLOCK / 2];
	for (unsigned k = first; k <= size; k <<= 1)
		for (unsigned d = min(k / 2, BLOCK / 2u); d; d >>= 1) {
			__syncthreads();
			unsigned i = 2 * t - (t & (d - 1));

			order(part[i], part[i + d], !((base + i) & k));
		}
	__syncthreads();
	v[base + t] = part[t];
	v[base + t + BLOCK / 2] = part[t + BLOCK / 2];
}

__global__ void bitonic_global(unsigned *v, unsigned k, unsigned d)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (d - 1));

	order(v[i], v[i + d], !(i & k));
}

static bool bitonic(void)
{
	std::vector<unsigned> v = keys(4096, 0);
	device<unsigned> dv(v);

	bitonic_local<<<v.size() / BLOCK, BLOCK / 2>>>(dv, BLOCK, 2);
	for (unsigned k = 2 * BLOCK; k <= v.size(); k <<= 1) {
		for (unsigned d = k / 2; d >= BLOCK; d >>= 1)
			bitonic_global<<<v.size() / 2 / 256, 256>>>(dv, k, d);
		bitonic_local<<<v.size() / BLOCK, BLOCK / 2>>>(dv, k, k);
	}
	std::sort(v.begin(), v.end());
	return same(dv.get(), v);
}

// ---- odd-even merge sort in one group, keys with their values ----

__global__ void odd_even_kernel(unsigned *key, unsigned *value, unsigned n)
{
	for (unsigned p = 1; p < n; p <<= 1)
		for (unsigned k = p; k; k >>= 1) {
			__syncthreads();
			for (unsigned i = threadIdx.x; i + k < n; i += blockDim.x) {
				unsigned j = i - k % p;

				if (i < k % p || j % (2 * k) >= k || i / (2 * p) != (i + k) / (2 * p))
					continue;
				if (key[i] > key[i + k]) {
					unsigned a = key[i], b = value[i];

					key[i] = key[i + k];
					value[i] = value[i + k];
					key[i + k] = a;
					value[i + k] = b;
				}
			}
		}
}

static bool odd_even(void)
{
	std::vector<unsigned> v = keys(512, 0), value(v.size());

	for (size_t i = 0; i < v.size(); i++)
		value[i] = v[i] * 3 + 1;
	device<unsigned> dv(v), dvalue(value);

	odd_even_kernel<<<1, 256>>>(dv, dvalue, (unsigned)v.size());
	std::sort(v.begin(), v.end());
	for (size_t i = 0; i < v.size(); i++)
		value[i] = v[i] * 3 + 1;
	return same(dv.get(), v) && same(dvalue.get(), value);
}

// ---- radix sort: four bits a pass, stable within a wave by ballots ----

__global__ void radix_count(const unsigned *in, unsigned *count, int n, int shift)
{
	__shared__ unsigned bin[16];

	if (threadIdx.x < 16)
		bin[threadIdx.x] = 0;
	__syncthreads();
	int i = blockIdx.x * 64 + threadIdx.x;

	if (i < n)
		atomicAdd(&bin[in[i] >> shift & 15], 1);
	__syncthreads();
	if (threadIdx.x < 16)
		count[threadIdx.x * gridDim.x + blockIdx.x] = bin[threadIdx.x];
}

__global__ void radix_offsets(unsigned *count, int n)
{
	unsigned sum = 0;

	for (int i = 0; i < n; i++) {
		unsigned c = count[i];

		count[i] = sum;
		sum += c;
	}
}

__global__ void radix_move(const unsigned *in, unsigned *out, const unsigned *offset, int n,
			   int shift)
{
	int i = blockIdx.x * 64 + threadIdx.x;
	unsigned digit = i < n ? in[i] >> shift & 15 : 0;
	unsigned long long peers = __ballot(i < n);

	for (int b = 0; b < 4; b++) {
		unsigned long long set = __ballot(digit >> b & 1);

		peers &= digit >> b & 1 ? set : ~set;
	}
	if (i < n) {
		unsigned rank = __popcll(peers & ((1ull << threadIdx.x) - 1));

		out[offset[digit * gridDim.x + blockIdx.x] + rank] = in[i];
	}
}

static bool radix(void)
{
	std::vector<unsigned> v = keys(1500, 0);
	int n = (int)v.size();
	unsigned ngroups = groups(n, 64);
	device<unsigned> a(v), b(n), count(16 * ngroups);

	for (int shift = 0; shift < 32; shift += 4) {
		unsigned *from = shift & 4 ? b : a, *to = shift & 4 ? a : b;

		radix_count<<<ngroups, 64>>>(from, count, n, shift);
		radix_offsets<<<1, 1>>>(count, 16 * (int)ngroups);
		radix_move<<<ngroups, 64>>>(from, to, count, n, shift);
	}
	std::sort(v.begin(), v.end());
	return same(a.get(), v);
}

// ---- each counts who is smaller ----

__global__ void rank_kernel(const double *in, double *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, rank = 0;

	if (i >= n)
		return;
	for (int j = 0; j < n; j++)
		rank += in[j] < in[i] || (in[j] == in[i] && j < i);
	out[rank] = in[i];
}

static bool rank_sort(void)
{
	std::vector<double> v(600);

	for (size_t i = 0; i < v.size(); i++)
		v[i] = (int)(hash32(i) % 200) / 7.0 - 10;
	device<double> in(v), out(v.size());

	rank_kernel<<<groups(v.size(), 128), 128>>>(in, out, (int)v.size());
	std::stable_sort(v.begin(), v.end());
	return same(out.get(), v);
}

static const program programs[] = {
	{ "bitonic", bitonic },
	{ "odd_even", odd_even },
	{ "radix", radix },
	{ "rank_sort", rank_sort },
	{},
};
MAIN(programs)
