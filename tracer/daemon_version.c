/* SPDX-License-Identifier: Apache-2.0 */
/* Asks programs of session daemons for their versions. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/daemon_version.h"

/* It prints it at once; a machine may be busy. */
#define VERSION_MS 10000

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads what comes from `fd` until its end or the time is up, as a string. */
static void read_text(int fd, char *text, size_t size)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int64_t end = now_ms() + VERSION_MS;
	size_t length = 0;

	while (length < size - 1) {
		int64_t left = end - now_ms();
		ssize_t part;

		if (left <= 0 || poll(&poll_fd, 1, (int)left) <= 0)
			break;
		part = read(fd, text + length, size - 1 - length);
		if (part <= 0)
			break;
		length += (size_t)part;
	}
	text[length] = '\0';
}

/* The text is "2.13.9", or "lttng-sessiond 2.13.9 - Nordicité - ...": the first two numbers
 * count. */
bool daemon_version_of(const char *path, struct daemon_version *version)
{
	char text[256];
	const char *digit;
	int channel[2];
	pid_t child;

	if (pipe2(channel, O_CLOEXEC))
		return false;
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, STDIN_FILENO);
		dup2(channel[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl(path, "lttng-sessiond", "--version", (char *)NULL);
		_exit(127);
	}
	close(channel[1]);
	*text = '\0';
	if (child > 0) {
		read_text(channel[0], text, sizeof(text));
		kill(child, SIGKILL); /* not waited for yet: the number is still its own */
		waitpid(child, NULL, 0);
	}
	close(channel[0]);
	digit = strpbrk(text, "0123456789");
	return digit && sscanf(digit, "%u.%u", &version->major, &version->minor) == 2;
}
