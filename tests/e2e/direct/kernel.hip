// SPDX-License-Identifier: Apache-2.0
#include <hip/hip_runtime.h>

extern "C" __global__ void add(float *sum)
{
	unsafeAtomicAdd(sum, 1.0f);
}
