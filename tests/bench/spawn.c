/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command and prints what it took: seconds of processor time, the most that was resident
 * (bytes), and its status as wait() has it. A process's peak begins with that of the process that
 * starts it, so what measures a small program must be small. SIGTERM is passed on. usage: spawn
 * DESCRIPTOR PRELOAD COMMAND...: prints to that file descriptor; COMMAND's standard output is
 * dropped.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child;

static void pass_on(int signal)
{
	kill((pid_t)child, signal);
}

static void run(const char *preload, char **command)
{
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    (*preload && setenv("LD_PRELOAD", preload, 1)))
		_exit(126);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	int status, out = argc > 3 ? atoi(argv[1]) : -1;
	struct rusage used;

	if (out < 0)
		return 2;
	fcntl(out, F_SETFD, FD_CLOEXEC);
	child = fork();
	if (child == 0)
		run(argv[2], argv + 3);
	signal(SIGTERM, pass_on);
	if (child < 0 || wait4((pid_t)child, &status, 0, &used) < 0)
		return 1;
	dprintf(out, "%.6f %ld %d\n",
		(double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
		used.ru_maxrss * 1024, status);
	return 0;
}
