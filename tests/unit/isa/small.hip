/* SPDX-License-Identifier: Apache-2.0 */
/* The code object that is truncated and damaged in the test: one kernel, a few kilobytes. */
#include <hip/hip_runtime.h>

extern "C" __global__ void small(float *a, float **b, int n)
{
	for (int i = 0; i < n; i++)
		atomicAdd(b[i], a[i]);
}
