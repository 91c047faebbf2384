/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to record: THREADS threads, or with 0 the first one, make COUNT allocations of 12345
 * bytes each.
 * record-load THREADS COUNT [pause | kill]: afterwards wait for a signal, or die by SIGKILL.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long count;

static void *work(void *unused)
{
	(void)unused;
	for (long i = 0; i < count; i++) {
		char *volatile block = malloc(12345);

		if (block)
			block[0] = 1;
		free(block);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int number = argc > 1 ? atoi(argv[1]) : 1;

	count = argc > 2 ? atol(argv[2]) : 1;
	if (number < 0 || number > 64)
		return 2;
	if (!number)
		work(NULL);
	for (int i = 0; i < number; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 3;
	for (int i = 0; i < number; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	fflush(stdout);
	if (argc > 3 && strcmp(argv[3], "pause") == 0)
		pause();
	if (argc > 3 && strcmp(argv[3], "kill") == 0)
		kill(getpid(), SIGKILL);
	return 0;
}
