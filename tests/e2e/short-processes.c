/* SPDX-License-Identifier: Apache-2.0 */
/*
 * short-processes WHAT: a process that allocates, and what it does besides. Prints "PID
 * allocations" for each process and program.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int done; /* blocks that were allocated */

static void blocks(int count)
{
	for (int i = 0; i < count; i++) {
		char *volatile ptr = malloc(i % 2 ? 5000 : 8000);

		done++;
		free(ptr);
	}
}

static void print_counts(void)
{
	printf("%d %d\n", (int)getpid(), done);
	fflush(stdout);
}

static void *in_thread(void *unused)
{
	(void)unused;
	blocks(30);
	return NULL;
}

static void child(pid_t pid)
{
	if (pid == 0) {
		done = 0;
		blocks(20);
		print_counts();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* A limit as it is or higher; or lower. */
static void set_limit(int resource, int lower)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit))
		exit(1);
	limit.rlim_cur = lower ? limit.rlim_cur - 1 : limit.rlim_max;
	if (setrlimit((__rlimit_resource_t)resource, &limit))
		exit(1);
}

/* Processes that live at the same time, all with records that are not written yet, and are killed.
 */
#define CROWD 70

static void crowd(char *program)
{
	int ready[2], go[2];
	char number[2][16], byte;
	char *arguments[] = { program, "crowded", number[0], number[1], NULL };

	if (pipe(ready) || pipe(go) || fcntl(go[1], F_SETFD, FD_CLOEXEC))
		exit(1);
	snprintf(number[0], sizeof(number[0]), "%d", ready[1]);
	snprintf(number[1], sizeof(number[1]), "%d", go[0]);
	for (int i = 0; i < CROWD; i++)
		if (posix_spawn(&(pid_t){ 0 }, program, NULL, NULL, arguments, environ))
			exit(1);
	for (int i = 0; i < CROWD; i++)
		if (read(ready[0], &byte, 1) != 1)
			exit(1);
	close(go[1]);
	while (wait(NULL) > 0) {
	}
}

static void crowded(int ready, int go)
{
	char byte = 0;

	print_counts();
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1))
		exit(1);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char *again[] = { argv[0], "few", NULL }, *none[] = { "none", NULL };
	pthread_t thread;
	pid_t pid;

	setvbuf(stdout, NULL, _IONBF, 0);
	blocks(10);
	if (strcmp(what, "quiet") == 0)
		return 0;
	if (strcmp(what, "many") == 0) {
		blocks(20000);
	} else if (strcmp(what, "slow") == 0) {
		usleep(1100 * 1000);
		blocks(1000);
	} else if (strcmp(what, "thread") == 0) {
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
		done += 0;
		blocks(10);
	} else if (strcmp(what, "fork") == 0) {
		child(fork());
		blocks(10);
	} else if (strcmp(what, "clone") == 0) {
		/* Behind the C library's back. */
		child((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
		blocks(10);
	} else if (strcmp(what, "vfork") == 0) {
		pid = vfork();
		if (pid == 0) {
			execv("/bin/true", none);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		blocks(10);
	} else if (strcmp(what, "user") == 0) {
		if (setuid(getuid()))
			return 1;
		blocks(10);
	} else if (strcmp(what, "raised") == 0) {
		set_limit(RLIMIT_STACK, 0);
		blocks(10);
	} else if (strcmp(what, "lowered") == 0) {
		set_limit(RLIMIT_NOFILE, 1);
		blocks(10);
	} else if (strcmp(what, "crowd") == 0) {
		crowd(argv[0]);
	} else if (strcmp(what, "crowded") == 0) {
		crowded(atoi(argv[2]), atoi(argv[3]));
	} else if (strcmp(what, "outlives") == 0) {
		print_counts();
		sleep(60);
	} else if (strcmp(what, "exec") == 0) {
		execv("/nonexistent", none);
		blocks(10);
		print_counts();
		execv(argv[0], again);
		return 1;
	} else if (strcmp(what, "cancelled") == 0) {
		/* malloc() and free() are no points at which a thread is cancelled. */
		pthread_cancel(pthread_self());
		blocks(3000);
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	} else if (strcmp(what, "killed") == 0) {
		print_counts();
		raise(SIGKILL);
	}
	print_counts();
	return 0;
}
