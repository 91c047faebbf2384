// SPDX-License-Identifier: Apache-2.0
// A gfx942 with several XCDs (SOFTGPU_XCDS), whose L2 caches are not coherent: what is published
// without release and acquire is read stale, what is published with them, by read-modify-write
// operations or by the end of a kernel is not. With one XCD nothing is ever stale. What a cache
// holds depends on the page's MTYPE: host memory of a machine without APUs is not cached at all,
// another GPU's memory is held although others write it.
#include "program.h"

static const unsigned WORDS = 64, GROUPS = 8, ALL = (GROUPS - 1) * WORDS;

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

template <int STORE, int LOAD> static unsigned stale_reads(unsigned *data)
{
	device<unsigned> flag(1), ready(1), stale(1);

	publish<STORE, LOAD><<<GROUPS, WORDS>>>(data, flag, ready, stale);
	return stale.get()[0];
}

template <int STORE, int LOAD> static unsigned stale_reads(void)
{
	return stale_reads<STORE, LOAD>(device<unsigned>(WORDS));
}

static bool relaxed(void)
{
	unsigned stale = stale_reads<__ATOMIC_RELAXED, __ATOMIC_RELAXED>();
	// Group 8 would be on the producer's XCD again. A seed may evict the line in time.
	bool random = getenv("SOFTGPU_SEED") != NULL;

	printf("# %u of %u words were stale\n", stale, ALL);
	if (xcds() < 8)
		return xcds() > 1 || stale == 0;
	return random ? stale <= ALL : stale == ALL;
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

// Host memory: UC from a discrete GPU, which nothing caches; of an APU's own node RW.
static bool host(void)
{
	const char *text = getenv("SOFTGPU_APU");
	bool apu = text && atoi(text);
	unsigned *data, relaxed, synchronized;

	HIP(hipHostMalloc((void **)&data, WORDS * 4, 0));
	memset(data, 0, WORDS * 4);
	relaxed = stale_reads<__ATOMIC_RELAXED, __ATOMIC_RELAXED>(data);
	memset(data, 0, WORDS * 4);
	synchronized = stale_reads<__ATOMIC_RELEASE, __ATOMIC_ACQUIRE>(data);
	HIP(hipHostFree(data));
	printf("# stale of host memory: %u, %u with release and acquire\n", relaxed, synchronized);
	return !synchronized && (xcds() == 8 && apu && !getenv("SOFTGPU_SEED") ? relaxed == ALL : apu || !relaxed);
}

// Fine-grained memory of the own GPU is cached as coarse-grained is; of extended scope (Uncached),
// stores go through (CC), but what L1 has grows old.
static bool kinds(void)
{
	unsigned *fine, *wide, stale_fine, stale_wide, synchronized;

	HIP(hipExtMallocWithFlags((void **)&fine, WORDS * 4, hipDeviceMallocFinegrained));
	HIP(hipMemset(fine, 0, WORDS * 4));
	stale_fine = stale_reads<__ATOMIC_RELAXED, __ATOMIC_RELAXED>(fine);
	HIP(hipMemset(fine, 0, WORDS * 4));
	synchronized = stale_reads<__ATOMIC_RELEASE, __ATOMIC_ACQUIRE>(fine);
	HIP(hipFree(fine));
	if (hipExtMallocWithFlags((void **)&wide, WORDS * 4, hipDeviceMallocUncached)) {
		(void)hipGetLastError(); // before ROCm 6.2 there is no such memory
		stale_wide = 0;
	} else {
		HIP(hipMemset(wide, 0, WORDS * 4));
		stale_wide = stale_reads<__ATOMIC_RELAXED, __ATOMIC_ACQUIRE>(wide);
		HIP(hipFree(wide));
	}
	printf("# stale: fine-grained %u, of extended scope with acquire only %u\n", stale_fine, stale_wide);
	return !synchronized && !stale_wide && (xcds() < 8 || getenv("SOFTGPU_SEED") || stale_fine == ALL);
}

__global__ void look(const unsigned *data, volatile unsigned *flags, unsigned *seen)
{
	unsigned i = threadIdx.x, before = plain_load(data + i);

	// Lines of L1 are dropped (sc0), those of L2 that are another GPU's are not.
	asm volatile("s_waitcnt vmcnt(0)\n\tbuffer_inv sc0" ::: "memory");
	if (!i)
		flags[0] = 1;
	while (!flags[1])
		__builtin_amdgcn_s_sleep(1);
	seen[i] = before << 24 | plain_load(data + i) << 16;
	asm volatile("s_waitcnt vmcnt(0)\n\tbuffer_inv sc0" ::: "memory");
	seen[i] |= plain_load(data + i) << 8;
	asm volatile("s_waitcnt vmcnt(0)\n\tbuffer_inv sc1" ::: "memory");
	seen[i] |= plain_load(data + i);
}

__global__ void fill(unsigned *data)
{
	data[threadIdx.x] = 1;
}

// What memory of another GPU's holds is read by a GPU whose L2 has an older line (NC), and of its
// own (RW), while a third one writes it: with NC what L2 holds stays until buffer_inv sc1.
static bool peer(void)
{
	unsigned *data[2], *flags, *seen;
	int devices, good = 1;

	HIP(hipGetDeviceCount(&devices));
	if (devices < 2)
		return true;
	HIP(hipHostMalloc((void **)&flags, 8, hipHostMallocCoherent));
	HIP(hipHostMalloc((void **)&seen, WORDS * 4, hipHostMallocCoherent));
	for (int d = 0; d < 2; d++) {
		HIP(hipSetDevice(d));
		HIP(hipMalloc((void **)&data[d], WORDS * 4));
		HIP(hipMemset(data[d], 0, WORDS * 4));
		HIP(hipDeviceSynchronize());
		HIP(hipDeviceEnablePeerAccess(!d, 0));
	}
	for (int d = 0; d < 2; d++) {
		unsigned after, after_l1, after_l2;

		flags[0] = flags[1] = 0;
		HIP(hipSetDevice(0));
		look<<<1, WORDS>>>(data[d], flags, seen);
		while (!__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE))
			;
		HIP(hipSetDevice(1));
		fill<<<1, WORDS>>>(data[d]);
		HIP(hipDeviceSynchronize());
		__atomic_store_n(&flags[1], 1, __ATOMIC_RELEASE);
		HIP(hipSetDevice(0));
		HIP(hipDeviceSynchronize());
		after = seen[0] >> 16 & 0xff;
		after_l1 = seen[0] >> 8 & 0xff;
		after_l2 = seen[0] & 0xff;
		printf("# memory of GPU %d: then %u, without L1's line %u, without L2's %u\n", d, after, after_l1,
		       after_l2);
		good &= !(seen[0] >> 24) && after_l2 == 1;
		if (xcds() > 1 && !getenv("SOFTGPU_SEED"))
			good &= after_l1 == (d == 0);
	}
	for (int d = 0; d < 2; d++)
		HIP(hipFree(data[d]));
	HIP(hipHostFree(flags));
	HIP(hipHostFree(seen));
	return good;
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
	{ "host memory", host },
	{ "kinds of memory", kinds },
	{ "another GPU's memory", peer },
	{ "read-modify-write", operations },
	{ "kernels", kernels },
	{ "numbers of XCDs", numbers },
	{},
};
MAIN(programs)
