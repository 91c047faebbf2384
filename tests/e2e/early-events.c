/* SPDX-License-Identifier: Apache-2.0 */
/*
 * early-events WHAT: a process that allocates, and what it does besides. Prints "PID allocations
 * lttng" for each process and program: whether LTTng-UST is in it, 0 or 1.
 */
#include <pthread.h>
#include <signal.h>
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

static int has_lttng(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int found = 0;

	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, "liblttng-ust") != NULL;
	if (maps)
		fclose(maps);
	return found;
}

static void print_counts(void)
{
	printf("%d %d %d\n", (int)getpid(), done, has_lttng());
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

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char *again[] = { argv[0], "few", NULL }, *none[] = { "none", NULL };
	pthread_t thread;
	pid_t pid;

	setvbuf(stdout, NULL, _IONBF, 0);
	blocks(10);
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
