/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that allocate and free small blocks all the time, and blocks that are recorded, until
 * stdin ends. Prints the address and size of a block that stays.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEPT    100000u
#define THREADS 4

static bool over; /* atomic */

static void *churn(void *unused)
{
	void *volatile blocks[64] = { NULL };

	for (unsigned i = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED); i = (i + 1) % 64) {
		free(blocks[i]);
		blocks[i] = malloc(64 + i);
		if (i % 8 == 0)
			blocks[i] = realloc(blocks[i], 1000 + i);
		if (i == 0) {
			void *volatile large = malloc(KEPT + 1);

			free(large);
			usleep(100);
		}
	}
	for (unsigned i = 0; i < 64; i++)
		free(blocks[i]);
	return unused;
}

int main(void)
{
	void *volatile kept = malloc(KEPT);
	pthread_t threads[THREADS];

	printf("%p\n", (void *)kept);
	fflush(stdout);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, churn, NULL);
	getchar();
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	free(kept);
	return 0;
}
