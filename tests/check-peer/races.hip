// SPDX-License-Identifier: Apache-2.0
// Accesses to the same memory that nothing orders, and barriers that not all work-items reach.
#include "gpu.h"

#define COUNT 256

/* Launches KERNEL in one work-group of COUNT work-items. */
#define TRY(kernel)                        \
	do {                               \
		int *to_ = zeroed<int>(COUNT); \
		kernel<<<1, COUNT>>>(to_); \
		WAIT();                    \
		finish(to_, COUNT);        \
	} while (0)

__global__ void reverse(int *to)
{
	__shared__ int shared[COUNT];

	shared[threadIdx.x] = threadIdx.x;
	RIGHT_ONLY(__syncthreads();)
	to[threadIdx.x] = shared[COUNT - 1 - threadIdx.x];
}

CASE(shared_reverse, "racecheck", "no barrier between a store to shared memory and the load by another work-item")
{
	TRY(reverse);
}

__global__ void rounds(int *to)
{
	__shared__ int shared[COUNT];
	int i = threadIdx.x, sum = 0;

	for (int k = 0; k < 4; k++) {
		shared[i] = i + k;
		__syncthreads();
		sum += shared[COUNT - 1 - i];
		RIGHT_ONLY(__syncthreads();)
	}
	to[i] = sum;
}

CASE(shared_rounds, "racecheck", "no barrier at the end of each round")
{
	TRY(rounds);
}

__global__ void reduce(int *to)
{
	__shared__ int shared[COUNT];
	int i = threadIdx.x;

	shared[i] = i;
	__syncthreads();
	for (int k = COUNT / 2; k; k /= 2) {
		if (i < k)
			shared[i] += shared[i + k];
		RIGHT_ONLY(__syncthreads();)
	}
	if (i == 0)
		to[0] = shared[0];
}

CASE(shared_reduction, "racecheck", "no barrier between the steps of a reduction")
{
	TRY(reduce);
}

__global__ void scan(int *to)
{
	__shared__ int shared[COUNT];
	int i = threadIdx.x;

	shared[i] = 1;
	__syncthreads();
	for (int k = 1; k < COUNT; k *= 2) {
		int other = i >= k ? shared[i - k] : 0;

		RIGHT_ONLY(__syncthreads();)
		shared[i] += other;
		__syncthreads();
	}
	to[i] = shared[i];
}

CASE(shared_scan, "racecheck", "a scan in one buffer, without a barrier between loads and stores")
{
	TRY(scan);
}

__global__ void broadcast(int *to)
{
	__shared__ int shared;

	if (threadIdx.x == 0)
		shared = 5;
	RIGHT_ONLY(__syncthreads();)
	to[threadIdx.x] = shared;
}

CASE(shared_broadcast, "racecheck", "a value of the first work-item is loaded without a barrier")
{
	TRY(broadcast);
}

__global__ void counter(int *to)
{
	__shared__ int shared;

	if (threadIdx.x == 0)
		shared = 0;
	__syncthreads();
	DEFECT_ONLY(shared++;)
	RIGHT_ONLY(atomicAdd(&shared, 1);)
	__syncthreads();
	to[threadIdx.x] = shared;
}

CASE(shared_counter, "racecheck", "all work-items increment a word of shared memory without an atomic")
{
	TRY(counter);
}

__global__ void bins(int *to)
{
	__shared__ int shared[16];

	if (threadIdx.x < 16)
		shared[threadIdx.x] = 0;
	RIGHT_ONLY(__syncthreads();)
	atomicAdd(shared + threadIdx.x % 16, 1);
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x % 16];
}

CASE(shared_bins, "racecheck", "no barrier between clearing and counting")
{
	TRY(bins);
}

__global__ void bytes(int *to)
{
	__shared__ char shared[COUNT];

	shared[threadIdx.x] = 0;
	__syncthreads();
	shared[PICK(threadIdx.x % 64, threadIdx.x)] = threadIdx.x;
	__syncthreads();
	to[threadIdx.x] = shared[threadIdx.x];
}

