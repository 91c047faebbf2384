/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns and ns of processor time of a range that is pushed and popped, over a rocTX that does nothing.
 * usage: bench-ranges PAIRS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int roctxRangePushA(const char *message);
int roctxRangePop(void);

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	long pairs = argc > 1 ? atol(argv[1]) : 200000;
	uint64_t start, start_cpu;

	roctxRangePushA("warm-up");
	roctxRangePop();
	start = now(CLOCK_MONOTONIC);
	start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	for (long i = 0; i < pairs; i++) {
		roctxRangePushA("step 123456");
		roctxRangePop();
	}
	printf("cpu-per-pair %.2f\n",
	       (double)(now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu) / (double)pairs);
	printf("ns-per-pair %.2f\n", (double)(now(CLOCK_MONOTONIC) - start) / (double)pairs);
	return 0;
}
