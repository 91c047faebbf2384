/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps memory in signals' handlers, at moments at which nothing can be recorded. It prints how
 * often it did, its children included. usage: handlers MODE
 */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE   3145728 /* of what is counted */
#define SENT   5
#define ENOUGH 30000

static unsigned *made;
static volatile int done;

static void map(void)
{
	munmap(mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), SIZE);
	__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
}

static void handler(int signal)
{
	(void)signal;
	map();
}

static int callback(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	(void)data;
	map();
	return 1;
}

/* The handler often interrupts the recording of what the program itself maps. */
static void storm(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned i = 0; i < ENOUGH; i++)
		map();
	setitimer(ITIMER_REAL, &never, NULL);
}

static void *wait_for_end(void *data)
{
	while (!done)
		usleep(1000);
	return data;
}

/* A thread that makes no call but in a handler. */
static void thread(void)
{
	pthread_t other;

	map();
	pthread_create(&other, NULL, wait_for_end, NULL);
	for (unsigned i = 0; i < SENT; i++) {
		unsigned before = __atomic_load_n(made, __ATOMIC_SEQ_CST);

		pthread_kill(other, SIGUSR1);
		while (__atomic_load_n(made, __ATOMIC_SEQ_CST) == before)
			usleep(1000);
	}
	done = 1;
	pthread_join(other, NULL);
}

static void in_child(void (*work)(void))
{
	pid_t child;

	map();
	child = fork();
	if (!child) {
		work();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void raise_some(void)
{
	for (unsigned i = 0; i < SENT; i++)
		raise(SIGUSR1);
}

static void call_back(void)
{
	dl_iterate_phdr(callback, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	signal(SIGUSR1, handler);
	if (strcmp(mode, "storm") == 0)
		storm();
	else if (strcmp(mode, "thread") == 0)
		thread();
	else if (strcmp(mode, "first") == 0)
		raise_some();
	else if (strcmp(mode, "child") == 0)
		in_child(raise_some);
	else if (strcmp(mode, "callback") == 0)
		in_child(call_back);
	else
		return 2;
	printf("%u\n", *made);
	return 0;
}