CASE(shared_bytes, "racecheck", "waves store different values to the same bytes; in the twin to bytes of the same words")
{
	TRY(bytes);
}

__global__ void global_counter(int *to)
{
	DEFECT_ONLY(to[0]++;)
	RIGHT_ONLY(atomicAdd(to, 1);)
}

CASE(global_counter, "racecheck", "all work-items of a work-group increment a word of global memory without an atomic")
{
	TRY(global_counter);
}

static void try_groups(void (*kernel)(int *))
{
	int *a = zeroed<int>(4 * COUNT);

	kernel<<<4, COUNT>>>(a);
	WAIT();
	finish(a, 4 * COUNT);
}

__global__ void groups_counter(int *to)
{
	if (threadIdx.x == 0) {
		DEFECT_ONLY(to[0]++;)
		RIGHT_ONLY(atomicAdd(to, 1);)
	}
}

CASE(groups_counter, "racecheck", "work-groups increment a word without an atomic")
{
	try_groups(groups_counter);
}

__global__ void scope(int *to)
{
	DEFECT_ONLY(ADD_IN_GROUP(to, 1);)
	RIGHT_ONLY(atomicAdd(to, 1);)
}

CASE(group_scope, "racecheck", "work-groups add to a word by atomics of the scope of a work-group")
{
	try_groups(scope);
}

__global__ void shift(int *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = PICK(to[(i + COUNT) % (4 * COUNT)], to[i]) + 1;
}

CASE(groups_in_place, "racecheck", "a work-group loads what another one changes")
{
	try_groups(shift);
}

__global__ void store(int *to, int value)
{
	to[threadIdx.x] = value;
}

CASE(two_streams, "racecheck", "kernels of two streams store to the same memory, and no event is between")
{
	gpuStream_t first = new_stream(), second = new_stream();
	int *a = zeroed<int>(COUNT);
	gpuEvent_t event;

	WAIT();
	OK(GPU(EventCreateWithFlags)(&event, GPU(EventDisableTiming)));
	store<<<1, COUNT, 0, first>>>(a, 1);
	OK(GPU(EventRecord)(event, first));
	RIGHT_ONLY(OK(GPU(StreamWaitEvent)(second, event, 0));)
	store<<<1, COUNT, 0, second>>>(a, 2);
	WAIT();
	OK(GPU(EventDestroy)(event));
	OK(GPU(StreamDestroy)(first));
	OK(GPU(StreamDestroy)(second));
	finish(a, COUNT);
}

CASE(early_event, "racecheck", "an event is recorded before the kernel that it is to stand for")
{
	gpuStream_t first = new_stream(), second = new_stream();
	int *a = zeroed<int>(COUNT);
	gpuEvent_t event;

	WAIT();
	OK(GPU(EventCreateWithFlags)(&event, GPU(EventDisableTiming)));
	DEFECT_ONLY(OK(GPU(EventRecord)(event, first));)
	store<<<1, COUNT, 0, first>>>(a, 1);
	RIGHT_ONLY(OK(GPU(EventRecord)(event, first));)
	OK(GPU(StreamWaitEvent)(second, event, 0));
	store<<<1, COUNT, 0, second>>>(a, 2);
	WAIT();
	OK(GPU(EventDestroy)(event));
	OK(GPU(StreamDestroy)(first));
	OK(GPU(StreamDestroy)(second));
	finish(a, COUNT);
}

__global__ void half_wave(int *to)
{
	DEFECT_ONLY(if (threadIdx.x % 64 < 16) __syncthreads();)
	RIGHT_ONLY(__syncthreads();)
	to[threadIdx.x] = 1;
}

CASE(barrier_half, "synccheck", "a barrier for some lanes of each wave")
{
	TRY(half_wave);
}

