/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the preload-* tests record. Each mode does things whose events are known and prints, for
 * every event that must be there, a line "event FIELD = VALUE, FIELD = VALUE" in the order of the
 * fields; the test looks for just that. Modes are the first argument.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE ((size_t)50000)

/* Ids of tracer/api/, written out: they are part of the trace format. */
enum {
	MALLOC = 1,
	CALLOC,
	REALLOC,
	REALLOCARRAY,
	POSIX_MEMALIGN,
	ALIGNED_ALLOC,
	MEMALIGN,
	VALLOC,
	PVALLOC,
	MMAP = 12,
	MREMAP,
	FREE = 30,
	CFREE,
	MUNMAP = 34
};

static void expect_alloc(int api, const void *ptr, size_t size, uint64_t flags)
{
	if (!flags) {
		printf("alloc api = %d, ptr = 0x%" PRIXPTR ", size = %zu\n", api, (uintptr_t)ptr,
		       size);
		return;
	}
	printf("alloc api = %d, ptr = 0x%" PRIXPTR ", device_ptr = 0x%" PRIXPTR
	       ", size = %zu, flags = 0x%" PRIX64 ", device = -1\n",
	       api, (uintptr_t)ptr, (uintptr_t)ptr, size, flags);
}

static void expect_free(int api, uintptr_t ptr, size_t size)
{
	if (size)
		printf("free api = %d, ptr = 0x%" PRIXPTR ", size = %zu\n", api, ptr, size);
	else
		printf("free api = %d, ptr = 0x%" PRIXPTR "\n", api, ptr);
}

static void *volatile keep;

static void release(void *ptr)
{
	expect_free(FREE, (uintptr_t)ptr, 0);
	free(ptr);
}

static int family(void)
{
	void *ptr, *moved;
	uintptr_t old;

	keep = malloc(SIZE);
	expect_alloc(MALLOC, keep, SIZE, 0);
	release(keep);
	keep = calloc(10, SIZE);
	expect_alloc(CALLOC, keep, 10 * SIZE, 0);
	old = (uintptr_t)keep;
	moved = realloc(keep, 20 * SIZE);
	expect_free(REALLOC, old, 0);
	expect_alloc(REALLOC, moved, 20 * SIZE, 0);
	old = (uintptr_t)moved;
	keep = reallocarray(moved, 2, SIZE);
	expect_free(REALLOCARRAY, old, 0);
	expect_alloc(REALLOCARRAY, keep, 2 * SIZE, 0);
	release(keep);
	if (posix_memalign(&ptr, 8192, SIZE))
		return 1;
	expect_alloc(POSIX_MEMALIGN, ptr, SIZE, 8192);
	release(ptr);
	ptr = aligned_alloc(4096, 65536);
	expect_alloc(ALIGNED_ALLOC, ptr, 65536, 4096);
	release(ptr);
	ptr = memalign(256, SIZE);
	expect_alloc(MEMALIGN, ptr, SIZE, 256);
	release(ptr);
	ptr = valloc(SIZE);
	expect_alloc(VALLOC, ptr, SIZE, 0);
	release(ptr);
	ptr = pvalloc(SIZE);
	expect_alloc(PVALLOC, ptr, SIZE, 0);
	release(ptr);
	ptr = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect_alloc(MMAP, ptr, 3 * 4096, (uint64_t)3 << 32 | 0x22);
	moved = mremap(ptr, 3 * 4096, 5 * 4096, MREMAP_MAYMOVE);
	expect_free(MREMAP, (uintptr_t)ptr, 3 * 4096);
	expect_alloc(MREMAP, moved, 5 * 4096, MREMAP_MAYMOVE);
	expect_free(MUNMAP, (uintptr_t)moved, 5 * 4096);
	munmap(moved, 5 * 4096);
	/* Failures: the event says so, errno is what the call left. */
	errno = 0;
	keep = malloc(SIZE_MAX / 2);
	printf("error api = %d, code = %d, ptr = 0x0, size = %zu\n", MALLOC, ENOMEM, SIZE_MAX / 2);
	if (keep || errno != ENOMEM)
		return 2;
	ptr = malloc(SIZE);
	expect_alloc(MALLOC, ptr, SIZE, 0);
	keep = realloc(ptr, SIZE_MAX / 2);
	expect_free(REALLOC, (uintptr_t)ptr, 0);
	printf("error api = %d, code = %d, ptr = 0x%" PRIXPTR ", size = %zu\n", REALLOC, ENOMEM,
	       (uintptr_t)ptr, SIZE_MAX / 2);
	release(ptr);
	/* Below the threshold on both sides: nothing. */
	for (int i = 0; i < 100; i++) {
		keep = malloc(100);
		free(keep);
	}
	errno = 77;
	keep = malloc(SIZE);
	expect_alloc(MALLOC, keep, SIZE, 0);
	release(keep);
	return errno == 77 ? 0 : 3;
}

#define THREADS     8
#define THREAD_RUNS 2000

