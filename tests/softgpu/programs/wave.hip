// SPDX-License-Identifier: Apache-2.0
// What the lanes of a wave tell each other, and operations on bits.
#include "program.h"

// ---- shuffles of every kind and type ----

template <class V> __global__ void shuffle_kernel(const V *in, V *out)
{
	int t = threadIdx.x;
	V v = in[t];

	out[t] = __shfl(v, (t * 7 + 3) % 64);
	out[64 + t] = __shfl_up(v, 5);
	out[128 + t] = __shfl_down(v, 9);
	out[192 + t] = __shfl_xor(v, 21);
	out[256 + t] = __shfl(v, (t + 1) % 8, 8);
	out[320 + t] = __shfl_up(v, 3, 16);
	out[384 + t] = __shfl_down(v, 2, 4);
	out[448 + t] = __shfl_xor(v, 1, 2);
	if (t & 1)
		out[512 + t] = __shfl(v, t ^ 2);
}

template <class V> static bool shuffle_of(void)
{
	std::vector<V> in(64), want(576);

	for (int t = 0; t < 64; t++)
		in[t] = (V)((t + 1) * 1.5);
	for (int t = 0; t < 64; t++) {
		want[t] = in[(t * 7 + 3) % 64];
		want[64 + t] = in[t < 5 ? t : t - 5];
		want[128 + t] = in[t + 9 > 63 ? t : t + 9];
		want[192 + t] = in[t ^ 21];
		want[256 + t] = in[t / 8 * 8 + (t + 1) % 8];
		want[320 + t] = in[t % 16 < 3 ? t : t - 3];
		want[384 + t] = in[t % 4 + 2 > 3 ? t : t + 2];
		want[448 + t] = in[t ^ 1];
		want[512 + t] = t & 1 ? in[t ^ 2] : (V)0;
	}
	device<V> din(in), out(576);

	shuffle_kernel<V><<<1, 64>>>(din, out);
	return same(out.get(), want);
}

static bool shuffles(void)
{
	return shuffle_of<int>() && shuffle_of<float>() && shuffle_of<double>() &&
	       shuffle_of<long long>() && shuffle_of<unsigned>();
}

// ---- votes ----

__global__ void vote_kernel(const int *in, unsigned long long *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned long long b = __ballot(in[i] & 1);
	unsigned lane = i % 64;

	out[4 * i] = b;
	out[4 * i + 1] = (unsigned)(__any(in[i] > 900) | __all(in[i] > 10) << 1);
	out[4 * i + 2] = (unsigned)__popcll(b & ((1ull << lane) - 1));
	out[4 * i + 3] = __lane_id();
}

static bool votes(void)
{
	const int n = 150; // the last wave is not full
	std::vector<int> in(n);
	std::vector<unsigned long long> want(4 * n);

	for (int i = 0; i < n; i++)
		in[i] = (int)(hash32(i) % 920);
	for (int w = 0; w < n; w += 64) {
		unsigned long long b = 0;
		bool any = false, all = true;

		for (int i = w; i < w + 64 && i < n; i++) {
			b |= (unsigned long long)(in[i] & 1) << i % 64;
			any |= in[i] > 900;
			all &= in[i] > 10;
		}
		for (int i = w; i < w + 64 && i < n; i++) {
			want[4 * i] = b;
			want[4 * i + 1] = (unsigned)(any | all << 1);
			want[4 * i + 2] =
			    (unsigned)__builtin_popcountll(b & ((1ull << i % 64) - 1));
			want[4 * i + 3] = i % 64;
		}
	}
	device<int> din(in);
	device<unsigned long long> out(4 * n);

	vote_kernel<<<2, 128>>>(din, out, n);
	return same(out.get(), want);
}

// ---- bits ----

