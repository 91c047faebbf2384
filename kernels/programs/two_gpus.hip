// SPDX-License-Identifier: Apache-2.0
// Two GPUs and one buffer: counted in by both, prefetched to the wrong one, or given from one to the other.
//
// Atomics of both in coarse-grained memory, and nothing orders the kernels. On the software GPU they add up:
// what hardware does there is not documented.
// hipgrain-run: both_count_coarse
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-expect: HG406 kernel=count argument=0 api=hipHostMalloc at=@coarse
//
// hipgrain-run: both_count_fine
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 512 expected 512
// hipgrain-expect: none
//
// hipgrain-run: count_in_turns
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 512 expected 512
// hipgrain-expect: none
//
// hipgrain-run: prefetched_elsewhere
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: HG305 kernel=add_one argument=0 api=hipMallocManaged at=@managed
//
// hipgrain-run: prefetched_here
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none
//
// One GPU of the two reads it again and again from where it is, because it was only mapped for it.
// hipgrain-run: mapped
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: HG307 kernel=add_one argument=0 api=hipMallocManaged at=@managed launches=4 confidence=likely
//
// hipgrain-run: mapped_and_preferred
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none
//
// GPU 0 stayed selected after peer access was enabled for it, so it got the array that only kernels of GPU 1 use.
// hipgrain-run: not_selected_again
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: HG222 kernel=add_one argument=0 api=hipMalloc at=@peer launches=4 confidence=likely
//
// hipgrain-run: selected_again
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none
//
// Memory of a pool is on the pool's GPU, whatever the stream's is.
// hipgrain-run: pool_elsewhere
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: HG222 kernel=add_one argument=0 api=hipMallocFromPoolAsync at=@pool launches=4 confidence=likely
//
// hipgrain-run: pool_here
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none
//
// A launch in a stream runs on the stream's device, whichever device is current.
// hipgrain-run: prefetched_for_stream
// hipgrain-runtime: before 7.2: it launches kernels in streams of the current GPU alone
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none
//
// hipgrain-run: prefetched_for_current
// hipgrain-runtime: before 7.2: it launches kernels in streams of the current GPU alone
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: HG305 kernel=add_one argument=0 api=hipMallocManaged at=@managed
//
// hipgrain-run: prefetched_for_thread
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: two gpus: 1048576 expected 1048576
// hipgrain-expect: none
//
// hipgrain-run: both_count_in_streams
// hipgrain-runtime: before 7.2: it launches kernels in streams of the current GPU alone
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-expect: HG406 kernel=count argument=0 api=hipHostMalloc at=@coarse

#include "sample.h"

#define ITEMS    256
#define ROUNDS   4
#define ELEMENTS (1 << 20)

__global__ void count(unsigned *sum)
{
	atomicAdd(sum, 1u);
}

