/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap of 1 GiB in blocks of 4 to 64 KiB, filled by THREADS threads and then turned over once.
 * All have all of their share at the same time: else the peak would be a matter of luck.
 * usage: heap THREADS
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_SIZE (1u << 30)
#define MEAN_SIZE (34u << 10)

static unsigned threads;
static pthread_barrier_t filled, turned;

static void *fill(void *data)
{
	unsigned count = HEAP_SIZE / MEAN_SIZE / threads, random = (unsigned)(size_t)data + 1;
	char **blocks = calloc(count, sizeof(*blocks));

	if (!blocks)
		exit(1);
	for (unsigned i = 0; i < 2 * count; i++) {
		size_t size = 4096 + (random = random * 1103515245u + 12345u) % 61441;

		free(blocks[i % count]);
		blocks[i % count] = malloc(size);
		if (blocks[i % count])
			memset(blocks[i % count], 1, size);
		if (i + 1 == count)
			pthread_barrier_wait(&filled);
	}
	pthread_barrier_wait(&turned);
	for (unsigned i = 0; i < count; i++)
		free(blocks[i]);
	free(blocks);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t running[64];

	threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	if (threads < 1 || threads > 64)
		return 2;
	pthread_barrier_init(&filled, NULL, threads);
	pthread_barrier_init(&turned, NULL, threads);
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&running[i], NULL, fill, (void *)(size_t)i);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(running[i], NULL);
	return 0;
}
