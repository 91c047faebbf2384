/* SPDX-License-Identifier: Apache-2.0 */
/* A program for tests/e2e/limits and listed: lives under limits that leave a recorder little, or
 * waits. */
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void allocate(int count)
{
	for (int i = 0; i < count; i++) {
		char *volatile block = malloc(5000 + (size_t)(i % 99) * 10);

		if (block)
			block[0] = (char)i;
		free(block);
	}
}

/* Read, write and end only (seccomp(2)). */
static int strict(void)
{
	allocate(200);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	allocate(200);
	(void)!write(STDOUT_FILENO, "strict\n", 7);
	while (read(STDIN_FILENO, &(char){ 0 }, 1) > 0)
		;
	return (int)syscall(SYS_exit, 5);
}

static long now_has(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[200];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			kib = atol(line + strlen(name));
	if (file)
		fclose(file);
	return kib;
}

/* The process may have so many bytes more, or none at all; its children allocate what they can. */
static int memory(int resource, const char *name, const char *more)
{
	struct rlimit limit;
	int good = 0;

	allocate(200);
	limit.rlim_cur = limit.rlim_max =
	    strcmp(more, "none") ? (rlim_t)(now_has(name) * 1024 + atol(more)) : 0;
	setrlimit((__rlimit_resource_t)resource, &limit);
	for (int i = 0; i < 5; i++) {
		int status = -1;
		pid_t child = fork();

		if (child == 0) {
			allocate(200);
			_exit(6);
		}
		waitpid(child, &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == 6;
	}
	allocate(200);
	printf("children %d\n", good);
	return 0;
}

/* Closes descriptors by instructions of its own, and opens files: nobody else writes to them. */
static int close_all(void)
{
	int bad = 0;

	allocate(200);
	for (long fd = 3; fd < 4096; fd++) {
		long result;

		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(SYS_close), "D"(fd)
				 : "rcx", "r11", "memory");
	}
	for (int i = 0; i < 900; i++) {
		char name[40];

		snprintf(name, sizeof(name), "data%d", i);
		if (open(name, O_CREAT | O_RDWR | O_TRUNC, 0600) < 0)
			break;
	}
	allocate(40000);
	for (int i = 0; i < 900; i++) {
		struct stat status;
		char name[40];

		snprintf(name, sizeof(name), "data%d", i);
		bad += stat(name, &status) || status.st_size;
		unlink(name);
	}
	printf("files with foreign bytes: %d\n", bad);
	return 0;
}

/* Without standard descriptors the next one that it opens is the first. */
static int become_daemon(void)
{
	int fd;

	for (fd = 0; fd < 3; fd++)
		close(fd);
	allocate(200);
	fd = open("daemon", O_CREAT | O_TRUNC | O_RDWR, 0600);
	for (int i = 0; i < 3; i++) {
		char path[40], target[300], line[400];
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		length = snprintf(line, sizeof(line), "%d %s\n", i, target);
		(void)!write(fd, line, (size_t)length);
	}
	return 20 + fd;
}

/* It has no descriptor left; then it has children, which record something, and ends. */
static int no_descriptors(void)
{
	int status = -1;
	pid_t child;

	while (dup(0) >= 0)
		;
	child = fork();
	if (child == 0) {
		allocate(3);
		_exit(6);
	}
	waitpid(child, &status, 0);
	allocate(3);
	printf("child %d\n", WEXITSTATUS(status));
	return 0;
}

/* Until somebody ends it, or for half a minute. */
static int wait_long(bool calls)
{
	for (int i = 0; i < 600; i++) {
		if (calls)
			allocate(1);
		usleep(50000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "", *more = argc > 2 ? argv[2] : "0";

	if (!strcmp(how, "strict"))
		return strict();
	if (!strcmp(how, "addresses"))
		return memory(RLIMIT_AS, "VmSize:", more);
	if (!strcmp(how, "data"))
		return memory(RLIMIT_DATA, "VmData:", more);
	if (!strcmp(how, "close-all"))
		return close_all();
	if (!strcmp(how, "daemon"))
		return become_daemon();
	if (!strcmp(how, "no-descriptors"))
		return no_descriptors();
	if (!strcmp(how, "wait") || !strcmp(how, "call"))
		return wait_long(!strcmp(how, "call"));
	allocate(200);
	puts("done");
	return 0;
}
