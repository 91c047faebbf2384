/* SPDX-License-Identifier: Apache-2.0 */
/* A program to be built with a sanitizer: it allocates, has a thread, and ends with 5. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *allocate(void *unused)
{
	for (unsigned i = 0; i < 100; i++)
		free(malloc(100000));
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, allocate, NULL))
		return 1;
	pthread_join(thread, NULL);
	allocate(NULL);
	puts("ran");
	return 5;
}
