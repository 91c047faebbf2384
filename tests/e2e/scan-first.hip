/* SPDX-License-Identifier: Apache-2.0 */
/* Built with scan-second.hip into one program with two bundles; never run. */
#include <hip/hip_runtime.h>

extern "C" __global__ void first_kernel(double *a)
{
	unsafeAtomicAdd(a, 1.0);
}

int main(void)
{
	first_kernel<<<1, 1>>>(nullptr);
	return 0;
}
