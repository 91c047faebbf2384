/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches whose shape and arguments change, from three places in turns, over a runtime that
 * does nothing (tests/bench/empty). Ahead of each it prints "PID TID GROUPS VALUE".
 * usage: batched-launches MODULE COUNT HOW: as it ends, or what comes in between
 *   exit     by returning from main()
 *   kill     by SIGKILL
 *   crash    by abort()
 *   threads  three threads at once
 *   fork     a child goes on with the parent's, in its middle
 *   vfork    a program is executed in the middle
 *   handler  a signal's handler that allocates interrupts it again and again
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int hipModuleLoad(void **module, const char *path);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
			  void **extra);

static void *function;
static float buffer[64];
static unsigned count;

static void launch(unsigned i)
{
	/* Sometimes the pointer, too; sometimes nothing. */
	float *to = buffer + (i % 7 == 0 ? i % 64 : 0), value = (float)(i - i % 3);
	unsigned groups = 1 + (i % 5 ? 0 : i);
	void *args[] = { &to, &value };
	char line[80];
	int length = snprintf(line, sizeof(line), "%d %ld %u %g %d\n", getpid(),
			      syscall(SYS_gettid), groups, (double)value, (int)(to - buffer));

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(9);
	if (i % 3 == 0)
		hipModuleLaunchKernel(function, groups, 1, 1, 64, 1, 1, 0, NULL, args, NULL);
	else if (i % 3 == 1)
		hipModuleLaunchKernel(function, groups, 1, 1, 32, 1, 1, 64, NULL, args, NULL);
	else
		hipModuleLaunchKernel(function, groups, 1, 1, 128, 1, 1, 0, &count, args, NULL);
}

static void *some(void *unused)
{
	for (unsigned i = 0; i < count; i++)
		launch(i);
	return unused;
}

/* The next one comes when this one has ended, or a machine that is slow would do nothing but handle
 * them. */
static void allocate(int signal)
{
	struct itimerval soon = { .it_value = { .tv_usec = 200 } };

	(void)signal;
	free(malloc(5000)); /* what this program does not call malloc() beside */
	setitimer(ITIMER_REAL, &soon, NULL);
}

static void handler(void)
{
	struct sigaction action = { .sa_handler = allocate, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	raise(SIGALRM);
	some(NULL);
	signal(SIGALRM, SIG_IGN);
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	const char *how;
	void *module;
	pid_t child;

	if (argc != 4 || hipModuleLoad(&module, argv[1]) ||
	    hipModuleGetFunction(&function, module, "fill"))
		return 2;
	count = (unsigned)strtoul(argv[2], NULL, 10);
	how = argv[3];
	if (!strcmp(how, "handler"))
		handler();
	else
		some(NULL);
	if (!strcmp(how, "threads")) {
		for (unsigned i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, some, NULL);
		for (unsigned i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	}
	if (!strcmp(how, "fork")) {
		child = fork();
		some(NULL);
		if (!child)
			return 0;
		waitpid(child, NULL, 0);
	}
	if (!strcmp(how, "vfork")) {
		child = vfork();
		if (!child) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(9);
		}
		waitpid(child, NULL, 0);
		some(NULL);
	}
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "crash"))
		abort();
	return 0;
}
