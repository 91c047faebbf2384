// SPDX-License-Identifier: Apache-2.0
// Work-groups that hand data to each other within one launch: a message behind a flag, partial sums
// that the last group adds up, a sum behind a lock. Without release and acquire this is right on a GPU
// with one L2 cache, such as a GCD of an MI250X, and wrong on one with several: on an MI300X, and on
// the software GPU with --xcds=8 (tests/samples/handover).
//
// hipgrain-run: message
// hipgrain-stdout: 448 of 448 right
// hipgrain-expect: HG115 kernel=message argument=0 api=hipMalloc at=@words launches=1 confidence=likely
// hipgrain-gpu: gfx942: each XCD has an L2 cache of its own
// hipgrain-env: SOFTGPU_XCDS=8 SOFTGPU_SEED=1
// hipgrain-expect: HG114 kernel=message argument=0 api=hipMalloc at=@words launches=1 confidence=proven
//
// hipgrain-run: message_fenced
// hipgrain-stdout: 448 of 448 right
// hipgrain-expect: none
// hipgrain-gpu: gfx942: each XCD has an L2 cache of its own
// hipgrain-env: SOFTGPU_XCDS=8 SOFTGPU_SEED=1
// hipgrain-stdout: 448 of 448 right
// hipgrain-expect: none
//
// hipgrain-run: message_ordered
// hipgrain-stdout: 448 of 448 right
// hipgrain-expect: none
// hipgrain-gpu: gfx942: each XCD has an L2 cache of its own
// hipgrain-env: SOFTGPU_XCDS=8 SOFTGPU_SEED=1
// hipgrain-stdout: 448 of 448 right
// hipgrain-expect: none
//
// hipgrain-run: sums
// hipgrain-stdout: 1 of 1 right
// hipgrain-expect: HG115 kernel=sums argument=0 api=hipMalloc at=@words launches=1 confidence=likely
// hipgrain-gpu: gfx942: each XCD has an L2 cache of its own
// hipgrain-env: SOFTGPU_XCDS=8 SOFTGPU_SEED=1
// hipgrain-expect: HG114 kernel=sums argument=0 api=hipMalloc at=@words launches=1 confidence=proven
//
// hipgrain-run: sums_fenced
// hipgrain-stdout: 1 of 1 right
// hipgrain-expect: none
// hipgrain-gpu: gfx942: each XCD has an L2 cache of its own
// hipgrain-env: SOFTGPU_XCDS=8 SOFTGPU_SEED=1
// hipgrain-stdout: 1 of 1 right
// hipgrain-expect: none
//
// hipgrain-run: lock
// hipgrain-stdout: 1 of 1 right
// hipgrain-expect: HG115 kernel=lock argument=0 api=hipMalloc at=@words launches=1 confidence=likely
// hipgrain-gpu: gfx942: each XCD has an L2 cache of its own
// hipgrain-env: SOFTGPU_XCDS=8 SOFTGPU_SEED=1
// hipgrain-expect: HG114 kernel=lock argument=0 api=hipMalloc at=@words launches=1 confidence=proven
//
// hipgrain-run: lock_fenced
// hipgrain-stdout: 1 of 1 right
// hipgrain-expect: none
// hipgrain-gpu: gfx942: each XCD has an L2 cache of its own
// hipgrain-env: SOFTGPU_XCDS=8 SOFTGPU_SEED=1
// hipgrain-stdout: 1 of 1 right
// hipgrain-expect: none

#include "sample.h"

#define GROUPS 8
#define ITEMS  64

enum order { RELAXED, FENCED, ORDERED };

// Orders data and a flag.
template <order o> static __device__ void fence()
{
	if (o == FENCED) {
		__threadfence();
	}
}

