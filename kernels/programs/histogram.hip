// SPDX-License-Identifier: Apache-2.0
// 256 bins of 64 KiB of random bytes: one global integer atomic for each byte, or bins in LDS first and
// then one global atomic for each bin and group. Integer additions are right on every kind of memory.
//
// hipgrain-run: global
// hipgrain-stdout: histogram: 65536 bytes counted, 0 of 256 bins wrong
// hipgrain-expect: none
//
// hipgrain-run: lds
// hipgrain-stdout: histogram: 65536 bytes counted, 0 of 256 bins wrong
// hipgrain-expect: none
//
// Fine-grained bins: additions of integers still arrive.
// hipgrain-run: lds_managed
// hipgrain-stdout: histogram: 65536 bytes counted, 0 of 256 bins wrong
// hipgrain-expect: none

#include "sample.h"

#define BYTES  (64 * 1024)
#define BINS   256
#define GROUPS 16

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

static const variant variants[] = {
	{ "global", [] { histogram(histogram_global, false); } },
	{ "lds", [] { histogram(histogram_lds, false); } },
	{ "lds_managed", [] { histogram(histogram_lds, true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
