/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns and ns of processor time of a HIP call, under DEPTH frames, over a runtime that does nothing.
 * `launch` repeats one launch of the kernel "fill" (tests/e2e/preload-module.hip); with `vary` its
 * arguments change every time, `host` copies from the host in place of within the device; `export`
 * exports memory, `advise` gives advice that is not recorded, `huge` such that is.
 * usage: hip call|host|launch|vary|export|advise|huge CALLS DEPTH MODULE
 * BENCH_SETTLE=MS: how long it waits after the first launch, for a recorder's analysis of its
 * kernel.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <time.h>

int hipMemcpyAsync(void *dst, const void *src, size_t size, int kind, void *stream);
int hipIpcGetMemHandle(void *handle, void *ptr);
int hipModuleLoad(void **module, const char *path);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
			  void **extra);

static long calls;
static const char *what;
static void *function;
static char buffer[64], pages[8192];

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void call(bool host)
{
	hipMemcpyAsync(buffer, buffer + 32, 32, host ? 1 : 3, buffer);
}

static void launch(long i)
{
	float *to = (float *)buffer, value = (float)i;
	void *args[] = { &to, &value };

	hipModuleLaunchKernel(function, 64, 1, 1, 64, 1, 1, 0, buffer, args, NULL);
}

/* For its instructions, and those of what it calls, to be counted. */
static __attribute__((noinline)) void advise(int advice)
{
	madvise((void *)(((uintptr_t)pages + 4095) & ~UINT64_C(4095)), 4096, advice);
	__asm__ volatile(""); /* no tail call */
}

static void export(void)
{
	char handle[64];

	hipIpcGetMemHandle(handle, buffer);
}

static __attribute__((noinline)) void work(void)
{
	uint64_t start = now(CLOCK_MONOTONIC), start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);

	for (long i = 0; i < calls; i++)
		if (!strcmp(what, "call"))
			call(false);
		else if (!strcmp(what, "host"))
			call(true);
		else if (!strcmp(what, "export"))
			export();
		else if (!strcmp(what, "advise") || !strcmp(what, "huge"))
			advise(!strcmp(what, "huge") ? MADV_HUGEPAGE : MADV_NORMAL);
		else
			launch(!strcmp(what, "vary") ? i : 0);
	printf("cpu-per-pair %.2f\n",
	       (double)(now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu) / (double)calls);
	printf("ns-per-pair %.2f\n", (double)(now(CLOCK_MONOTONIC) - start) / (double)calls);
}

static __attribute__((noinline)) void descend(int left)
{
	if (left > 1)
		descend(left - 1);
	else
		work();
	__asm__ volatile(""); /* no tail call */
}

int main(int argc, char **argv)
{
	const char *settle = getenv("BENCH_SETTLE");
	void *module;

	if (argc != 5 || hipModuleLoad(&module, argv[4]) ||
	    hipModuleGetFunction(&function, module, "fill"))
		return 2;
	what = argv[1];
	calls = atol(argv[2]);
	launch(0); /* finds the device code */
	if (settle)
		usleep((useconds_t)atol(settle) * 1000);
	descend(atoi(argv[3]));
	return 0;
}
