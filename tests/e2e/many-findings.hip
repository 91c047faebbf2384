// SPDX-License-Identifier: Apache-2.0
// Twelve lines that each allocate and release memory in a loop: advice of one rule, twelve times.

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

/* Each is used on a line of its own: findings of one line are one. */
#define ALLOCATE_AND_RELEASE(n)                               \
	for (int i = 0; i < ITERATIONS; i++) {                \
		int *p = nullptr;                             \
                                                              \
		CHECK(hipMalloc((void **)&p, 64 * (n)));      \
		store<<<1, 1>>>(p, n);                        \
		CHECK(hipFree(p));                            \
	}

int main()
{
	ALLOCATE_AND_RELEASE(1)
	ALLOCATE_AND_RELEASE(2)
	ALLOCATE_AND_RELEASE(3)
	ALLOCATE_AND_RELEASE(4)
	ALLOCATE_AND_RELEASE(5)
	ALLOCATE_AND_RELEASE(6)
	ALLOCATE_AND_RELEASE(7)
	ALLOCATE_AND_RELEASE(8)
	ALLOCATE_AND_RELEASE(9)
	ALLOCATE_AND_RELEASE(10)
	ALLOCATE_AND_RELEASE(11)
	ALLOCATE_AND_RELEASE(12)
	return 0;
}
