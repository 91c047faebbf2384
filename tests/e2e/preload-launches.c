/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches that repeat, and copies, over a runtime that does nothing (tests/bench/empty): in turns,
 * on threads, in a child. Prints "PID COUNT" a process. usage: preload-launches MODULE [changes]
 * With `changes` what one handle launches changes between launches: prints "GROUPS KERNEL VALUE".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int hipMemcpyAsync(void *dst, const void *src, size_t size, int kind, void *stream);
int hipModuleLoad(void **module, const char *path);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
			  void **extra);

#define THREADS 3
#define EACH    150

static void *function;
static float buffer[64];

static void launch(unsigned groups, float value)
{
	float *to = buffer;
	void *args[] = { &to, &value };

	hipModuleLaunchKernel(function, groups, 1, 1, 64, 1, 1, 0, NULL, args, NULL);
}

/* Different launches, each of them often. */
static void *many(void *unused)
{
	for (unsigned i = 0; i < EACH; i++)
		launch(1 + i % 5, (float)(i % 2));
	/* Of every kind; the last is hipMemcpyDeviceToDeviceNoCU, too large for a record. */
	for (int kind = 0; kind <= 5; kind++)
		hipMemcpyAsync(buffer, buffer + 32, 16u + (unsigned)kind, kind < 5 ? kind : 1024,
			       NULL);
	return unused;
}

/* The runtime's handle of a function is the place where it is stored. */
static int change(void *module)
{
	static const struct {
		const char *kernel;
		float value;
	} steps[] = { { "fill", 1 },   { "fill", 1 }, { "fill", 2 }, { "fill", 1 },
		      { "absent", 1 }, { "fill", 1 }, { "fill", 1 }, { "absent", 3 },
		      { "absent", 4 }, { "fill", 4 }, { "fill", 5 }, { "fill", 4 } };
	const char *last = "";

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].kernel != last &&
		    hipModuleGetFunction(&function, module, steps[i].kernel))
			return 2;
		last = steps[i].kernel;
		launch(i + 1, steps[i].value);
		printf("%u %s %g\n", i + 1, steps[i].kernel, (double)steps[i].value);
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	void *module;
	pid_t child;

	if (argc < 2 || argc > 3 || hipModuleLoad(&module, argv[1]) ||
	    hipModuleGetFunction(&function, module, "fill"))
		return 2;
	if (argc == 3)
		return change(module);
	many(NULL);
	/* One after the other, so that the second has the memory of the first; then together. */
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, many, NULL);
		if (!i)
			pthread_join(threads[i], NULL);
	}
	for (unsigned i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (!child) {
		many(NULL);
		printf("%d %d\n", getpid(), EACH);
		return 0;
	}
	waitpid(child, NULL, 0);
	many(NULL);
	printf("%d %d\n", getpid(), (2 + THREADS) * EACH);
	return 0;
}
