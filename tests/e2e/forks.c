/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that fork() made: some allocate, most do not. Each prints how its children ended.
 * usage: forks MODE
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 12345 /* bytes of what is recorded */

static void allocate(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char *volatile block = malloc(SIZE);

		block[0] = 1;
		free(block);
	}
}

static void wait_for(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	printf("status %x\n", (unsigned)status);
}

#define CHILD(...)                  \
	do {                        \
		pid_t child_;       \
                                    \
		fflush(stdout);     \
		child_ = fork();    \
		if (!child_) {      \
			__VA_ARGS__ \
			exit(0);    \
		}                   \
		wait_for(child_);   \
	} while (0)

static void quiet(void)
{
	for (unsigned i = 0; i < 20; i++)
		CHILD(free(malloc(100)););
	CHILD(_exit(3););
	CHILD(execl("/bin/true", "true", NULL););
}

static void late(void)
{
	CHILD(usleep(20000); allocate(100););
}

static void child(void)
{
	CHILD(allocate(100););
}

static void grandchild(void)
{
	CHILD(child(););
}

/* The parent releases a block after the fork, and the child's first event is that it does so, too.
 */
static void apart(void)
{
	char *volatile block = malloc(SIZE);
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(ready[1]);
		if (read(ready[0], ready, 1) == 1)
			free(block);
		exit(0);
	}
	free(block);
	allocate(1);
	usleep(50000);
	if (write(ready[1], "", 1) == 1)
		wait_for(pid);
}

static void *keep_allocating(void *stop)
{
	while (!*(volatile bool *)stop)
		allocate(1);
	return NULL;
}

/* Threads are amid an event when another forks. */
static void amid(void)
{
	pthread_t threads[3];
	static bool stop;

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, keep_allocating, &stop);
	for (unsigned i = 0; i < 100; i++)
		CHILD();
	CHILD(allocate(100););
	stop = true;
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void *allocate_some(void *unused)
{
	allocate(100);
	return unused;
}

static void threads(void)
{
	CHILD(pthread_t threads[4]; for (unsigned i = 0; i < 4; i++)
		  pthread_create(&threads[i], NULL, allocate_some, NULL);
	      for (unsigned i = 0; i < 4; i++) pthread_join(threads[i], NULL););
}

static void *stay(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* They may have the memory of threads that are not there; nobody ends them but the process. */
static void left_threads(void)
{
	CHILD(pthread_t thread;
	      for (unsigned i = 0; i < 8; i++) pthread_create(&thread, NULL, stay, NULL););
}

static void closes(void)
{
	CHILD(for (int fd = 3; fd < 1024; fd++) close(fd); int file = open("/dev/null", O_WRONLY);
	      allocate(100); exit(file < 0 || write(file, "", 1) != 1););
}

static void drops(void)
{
	CHILD(if (setgid(65534) || setuid(65534)) exit(9); allocate(100););
}

static void limits(void)
{
	CHILD(
	    struct { unsigned long now, most; } least = { 1 << 20, 1 << 20 };
	    extern int setrlimit(int, const void *); setrlimit(9 /* RLIMIT_AS */, &least);
	    allocate(100););
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} modes[] = {
		{ "quiet", quiet },   { "late", late },       { "grandchild", grandchild },
		{ "amid", amid },     { "threads", threads }, { "left-threads", left_threads },
		{ "closes", closes }, { "drops", drops },     { "limits", limits },
		{ "apart", apart },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(modes[i].name, argv[1])) {
			allocate(1);
			modes[i].function();
			return 0;
		}
	}
	return 2;
}
