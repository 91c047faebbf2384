// SPDX-License-Identifier: Apache-2.0
// Work-groups that cooperate: groups as objects, barriers of the whole grid, atomics, locks.
#include "program.h"

#include <algorithm>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// ---- a grid that waits for itself ----

__global__ void grid_kernel(int *a, int *b, int n, int steps)
{
	cg::grid_group grid = cg::this_grid();

	for (int s = 0; s < steps; s++) {
		for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
			b[i] = a[(i + 1) % n] * 3 + a[i];
		grid.sync();
		int *swap = a;

		a = b;
		b = swap;
	}
}

static bool grid_sync(void)
{
	int n = 700, steps = 9;
	std::vector<int> v(n), w(n);

	for (int i = 0; i < n; i++)
		v[i] = i;
	device<int> a(v), b(n);
	int *pa = a, *pb = b;
	void *arguments[] = { &pa, &pb, &n, &steps };

	HIP(hipLaunchCooperativeKernel((void *)grid_kernel, dim3(5), dim3(96), arguments, 0, 0));
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < n; i++)
			w[i] = (int)((unsigned)v[(i + 1) % n] * 3 + (unsigned)v[i]);
		v.swap(w);
	}
	return same(steps & 1 ? b.get() : a.get(), v);
}

// ---- tiles of a group ----

__global__ void tile_kernel(const int *in, int *out)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
	int v = in[blockIdx.x * block.size() + block.thread_rank()];

	for (int d = 8; d; d >>= 1)
		v += tile.shfl_down(v, d);
	if (!tile.thread_rank())
		out[(blockIdx.x * block.size() + block.thread_rank()) / 16] = v;
	block.sync();
}

static bool tiles(void)
{
	const int n = 512;
	std::vector<int> in(n), want(n / 16);

	for (int i = 0; i < n; i++) {
		in[i] = (int)(hash32(i) % 1000);
		want[i / 16] += in[i];
	}
	device<int> din(in), out(n / 16);

	tile_kernel<<<4, n / 4>>>(din, out);
	return same(out.get(), want);
}

// ---- every integer atomic, 32 and 64 bits, on memory and in LDS ----

template <class U> __device__ static void all_atomics(U *v, U x)
{
	atomicAdd(&v[0], x);
	atomicMin(&v[1], x);
	atomicMax(&v[2], x);
	atomicAnd(&v[3], ~((U)1 << x % (8 * sizeof(U))));
	atomicOr(&v[4], (U)1 << x % (8 * sizeof(U)));
	atomicXor(&v[5], x * 0x10001);
	U old = v[6];

	for (U seen; (seen = atomicCAS(&v[6], old, old * 2 + 1)) != old;)
		old = seen;
	atomicExch(&v[7], (U)77);
}

template <class U> __global__ void atomics_kernel(U *out, unsigned *wrapped)
{
	__shared__ U local[8];
	U i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x < 8)
		local[threadIdx.x] = threadIdx.x == 1 || threadIdx.x == 3 ? ~(U)0 : 0;
	__syncthreads();
	all_atomics(local, i);
	all_atomics(out, i);
	__syncthreads();
	if (threadIdx.x < 8 && blockIdx.x == 0)
		out[8 + threadIdx.x] = local[threadIdx.x];
	atomicInc(&wrapped[0], 99);
	atomicDec(&wrapped[1], 50);
	atomicSub(&wrapped[2], (unsigned)i);
}

template <class U> static bool atomics_of(void)
{
	const int size = 20, ngroups = 3;
	std::vector<U> want(16), start(16);
	std::vector<unsigned> wrap(3);

	start[1] = start[3] = ~(U)0;
	want[1] = want[3] = want[9] = want[11] = ~(U)0;
	for (U i = 0; i < size * ngroups; i++)
		for (int at = 0; at <= 8; at += 8) {
			U *v = &want[at];

			if (at && i >= size)
				continue;
			v[0] += i;
			v[1] = std::min(v[1], i);
			v[2] = std::max(v[2], i);
			v[3] &= ~((U)1 << i % (8 * sizeof(U)));
			v[4] |= (U)1 << i % (8 * sizeof(U));
			v[5] ^= i * 0x10001;
			v[6] = v[6] * 2 + 1;
			v[7] = 77;
		}
	for (unsigned i = 0; i < size * ngroups; i++) {
		wrap[0] = wrap[0] >= 99 ? 0 : wrap[0] + 1;
		wrap[1] = !wrap[1] || wrap[1] > 50 ? 50 : wrap[1] - 1;
		wrap[2] -= i;
	}
	device<U> out(start);
	device<unsigned> wrapped(3);

	atomics_kernel<U><<<ngroups, size>>>(out, wrapped);
	return same(out.get(), want) && same(wrapped.get(), wrap);
}

static bool atomics(void)
{
	return atomics_of<unsigned>() && atomics_of<unsigned long long>();
}

// ---- a lock for one lane at a time, and a queue between groups ----

__global__ void lock_kernel(int *lock, int *value, int *log, int *end)
{
	for (int lane = 0; lane < 64; lane++)
		if (threadIdx.x % 64 == lane) {
			while (atomicCAS(lock, 0, 1))
				__builtin_amdgcn_s_sleep(1);
			__threadfence();
			int v = *(volatile int *)value;

			*(volatile int *)value = v + 1;
			log[v] = blockIdx.x * blockDim.x + threadIdx.x;
			__threadfence();
			atomicExch(lock, 0);
		}
	atomicAdd(end, 1);
}

static bool locks(void)
{
	const int n = 256;
	device<int> lock(1), value(1), log(n), end(1);
	std::vector<int> want(n), got;

	lock_kernel<<<2, n / 2>>>(lock, value, log, end);
	got = log.get();
	std::sort(got.begin(), got.end()); // everybody once, in whatever order
	for (int i = 0; i < n; i++)
		want[i] = i;
	return same(got, want) && value.get()[0] == n && end.get()[0] == n;
}

// ---- values of 16 bytes that one group stores while others load them: never halves of two ----

typedef unsigned quad __attribute__((ext_vector_type(4)));

__global__ void quad_kernel(quad *p, unsigned *torn, unsigned rounds)
{
	volatile quad *own = p + threadIdx.x;
	unsigned found = 0;

	for (unsigned r = 0; r < rounds; r++) {
		// Whole waves, and lanes here and there.
		if (r & 1 && threadIdx.x % 3)
			continue;
		if (blockIdx.x & 1) {
			*own = (quad)(r + blockIdx.x);
		} else {
			quad x = *own;

			found += x.x != x.y || x.x != x.z || x.x != x.w;
		}
	}
	atomicAdd(torn, found);
}

static bool quads(void)
{
	device<quad> p(64);
	device<unsigned> torn(1);

	quad_kernel<<<16, 64>>>(p, torn, 10000);
	return same(torn.get(), { 0 });
}

static const program programs[] = {
	{ "grid_sync", grid_sync },
	{ "tiles", tiles },
	{ "atomics", atomics },
	{ "locks", locks },
	{ "quads", quads },
	{},
};
MAIN(programs)
