// SPDX-License-Identifier: Apache-2.0
// Dot product: each group reduces in LDS, then its leader takes a spin lock (compare-and-swap) around a
// plain addition. The lock is a compare-and-swap loop beside floating-point arithmetic, but no atomic of
// floating point: it must not be taken for one, on any memory.
//
// hipgrain-run: device
// hipgrain-stdout: dot: 8385195 expected 8385195
// hipgrain-expect: none
//
// hipgrain-run: managed
// hipgrain-stdout: dot: 8385195 expected 8385195
// hipgrain-expect: none

#include "sample.h"

#define ELEMENTS   4096
#define GROUP_SIZE 256

__global__ void dot(const float *a, const float *b, int n, double *result, unsigned *mutex)
{
	__shared__ double partial[GROUP_SIZE];
	double sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		sum += (double)a[i] * b[i];
	}
	partial[threadIdx.x] = sum;
	__syncthreads();
	for (int half = GROUP_SIZE / 2; half > 0; half /= 2) {
		if ((int)threadIdx.x < half) {
			partial[threadIdx.x] += partial[threadIdx.x + half];
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		while (atomicCAS(mutex, 0u, 1u) != 0u) {
		}
		__threadfence();
		*(volatile double *)result += partial[0];
		__threadfence();
		atomicExch(mutex, 0u);
	}
}

static void run(bool managed)
{
	float *a, *b;
	double *result, total, expected = 0;
	unsigned *mutex;

	CHECK(hipMallocManaged(&a, ELEMENTS * sizeof(*a)));
	CHECK(hipMallocManaged(&b, ELEMENTS * sizeof(*b)));
	for (int i = 0; i < ELEMENTS; i++) {
		a[i] = (float)i;
		b[i] = (float)(i % 3);
		expected += (double)a[i] * b[i];
	}
	if (managed) {
		CHECK(hipMallocManaged(&result, sizeof(*result)));
		CHECK(hipMallocManaged(&mutex, sizeof(*mutex)));
		*result = 0;
		*mutex = 0;
	} else {
		CHECK(hipMalloc(&result, sizeof(*result)));
		CHECK(hipMalloc(&mutex, sizeof(*mutex)));
		CHECK(hipMemset(result, 0, sizeof(*result)));
		CHECK(hipMemset(mutex, 0, sizeof(*mutex)));
	}
	dot<<<8, GROUP_SIZE>>>(a, b, ELEMENTS, result, mutex);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(&total, result, sizeof(total), hipMemcpyDefault));
	printf("dot: %.0f expected %.0f\n", total, expected);
	CHECK(hipFree(a));
	CHECK(hipFree(b));
	CHECK(hipFree(result));
	CHECK(hipFree(mutex));
}

static const variant variants[] = {
	{ "device", [] { run(false); } },
	{ "managed", [] { run(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
