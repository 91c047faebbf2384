/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorded program may do, one thing a mode: it prints the same and ends alike, whether it
 * is recorded or not. usage: preload-safety MODE
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Blocks of all sizes, freed in another order. */
static unsigned allocate(void)
{
	void *volatile blocks[100];
	unsigned sum = 0;

	for (unsigned i = 0; i < 100; i++) {
		blocks[i] = malloc((size_t)1 << i % 18);
		memset(blocks[i], 1, (size_t)1 << i % 18);
	}
	for (unsigned i = 0; i < 100; i += 2)
		free(blocks[i]);
	for (unsigned i = 1; i < 100; i += 2) {
		blocks[i] = realloc(blocks[i], 5000 + i);
		sum += *(unsigned char *)blocks[i];
		free(blocks[i]);
	}
	return sum;
}

static void child_ends(pid_t child)
{
	int status = 0;
	bool mine = waitpid(child, &status, 0) == child;

	printf("waited %d, status %x, %u\n", mine, status, allocate());
}

static void use_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
		_exit(1);
	}
	child_ends(child);
	child = vfork();
	if (!child)
		_exit(4);
	child_ends(child);
}

/* No handlers of pthread_atfork() run: the child may do little, but that it may do. */
static void use_bare_fork(void)
{
	pid_t (*bare)(void) = (pid_t(*)(void))dlsym(RTLD_DEFAULT, "_Fork");
	pid_t child = bare ? bare() : (pid_t)syscall(SYS_fork);

	if (!child)
		_exit(5);
	child_ends(child);
}

static int in_clone(void *data)
{
	*(int *)data = 7;
	syscall(SYS_exit, 6);
	return 0;
}

static void use_clone(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	int seen = 0;

	child_ends(clone(in_clone, stack + sizeof(stack), CLONE_VM | SIGCHLD, &seen));
	printf("seen %d\n", seen);
}

static void use_daemon(void)
{
	int ends[2];
	char text[16] = "";
	pid_t child;

	if (pipe(ends))
		return;
	child = fork();
	if (!child) {
		if (daemon(0, 0))
			_exit(1);
		dprintf(ends[1], "%u", allocate());
		exit(0);
	}
	child_ends(child);
	close(ends[1]);
	if (read(ends[0], text, sizeof(text) - 1) < 0)
		perror("read");
	printf("daemon: %s\n", text);
}

static void close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	printf("closed, %u\n", allocate());
	printf("next %d\n", open("/dev/null", O_RDONLY) >= 3);
}

/* Only reading, writing, memory, signals and ending are allowed; the rest ends the process. */
static void confine(void)
{
	static const int allowed[] = { SYS_read,           SYS_write,         SYS_mmap,
				       SYS_munmap,         SYS_brk,           SYS_mremap,
				       SYS_madvise,        SYS_exit_group,    SYS_exit,
				       SYS_rt_sigprocmask, SYS_rt_sigaction,  SYS_futex,
				       SYS_mprotect,       SYS_clock_gettime, SYS_newfstatat,
				       SYS_getpid,         SYS_getcpu,        SYS_gettid };
	struct sock_filter program[64];
	struct sock_fprog whole = { .filter = program };
	unsigned n = 0;

	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							    (unsigned)allowed[i], 0, 1);
		program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	whole.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &whole))
		_exit(2);
}

static void use_seccomp(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		confine();
		_exit((int)(allocate() & 63));
	}
	child_ends(child);
}

static volatile unsigned handled;
static void on_signal(int number)
{
	(void)number;
	free(malloc(6000));
	handled++;
}

static void *small_thread(void *unused)
{
	static __thread char other[32768];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (unsigned i = 0; i < 20; i++) {
		pthread_kill(pthread_self(), SIGUSR1);
		free(malloc(5000));
	}
	return unused;
}

/* 16 KiB of stack beside the thread's variables. */
static void use_small_stacks(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (unsigned i = 0; i < 5; i++) {
		pthread_create(&thread, &attributes, small_thread, NULL);
		pthread_join(thread, NULL);
	}
	printf("handled %u\n", handled);
}

static jmp_buf out;
static int compare(const void *a, const void *b)
{
	free(malloc(7000));
	if (*(const int *)a == 5)
		longjmp(out, 1);
	return *(const int *)a - *(const int *)b;
}

static void use_longjmp(void)
{
	int numbers[] = { 1, 5, 2, 5, 3 };
	volatile unsigned jumps = 0;

	for (volatile unsigned i = 0; i < 50; i++)
		if (!setjmp(out))
			qsort(numbers, 5, sizeof(numbers[0]), compare);
		else
			jumps++;
	printf("jumped %u, %u\n", jumps, allocate());
}

static void unload(void)
{
	for (unsigned i = 0; i < 10; i++) {
		void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
		unsigned long (*bound)(unsigned long) =
		    library ? (unsigned long (*)(unsigned long))dlsym(library, "compressBound")
			    : NULL;

		printf("%lu ", bound ? bound(100000) : 0);
		if (library)
			dlclose(library);
		allocate();
	}
	printf("\n");
}

static pthread_key_t key;
static void at_end(void *data)
{
	free(data);
	allocate();
}

static void *with_key(void *unused)
{
	pthread_setspecific(key, malloc(9000));
	return unused;
}

static void end_threads(void)
{
	pthread_t threads[8];

	pthread_key_create(&key, at_end);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, with_key, NULL);
		for (unsigned i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	}
	printf("ended, %u\n", allocate());
}

static void die(void)
{
	printf("dies, %u\n", allocate());
	fflush(stdout);
	abort();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "vfork", use_vfork },     { "bare-fork", use_bare_fork },
		{ "clone", use_clone },     { "daemon", use_daemon },
		{ "close-all", close_all }, { "seccomp", use_seccomp },
		{ "longjmp", use_longjmp }, { "small-stacks", use_small_stacks },
		{ "dlclose", unload },      { "thread-ends", end_threads },
		{ "abort", die },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], modes[i].name)) {
			errno = 77;
			modes[i].run();
			return 0;
		}
		if (argc == 1)
			puts(modes[i].name);
	}
	return argc != 1;
}
