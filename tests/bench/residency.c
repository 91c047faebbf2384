/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency BLOCKS MIB ROUNDS: touches BLOCKS blocks of managed memory of MIB MiB together and
 * waits ROUNDS times for a GPU that has nothing to do. Prints processor time and time by the clock
 * of a wait, in microseconds.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	size_t blocks = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	size_t size = argc > 3 ? strtoul(argv[2], NULL, 10) << 20 : 0;
	unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	double processor, clock;

	if (!blocks || !rounds)
		return 2;
	for (size_t i = 0; i < blocks; i++) {
		void *block;

		if (hipMallocManaged(&block, size / blocks, hipMemAttachGlobal))
			return 1;
		memset(block, 1, size / blocks);
	}
	if (hipDeviceSynchronize())
		return 1;
	processor = now(CLOCK_THREAD_CPUTIME_ID);
	clock = now(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < rounds; i++)
		if (hipDeviceSynchronize())
			return 1;
	printf("%.2f %.2f\n", (now(CLOCK_THREAD_CPUTIME_ID) - processor) / rounds,
	       (now(CLOCK_MONOTONIC) - clock) / rounds);
	return 0;
}
