// SPDX-License-Identifier: Apache-2.0
// 256 bins of 64 KiB of random bytes: one global integer atomic for each byte, or bins in LDS first and
// then one global atomic for each bin and group. Integer additions are right on every kind of memory.
//
// hipgrain-run: global
// hipgrain-stdout: histogram: 65536 bytes counted, 0 of 256 bins wrong
// hipgrain-expect: none
//
// A million work-items, and two thirds of all updates meet in one word.
// hipgrain-run: peak
// hipgrain-stdout: histogram: 1048576 of 1048576 counted
// hipgrain-expect: HG113 kernel=count_global argument=0 api=hipMalloc at=@peak launches=1 confidence=possible
//
// hipgrain-run: peak_lds
// hipgrain-stdout: histogram: 1048576 of 1048576 counted
// hipgrain-expect: none
//
// hipgrain-run: lds
// hipgrain-stdout: histogram: 65536 bytes counted, 0 of 256 bins wrong
// hipgrain-expect: none
//
// Nobody sets the bins to 0: their sum is what fresh pages happen to hold, and the counts.
// hipgrain-run: fresh
// hipgrain-expect: HG619 kernel=count_lds argument=0 api=hipMalloc at=@peak launches=1 confidence=likely
//
// Fine-grained bins: additions of integers still arrive.
// hipgrain-run: lds_managed
// hipgrain-stdout: histogram: 65536 bytes counted, 0 of 256 bins wrong
// hipgrain-expect: none

#include "sample.h"

#define BYTES  (64 * 1024)
#define BINS   256
#define GROUPS 16
#define ITEMS  (1 << 20)

__global__ void histogram_global(const unsigned char *data, int n, unsigned *bins)
{
	int stride = blockDim.x * gridDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
		atomicAdd(&bins[data[i]], 1u);
	}
}

__global__ void histogram_lds(const unsigned char *data, int n, unsigned *bins)
{
	__shared__ unsigned local[BINS];
	int stride = blockDim.x * gridDim.x;

	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
		atomicAdd(&local[data[i]], 1u);
	}
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

typedef void (*kernel_t)(const unsigned char *, int, unsigned *);

static void histogram(kernel_t kernel, bool managed)
{
	static unsigned char data[BYTES];
	unsigned expected[BINS] = {}, counted[BINS], total = 0, state = 1;
	unsigned char *device_data;
	unsigned *bins;
	int wrong = 0;

	for (int i = 0; i < BYTES; i++) {
		state = state * 1664525u + 1013904223u;
		data[i] = (unsigned char)(state >> 24);
		expected[data[i]]++;
	}
	CHECK(hipMalloc(&device_data, BYTES));
	if (managed) {
		CHECK(hipMallocManaged(&bins, sizeof(counted)));
		memset(bins, 0, sizeof(counted));
	} else {
		CHECK(hipMalloc(&bins, sizeof(counted)));
		CHECK(hipMemset(bins, 0, sizeof(counted)));
	}
	CHECK(hipMemcpy(device_data, data, BYTES, hipMemcpyHostToDevice));
	kernel<<<GROUPS, BINS>>>(device_data, BYTES, bins);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(counted, bins, sizeof(counted), hipMemcpyDefault));
	for (int i = 0; i < BINS; i++) {
		total += counted[i];
		wrong += counted[i] != expected[i];
	}
	printf("histogram: %u bytes counted, %d of %d bins wrong\n", total, wrong, BINS);
	CHECK(hipFree(device_data));
	CHECK(hipFree(bins));
}

/* Counts in the same two ways with nothing to read: what is to be seen is how many update. */
__global__ void count_global(unsigned *bins)
{
	atomicAdd(&bins[threadIdx.x % 3 == 0], 1u);
}

__global__ void count_lds(unsigned *bins)
{
	__shared__ unsigned local[2];

	if (threadIdx.x < 2) {
		local[threadIdx.x] = 0;
	}
	__syncthreads();
	atomicAdd(&local[threadIdx.x % 3 == 0], 1u);
	__syncthreads();
	if (threadIdx.x < 2) {
		atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
	}
}

static void peak(void (*kernel)(unsigned *), bool cleared = true)
{
	unsigned *bins, counted[2];

	CHECK(hipMalloc(&bins, sizeof(counted))); // @peak
	if (cleared) {
		CHECK(hipMemset(bins, 0, sizeof(counted)));
	}
	kernel<<<ITEMS / 1024, 1024>>>(bins);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(counted, bins, sizeof(counted), hipMemcpyDeviceToHost));
	printf("histogram: %u of %d counted\n", counted[0] + counted[1], ITEMS);
	CHECK(hipFree(bins));
}

static const variant variants[] = {
	{ "global", [] { histogram(histogram_global, false); } },
	{ "peak", [] { peak(count_global); } },
	{ "peak_lds", [] { peak(count_lds); } },
	{ "fresh", [] { peak(count_lds, false); } },
	{ "lds", [] { histogram(histogram_lds, false); } },
	{ "lds_managed", [] { histogram(histogram_lds, true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
