/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps memory in signals' handlers, or calls the HIP or HSA runtime, at moments at which nothing
 * can be recorded. It prints how often it did, its children included. usage: handlers MODE
 * [RUNTIME]
 */
#include <dlfcn.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/hipgrain.h"

#define SIZE   3145728 /* of what is counted */
#define SENT   5
#define ENOUGH 30000
#define TIMES  1000 /* that a handler of the runtimes' modes is called */

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

static void no_call(void)
{
}

static void (*call)(void) = no_call;
static volatile sig_atomic_t called;
static uintptr_t code, code_end; /* the recorder's */

/* Calls if it has interrupted the recorder's code: the runtime may hold locks where it is
 * interrupted. */
static void call_inside(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	if (at >= code && at < code_end) {
		call();
		called++;
	}
}

static int find_recorder(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "libhipgrain-preload"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
			code = info->dlpi_addr + segment->p_vaddr;
			code_end = code + segment->p_memsz;
		}
	}
	return 1;
}

/* If `nested`, a handler may also interrupt the recording of the same call. */
static void calls(bool nested)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	struct sigaction action = { .sa_sigaction = call_inside, .sa_flags = SA_SIGINFO };

	call();
	dl_iterate_phdr(find_recorder, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (called < TIMES) {
		if (nested)
			call();
		map();
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static int (*hip_malloc)(void **ptr, size_t size);

/* A runtime in name only allocates nothing. */
static void call_hip(void)
{
	void *ptr = made;

	hip_malloc(&ptr, SIZE);
	__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
}

static void open_hip(const char *path)
{
	void *runtime = dlopen(path, RTLD_NOW);

	hip_malloc = runtime ? (int (*)(void **, size_t))dlsym(runtime, "hipMalloc") : NULL;
	if (!hip_malloc)
		exit(3);
	call = call_hip;
}

/* Nothing is recorded after a filter of system calls, also of one that allows them all. */
static void confine(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &all };

	call();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(4);
	for (unsigned i = 0; i < SENT; i++)
		call();
}

static char *pinned;
static int (*hsa_lock)(void *ptr, size_t size, void *agents, int count, void **agent);
static int (*hsa_unlock)(void *ptr);

static void call_hsa(void)
{
	void *agent;

	if (!hsa_lock(pinned, SIZE, NULL, 0, &agent)) {
		__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
		hsa_unlock(pinned);
	}
}

static void hsa(const char *path)
{
	void *runtime = dlopen(path, RTLD_NOW);
	sigset_t alarm;
	int (*init)(void) = runtime ? (int (*)(void))dlsym(runtime, "hsa_init") : NULL;

	/* The runtime's threads, which it makes now, are not to be interrupted. */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	if (!init || init())
		exit(3);
	hsa_lock =
	    (int (*)(void *, size_t, void *, int, void **))dlsym(runtime, "hsa_amd_memory_lock");
	hsa_unlock = (int (*)(void *))dlsym(runtime, "hsa_amd_memory_unlock");
	pinned = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
	call = call_hsa;
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	calls(false);
}

static void raise_some(void)
{
	for (unsigned i = 0; i < SENT; i++)
		raise(SIGUSR1);
}

/* ---- while a runtime is at work ---- */

static void (*mark)(const char *message);

/* Allocates twice, of which the C library maps one. */
static void use_libraries(void)
{
	void *volatile block;

	map();
	block = malloc(SIZE);
	free(block);
	__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
}

static void use_libraries_in_handler(int signal)
{
	(void)signal;
	use_libraries();
}

static void mark_in_handler(int signal)
{
	(void)signal;
	mark("of the handler");
}

/* Only in the outermost of the library's functions. */
static void once(void (*work)(void))
{
	static volatile sig_atomic_t within;

	if (!within) {
		within = 1;
		work();
		within = 0;
	}
}

static void raise_one(void)
{
	raise(SIGUSR1);
}

static void interrupt(void)
{
	once(raise_one);
}

static void mark_something(void)
{
	mark("of a library");
}

static void mark_as_a_library_does(void)
{
	once(mark_something);
}

static void call_hip_in_handler(int signal)
{
	(void)signal;
	call_hip();
}

/* The library's functions call `work`. */
static void open_interrupted(const char *path, void (*work)(void))
{
	void *runtime = dlopen(path, RTLD_NOW);
	void (**by)(void) = runtime ? (void (**)(void))dlsym(runtime, "interrupted_by") : NULL;

	if (!by)
		exit(3);
	*by = work;
	mark = (void (*)(const char *))dlsym(runtime, "roctxMarkA");
	hip_malloc = (int (*)(void **, size_t))dlsym(runtime, "hipMalloc");
}

/* A mark as Kokkos tells it to its tool, which calls the recorder. */
static void open_kokkos_tool(const char *path)
{
	void *tool = dlopen(path, RTLD_NOW);

	mark = tool ? (void (*)(const char *))dlsym(tool, "kokkosp_profile_event") : NULL;
	if (!mark)
		exit(3);
}

/* Makes `by` the handler of the signal, on a stack of its own. */
static void handle(void (*by)(int))
{
	static char room[1 << 16];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = by, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
}

/* A handler interrupts calls of HIP's, on the program's stack and on its own. */
static void interrupt_hip(const char *path)
{
	signal(SIGUSR1, use_libraries_in_handler);
	open_interrupted(path, interrupt);
	for (unsigned i = 0; i < SENT; i++)
		call_hip();
	handle(use_libraries_in_handler);
	for (unsigned i = 0; i < SENT; i++)
		call_hip();
}

/* HIP is called in a handler that has interrupted nothing of the sort, and allocates itself. */
static void hip_in_handler(const char *path)
{
	signal(SIGUSR1, call_hip_in_handler);
	open_interrupted(path, use_libraries);
	raise_some();
	handle(call_hip_in_handler);
	raise_some();
}

/* A handler interrupts a mark, and then the library calls its own function. */
static void interrupt_marks(const char *path)
{
	signal(SIGUSR1, mark_in_handler);
	open_interrupted(path, interrupt);
	for (unsigned i = 0; i < SENT; i++)
		mark("of the program");
	handle(mark_in_handler);
	for (unsigned i = 0; i < SENT; i++)
		mark("of the program");
	open_interrupted(path, mark_as_a_library_does);
	mark("of the program");
}

static void annotate(void)
{
	hipgrain_mark("of the handler");
	__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
}

static void call_mark(void)
{
	mark("of the handler");
	__atomic_fetch_add(made, 1, __ATOMIC_SEQ_CST);
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
	else if (strcmp(mode, "hip") == 0 && argc > 2)
		open_hip(argv[2]), calls(true);
	else if (strcmp(mode, "confined") == 0 && argc > 2)
		open_hip(argv[2]), confine();
	else if (strcmp(mode, "in-hip") == 0 && argc > 2)
		interrupt_hip(argv[2]);
	else if (strcmp(mode, "hip-in-handler") == 0 && argc > 2)
		hip_in_handler(argv[2]);
	else if (strcmp(mode, "in-marks") == 0 && argc > 2)
		interrupt_marks(argv[2]);
	else if (strcmp(mode, "annotations") == 0)
		call = annotate, calls(false);
	else if (strcmp(mode, "marks") == 0 && argc > 2)
		open_interrupted(argv[2], NULL), call = call_mark, calls(false);
	else if (strcmp(mode, "kokkos") == 0 && argc > 2)
		open_kokkos_tool(argv[2]), call = call_mark, calls(false);
	else if (strcmp(mode, "hsa") == 0 && argc > 2)
		hsa(argv[2]);
	else
		return 2;
	printf("%u\n", *made);
	return 0;
}
