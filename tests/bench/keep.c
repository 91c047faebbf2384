/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What keeping symbols takes of processor time: in a process of its own, as at the end of a
 * recording, with the fork.
 *
 * usage: keep BUNDLE
 *
 * Prints the least and the median of ROUNDS. The bundle's symbols are written anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/cmds/collect_symbols.h"

#define ROUNDS 9

static double ms_of(const struct timeval *time)
{
	return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	double took[ROUNDS];
	struct rusage usage;
	int status;

	if (argc != 2)
		return 2;
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(keep_symbols(argv[1], true) != 0);
		if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
			fprintf(stderr, "keep: '%s': failed\n", argv[1]);
			return 1;
		}
		took[i] = ms_of(&usage.ru_utime) + ms_of(&usage.ru_stime);
	}
	qsort(took, ROUNDS, sizeof(took[0]), compare);
	printf("%.1f ms of processor time, median of %d (the least: %.1f)\n", took[ROUNDS / 2],
	       ROUNDS, took[0]);
	return 0;
}