__global__ void add_one(int *values)
{
	values[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static unsigned *pinned(unsigned flags)
{
	unsigned *p;

	CHECK(hipHostMalloc(&p, sizeof(*p), flags | hipHostMallocPortable)); // @coarse
	*p = 0;
	return p;
}

static void count_on(int device, unsigned *sum)
{
	CHECK(hipSetDevice(device));
	count<<<1, ITEMS>>>(sum);
	CHECK(hipGetLastError());
}

static void run_count(unsigned flags, bool in_turns)
{
	unsigned *sum = pinned(flags);

	count_on(0, sum);
	if (in_turns) {
		CHECK(hipDeviceSynchronize());
	}
	count_on(1, sum);
	CHECK(hipDeviceSynchronize());
	CHECK(hipSetDevice(0));
	CHECK(hipDeviceSynchronize());
	printf("two gpus: %u expected %d\n", *sum, 2 * ITEMS);
	CHECK(hipHostFree(sum));
}

static int *managed()
{
	int *values;

	CHECK(hipMallocManaged(&values, ELEMENTS * sizeof(*values))); // @managed
	memset(values, 0, ELEMENTS * sizeof(*values));
	return values;
}

/* Returns how many elements are `rounds`. */
static int count_right(const int *values, int rounds)
{
	int right = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		right += values[i] == rounds;
	}
	return right;
}

static void add_up(int *values, int rounds, hipStream_t stream = nullptr)
{
	CHECK(hipSetDevice(1));
	for (int i = 0; i < rounds; i++) {
		add_one<<<ELEMENTS / ITEMS, ITEMS, 0, stream>>>(values);
		CHECK(hipGetLastError());
	}
	CHECK(hipStreamSynchronize(stream));
	printf("two gpus: %d expected %d\n", count_right(values, rounds), ELEMENTS);
	CHECK(hipFree(values));
}

static void run_prefetched(int device)
{
	int *values = managed();

	CHECK(hipMemPrefetchAsync(values, ELEMENTS * sizeof(*values), device, nullptr));
	add_up(values, 1);
}

/* The stream is device 0's, and device 1 is current at the launch. */
static void run_in_stream(int device)
{
	int *values = managed();
	hipStream_t stream;

	CHECK(hipStreamCreate(&stream));
	CHECK(hipMemPrefetchAsync(values, ELEMENTS * sizeof(*values), device, stream));
	add_up(values, 1, stream);
	CHECK(hipStreamDestroy(stream));
}

static void run_in_thread_stream()
{
	int *values = managed();

	CHECK(hipSetDevice(1));
	CHECK(hipMemPrefetchAsync(values, ELEMENTS * sizeof(*values), 1, hipStreamPerThread));
	add_up(values, 1, hipStreamPerThread);
}

static void run_count_in_streams()
{
	unsigned *sum = pinned(hipHostMallocNonCoherent);
	hipStream_t streams[2];

	for (int i = 0; i < 2; i++) {
		CHECK(hipSetDevice(i));
		CHECK(hipStreamCreate(&streams[i]));
	}
	for (int i = 0; i < 2; i++) {
		count<<<1, ITEMS, 0, streams[i]>>>(sum);
		CHECK(hipGetLastError());
	}
	for (int i = 0; i < 2; i++) {
		CHECK(hipStreamSynchronize(streams[i]));
	}
	printf("two gpus: %u expected %d\n", *sum, 2 * ITEMS);
	CHECK(hipHostFree(sum));
}

static void run_mapped(bool preferred)
{
	int *values = managed();
	size_t bytes = ELEMENTS * sizeof(*values);

	CHECK(hipMemAdvise(values, bytes, hipMemAdviseSetAccessedBy, 1));
	if (preferred) {
		CHECK(hipMemAdvise(values, bytes, hipMemAdviseSetPreferredLocation, 1));
	}
	add_up(values, ROUNDS);
}

/* Allocates memory for kernels of GPU 1, which was selected before the other was set up. */
static void run_peer(bool selected_again)
{
	size_t bytes = ELEMENTS * sizeof(int);
	int *values, *results = (int *)malloc(bytes);
	hipStream_t stream;

	CHECK(hipSetDevice(1));
	CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	CHECK(hipDeviceEnablePeerAccess(0, 0));
	CHECK(hipSetDevice(0));
	CHECK(hipDeviceEnablePeerAccess(1, 0));
	if (selected_again) {
		CHECK(hipSetDevice(1));
	}
	CHECK(hipMalloc(&values, bytes)); // @peer
	CHECK(hipMemset(values, 0, bytes));
	CHECK(hipDeviceSynchronize());
	CHECK(hipSetDevice(1));
	for (int i = 0; i < ROUNDS; i++) {
		add_one<<<ELEMENTS / ITEMS, ITEMS, 0, stream>>>(values);
		CHECK(hipGetLastError());
	}
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipMemcpy(results, values, bytes, hipMemcpyDeviceToHost));
	printf("two gpus: %d expected %d\n", count_right(results, ROUNDS), ELEMENTS);
	CHECK(hipFree(values));
	CHECK(hipStreamDestroy(stream));
	free(results);
}

/* Allocates memory for kernels of GPU 1 from a pool, in a stream of the GPU that the pool is not of. */
static void run_pool(int pool_gpu)
{
	size_t bytes = ELEMENTS * sizeof(int);
	int *values, *results = (int *)malloc(bytes);
	hipMemPoolProps properties = {};
	hipMemAccessDesc access = {};
	hipStream_t stream;
	hipMemPool_t pool;

	properties.allocType = hipMemAllocationTypePinned;
	properties.location = { hipMemLocationTypeDevice, pool_gpu };
	access.location = { hipMemLocationTypeDevice, 1 };
	access.flags = hipMemAccessFlagsProtReadWrite;
	CHECK(hipMemPoolCreate(&pool, &properties));
	CHECK(hipMemPoolSetAccess(pool, &access, 1));
	CHECK(hipSetDevice(1 - pool_gpu));
	CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	CHECK(hipMallocFromPoolAsync((void **)&values, bytes, pool, stream)); // @pool
	CHECK(hipMemsetAsync(values, 0, bytes, stream));
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipSetDevice(1));
	for (int i = 0; i < ROUNDS; i++) {
		add_one<<<ELEMENTS / ITEMS, ITEMS>>>(values);
		CHECK(hipGetLastError());
	}
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(results, values, bytes, hipMemcpyDeviceToHost));
	printf("two gpus: %d expected %d\n", count_right(results, ROUNDS), ELEMENTS);
	CHECK(hipFreeAsync(values, stream));
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipStreamDestroy(stream));
	CHECK(hipMemPoolDestroy(pool));
	free(results);
}

static const variant variants[] = {
	{ "both_count_coarse", [] { run_count(hipHostMallocNonCoherent, false); } },
	{ "both_count_fine", [] { run_count(hipHostMallocCoherent, false); } },
	{ "count_in_turns", [] { run_count(hipHostMallocNonCoherent, true); } },
	{ "prefetched_elsewhere", [] { run_prefetched(0); } },
	{ "prefetched_here", [] { run_prefetched(1); } },
	{ "mapped", [] { run_mapped(false); } },
	{ "mapped_and_preferred", [] { run_mapped(true); } },
	{ "not_selected_again", [] { run_peer(false); } },
	{ "selected_again", [] { run_peer(true); } },
	{ "pool_elsewhere", [] { run_pool(0); } },
	{ "pool_here", [] { run_pool(1); } },
	{ "prefetched_for_stream", [] { run_in_stream(0); } },
	{ "prefetched_for_current", [] { run_in_stream(1); } },
	{ "prefetched_for_thread", [] { run_in_thread_stream(); } },
	{ "both_count_in_streams", [] { run_count_in_streams(); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
