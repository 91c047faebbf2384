// SPDX-License-Identifier: Apache-2.0
/* A kernel writes to memory of the system's allocator; with XNACK off the process must die of it. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void store(int *p)
{
	p[threadIdx.x] = (int)threadIdx.x;
}

int main()
{
	int *p = (int *)aligned_alloc(4096, 4096);

	p[63] = -1;
	printf("address %p\n", (void *)p);
	fflush(stdout);
	store<<<1, 64>>>(p);
	hipError_t error = hipDeviceSynchronize();
	printf("error %d value %d\n", error, p[63]);
	return 0;
}