static void *worker(void *argument)
{
	size_t size = (size_t)(uintptr_t)argument;

	for (int i = 0; i < THREAD_RUNS; i++) {
		void *ptr = malloc(size);

		((volatile char *)ptr)[0] = 1;
		free(ptr);
	}
	return NULL;
}

/*
 * Threads with the smallest stack there may be allocate, in handlers on a small alternate stack as
 * well, and descend a little so that stacks are new.
 */
static __attribute__((noinline)) int small_work(int left)
{
	int sum = 1;

	if (left)
		sum += small_work(left - 1);
	else
		free(keep = malloc(77000));
	__asm__ volatile("" ::"r"(&sum) : "memory");
	return sum;
}

static void small_handler(int number)
{
	(void)number;
	free(keep = malloc(78000));
}

static void *small_thread(void *number)
{
	static char alternate[12288]; /* one thread at a time */
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	small_work(10 + (int)(intptr_t)number);
	if (!sigaltstack(&stack, NULL))
		raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	return NULL;
}

static int small_stacks(void)
{
	struct sigaction action = { .sa_handler = small_handler, .sa_flags = SA_ONSTACK };
	pthread_attr_t attributes;
	pthread_t id;

	sigaction(SIGUSR1, &action, NULL);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, 16384))
		return 1;
	for (intptr_t i = 0; i < 8; i++) {
		/* What is loaded is looked for when a new stack is seen, on the small one. */
		void *library = dlopen("libm.so.6", RTLD_NOW);

		if (pthread_create(&id, &attributes, small_thread, (void *)i))
			return 2;
		pthread_join(id, NULL);
		if (library)
			dlclose(library);
	}
	return 0;
}

static int threads(void)
{
	pthread_t ids[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, worker, (void *)(100000 + i));
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

/* Parent and child allocate sizes that say whose they are. */
static int forks(void)
{
	pid_t child;
	int status = 1;

	keep = malloc(111111);
	child = fork();
	if (!child) {
		keep = malloc(222222);
		free(keep);
		child = fork();
		if (!child) {
			keep = malloc(333333);
			exit(0);
		}
		waitpid(child, &status, 0);
		printf("pid grandchild %d\n", child);
		exit(status);
	}
	waitpid(child, &status, 0);
	keep = malloc(444444);
	printf("pid parent %d\npid child %d\n", getpid(), child);
	/* Threads that fork at the same time, and allocate meanwhile. */
	for (int i = 0; i < 20 && !status; i++) {
		pthread_t id;

		pthread_create(&id, NULL, worker, (void *)(uintptr_t)100000);
		/* The same stack before the fork, in the parent, and after it, in both. */
		for (int round = 0; round < 2; round++) {
			free(malloc(SIZE));
			if (!round)
				child = fork();
		}
		if (!child)
			_exit(0);
		waitpid(child, &status, 0);
		pthread_join(id, NULL);
	}
	return status;
}

/* backtrace() users must get their own frames, unwound by their own unwinder. */
static int frames(void)
{
	void *stack[64];
	int depth = backtrace(stack, 64);
	char **names = backtrace_symbols(stack, depth);
	Dl_info info;

	printf("frames %d first %s\n", depth, names[0]);
	free(names);
	if (!dladdr((void *)backtrace, &info))
		return 1;
	printf("backtrace of %s\n", info.dli_fname);
	return strstr(info.dli_fname, "libc.so") ? 0 : 2;
}

/* A runtime in nobody's scope, looked up by name, as Python frameworks do. */
static int local_runtime(void)
{
	int (*allocate)(void **, size_t);
	int (*release_device)(void *);
	void *ptr = NULL;
	void *library;

	/* Programs probe for the runtime like this: ours must not answer for it. */
	if (dlsym(RTLD_DEFAULT, "hipMalloc"))
		return 1;
	library = dlopen("libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return 2;
	allocate = (int (*)(void **, size_t))dlsym(library, "hipMalloc");
	release_device = (int (*)(void *))dlvsym(library, "hipFree", "hip_4.2");
	if (!allocate || !release_device || dlsym(library, "hipNoSuchFunction"))
		return 3;
	if (allocate(&ptr, 12345))
		return 4;
	printf("alloc api = 100, ptr = 0x%" PRIXPTR ", device_ptr = 0x%" PRIXPTR ", size = 12345\n",
	       (uintptr_t)ptr, (uintptr_t)ptr);
	printf("free api = 150, ptr = 0x%" PRIXPTR "\n", (uintptr_t)ptr);
	return release_device(ptr) ? 5 : 0;
}

#ifdef TAKES_ADDRESS
/* In an executable at a fixed address malloc() then has an entry that is called like it. */
static void *(*volatile address)(size_t);
#endif

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = { { "family", family }, { "threads", threads }, { "small", small_stacks },
		      { "fork", forks },    { "frames", frames },   { "local", local_runtime } };

#ifdef TAKES_ADDRESS
	address = malloc;
#endif
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run();
	return 99;
}
