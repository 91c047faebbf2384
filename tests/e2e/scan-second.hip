/* SPDX-License-Identifier: Apache-2.0 */
#include <hip/hip_runtime.h>

extern "C" __global__ void second_kernel(int *a)
{
	atomicAdd(a, 1);
}

extern "C" __global__ void plain_kernel(int *a)
{
	a[threadIdx.x] = 1;
}

namespace space {

__global__ void in_namespace(int *counter)
{
	atomicAdd(counter, 1);
}

} // namespace space
