// SPDX-License-Identifier: Apache-2.0
// A job that its time limit ends has a race in each round, blocks that it never releases, and no end.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define BLOCKS 20
#define ROUNDS 100
#define BYTES  4096

__global__ void fill(int *to)
{
	to[threadIdx.x] = 1;
}

__global__ void copy(int *to, const int *from)
{
	to[threadIdx.x] = from[threadIdx.x];
}

int main()
{
	int *first, *second;
	hipStream_t one, other;

	if (hipMalloc(&first, BYTES) || hipMalloc(&second, BYTES) || hipStreamCreate(&one) ||
	    hipStreamCreate(&other))
		return 1;
	for (int i = 0;; i++) {
		if (i < BLOCKS) {
			int *block;

			if (hipMalloc(&block, BYTES))
				return 1;
			fill<<<1, 64, 0, one>>>(block);
		}
		fill<<<1, 64, 0, one>>>(first);
		copy<<<1, 64, 0, other>>>(second, first);
		if (hipDeviceSynchronize())
			return 1;
		if (i == ROUNDS) {
			puts("up");
			fflush(stdout);
		}
		usleep(1000);
	}
}
