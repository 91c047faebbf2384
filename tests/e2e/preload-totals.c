/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small blocks whose totals are known, for the test preload-totals. Each place that allocates asks
 * for a size of its own, and prints what its totals must be in the end: "PID largest = ...".
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 6
#define EACH    500

static void *volatile kept[4000];

static void expect(unsigned largest, unsigned count, unsigned bytes, unsigned freed,
		   unsigned freed_bytes)
{
	printf("%d largest = %u, count = %u, bytes = %u, freed = %u, freed_bytes = %u\n", getpid(),
	       largest, count, bytes, freed, freed_bytes);
	fflush(stdout);
}

static __attribute__((noinline)) void *same_place(size_t size)
{
	void *ptr = malloc(size);

	memset(ptr, 1, size);
	return ptr;
}

/* All in one place, whatever the thread; the last of each is left. */
static void *allocate(void *unused)
{
	for (unsigned i = 0; i < EACH; i++) {
		void *volatile ptr = same_place(123);

		if (i < EACH - 1)
			free(ptr);
	}
	return unused;
}

static void *release(void *unused)
{
	for (unsigned i = 0; i < 1000; i++)
		free(kept[i]);
	return unused;
}

/* A destructor that allocates and frees, after ours has given back what the thread had. */
static pthread_key_t key;
static void destroy(void *data)
{
	static __thread int rounds;

	free(data);
	if (rounds++ < 3)
		pthread_setspecific(key, calloc(1, 211));
}

static void *end(void *unused)
{
	pthread_setspecific(key, calloc(1, 199));
	return unused;
}

static void run(void *(*function)(void *unused), unsigned count)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, function, NULL);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void reallocate(void)
{
	char *volatile block = malloc(301);
	void *volatile failed;

	block = realloc(block, 307);
	failed = realloc(block, SIZE_MAX / 2); /* the block lives on */
	if (failed)
		exit(9);
	block = realloc(block, 100000); /* counted no more: an event */
	block = realloc(block, 311);
	expect(301, 1, 301, 1, 301);
	expect(307, 1, 307, 1, 307);
	expect(311, 1, 311, 0, 0);
}

/* Without destructors. Each of the programs ends with status 3, if it gets its arguments. */
static void leave(unsigned way, const char *path)
{
	static char script[] = "test \"$1$2\" = ab -a \"${TOTALS-x}\" = x && exit 3";
	static char marked[] = "test \"$1$2$TOTALS\" = abc && exit 3";
	char *const argv[] = { (char *)"sh", (char *)"-c", script, (char *)"sh",
			       (char *)"a",  (char *)"b",  NULL };
	char *const env[] = { (char *)"TOTALS=c", NULL };

	volatile unsigned count = 3; /* one place, not an unrolled three */

	for (unsigned i = 0; i < count; i++)
		kept[i] = malloc(701 + 2 * way);
	expect(701 + 2 * way, 3, 3 * (701 + 2 * way), 0, 0);
	switch (way) {
	case 0:
		_exit(3);
	case 1:
		execv(path, argv);
		break;
	case 2:
		execvp("sh", argv);
		break;
	case 3:
		execl(path, "sh", "-c", script, "sh", "a", "b", (char *)NULL);
		break;
	case 4:
		execle(path, "sh", "-c", marked, "sh", "a", "b", (char *)NULL, env);
		break;
	case 5:
		execlp("sh", "sh", "-c", script, "sh", "a", "b", (char *)NULL);
		break;
	default: /* a child of vfork() has its parent's totals: nothing is written there */
		if (!vfork())
			_exit(1);
		fexecve(open(path, O_RDONLY), argv, environ);
	}
	exit(99);
}

int main(void)
{
	void *aligned = NULL;
	pid_t child;
	int status;
	const char *path = "/bin/sh";

	pthread_key_create(&key, destroy);
	for (unsigned i = 0; i < 1600; i++)
		kept[i] = malloc(77);
	run(release, 1);
	expect(77, 1600, 1600 * 77, 1000, 1000 * 77);
	for (unsigned i = 0; i < 300; i++)
		kept[i] = malloc(9); /* as close together as blocks can be */
	for (unsigned i = 0; i < 200; i++)
		free(kept[i]);
	expect(9, 300, 2700, 200, 1800);
	run(allocate, THREADS);
	expect(123, THREADS * EACH, THREADS * EACH * 123, THREADS * (EACH - 1),
	       THREADS * (EACH - 1) * 123);
	run(end, THREADS);
	expect(199, THREADS, THREADS * 199, THREADS, THREADS * 199);
	expect(211, 3 * THREADS, 3 * THREADS * 211, 3 * THREADS, 3 * THREADS * 211);
	reallocate();
	if (posix_memalign(&aligned, 256, 401))
		return 1;
	expect(401, 1, 401, 0, 0);
	child = fork();
	if (!child) {
		/* The parent's blocks are not the child's, which counts its own from 0. */
		for (unsigned i = 1000; i < 1600; i++)
			free(kept[i]);
		for (unsigned i = 0; i < 50; i++)
			kept[i] = malloc(501);
		for (unsigned i = 0; i < 20; i++)
			free(kept[i]);
		expect(501, 50, 50 * 501, 20, 20 * 501);
		exit(0);
	}
	waitpid(child, NULL, 0);
	for (unsigned way = 0; way < 7; way++) {
		child = fork();
		if (!child)
			leave(way, path);
		waitpid(child, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
			return 10 + (int)way;
	}
	for (unsigned i = 0; i < 10; i++)
		kept[i] = malloc(601);
	expect(601, 10, 6010, 0, 0);
	return 0;
}
