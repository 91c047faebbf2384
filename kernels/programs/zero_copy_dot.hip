// SPDX-License-Identifier: Apache-2.0
// Dot product of two arrays in mapped pinned memory, without copies: the kernel reads host memory over the
// link. Reading it is right; so are plain stores of each group's part. A hardware atomic into it is lost.
//
// hipgrain-run: stores
// hipgrain-stdout: dot: 350880 expected 350880
// hipgrain-expect: none
//
// A megabyte of it, read again at every launch: a copy to the device would pay.
// hipgrain-run: hot
// hipgrain-stdout: dot: 4 launches
// hipgrain-expect: HG210 kernel=dot_stores argument=0 api=hipHostMalloc at=@hot launches=4
// hipgrain-expect: HG210 kernel=dot_stores argument=1 api=hipHostMalloc at=@hot launches=4
//
// hipgrain-run: warm
// hipgrain-stdout: dot: 3 launches
// hipgrain-expect: none
//
// hipgrain-run: atomic
// hipgrain-stdout: dot: 0 expected 350880
// hipgrain-expect: HG101 kernel=dot_atomic argument=3 api=hipHostMalloc at=@mapped_result launches=1 confidence=proven
//
// hipgrain-run: atomic_noncoherent
// hipgrain-stdout: dot: 350880 expected 350880
// hipgrain-expect: none
//
// The data fine-grained as before, the result in device memory.
// hipgrain-run: atomic_device
// hipgrain-stdout: dot: 350880 expected 350880
// hipgrain-expect: none

#include "sample.h"

#define ELEMENTS   4096
#define GROUP_SIZE 256
#define GROUPS     4
#define HOT_ELEMENTS (1 << 18)

__device__ static float group_dot(const float *a, const float *b, int n, float *partial)
{
	float sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		sum += a[i] * b[i];
	}
	partial[threadIdx.x] = sum;
	__syncthreads();
	for (int half = GROUP_SIZE / 2; half > 0; half /= 2) {
		if ((int)threadIdx.x < half) {
			partial[threadIdx.x] += partial[threadIdx.x + half];
		}
		__syncthreads();
	}
	return partial[0];
}

__global__ void dot_stores(const float *a, const float *b, int n, float *result)
{
	__shared__ float partial[GROUP_SIZE];
	float sum = group_dot(a, b, n, partial);

	if (threadIdx.x == 0) {
		result[blockIdx.x] = sum;
	}
}

__global__ void dot_atomic(const float *a, const float *b, int n, float *result)
{
	__shared__ float partial[GROUP_SIZE];
	float sum = group_dot(a, b, n, partial);

	if (threadIdx.x == 0) {
		unsafeAtomicAdd(result, sum);
	}
}

static float *device_address(float *host)
{
	void *device;

	CHECK(hipHostGetDevicePointer(&device, host, 0));
	return (float *)device;
}

static float *mapped(size_t bytes)
{
	float *p;

	CHECK(hipHostMalloc(&p, bytes, hipHostMallocMapped));
	return p;
}

typedef void (*kernel_t)(const float *, const float *, int, float *);

/* `result` holds the sum in `parts` parts. */
static void dot(kernel_t kernel, float *result, int parts)
{
	float *a = mapped(ELEMENTS * sizeof(*a));
	float *b = mapped(ELEMENTS * sizeof(*b));
	double sum = 0, expected = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		a[i] = (float)(i % 256);
		b[i] = (float)(i % 256 % 3 == 0) * 2;
		expected += a[i] * b[i];
	}
	kernel<<<GROUPS, GROUP_SIZE>>>(device_address(a), device_address(b), ELEMENTS, result);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < parts; i++) {
		float part;

		CHECK(hipMemcpy(&part, result + i, sizeof(part), hipMemcpyDefault));
		sum += part;
	}
	printf("dot: %.0f expected %.0f\n", sum, expected);
	CHECK(hipHostFree(a));
	CHECK(hipHostFree(b));
}

static void run_stores()
{
	float *result = mapped(GROUPS * sizeof(*result));

	dot(dot_stores, device_address(result), GROUPS);
	CHECK(hipHostFree(result));
}

static void read_repeatedly(int launches)
{
	float *result = mapped(GROUPS * sizeof(*result));
	float *numbers;

	CHECK(hipHostMalloc(&numbers, HOT_ELEMENTS * sizeof(*numbers))); // @hot
	memset(numbers, 0, HOT_ELEMENTS * sizeof(*numbers));
	for (int i = 0; i < launches; i++) {
		dot_stores<<<GROUPS, GROUP_SIZE>>>(numbers, numbers, HOT_ELEMENTS, device_address(result));
		CHECK(hipDeviceSynchronize());
	}
	printf("dot: %d launches\n", launches);
	CHECK(hipHostFree(numbers));
	CHECK(hipHostFree(result));
}

static void run_hot()
{
	read_repeatedly(4);
}

static void run_warm()
{
	read_repeatedly(3);
}

static void run_atomic()
{
	float *result;

	CHECK(hipHostMalloc(&result, sizeof(*result), hipHostMallocMapped)); // @mapped_result
	*result = 0;
	dot(dot_atomic, device_address(result), 1);
	CHECK(hipHostFree(result));
}

static void run_atomic_noncoherent()
{
	float *result;

	CHECK(hipHostMalloc(&result, sizeof(*result), hipHostMallocNonCoherent));
	*result = 0;
	dot(dot_atomic, device_address(result), 1);
	CHECK(hipHostFree(result));
}

static void run_atomic_device()
{
	float *result;

	CHECK(hipMalloc(&result, sizeof(*result)));
	CHECK(hipMemset(result, 0, sizeof(*result)));
	dot(dot_atomic, result, 1);
	CHECK(hipFree(result));
}

static const variant variants[] = {
	{ "stores", run_stores },
	{ "hot", run_hot },
	{ "warm", run_warm },
	{ "atomic", run_atomic },
	{ "atomic_noncoherent", run_atomic_noncoherent },
	{ "atomic_device", run_atomic_device },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
