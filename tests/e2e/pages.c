/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batches WHAT: allocations by many threads in every way that a batch of them can end.
 * Prints "PID allocations" for each process.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 64
#define ROUNDS  300

static int done; /* atomic: blocks that were allocated */

static void *block(size_t size)
{
	char *volatile ptr = malloc(size);

	__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
	return ptr;
}

static void tell(void)
{
	printf("%d %d\n", (int)getpid(), done);
	fflush(stdout);
}

/* Blocks of few sizes, so that threads get those that others freed just before. */
static void *churn(void *data)
{
	unsigned random = (unsigned)(size_t)data * 7919u + 1;
	void *blocks[16] = { NULL };

	for (int i = 0; i < ROUNDS; i++) {
		unsigned at = (random = random * 1103515245u + 12345u) >> 16 & 15;

		free(blocks[at]);
		blocks[at] = block(4096u << (random >> 24 & 1));
	}
	for (int i = 0; i < 16; i++)
		free(blocks[i]);
	return NULL;
}

static void many(void)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, churn, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	free(block(4096)); /* which this thread still has when it is killed */
}

static pthread_barrier_t barrier;

static void *sleeper(void *unused)
{
	(void)unused;
	free(block(5000));
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return NULL;
}

/* Two threads that sleep on their records, while this one goes on for more than 0.1 s. */
static void sleepers(void)
{
	pthread_t thread;
	int before = 0;

	pthread_barrier_init(&barrier, NULL, 3);
	pthread_create(&thread, NULL, sleeper, NULL);
	pthread_create(&thread, NULL, sleeper, NULL);
	pthread_barrier_wait(&barrier);
	for (; before < 5; before++) {
		usleep(100000);
		free(block(6000));
	}
}

static void children(void)
{
	free(block(7000));
	for (int i = 0; i < 3; i++) {
		void *held = block(7000);

		fflush(stdout);
		if (!fork()) {
			done = 0;
			free(held); /* of the parent's */
			free(block(8000));
			tell();
			if (i == 0)
				_exit(0);
			if (i == 1)
				kill(getpid(), SIGKILL);
			exit(0);
		}
		wait(NULL);
		free(held);
	}
	/* Behind the C library's back: such a child has none of ours. */
	fflush(stdout);
	if (!syscall(SYS_fork)) {
		free(malloc(9000));
		_exit(0);
	}
	wait(NULL);
	free(block(7000));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	static char buffer[4096];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer)); /* no block of the C library's */

	if (!strcmp(what, "sleep"))
		sleepers();
	else if (!strcmp(what, "fork"))
		children();
	else
		many();
	tell();
	if (!strcmp(what, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(what, "crash"))
		abort();
	if (!strcmp(what, "exec")) {
		execl("/nonexistent", "nonexistent", (char *)NULL);
		free(block(4096));
		tell();
		execl(argv[0], argv[0], "again", (char *)NULL);
	}
	if (!strcmp(what, "_exit"))
		_exit(0);
	return 0;
}