__global__ void both_arms(int *to)
{
	if (PICK(threadIdx.x & 1, blockIdx.x)) {
		to[threadIdx.x] = 1;
		__syncthreads();
		to[threadIdx.x] = 2;
	} else {
		to[threadIdx.x] = 3;
		__syncthreads();
		to[threadIdx.x] = 4;
	}
}

CASE(barrier_arms, "synccheck", "the lanes of a wave reach barriers of both arms of a condition")
{
	TRY(both_arms);
}

__global__ void trips(int *to)
{
	for (unsigned i = 0; i <= PICK(threadIdx.x % 4, 3u); i++) {
		to[threadIdx.x] = i;
		__syncthreads();
	}
}

CASE(barrier_loop, "synccheck", "lanes pass a loop with a barrier differently often")
{
	TRY(trips);
}

__global__ void skipped(int *to)
{
	__shared__ int shared[COUNT];
	int i = threadIdx.x;

	RIGHT_ONLY(if (i >= 200) return;)
	if (i < 200) {
		shared[i] = i;
		__syncthreads();
		to[i] = shared[199 - i];
	}
	__syncthreads();
	to[i] += 1;
}

CASE(barrier_skipped, "synccheck", "work-items skip a barrier and wait at the next one; in the twin they return")
{
	TRY(skipped);
}

__global__ void one_more(int *to)
{
	if (threadIdx.x < 64) {
		to[threadIdx.x] = 1;
		DEFECT_ONLY(__syncthreads();)
		to[threadIdx.x] += 1;
	}
	__syncthreads();
	to[threadIdx.x] += 2;
}

CASE(barrier_one_more, "synccheck", "the first wave has one barrier more than the others")
{
	TRY(one_more);
}

__global__ void wave_arms(int *to)
{
	if (PICK(threadIdx.x < 64, blockIdx.x)) {
		to[threadIdx.x] = 1;
		__syncthreads();
		to[threadIdx.x] += 2;
	} else {
		to[threadIdx.x] = 3;
		__syncthreads();
		to[threadIdx.x] += 4;
	}
}

CASE(barrier_wave_arms, "synccheck", "whole waves reach barriers of both arms of a condition; AMD's hardware counts waves")
{
	TRY(wave_arms);
}

CASE(copy_in_past, "memcheck", "a copy to the device is longer than the allocation")
{
	int *a = zeroed<int>(COUNT), host[COUNT + 1] = { 1 };

	OK(GPU(Memcpy)(a, host, (COUNT + PICK(1, 0)) * sizeof(int), GPU(MemcpyHostToDevice)));
	OK(gpuFree(a));
}

CASE(copy_out_past, "memcheck", "a copy to the host is longer than the allocation")
{
	int *a = zeroed<int>(COUNT), host[COUNT + 1];

	OK(GPU(Memcpy)(host, a, (COUNT + PICK(1, 0)) * sizeof(int), GPU(MemcpyDeviceToHost)));
	OK(gpuFree(a));
}

CASE(fill_past, "memcheck", "a fill is longer than the allocation")
{
	int *a = zeroed<int>(COUNT);

	OK(GPU(Memset)(a, 1, (COUNT + PICK(1, 0)) * sizeof(int)));
	WAIT();
	OK(gpuFree(a));
}

__global__ void misaligned(char *to, int skip)
{
	*(int *)(to + 4 * threadIdx.x + skip) = 1;
}

CASE(misaligned_store, "memcheck", "a store of 4 bytes at an odd address; AMD's hardware executes it")
{
	char *a = zeroed<char>(1024);

	misaligned<<<1, 64>>>(a, PICK(1, 4));
	WAIT();
	finish(a, 1024);
}

__global__ void misaligned_count(char *to, int skip)
{
	atomicAdd((int *)(to + 4 * threadIdx.x + skip), 1);
}

CASE(misaligned_atomic, "memcheck", "an atomic of 4 bytes at an address that is no multiple of 4")
{
	char *a = zeroed<char>(1024);

	misaligned_count<<<1, 64>>>(a, PICK(2, 4));
	WAIT();
	finish(a, 1024);
}
