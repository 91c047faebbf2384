/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways in which threads and processes end, one a mode, as in preload-safety.c: all that is seen of
 * them is the same with and without a recording. usage: preload-ends MODE
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void say_goodbye(void)
{
	printf("at exit\n");
}

/* The calling thread alone, whatever the C library believes. */
static void leave(int status)
{
	free(malloc(100000));
	fflush(stdout);
	syscall(SYS_exit, status);
}

/* The only thread: the process ends with its status, and without exit(). */
static void leave_alone(void)
{
	atexit(say_goodbye);
	leave(3);
}

static bool first_goes;

/* Until the first thread has ended, or for a while: which of two is the last decides the status. */
static void outlast_first(void)
{
	char path[64], target[8];

	nap(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/cwd", (int)getpid());
	for (unsigned i = 0; first_goes && i < 1000 && readlink(path, target, sizeof(target)) > 0;
	     i++)
		nap(10);
	nap(20);
}

static void *go_on(void *unused)
{
	outlast_first();
	free(malloc(100000));
	printf("another thread returns\n");
	fflush(stdout);
	return unused;
}

static void *leave_later(void *unused)
{
	outlast_first();
	printf("another thread leaves\n");
	leave(5);
	return unused;
}

static void begin(void *(*function)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, NULL);
	pthread_detach(thread);
}

/* Others go on, and return; the status is the first thread's. */
static void leave_first(void)
{
	first_goes = true;
	atexit(say_goodbye);
	begin(go_on);
	begin(go_on);
	leave(4);
}

static void leave_all(void)
{
	first_goes = true;
	atexit(say_goodbye);
	begin(leave_later);
	begin(leave_later);
	leave(6);
}

/* The first ends as the C library knows it, the last as it does not. */
static void leave_last(void)
{
	first_goes = true;
	atexit(say_goodbye);
	begin(leave_later);
	pthread_exit(NULL);
}

/* A thread leaves, and the first returns. */
static void leave_other(void)
{
	atexit(say_goodbye);
	begin(leave_later);
	nap(300);
	printf("the first returns\n");
}

static pthread_t first;

static void *cancel_the_first(void *unused)
{
	nap(50);
	pthread_cancel(first);
	return go_on(unused);
}

static void cancel_first(void)
{
	first_goes = true;
	atexit(say_goodbye);
	first = pthread_self();
	begin(cancel_the_first);
	for (;;)
		pause();
}

static void child_ends(pid_t child)
{
	int status = 0;
	bool mine = waitpid(child, &status, 0) == child;

	printf("waited %d, status %x\n", mine, status);
}

static void leave_in_child(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		leave_first();
	child_ends(child);
	fflush(stdout);
	child = (pid_t)syscall(SYS_fork);
	if (!child)
		syscall(SYS_exit, 7);
	child_ends(child);
}

static void leave_group(void)
{
	atexit(say_goodbye);
	begin(go_on);
	free(malloc(100000));
	syscall(SYS_exit_group, 8);
}

static void become_another(void)
{
	char *argv[] = { "sh", "-c", "exit 9", NULL }, *env[] = { NULL };

	syscall(SYS_execve, "/bin/sh", argv, env);
}

/* ---- threads that are cancelled ---- */

#define TURNS 3000u

static unsigned finished; /* atomic: threads that came to the end of their turns */

/* None of these is a point at which a thread may be cancelled: that is only the last one. */
static void *be_busy(void *started)
{
	for (unsigned i = 0; i < TURNS; i++) {
		char *volatile block = malloc(5000 + i);
		void *map = NULL;

		if (i % 16 == 0)
			map = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		block = realloc(block, 9000);
		free(block);
		if (map)
			munmap(map, 65536);
		if (i == 0)
			__atomic_store_n((bool *)started, true, __ATOMIC_RELEASE);
	}
	__atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
	pause();
	return NULL;
}

/* Starts a thread and cancels it when it has begun. */
static bool cancel_one(void *(*function)(void *), long after_us)
{
	bool started = false;
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, function, &started);
	while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		sched_yield();
	usleep((useconds_t)after_us);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	return result == PTHREAD_CANCELED;
}

static void cancel_busy(void)
{
	unsigned cancelled = 0;

	for (unsigned i = 0; i < 20; i++)
		cancelled += cancel_one(be_busy, 0);
	printf("cancelled %u, finished %u\n", cancelled, finished);
}

