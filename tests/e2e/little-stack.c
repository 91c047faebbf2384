/* SPDX-License-Identifier: Apache-2.0 */
/*
 * little-stack KIND BYTES: calls that are recorded, on a stack of so many bytes above a page that
 * cannot be used. Writes what it has done when that is over; ends by a signal if the stack was too
 * small. `need`: writes how many bytes of stack each call has touched.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define ROUNDS 50
#define BLOCK  20001 /* bytes, by which the test finds the events */
#define PAINT  0xa5

static ucontext_t main_context, context;
static void (*task)(void);
static int done; /* blocks of BLOCK bytes */
static int failed;

static char *stack_low;

static void run_task(void)
{
	task();
}

static void go(char *stack, size_t size, void (*what)(void))
{
	task = what;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = size;
	context.uc_link = &main_context;
	makecontext(&context, run_task, 0);
	if (swapcontext(&main_context, &context))
		failed++;
}

/* Its lowest page cannot be used. */
static char *make_stack(size_t size)
{
	char *memory;

	size = (size + 4095) & ~(size_t)4095;
	memory =
	    mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || mprotect(memory, 4096, PROT_NONE)) {
		perror("mmap");
		exit(99);
	}
	return memory + 4096;
}

static void allocate(void)
{
	char *one = malloc(BLOCK), *two = calloc(3, 5000), *three = NULL;
	void *map;

	failed += !one || !two || posix_memalign((void **)&three, 64, 7000) != 0;
	two = realloc(two, 40000);
	failed += !two;
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	failed += map == MAP_FAILED || munmap(map, 8192) != 0;
	free(three);
	free(two);
	free(one);
	done++;
}

static void end_child(void)
{
	allocate();
	_exit(failed);
}

static void execute(void)
{
	static char *const arguments[] = { (char *)"true", NULL };

	allocate();
	execv("/bin/true", arguments);
	_exit(98);
}

static void leave(void)
{
	allocate();
	exit(failed);
}

static void in_child(char *stack, size_t size, void (*what)(void))
{
	pid_t child = fork();
	int status;

	if (!child)
		go(stack, size, what);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		failed++;
	else
		done++;
}

/* On the first thread's own stack, in the middle of it. */
static __attribute__((noinline)) void carve(size_t size)
{
	char stack[size + 64];

	for (int i = 0; i < ROUNDS; i++)
		go((char *)(((size_t)stack + 63) & ~(size_t)63), size, allocate);
}

static void *in_thread(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		allocate();
	return unused;
}

/* The C library allocates there while it holds a lock of the thread's. */
static void *first_looks(void *unused)
{
	pthread_attr_t attributes;

	failed += pthread_getattr_np(pthread_self(), &attributes) != 0;
	pthread_attr_destroy(&attributes);
	return in_thread(unused);
}

/* Deeper, until `left` bytes are. */
static __attribute__((noinline)) void sink(size_t left)
{
	volatile char some[512];

	some[0] = 0;
	if ((size_t)((char *)some - stack_low) > left + sizeof(some) + 256)
		sink(left);
	else
		allocate();
	some[1] = some[0];
}

static void *in_depth(void *left)
{
	for (int i = 0; i < ROUNDS; i++)
		sink((size_t)left);
	return NULL;
}

static void with_stack(char *stack, size_t size, void *(*what)(void *), void *data)
{
	pthread_attr_t attributes;
	pthread_t thread;

	stack_low = stack;
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, size) ||
	    pthread_create(&thread, &attributes, what, data) || pthread_join(thread, NULL))
		failed++;
}

static void on_signal(int number)
{
	void *map = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)number;
	failed += map == MAP_FAILED || munmap(map, BLOCK) != 0;
	done++;
}

static void raise_often(void)
{
	for (int i = 0; i < ROUNDS; i++)
		raise(SIGUSR1);
}

static void handle(char *stack, size_t size)
{
	stack_t other = { .ss_sp = stack, .ss_size = size };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL))
		failed++;
	raise_often();
}

/* ---- how much is needed ---- */

static void *block;

static void call_malloc(void)
{
	block = malloc(BLOCK);
}

static void call_free(void)
{
	free(block);
}

static void call_mmap(void)
{
	block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void call_munmap(void)
{
	munmap(block, BLOCK);
}

static size_t touched(char *stack, size_t size, void (*what)(void))
{
	size_t low = 0;

	memset(stack, PAINT, size);
	go(stack, size, what);
	while (low < size && (unsigned char)stack[low] == PAINT)
		low++;
	return size - low;
}

static void measure_on(const char *where, char *stack, size_t size)
{
	static const struct {
		const char *name;
		void (*call)(void);
	} calls[] = {
		{ "malloc", call_malloc },
		{ "free", call_free },
		{ "mmap", call_mmap },
		{ "munmap", call_munmap },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		printf("%s %s %zu\n", where, calls[i].name, touched(stack, size, calls[i].call));
}

static __attribute__((noinline)) void measure_within(size_t size)
{
	char stack[size + 64], *aligned = (char *)(((size_t)stack + 63) & ~(size_t)63);

	for (int i = 0; i < ROUNDS; i++)
		go(aligned, size, allocate);
	measure_on("within", aligned, size);
}

int main(int count, char **arguments)
{
	const char *kind = count == 3 ? arguments[1] : "";
	size_t size = count == 3 ? (size_t)atol(arguments[2]) : 0;
	char *stack = make_stack(size);

	if (!strcmp(kind, "coroutine")) {
		for (int i = 0; i < ROUNDS; i++)
			go(stack, size, allocate);
	} else if (!strcmp(kind, "child")) {
		in_child(stack, size, end_child);
	} else if (!strcmp(kind, "execute")) {
		in_child(stack, size, execute);
	} else if (!strcmp(kind, "leave")) {
		go(stack, size, leave);
	} else if (!strcmp(kind, "carved")) {
		carve(size);
	} else if (!strcmp(kind, "thread")) {
		with_stack(stack, size, in_thread, NULL);
	} else if (!strcmp(kind, "attributes")) {
		with_stack(stack, size, first_looks, NULL);
	} else if (!strcmp(kind, "depth")) {
		with_stack(make_stack(1 << 18), 1 << 18, in_depth, (void *)size);
	} else if (!strcmp(kind, "handler")) {
		handle(stack, size);
	} else if (!strcmp(kind, "need")) {
		for (int i = 0; i < ROUNDS; i++)
			go(stack, size, allocate);
		measure_on("beside", stack, size);
		measure_within(size);
	} else {
		fprintf(stderr, "usage: little-stack KIND BYTES\n");
		return 2;
	}
	if (strcmp(kind, "need"))
		printf("%s %zu: %d done, %d failed\n", kind, size, done, failed);
	return failed != 0;
}
