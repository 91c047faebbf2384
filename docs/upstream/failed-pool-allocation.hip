// SPDX-License-Identifier: Apache-2.0
// hipMallocAsync is asked for more than is free: what is free before, after it has failed, and after all was released.
#include <hip/hip_runtime.h>

#include <cstdio>

static size_t free_bytes()
{
	size_t bytes = 0, all = 0;

	(void)hipMemGetInfo(&bytes, &all);
	return bytes;
}

int main()
{
	const size_t before = free_bytes();
	void *held = nullptr, *wanted = nullptr;
	hipStream_t stream;

	if (hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess ||
	    hipMalloc(&held, before - before / 4) != hipSuccess) {
		printf("there is no GPU, or its memory is in use\n");
		return 2;
	}
	printf("free at first        %zu\n", before);
	printf("hipMallocAsync       %s\n", hipGetErrorName(hipMallocAsync(&wanted, before / 2, stream)));
	printf("free after that      %zu\n", free_bytes());
	(void)hipFree(held);
	printf("free after hipFree   %zu\n", free_bytes());
	fflush(stdout);
	return 0;
}
