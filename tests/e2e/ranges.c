/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names ranges around copies that are too long, and prints what rocTX returns. With RANGES_WEAK it
 * calls rocTX where that is there, else it is linked to it. usage: ranges HOW [LIBRARY] steps three
 * steps, each with a forward and a backward range that copies loaded   the same, by functions of
 * LIBRARY that dlsym() finds told   the same, by hipgrain.h threads  started ranges and those of
 * two threads at once hostile  pops without a push, ids that are none, names that are long, wild or
 * escape sequences many     a hundred thousand names
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "include/hipgrain.h"

#ifdef RANGES_WEAK
#define LINKED __attribute__((weak))
#else
#define LINKED
#endif

LINKED int roctxRangePushA(const char *message);
LINKED int roctxRangePop(void);
LINKED uint64_t roctxRangeStartA(const char *message);
LINKED void roctxRangeStop(uint64_t id);
LINKED void roctxMarkA(const char *message);
LINKED int roctxNameOsThread(const char *name);
int hipHostMalloc(void **ptr, size_t size, unsigned flags);
int hipMalloc(void **ptr, size_t size);
int hipMemcpy(void *dst, const void *src, size_t size, int kind);

static int (*push)(const char *);
static int (*pop)(void);

/* Copies more than there is: each caller has a finding of its own. */
static inline __attribute__((always_inline)) void copy(size_t size)
{
	void *from = NULL, *to = NULL;

	hipHostMalloc(&from, size, 0);
	hipMalloc(&to, size + 64);
	hipMemcpy(to, from, size + 64, 1);
}

static void steps(void)
{
	char name[32];

	for (int step = 1; step <= 3; step++) {
		snprintf(name, sizeof(name), "step %d", step);
		printf("push %d\n", push(name));
		printf("push %d\n", push("forward"));
		copy(4000);
		printf("pop %d\n", pop());
		printf("push %d\n", push("backward"));
		copy(8000);
		printf("pop %d\n", pop());
		printf("pop %d\n", pop());
	}
	copy(12000);
}

static int told_push(const char *name)
{
	hipgrain_range_push(name);
	return 0;
}

static int told_pop(void)
{
	hipgrain_range_pop();
	return 0;
}

static void *other_thread(void *unused)
{
	roctxNameOsThread("worker");
	push("of the worker");
	copy(4000);
	pop();
	return unused;
}

static void threads(void)
{
	uint64_t epoch = roctxRangeStartA("epoch 7"), inner = roctxRangeStartA("warm-up");
	pthread_t thread;

	push("of main");
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	roctxRangeStop(epoch);
	copy(8000);
	roctxRangeStop(inner);
	copy(12000);
	pop();
	roctxMarkA("end");
}

static void hostile(void)
{
	size_t size = 4u << 20;
	char *text =
	    mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (text == MAP_FAILED)
		return;
	memset(text, 'x', size);
	munmap(text + size, 4096);
	pop();
	roctxRangeStop(12345);
	push(text);            /* its end is not mapped */
	push(text + size - 9); /* neither */
	push((const char *)16);
	push((const char *)UINTPTR_MAX);
	push(NULL);
	push("\033[2J\nnext \xff / <b>");
	copy(4000);
	for (int i = 0; i < 8; i++)
		pop();
}

static void many(void)
{
	char name[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "%x", (unsigned)i * 2654435761u);
		push(name);
		if (i % 1000 == 0)
			copy(4000);
		pop();
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "steps";
	void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;

	push = roctxRangePushA;
	pop = roctxRangePop;
	if (!strcmp(how, "loaded")) {
		push = (int (*)(const char *))dlsym(library, "roctxRangePushA");
		pop = (int (*)(void))dlsym(library, "roctxRangePop");
	}
	if (!strcmp(how, "told")) {
		push = told_push;
		pop = told_pop;
	}
	if (!push || !pop) {
		puts("no rocTX");
		return 0;
	}
	if (!strcmp(how, "threads"))
		threads();
	else if (!strcmp(how, "hostile"))
		hostile();
	else if (!strcmp(how, "many"))
		many();
	else
		steps();
	return 0;
}
