// SPDX-License-Identifier: Apache-2.0
// usage: endless CASE
// Kernels that wait for ever, and, with _ok, twins that end; kernels that take a while.
#include <hip/hip_runtime.h>
#include <cstring>

// Work-group 0 waits for a flag, which another one sets, or nobody.
template <bool RIGHT> __global__ void flag(int *to)
{
	volatile int *flags = to;

	if (threadIdx.x)
		return;
	if (blockIdx.x == 0)
		while (!flags[16])
			;
	else if (RIGHT)
		flags[16] = 1;
}

// A lock that is never released.
template <bool RIGHT> __global__ void lock(int *to)
{
	if (threadIdx.x)
		return;
	while (atomicCAS(to, 0, 1) != 0)
		;
	to[1]++;
	__threadfence();
	if (RIGHT)
		atomicExch(to, 0);
}

// A wave waits for another one, which waits for it at the barrier.
template <bool RIGHT> __global__ void local(int *to)
{
	__shared__ volatile int ready;

	if (threadIdx.x == 0)
		ready = 0;
	__syncthreads();
	if (RIGHT && threadIdx.x == 64)
		ready = 1;
	if (threadIdx.x == 0)
		while (!ready)
			;
	__syncthreads();
	if (!RIGHT && threadIdx.x == 64)
		ready = 1;
	to[threadIdx.x] = 1;
}

// Takes as long, in units of 10 ns, as `to` says; each further work-group so much longer.
__global__ void busy(int *to)
{
	uint64_t begin = __builtin_amdgcn_s_memrealtime();

	while (__builtin_amdgcn_s_memrealtime() - begin < (uint64_t)*to * (blockIdx.x + 1))
		;
	if (threadIdx.x == 0)
		atomicAdd(to + 1, 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*kernel)(int *);
		unsigned groups, items;
		int centiseconds;
	} cases[] = { { "flag", flag<false>, 2, 64, 0 },   { "flag_ok", flag<true>, 2, 64, 0 },
		      { "lock", lock<false>, 4, 64, 0 },   { "lock_ok", lock<true>, 4, 64, 0 },
		      { "local", local<false>, 1, 128, 0 }, { "local_ok", local<true>, 1, 128, 0 },
		      { "busy", busy, 1, 64, 400 },	   { "forever", busy, 1, 64, 2000 },
		      { "steady", busy, 30, 64, 40 } };
	int *to, *unused;

	if (argc < 2 || hipMalloc((void **)&unused, 256) || hipMalloc((void **)&to, 4096) || hipMemset(to, 0, 4096))
		return 2;
	for (const auto &one : cases)
		if (!strcmp(one.name, argv[1])) {
			int ticks = one.centiseconds * 1000000;

			if (hipMemcpy(to, &ticks, sizeof(ticks), hipMemcpyHostToDevice))
				return 2;
			one.kernel<<<one.groups, one.items>>>(to);
			if (hipDeviceSynchronize() != hipSuccess)
				return 3;
			return hipFree(to) != hipSuccess || hipFree(unused) != hipSuccess;
		}
	return 2;
}
