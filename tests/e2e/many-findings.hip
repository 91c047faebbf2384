// SPDX-License-Identifier: Apache-2.0
// Twelve functions that each allocate and release memory in a loop: advice of one rule, twelve
// times.

#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                    \
	do {                                                                           \
		hipError_t error_ = (call);                                            \
		if (error_ != hipSuccess) {                                            \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

enum { ITERATIONS = 40 };

__global__ void store(int *to, int value)
{
	*to = value;
}

template <int N> __attribute__((noinline)) void allocate_and_release()
{
	for (int i = 0; i < ITERATIONS; i++) {
		int *p = nullptr;

		CHECK(hipMalloc((void **)&p, 64 * N));
		store<<<1, 1>>>(p, N);
		CHECK(hipFree(p));
	}
}

template <int... N> static void all()
{
	(allocate_and_release<N>(), ...);
}

int main()
{
	all<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>();
	return 0;
}
