// SPDX-License-Identifier: Apache-2.0
// Does what HIP's releases answer differently: `hipgrain report --what-if` is to foresee it (tests/e2e/whatif). usage: releases
#include <hip/hip_runtime.h>

#include <stdio.h>
#include <stdlib.h>

#define ELEMENTS   1024
#define BYTES      (ELEMENTS * sizeof(float))
#define GROUP_SIZE 256

#define CHECK(call)                                                           \
	do {                                                                  \
		hipError_t result = (call);                                   \
		if (result != hipSuccess) {                                   \
			fprintf(stderr, "%s: error %d\n", #call, (int)result); \
			exit(1);                                              \
		}                                                             \
	} while (0)

__global__ void add(float *sums, const float *values)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	unsafeAtomicAdd(&sums[i % 64], values[i]);
}

__global__ void scale(float *values)
{
	values[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

int main()
{
	float *from, *to, *uncached, *host;
	hipStream_t other;

	CHECK(hipMalloc(&from, BYTES));
	CHECK(hipMalloc(&to, BYTES));
	// Coarse-grained before 7, fine-grained since.
	CHECK(hipHostMalloc((void **)&uncached, BYTES, 0x10000000));
	// Device memory before 6.4.
	CHECK(hipHostAlloc((void **)&host, BYTES, 0));
	CHECK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
	CHECK(hipMemset(from, 0, BYTES));
	CHECK(hipDeviceSynchronize());
	// The host waits in it before 5.6.1.
	CHECK(hipMemcpy(to, from, BYTES, hipMemcpyDeviceToDevice));
	scale<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, other>>>(to);
	add<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, other>>>(uncached, to);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	CHECK(hipHostFree(host));
	CHECK(hipHostFree(uncached));
	CHECK(hipFree(from));
	CHECK(hipFree(to));
	CHECK(hipStreamDestroy(other));
	return 0;
}
