/* SPDX-License-Identifier: Apache-2.0 */
/* exec COUNT CMD...: runs a command so many times, one after the other, and says what one took. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double spent(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
	       ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3;
}

static int run(char **command)
{
	pid_t child;
	int status;

	return posix_spawnp(&child, command[0], NULL, NULL, command, environ) ||
	       waitpid(child, &status, 0) != child || status;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;
	double began, used;

	if (count < 1 || run(&argv[2])) { /* the first one reads its files */
		fprintf(stderr, "usage: exec COUNT CMD..., which must succeed\n");
		return 2;
	}
	began = now();
	used = spent();
	for (int i = 0; i < count; i++)
		if (run(&argv[2]))
			return 1;
	printf("ns-per-pair %.0f\ncpu-per-pair %.0f\n", (now() - began) / count,
	       (spent() - used) / count);
	return 0;
}
