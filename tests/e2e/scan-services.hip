/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that call services of the runtime, which update memory of its own atomically. */
#include <hip/hip_runtime.h>

extern "C" __global__ void printing(double *sum, int n)
{
	printf("%d\n", n);
	unsafeAtomicAdd(sum, 1.0);
}

extern "C" __global__ void only_printing(int n)
{
	printf("%d\n", n);
}

#ifndef NO_HEAP /* unoptimized, too much code to be followed to its end */
extern "C" __global__ void allocating(int **p, int *count)
{
	p[threadIdx.x] = (int *)malloc(sizeof(int));
	atomicAdd(count, 1);
}
#endif
