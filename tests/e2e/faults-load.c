/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to which something happens: faults-load FOLDER BEFORE AFTER END
 *
 * Makes BEFORE allocations of 12345 bytes, creates FOLDER/ready, waits for FOLDER/go, makes AFTER
 * more, prints a line, and ends: by `return` (7), `_exit` (8), `abort`, or after `stop`ping itself
 * until it is continued (7). `forks`: before the end, AFTER times two generations of processes.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void allocate(long count)
{
	for (long i = 0; i < count; i++) {
		char *volatile block = malloc(12345);

		if (block)
			block[0] = 1;
		free(block);
	}
}

/* A tree of processes, each of which makes two until `depth` is used up. */
static void multiply(int depth)
{
	pid_t children[2] = { 0, 0 };

	allocate(1);
	for (int i = 0; i < 2 && depth; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			multiply(depth - 1);
			_exit(0);
		}
	}
	for (int i = 0; i < 2 && depth; i++)
		if (children[i] > 0)
			waitpid(children[i], NULL, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[4] : "return";
	char path[4096];
	FILE *ready;

	if (argc < 4)
		return 2;
	allocate(atol(argv[2]));
	snprintf(path, sizeof(path), "%s/ready", argv[1]);
	ready = fopen(path, "w");
	if (!ready || fclose(ready))
		return 3;
	snprintf(path, sizeof(path), "%s/go", argv[1]);
	while (access(path, F_OK))
		usleep(5000);
	if (strcmp(how, "stop") == 0)
		raise(SIGSTOP);
	if (strcmp(how, "forks") == 0)
		multiply(atoi(argv[3]));
	else
		allocate(atol(argv[3]));
	puts("all done");
	fflush(stdout);
	if (strcmp(how, "_exit") == 0)
		_exit(8);
	if (strcmp(how, "abort") == 0)
		abort();
	return 7;
}