__global__ void bits_kernel(const unsigned long long *in, unsigned long long *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned long long x = in[i], *o = out + 16 * i;
	unsigned a = (unsigned)x, b = (unsigned)(x >> 32);

	o[0] = __popc(a) | __popcll(x) << 8;
	o[1] = __clz((int)a) | __clzll((long long)x) << 8;
	o[2] = __ffs(a) | __ffsll(x) << 8;
	o[3] = __brev(a);
	o[4] = __brevll(x);
	o[5] = __byte_perm(a, b, 0x3715);
	o[6] = __umulhi(a, b);
	o[7] = (unsigned)__mulhi((int)a, (int)b);
	o[8] = __umul64hi(x, ~x * 3);
	o[9] = (unsigned long long)__mul64hi((long long)x, (long long)(x << 3));
	o[10] = (unsigned)__mul24((int)a << 8 >> 8, (int)b << 8 >> 8);
	o[11] = (unsigned)__umul24(a & 0xffffff, b & 0xffffff);
	o[12] = __usad(a, b, 5);
	o[13] = __sad((int)(a >> 1), (int)(b >> 1), 7);
	o[14] = __bitextract_u32(a, 5, 9) | __bitinsert_u32(a, b, 7, 11);
	o[15] = x % (b | 1) + x / (a | 1) * 3 + (unsigned long long)((long long)x % (int)(b | 1));
}

static unsigned reversed(unsigned x)
{
	unsigned r = 0;

	for (int i = 0; i < 32; i++)
		r |= (x >> i & 1) << (31 - i);
	return r;
}

static bool bits(void)
{
	const int n = 200;
	std::vector<unsigned long long> in(n), want(16 * n);

	for (int i = 0; i < n; i++)
		in[i] = ((unsigned long long)hash32(i) << 32 | hash32(i + n)) >> i % 64;
	in[0] = 0;
	for (int i = 0; i < n; i++) {
		unsigned long long x = in[i], *o = &want[16 * i];
		unsigned a = (unsigned)x, b = (unsigned)(x >> 32);
		uint8_t byte[8];

		memcpy(byte, &x, 8);
		o[0] = (unsigned)(__builtin_popcount(a) | __builtin_popcountll(x) << 8);
		o[1] = (unsigned)((a ? __builtin_clz(a) : 32) | (x ? __builtin_clzll(x) : 64) << 8);
		o[2] = (unsigned)(__builtin_ffs((int)a) | __builtin_ffsll((long long)x) << 8);
		o[3] = reversed(a);
		o[4] = (unsigned long long)reversed(a) << 32 | reversed(b);
		o[5] = (unsigned)byte[5] | byte[1] << 8 | byte[7] << 16 | (unsigned)byte[3] << 24;
		o[6] = (unsigned)((unsigned long long)a * b >> 32);
		o[7] = (unsigned)((long long)(int)a * (int)b >> 32);
		o[8] = (unsigned long long)((unsigned __int128)x * (~x * 3) >> 64);
		o[9] = (unsigned long long)((__int128)(long long)x * (long long)(x << 3) >> 64);
		o[10] = (unsigned)((long long)((int)(a << 8) >> 8) * ((int)(b << 8) >> 8));
		o[11] = (unsigned)((unsigned long long)(a & 0xffffff) * (b & 0xffffff));
		o[12] = (a > b ? a - b : b - a) + 5u;
		o[13] = (unsigned)abs((int)(a >> 1) - (int)(b >> 1)) + 7u;
		o[14] = (a >> 5 & 0x1ff) | (a & ~(0x7ffu << 7)) | (b & 0x7ff) << 7;
		o[15] = x % (b | 1) + x / (a | 1) * 3 +
			(unsigned long long)((long long)x % (int)(b | 1));
	}
	device<unsigned long long> din(in), out(16 * n);

	bits_kernel<<<groups(n, 64), 64>>>(din, out, n);
	return same(out.get(), want);
}

static const program programs[] = {
	{ "shuffles", shuffles },
	{ "votes", votes },
	{ "bits", bits },
	{},
};
MAIN(programs)
