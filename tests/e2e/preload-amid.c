/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signal's handler that maps memory when it has interrupted malloc(), which holds a lock: nothing
 * of ours may ask for memory there. One thing a mode, as in preload-safety.c; each ends by itself
 * or hangs. usage: preload-amid MODE
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define SIZE 100000 /* below what is mapped for itself */

static volatile sig_atomic_t trapped, failed;
static long long brk_before;

/* malloc() asks for memory under its lock: that call ends here, and fails. */
static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	void *ptr = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)number;
	(void)info;
	failed += ptr == MAP_FAILED || munmap(ptr, 8192);
	trapped++;
	interrupted->uc_mcontext.gregs[REG_RAX] = brk_before;
}

static void trap_brk(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog whole = { sizeof(program) / sizeof(program[0]), program };
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	mallopt(M_ARENA_MAX, 1); /* threads use the one that grows by brk() */
	brk_before = (long long)sbrk(0);
	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &whole))
		_exit(2);
}

static void *grow(void *unused)
{
	void *volatile blocks[100];

	for (unsigned i = 0; i < 100; i++)
		blocks[i] = malloc(SIZE);
	for (unsigned i = 0; i < 100; i++)
		free(blocks[i]);
	return unused;
}

/* The first that is recorded of a thread is in its handler. */
static void first_in_thread(void)
{
	pthread_t thread;

	trap_brk();
	pthread_create(&thread, NULL, grow, NULL);
	pthread_join(thread, NULL);
}

/* A function without call-frame information, of which only another unwinder makes something. */
void call_unknown(void *(*function)(void *));
__asm__(".pushsection .text\n"
	"call_unknown: sub $8, %rsp\n"
	"call *%rdi\n"
	"add $8, %rsp\n"
	"ret\n"
	".popsection");

static void through_unknown(void)
{
	trap_brk();
	call_unknown(grow);
}

static volatile bool enough;

static void on_alarm(int number)
{
	void *ptr = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	failed += ptr == MAP_FAILED || munmap(ptr, 8192);
	if (number == SIGALRM)
		trapped++;
}

static void *allocate_on(void *unused)
{
	while (!enough)
		free(malloc(SIZE));
	return unused;
}

/* Signals in threads that allocate, of which the first have just begun to, until the very end. */
static void storm(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	pthread_t threads[4];

	sigaction(SIGUSR1, &action, NULL);
	for (unsigned round = 0; round < 10; round++) {
		enough = false;
		for (unsigned i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, allocate_on, NULL);
		for (unsigned i = 0; i < 200; i++)
			pthread_kill(threads[i % 4], SIGUSR1);
		enough = round < 9;
		for (unsigned i = 0; enough && i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	trapped = 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "first-in-thread", first_in_thread },
		{ "through-unknown", through_unknown },
		{ "storm", storm },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			printf("trapped %d, failed %d\n", trapped > 0, (int)failed);
			return 0;
		}
		if (argc == 1)
			puts(modes[i].name);
	}
	return argc != 1;
}
