// SPDX-License-Identifier: Apache-2.0
// One kernel for each way to launch one; each adds to a place of its own.
#include <hip/hip_runtime.h>

#define KERNEL(name, place)                                     \
	extern "C" __global__ void name(float *sums, float value) \
	{                                                       \
		if (threadIdx.x == 0)                           \
			atomicAdd(&sums[place], value);                   \
	}

KERNEL(by_launch, 0)
KERNEL(by_unseen, 2)
KERNEL(by_packet, 3)
KERNEL(by_both, 4)
