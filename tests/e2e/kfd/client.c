/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client WHAT: a program that uses HIP, and then does what programs do with processes and
 * descriptors. Its process id is the first line of its output. REQUESTS: what driver.c writes.
 *
 * client allow-filter: in a recording, have programs recorded that run under driver.c's filter.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/missed.h"

static void use_hip(void)
{
	void *memory;
	int devices = 0;

	if (hipGetDeviceCount(&devices) || hipMalloc(&memory, 4096) || hipFree(memory)) {
		fprintf(stderr, "HIP fails\n");
		exit(1);
	}
}

static void rest(int milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

static int wait_for(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The descriptor by which the driver, which is our parent, tells of events. */
static int find_events(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		struct ucred peer;
		socklen_t size = sizeof(peer);

		if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.pid == getppid())
			return fd;
	}
	return -1;
}

/*
 * Until the driver has noted something of this process so often. The recorder's thread, which the
 * driver may hold up (-s), can go on then.
 */
static void wait_until(const char *what, unsigned often)
{
	const char *path = getenv("REQUESTS");
	unsigned count;
	char line[64];

	for (int i = 0; path && i < 3000; i++) {
		FILE *file = fopen(path, "re");
		int pid;

		for (count = 0; file && fgets(line, sizeof(line), file);)
			count += !strncmp(line, what, strlen(what)) &&
				 sscanf(line + strlen(what), "%d", &pid) == 1 && pid == getpid();
		if (file)
			fclose(file);
		if (count >= often) {
			if (readlink("/proc/self/go-on", line, sizeof(line)) < 0)
				return;
			exit(9);
		}
		rest(10);
	}
	exit(9);
}

/*
 * AMD's descriptors are among them, without which ROCr from 6.4 on does not end
 * (docs/runtimes.md#processes).
 */
static void close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	wait_until("read ", 6);
	_exit(0);
}

/* syscall() is interposed as close() is: only the instruction itself closes what is not the
 * program's. */
static long raw_close(int fd)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_close), "D"((long)fd)
			 : "rcx", "r11", "memory");
	return result;
}

/* Past the C library's functions; and another file gets the number. */
static int close_by_itself(void)
{
	static const char text[] = "this is the program's";
	char read_back[sizeof(text)] = "";
	int fd = find_events(), ends[2];

	if (fd < 0 || pipe(ends) || raw_close(fd) || dup2(ends[0], fd) != fd)
		return 3;
	if (write(ends[1], text, sizeof(text)) != sizeof(text))
		return 4;
	wait_until("closed ", 1);
	rest(50);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return read(fd, read_back, sizeof(text)) == sizeof(text) && !strcmp(text, read_back) ? 0
											     : 5;
}

/*
 * Programs under more filters of system calls than the recorder has are not recorded: their filters
 * may forbid what LTTng-UST needs. That of driver.c does not; so it counts as the recorder's own.
 */
static int allow_filter(void)
{
	const char *directory = getenv("HIPGRAIN_DIR");
	uint32_t filters;
	char path[4096];
	int file;

	snprintf(path, sizeof(path), "%s/" HG_MISSED, directory ? directory : "");
	file = open(path, O_RDWR);
	if (file < 0 || pread(file, &filters, sizeof(filters),
			      offsetof(struct hg_missed_table, filters)) != sizeof(filters))
		return 1;
	filters++;
	return pwrite(file, &filters, sizeof(filters), offsetof(struct hg_missed_table, filters)) !=
	       sizeof(filters);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char line[16];
	pid_t child;

	if (!strcmp(what, "allow-filter"))
		return allow_filter();
	printf("%d\n", getpid());
	fflush(stdout);
	if (!strcmp(what, "fork-first")) {
		child = fork();
		use_hip();
		wait_until("mask ", 1);
		return child ? wait_for(child) : 0;
	}
	if (!strcmp(what, "lines")) {
		while (fgets(line, sizeof(line), stdin)) {
			use_hip();
			printf("used\n");
			fflush(stdout);
		}
		return 0;
	}
	use_hip();
	if (!strcmp(what, "fail"))
		return 3;
	if (!strcmp(what, "close"))
		close_all();
	if (!strcmp(what, "close-itself"))
		return close_by_itself();
	if (!strcmp(what, "sent"))
		wait_until("mask ", argc > 2 ? (unsigned)atoi(argv[2]) : 1);
	if (!strcmp(what, "read"))
		wait_until("read ", 1);
	if (!strcmp(what, "quit")) {
		wait_until("mask ", 1);
		_exit(0);
	}
	if (!strcmp(what, "exec")) {
		wait_until("mask ", 1);
		return execl("/proc/self/exe", argv[0], "sent", "2", (char *)NULL);
	}
	if (!strcmp(what, "exec-fails")) {
		wait_until("read ", 1);
		execl("/proc/self/exe/none", argv[0], (char *)NULL);
		wait_until("read ", 4);
		return 0;
	}
	if (!strcmp(what, "fork")) {
		child = fork();
		if (!child)
			_exit(0);
		wait_until("read ", 1);
		return wait_for(child);
	}
	if (!strcmp(what, "fork-exec")) {
		wait_until("mask ", 1);
		child = fork();
		if (!child) {
			execl("/proc/self/exe", argv[0], "sent", (char *)NULL);
			_exit(127);
		}
		return wait_for(child);
	}
	return 0;
}
