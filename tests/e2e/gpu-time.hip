// SPDX-License-Identifier: Apache-2.0
// Launches kernels of two sizes from two threads, each on a stream of its own, and copies: `record --gpu-time` is to tell them
// apart (tests/e2e/gpu-time). Prints "sum 0".
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call)                                                \
	do {                                                       \
		hipError_t error_ = (call);                        \
		if (error_ != hipSuccess) {                        \
			std::fprintf(stderr, "%s: %d\n", #call, error_); \
			std::exit(1);                              \
		}                                                  \
	} while (0)

#define ITEMS (1 << 18)

__global__ void little_work(int *numbers)
{
	numbers[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void much_work(int *numbers)
{
	numbers[blockIdx.x * blockDim.x + threadIdx.x] -= 1;
}

static void launch(int *numbers, bool waits)
{
	hipStream_t stream;

	CHECK(hipStreamCreate(&stream));
	for (int i = 0; i < 15; i++) {
		little_work<<<1, 64, 0, stream>>>(numbers);
		much_work<<<32, 64, 0, stream>>>(numbers);
		if (waits)
			CHECK(hipStreamSynchronize(stream));
	}
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipStreamDestroy(stream));
}

int main()
{
	std::vector<int> host(ITEMS);
	int *numbers;

	CHECK(hipMalloc(&numbers, 2 * ITEMS * sizeof(int)));
	CHECK(hipMemset(numbers, 0, 2 * ITEMS * sizeof(int)));
	CHECK(hipMemcpy(numbers, host.data(), ITEMS * sizeof(int), hipMemcpyHostToDevice));
	std::thread other(launch, numbers + ITEMS, true);
	launch(numbers, false);
	other.join();
	CHECK(hipMemcpy(host.data(), numbers, ITEMS * sizeof(int), hipMemcpyDeviceToHost));
	std::printf("sum %d\n", host[0] > 0);
	CHECK(hipFree(numbers));
	return 0;
}
