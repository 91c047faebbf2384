// SPDX-License-Identifier: Apache-2.0
// What is right or wrong by what surrounds the program: variables that are set, and how much memory and what
// kind of driver the machine has.
//
// Half of the machine's memory is pinned at once.
// hipgrain-run: pins_half
// hipgrain-stdout: surroundings: pinned
// hipgrain-expect: HG212 call=hipHostMalloc api=hipHostMalloc at=@pinned
//
// The same amount in all, a quarter at a time.
// hipgrain-run: pins_in_turn
// hipgrain-stdout: surroundings: pinned
// hipgrain-expect: none
//
// Without shared virtual memory in the driver managed memory is pinned host memory.
// hipgrain-run: managed
// hipgrain-env: SOFTGPU_SVM=0
// hipgrain-stdout: surroundings: 1024 of 1024 right
// hipgrain-expect: HG208 call=hipMallocManaged api=hipMallocManaged at=@managed
//
// hipgrain-run: managed
// hipgrain-stdout: surroundings: 1024 of 1024 right
// hipgrain-expect: none
//
// Three streams on two hardware queues.
// hipgrain-run: streams
// hipgrain-env: GPU_MAX_HW_QUEUES=2
// hipgrain-stdout: surroundings: 1024 of 1024 right
// hipgrain-expect: HG507
//
// hipgrain-run: streams
// hipgrain-env: GPU_MAX_HW_QUEUES=4
// hipgrain-stdout: surroundings: 1024 of 1024 right
// hipgrain-expect: none
//
// Nothing has read it since the HCC runtime.
// hipgrain-run: managed
// hipgrain-env: HCC_UNPINNED_COPY_MODE=2
// hipgrain-expect: HG908

#include "sample.h"

#include <unistd.h>

#define ELEMENTS 1024
#define BYTES    (ELEMENTS * sizeof(int))
#define STREAMS  3
#define PAGE     4096

__global__ void fill(int *result)
{
	result[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/* The memory is not touched: the sample needs addresses only. */
static void *pinned(size_t bytes)
{
	void *p;

	CHECK(hipHostMalloc(&p, bytes, hipHostMallocDefault)); // @pinned
	return p;
}

static void run_pins(bool in_turn)
{
	size_t quarter = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * PAGE + PAGE;
	void *first = pinned(quarter);

	if (in_turn) {
		CHECK(hipHostFree(first));
	}
	CHECK(hipHostFree(pinned(quarter)));
	if (!in_turn) {
		CHECK(hipHostFree(first));
	}
	printf("surroundings: pinned\n");
}

static void judge(const int *result)
{
	int right = 0;

	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < ELEMENTS; i++) {
		right += result[i] == 1;
	}
	printf("surroundings: %d of %d right\n", right, ELEMENTS);
}

static int *managed()
{
	int *result;

	CHECK(hipMallocManaged(&result, BYTES)); // @managed
	memset(result, 0, BYTES);
	return result;
}

static void run_managed()
{
	int *result = managed();

	fill<<<1, ELEMENTS>>>(result);
	CHECK(hipGetLastError());
	judge(result);
	CHECK(hipFree(result));
}

static void run_streams()
{
	hipStream_t streams[STREAMS];
	int *results[STREAMS];

	for (int i = 0; i < STREAMS; i++) {
		CHECK(hipStreamCreate(&streams[i]));
		results[i] = managed();
	}
	for (int i = 0; i < STREAMS; i++) {
		fill<<<1, ELEMENTS, 0, streams[i]>>>(results[i]);
		CHECK(hipGetLastError());
	}
	judge(results[STREAMS - 1]);
	for (int i = 0; i < STREAMS; i++) {
		CHECK(hipStreamDestroy(streams[i]));
		CHECK(hipFree(results[i]));
	}
}

static const variant variants[] = {
	{ "pins_half", [] { run_pins(false); } },
	{ "pins_in_turn", [] { run_pins(true); } },
	{ "managed", run_managed },
	{ "streams", run_streams },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
