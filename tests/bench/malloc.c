/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns and ns of processor time per malloc/free pair and thread of blocks of MIN to MAX bytes, under
 * DEPTH frames of its own, on THREADS threads. usage: malloc PAIRS [DEPTH [THREADS [MIN MAX
 * [HOW]]]] HOW: "async", from threads that may be cancelled anywhere; "places", from 256 call
 * stacks by chance; "new", from another one each of the first 8192 times.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long pairs;
static int depth = 10;
static size_t smallest = 16, span = 1024;
static const char *how = "";

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* One of 2^left call stacks. */
static __attribute__((noinline)) void pair_at(uint32_t place, int left, size_t size)
{
	if (!left) {
		char *volatile ptr = malloc(size);

		free(ptr);
	} else if (place & 1) {
		pair_at(place >> 1, left - 1, size);
		__asm__ volatile("nop"); /* neither a tail call nor the same one */
	} else {
		pair_at(place >> 1, left - 1, size);
		__asm__ volatile("");
	}
}

static __attribute__((noinline)) void work_at_places(void)
{
	uint32_t state = 1;

	for (long i = 0; i < pairs; i++) {
		state = state * 1664525u + 1013904223u;
		pair_at(state >> 24, 8, smallest + (size_t)((uint64_t)state * span >> 32));
	}
}

static __attribute__((noinline)) void work_at_new_places(void)
{
	uint32_t state = 1;

	for (long i = 0; i < pairs; i++) {
		state = state * 1664525u + 1013904223u;
		pair_at((uint32_t)i, 13, smallest + (size_t)((uint64_t)state * span >> 32));
	}
}

static __attribute__((noinline)) void work(void)
{
	uint32_t state = 1;

	for (long i = 0; i < pairs; i++) {
		char *volatile ptr;

		state = state * 1664525u + 1013904223u;
		ptr = malloc(smallest + (size_t)((uint64_t)state * span >> 32));
		free(ptr);
	}
}

static __attribute__((noinline)) void descend(int left)
{
	if (left > 1)
		descend(left - 1);
	else if (!strcmp(how, "places"))
		work_at_places();
	else if (!strcmp(how, "new"))
		work_at_new_places();
	else
		work();
	__asm__ volatile(""); /* no tail call */
}

static void *run(void *unused)
{
	if (!strcmp(how, "async"))
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	descend(depth);
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t ids[64];
	uint64_t start, start_cpu;

	pairs = argc > 1 ? atol(argv[1]) : 1000000;
	depth = argc > 2 ? atoi(argv[2]) : 10;
	if (argc > 5) {
		smallest = (size_t)atol(argv[4]);
		span = (size_t)atol(argv[5]) - smallest + 1;
	}
	if (argc > 6)
		how = argv[6];
	if (threads < 1 || threads > 64 || pairs < 1 || !span)
		return 2;
	start = now(CLOCK_MONOTONIC);
	start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, run, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	/* On stdout a peer's own messages may stand as well. */
	printf("cpu-per-pair %.2f\n",
	       (double)(now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu) / (double)pairs / threads);
	printf("ns-per-pair %.2f\n", (double)(now(CLOCK_MONOTONIC) - start) / (double)pairs);
	return 0;
}
