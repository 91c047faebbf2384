/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns and ns of processor time of a pair of calls: "pieces", of a pool, taken and given back by
 * hipgrain.h; "ranges", pushed and popped by it; "blocks", by malloc() and free(). usage:
 * annotations pieces|ranges|blocks PAIRS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "include/hipgrain.h"

#define SIZE 8192

static char *block;

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void pieces(long pairs)
{
	for (long i = 0; i < pairs; i++) {
		hipgrain_alloc("arena", block, SIZE, "energy");
		hipgrain_free(block);
	}
}

static void ranges(long pairs)
{
	for (long i = 0; i < pairs; i++) {
		hipgrain_range_push("step 123456");
		hipgrain_range_pop();
	}
}

static void blocks(long pairs)
{
	for (long i = 0; i < pairs; i++) {
		char *volatile ptr = malloc(SIZE);

		free(ptr);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	void (*work)(long) = !strcmp(how, "pieces")   ? pieces
			     : !strcmp(how, "ranges") ? ranges
						      : blocks;
	long pairs = argc > 2 ? atol(argv[2]) : 200000;
	uint64_t start, start_cpu;

	block = malloc(1 << 20);
	work(1);
	start = now(CLOCK_MONOTONIC);
	start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	work(pairs);
	printf("cpu-per-pair %.2f\n",
	       (double)(now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu) / (double)pairs);
	printf("ns-per-pair %.2f\n", (double)(now(CLOCK_MONOTONIC) - start) / (double)pairs);
	return block == NULL;
}
