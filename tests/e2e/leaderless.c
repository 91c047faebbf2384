/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first thread ends, and another one goes on, which allocates. MODE "clobbered": a process with
 * one thread instead, which overwrites its environment and outlives its parent. Each block is
 * counted in the file that the second argument names. usage: leaderless MODE FILE
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 3145728 /* of what is counted */
#define MANY 200

extern char **environ;

static unsigned *made;

static void *allocate(void *data)
{
	for (unsigned i = 0; i < MANY; i++) {
		char *volatile block = malloc(SIZE);

		block[0] = 1;
		__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
		free(block);
		usleep(10000);
	}
	return data;
}

static void clobber(void)
{
	char *end = environ[0];

	for (char **variable = environ; *variable; variable++)
		end = *variable + strlen(*variable);
	memset(environ[0], 0, (size_t)(end - environ[0]));
}

int main(int argc, char **argv)
{
	int file = argc > 2 ? open(argv[2], O_RDWR | O_CREAT, 0600) : -1;
	pthread_t other;

	if (file < 0 || ftruncate(file, 4096))
		return 2;
	made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (strcmp(argv[1], "clobbered") == 0) {
		if (fork()) {
			usleep(200000);
			return 0;
		}
		clobber();
		allocate(NULL);
		return 0;
	}
	pthread_create(&other, NULL, allocate, NULL);
	pthread_exit(NULL);
}
