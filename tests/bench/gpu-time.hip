// SPDX-License-Identifier: Apache-2.0
// Processor time of the launching thread, ns a launch: the least of 20 rounds of 200 launches into a stream, each followed by a wait.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#define CALLS 200

static double now()
{
	timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

static void check(hipError_t error)
{
	if (error) {
		fprintf(stderr, "%s\n", hipGetErrorString(error));
		exit(1);
	}
}

__global__ void store(int *p)
{
	*p = 1;
}

int main()
{
	double least = 1e18;
	int *memory;

	check(hipMalloc((void **)&memory, sizeof *memory));
	for (int round = 0; round < 20; round++) {
		double begin = now();

		for (int i = 0; i < CALLS; i++)
			store<<<1, 1>>>(memory);
		double taken = (now() - begin) / CALLS;
		least = taken < least ? taken : least;
		check(hipDeviceSynchronize());
	}
	printf("%.0f\n", least);
	return 0;
}
