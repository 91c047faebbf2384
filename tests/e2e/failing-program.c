/* SPDX-License-Identifier: Apache-2.0 */
/* A program for tests/e2e/failing: does in each of its ways what the preload library stands in
 * front of. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE  12345
#define STACK 8192

extern char **environ;
static char *self;

static void allocate(int count)
{
	for (int i = 0; i < count; i++) {
		char *volatile block = malloc(SIZE);

		if (!block)
			_exit(90);
		block[i % SIZE] = 1;
		free(block);
	}
}

static int reap(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void blocks(void)
{
	char *block = realloc(malloc(6000), 70000), *map;
	void *aligned = aligned_alloc(4096, 8192);

	allocate(20);
	map = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	map[1] = block[1] = 1;
	map = mremap(map, 65536, 131072, MREMAP_MAYMOVE);
	printf("blocks %d %d %d\n", map != MAP_FAILED, map[1], block[1]);
	munmap(map, 131072);
	free(block);
	free(aligned);
	/* Its file becomes larger several times. */
	allocate(60000);
}

static void *thread_of(void *unused)
{
	allocate(3);
	return unused;
}

static void threads(void)
{
	pthread_t ids[3];
	int made = 0;

	for (int i = 0; i < 3; i++) {
		made += pthread_create(&ids[i], NULL, thread_of, NULL) == 0;
		pthread_join(ids[i], NULL);
	}
	printf("threads %d\n", made);
}

static void on_signal(int number)
{
	(void)number;
	allocate(1);
}

static void little_stack(void)
{
	stack_t stack = { .ss_sp = malloc(STACK), .ss_size = STACK };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	puts("handler");
}

static void forks(void)
{
	pid_t child = fork();

	if (child == 0) {
		allocate(2);
		child = fork();
		if (child == 0) {
			allocate(2);
			_exit(4);
		}
		_exit(reap(child) + 1);
	}
	printf("forks %d\n", reap(child));
}

static void programs(void)
{
	char *arguments[] = { (char *)"sh", (char *)"-c", (char *)"exit 3", NULL };
	pid_t child = -1;
	int error = posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ);

	printf("spawn %d %d\n", error, error ? 0 : reap(child));
	child = vfork();
	if (child == 0) {
		execv("/bin/sh", arguments);
		_exit(91);
	}
	printf("vfork %d\n", reap(child));
	printf("system %d\n", WEXITSTATUS(system("exit 5")));
}

static void objects(void)
{
	void *object = dlopen("libm.so.6", RTLD_NOW);
	double (*cosine)(double) = object ? (double (*)(double))dlsym(object, "cos") : NULL;

	printf("objects %d\n", cosine ? (int)cosine(0) : -1);
	if (object)
		dlclose(object);
}

static void descriptors(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 200;
	printf("limit %d\n", setrlimit(RLIMIT_NOFILE, &limit));
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	closefrom(3);
	allocate(2);
	printf("next descriptor %d\n", dup(1));
	prctl(PR_SET_NAME, "failing");
}

int main(int argc, char **argv)
{
	self = argv[0];
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1) {
		allocate(2);
		puts("again");
		return 7;
	}
	blocks();
	threads();
	little_stack();
	forks();
	programs();
	objects();
	descriptors();
	execl(self, self, "again", (char *)NULL);
	return 92;
}
