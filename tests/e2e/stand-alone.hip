// SPDX-License-Identifier: Apache-2.0
// Sums in managed memory, of this program's own and, with -DLIBRARY, of a library's: updates that are lost, and whose fix is an
// edit. `inner` is inlined into its callers.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                  \
	do {                         \
		if (call)            \
			exit(1);     \
	} while (0)

#ifdef LIBRARY
float *library_sum()
{
	float *sum;

	CHECK(hipMallocManaged((void **)&sum, 4096));
	return sum;
}
#else
float *library_sum();

__global__ void add(float *sum, float *other)
{
	unsafeAtomicAdd(sum, 1.0f);
	unsafeAtomicAdd(other, 1.0f);
}

static inline __attribute__((always_inline)) float *inner(size_t bytes)
{
	float *sum;

	CHECK(hipMallocManaged((void **)&sum, bytes));
	return sum;
}

int main()
{
	float *sum = inner(8192), *other = library_sum();

	sum[0] = other[0] = 0;
	add<<<1, 64>>>(sum, other);
	CHECK(hipDeviceSynchronize());
	printf("%g %g\n", sum[0], other[0]);
	return 0;
}
#endif
