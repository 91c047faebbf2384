// SPDX-License-Identifier: Apache-2.0
// The module that preload-gpu loads from memory.
#include <hip/hip_runtime.h>

extern "C" __global__ void fill(float *to, float value)
{
	to[threadIdx.x] = value;
}