template <order o> static __device__ void set(unsigned *flag)
{
	fence<o>();
	__hip_atomic_store(flag, 1u, o == ORDERED ? __ATOMIC_RELEASE : __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <order o> static __device__ void wait(unsigned *flag)
{
	while (__hip_atomic_load(flag, o == ORDERED ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED,
				 __HIP_MEMORY_SCOPE_AGENT) == 0) {
	}
	fence<o>();
}

// Group 0 writes, when the others have looked at the words, as a program does that uses them again.
template <order o> __global__ void message(unsigned *words, unsigned *flag, unsigned *ready, unsigned *right)
{
	unsigned i = threadIdx.x;

	if (blockIdx.x == 0) {
		while (__hip_atomic_load(ready, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != (GROUPS - 1) * ITEMS) {
		}
		words[i] = i + 1;
		set<o>(flag);
		return;
	}
	atomicAdd(ready, words[i] == 0 ? 1u : 0u);
	wait<o>(flag);
	atomicAdd(right, words[i] == i + 1 ? 1u : 0u);
}

// Each group stores its sum; the last one adds them up.
template <order o> __global__ void sums(unsigned *words, unsigned *finished, unsigned *total)
{
	if (threadIdx.x != 0) {
		return;
	}
	words[blockIdx.x] += blockIdx.x + 1;
	fence<o>();
	if (atomicAdd(finished, 1u) == GROUPS - 1) {
		unsigned sum = 0;

		fence<o>();
		for (int i = 0; i < GROUPS; i++) {
			sum += words[i];
		}
		*total = sum;
	}
}

// A work-item of each group adds to a word behind a lock.
template <order o> __global__ void lock(unsigned *words, unsigned *taken)
{
	if (threadIdx.x != 0) {
		return;
	}
	while (atomicCAS(taken, 0u, 1u) != 0) {
	}
	fence<o>();
	words[0] += blockIdx.x + 1;
	fence<o>();
	atomicExch(taken, 0u);
}

// Words that groups hand over, and what they synchronise with.
struct memory {
	unsigned *words, *flags;
};

static memory allocate()
{
	memory m;

	CHECK(hipMalloc(&m.words, ITEMS * sizeof(unsigned))); // @words
	CHECK(hipMalloc(&m.flags, 4 * sizeof(unsigned)));
	CHECK(hipMemset(m.words, 0, ITEMS * sizeof(unsigned)));
	CHECK(hipMemset(m.flags, 0, 4 * sizeof(unsigned)));
	return m;
}

static unsigned fetch(const unsigned *word)
{
	unsigned value;

	CHECK(hipGetLastError());
	CHECK(hipMemcpy(&value, word, sizeof(value), hipMemcpyDeviceToHost));
	return value;
}

static void release(const memory &m)
{
	CHECK(hipFree(m.words));
	CHECK(hipFree(m.flags));
}

template <order o> static void run_message()
{
	memory m = allocate();

	message<o><<<GROUPS, ITEMS>>>(m.words, m.flags, m.flags + 1, m.flags + 2);
	printf("%u of %u right\n", fetch(m.flags + 2), (GROUPS - 1) * ITEMS);
	release(m);
}

template <order o> static void run_sums()
{
	memory m = allocate();

	sums<o><<<GROUPS, ITEMS>>>(m.words, m.flags, m.flags + 1);
	printf("%d of 1 right\n", fetch(m.flags + 1) == GROUPS * (GROUPS + 1) / 2);
	release(m);
}

template <order o> static void run_lock()
{
	memory m = allocate();

	lock<o><<<GROUPS, ITEMS>>>(m.words, m.flags);
	printf("%d of 1 right\n", fetch(m.words) == GROUPS * (GROUPS + 1) / 2);
	release(m);
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "message", run_message<RELAXED> },
		{ "message_fenced", run_message<FENCED> },
		{ "message_ordered", run_message<ORDERED> },
		{ "sums", run_sums<RELAXED> },
		{ "sums_fenced", run_sums<FENCED> },
		{ "lock", run_lock<RELAXED> },
		{ "lock_fenced", run_lock<FENCED> },
	};

	return run_variant(variants, argc, argv);
}
