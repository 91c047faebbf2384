// SPDX-License-Identifier: Apache-2.0
/* A code object with everything the loader meets: a kernel, globals, constants, relocations. */
#include <hip/hip_runtime.h>

__device__ int counter = 41;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int *pointer = &counter;

extern "C" __global__ void globals(int *out)
{
	out[0] = *pointer + table[threadIdx.x & 3];
}