/* System calls, and nothing of the C library that would suffer. */
static void *map_anywhere(void *started)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;) {
		void *map = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		munmap(map, 65536);
		__atomic_store_n((bool *)started, true, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void cancel_anywhere(void)
{
	unsigned cancelled = 0;

	for (unsigned i = 0; i < 100; i++)
		cancelled += cancel_one(map_anywhere, 50 * i);
	printf("cancelled %u, %d\n", cancelled, cancel_one(be_busy, 0));
}

/* It is to be cancelled, and forks before it comes to such a point. */
static void *fork_pending(void *started)
{
	pid_t child;

	pthread_cancel(pthread_self());
	__atomic_store_n((bool *)started, true, __ATOMIC_RELEASE);
	child = fork();
	if (!child) {
		free(malloc(100000));
		_exit(11);
	}
	__atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	child_ends(child);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
	return NULL;
}

static void cancel_forking(void)
{
	printf("cancelled %d, ", cancel_one(fork_pending, 0));
	printf("finished %u\n", finished);
}

/* close() is such a point, close_range() and syscall() are not. */
static void *close_pending(void *unused)
{
	pthread_cancel(pthread_self());
	syscall(SYS_close, 1000);
	close_range(1000, 1001, 0);
	__atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
	close(1000);
	__atomic_fetch_add(&finished, 100, __ATOMIC_RELAXED);
	return unused;
}

static void cancel_closing(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, close_pending, NULL);
	pthread_join(thread, &result);
	printf("cancelled %d, finished %u\n", result == PTHREAD_CANCELED, finished);
}

/* ---- what takes the tracer its means ---- */

static void close_everything(void)
{
	long left = 0;

	fflush(stdout);
	syscall(SYS_close_range, 3, ~0u, 0);
	for (int fd = 3; fd < 2048; fd++)
		left += syscall(SYS_close, fd) == 0;
	free(malloc(100000));
	printf("closed, %ld left\n", left);
}

/* Without the C library. */
static void close_directly(void)
{
	long rc;

	fflush(stdout);
	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"((long)SYS_close_range), "D"(3L), "S"(~0UL), "d"(0L)
			 : "rcx", "r11", "memory");
	free(malloc(100000));
	printf("closed: %ld\n", rc);
}

/* What malloc() and the end need, and no more; for anything else `action`. */
static void confine(unsigned action)
{
	static const int allowed[] = { SYS_write,  SYS_mmap,    SYS_munmap,     SYS_brk,
				       SYS_mremap, SYS_madvise, SYS_exit_group, SYS_exit,
				       SYS_futex,  SYS_mprotect };
	struct sock_filter program[32];
	struct sock_fprog whole = { .filter = program };
	unsigned n = 0;

	free(malloc(5000)); /* asks for random numbers once */
	printf("confined\n");
	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							    (unsigned)allowed[i], 0, 1);
		program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	whole.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &whole))
		exit(2);
	for (unsigned i = 0; i < 300; i++) {
		char *volatile block = malloc(5000 + i * 100);

		free(block);
	}
}

static void confine_killing(void)
{
	atexit(say_goodbye);
	confine(SECCOMP_RET_KILL_PROCESS);
}

static void confine_refusing(void)
{
	atexit(say_goodbye);
	confine(SECCOMP_RET_ERRNO | EPERM);
}

/* Another program. */
static void confine_executing(void)
{
	char name[] = "true", *arguments[] = { name, NULL };
	struct sock_filter program[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog whole = { .len = 1, .filter = program };

	free(malloc(100000));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &whole))
		exit(2);
	execvp("true", arguments);
}

/* The kernel ends the first thread alone. */
static void confine_thread(void)
{
	fflush(stdout);
	confine(SECCOMP_RET_KILL_THREAD);
	fflush(stdout);
	syscall(SYS_getppid);
}

/* There is no filter after all. */
static void confine_in_vain(void)
{
	struct sock_fprog none = { .len = 1 };

	printf("%d ", prctl(PR_SET_SECCOMP, 2, NULL));
	printf("%d ", prctl(PR_SET_SECCOMP, 2, &none));
	printf("%ld\n", syscall(SYS_seccomp, 1, 0, &none));
	free(malloc(100000));
}

/* Reading, writing and the thread's end are allowed; anything else ends the process. */
static void be_strict(void)
{
	free(malloc(5000));
	fflush(stdout);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		exit(2);
	free(malloc(100));
	free(malloc(5000)); /* from memory that it has */
	if (write(STDOUT_FILENO, "strict\n", 7) < 0)
		exit(3);
}

static void strict_ending(void)
{
	be_strict();
	syscall(SYS_exit, 5);
}

static void strict_ending_unseen(void)
{
	be_strict();
	__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(6) : "rcx", "r11", "memory");
}

static void strict_killed(void)
{
	be_strict();
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "leave-alone", leave_alone },
		{ "leave-first", leave_first },
		{ "leave-all", leave_all },
		{ "leave-last", leave_last },
		{ "leave-other", leave_other },
		{ "cancel-first", cancel_first },
		{ "leave-in-child", leave_in_child },
		{ "leave-group", leave_group },
		{ "become-another", become_another },
		{ "cancel-busy", cancel_busy },
		{ "cancel-anywhere", cancel_anywhere },
		{ "cancel-forking", cancel_forking },
		{ "cancel-closing", cancel_closing },
		{ "close-everything", close_everything },
		{ "close-directly", close_directly },
		{ "confine-killing", confine_killing },
		{ "confine-refusing", confine_refusing },
		{ "confine-executing", confine_executing },
		{ "confine-thread", confine_thread },
		{ "confine-in-vain", confine_in_vain },
		{ "strict-ending", strict_ending },
		{ "strict-ending-unseen", strict_ending_unseen },
		{ "strict-killed", strict_killed },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
		if (argc == 1)
			puts(modes[i].name);
	}
	return argc != 1;
}
