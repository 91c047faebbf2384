// SPDX-License-Identifier: Apache-2.0
// A gfx942 with several XCDs (SOFTGPU_XCDS), whose L2 caches are not coherent: what is published
// without release and acquire is read stale, what is published with them, by read-modify-write
// operations or by the end of a kernel is not. With one XCD nothing is ever stale.
#include "program.h"

static const unsigned WORDS = 64, GROUPS = 8;

static unsigned xcds(void)
{
	const char *text = getenv("SOFTGPU_XCDS");

	return text ? (unsigned)atoi(text) : 1;
}

// A load as the compiler makes it of one that is not atomic, and that it cannot move.
static __device__ unsigned plain_load(const unsigned *p)
{
	unsigned x;

	asm volatile("global_load_dword %0, %1, off\n\ts_waitcnt vmcnt(0)" : "=v"(x) : "v"(p) : "memory");
	return x;
}

// Work-group 0 publishes; the others look at the data before, wait for the flag, and look again.
template <int STORE, int LOAD>
__global__ void publish(unsigned *data, unsigned *flag, unsigned *ready, unsigned *stale)
{
	unsigned i = threadIdx.x;

	if (blockIdx.x == 0) {
		while (__hip_atomic_load(ready, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != GROUPS - 1)
			;
		data[i] = i + 1;
		__hip_atomic_store(flag, 1u, STORE, __HIP_MEMORY_SCOPE_AGENT);
		return;
	}
	unsigned before = plain_load(data + i);
	if (!i)
		__hip_atomic_fetch_add(ready, before ? 0u : 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	while (!__hip_atomic_load(flag, LOAD, __HIP_MEMORY_SCOPE_AGENT))
		;
	if (plain_load(data + i) != i + 1)
		atomicAdd(stale, 1u);
}

template <int STORE, int LOAD> static unsigned stale_reads(void)
{
	device<unsigned> data(WORDS), flag(1), ready(1), stale(1);

	publish<STORE, LOAD><<<GROUPS, WORDS>>>(data, flag, ready, stale);
	return stale.get()[0];
}

static bool relaxed(void)
{
	unsigned stale = stale_reads<__ATOMIC_RELAXED, __ATOMIC_RELAXED>();
	// Group 8 would be on the producer's XCD again. A seed may evict the line in time.
	unsigned most = (GROUPS - 1) * WORDS;
	bool random = getenv("SOFTGPU_SEED") != NULL;

	printf("# %u of %u words were stale\n", stale, most);
	if (xcds() < 8)
		return xcds() > 1 || stale == 0;
	return random ? stale <= most : stale == most;
}

// Only one side: what the producer wrote is in memory, but the readers' lines are old; or the other
// way round.
static bool one_side(void)
{
	unsigned released = stale_reads<__ATOMIC_RELEASE, __ATOMIC_RELAXED>();
	unsigned acquired = stale_reads<__ATOMIC_RELAXED, __ATOMIC_ACQUIRE>();

	printf("# stale: %u with release only, %u with acquire only\n", released, acquired);
	return xcds() == 1 ? !released && !acquired
			   : getenv("SOFTGPU_SEED") || (released && acquired);
}

static bool synchronized(void)
{
	return stale_reads<__ATOMIC_RELEASE, __ATOMIC_ACQUIRE>() == 0;
}

// Read-modify-write operations from all XCDs meet, also where a line is dirty in one of them.
__global__ void count(unsigned *sum, unsigned *other)
{
	other[blockIdx.x] = blockIdx.x;
	atomicAdd(sum, 1u);
	other[32 + blockIdx.x] = blockIdx.x;
	atomicMax(other + 64, blockIdx.x);
}

static bool operations(void)
{
	device<unsigned> words(128);

	count<<<32, 64>>>(words, words + 1);
	std::vector<unsigned> got = words.get();
	bool good = got[0] == 32 * 64 && got[65] == 31;

	for (unsigned i = 0; i < 32; i++)
		good &= got[1 + i] == i && got[33 + i] == i;
	return good;
}

__global__ void write(unsigned *p, unsigned x)
{
	p[blockIdx.x * 64 + threadIdx.x] += x + threadIdx.x + blockIdx.x;
}

__global__ void turn(const unsigned *from, unsigned *to)
{
	unsigned n = gridDim.x * 64, i = blockIdx.x * 64 + threadIdx.x;

	to[i] = from[n - 1 - i];
}

// The next kernel sees everything, whichever XCD reads it.
static bool kernels(void)
{
	device<unsigned> a(32 * 64), b(32 * 64);

	for (unsigned round = 0; round < 4; round++) {
		write<<<32, 64>>>(a, round);
		turn<<<32, 64>>>(a, b);
	}
	std::vector<unsigned> got = b.get();
	for (unsigned i = 0; i < 32 * 64; i++) {
		unsigned j = 32 * 64 - 1 - i;

		if (got[i] != 4 * (j % 64 + j / 64) + 6)
			return false;
	}
	return true;
}

__global__ void where(unsigned *out)
{
	unsigned xcc;

	asm volatile("s_getreg_b32 %0, hwreg(HW_REG_XCC_ID)" : "=s"(xcc));
	out[blockIdx.x] = xcc;
}

static bool numbers(void)
{
	device<unsigned> out(32);

	where<<<32, 64>>>(out);
	std::vector<unsigned> got = out.get();
	for (unsigned i = 0; i < 32; i++)
		if (got[i] != i % xcds())
			return false;
	return true;
}

static const program programs[] = {
	{ "relaxed", relaxed },
	{ "one side", one_side },
	{ "release and acquire", synchronized },
	{ "read-modify-write", operations },
	{ "kernels", kernels },
	{ "numbers of XCDs", numbers },
	{},
};
MAIN(programs)
