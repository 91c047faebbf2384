// SPDX-License-Identifier: Apache-2.0
// Streams of each GPU that use the same memory without an order; some of them have names.
#include <hip/hip_runtime.h>

extern "C" int roctxNameHipStream(const char *name, hipStream_t stream) __attribute__((weak));

__global__ void add(int *numbers)
{
	numbers[threadIdx.x] += 1;
}

int main()
{
	int devices = 0;

	if (hipGetDeviceCount(&devices))
		return 1;
	for (int device = 0; device < devices; device++) {
		hipStream_t streams[4];
		int *numbers;

		if (hipSetDevice(device) || hipMalloc(&numbers, 4096) || hipMemset(numbers, 0, 4096) || hipDeviceSynchronize())
			return 1;
		for (int i = 0; i < 4; i++)
			if (hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking))
				return 1;
		if (roctxNameHipStream && !device) {
			roctxNameHipStream("compute", streams[1]);
			roctxNameHipStream("odd\033[31m <b>\"copies\"</b>\n", streams[3]);
			roctxNameHipStream("nobody's", (hipStream_t)0x12345);
		}
		add<<<1, 64, 0, streams[1]>>>(numbers);
		add<<<1, 64, 0, streams[3]>>>(numbers);
		add<<<1, 64>>>(numbers);
		if (hipDeviceSynchronize())
			return 1;
	}
	return 0;
}
