/* SPDX-License-Identifier: Apache-2.0 */
/* Determines if a process has not ended. */
#include "tracer/process_lives.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the state in /proc/PID/stat, behind the name, which may hold anything; 0: unknown. */
static char state_of(pid_t pid)
{
	char path[64], text[512];
	const char *end;
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	text[length > 0 ? length : 0] = 0;
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

bool process_lives(pid_t pid)
{
	char state;

	if (pid <= 0 || (kill(pid, 0) && errno != EPERM))
		return false;
	state = state_of(pid);
	return state != 'Z' && state != 'X';
}
