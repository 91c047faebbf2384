/* SPDX-License-Identifier: Apache-2.0 */
/* Determines if a process has not ended, which its threads do one by one. */
#include "tracer/process_lives.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the state in its file `stat`, behind the name, which may hold anything; 0: unknown. */
static char state_of(const char *folder)
{
	char path[PROCESS_FOLDER + 8], text[512];
	const char *end;
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "%s/stat", folder);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	text[length > 0 ? length : 0] = 0;
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

static bool has_ended(const char *folder)
{
	char state = state_of(folder);

	return state == 'Z' || state == 'X';
}

void process_folder(pid_t pid, char folder[PROCESS_FOLDER])
{
	struct dirent *entry;
	char first[32];
	DIR *threads;

	snprintf(first, sizeof(first), "/proc/%d", (int)pid);
	snprintf(folder, PROCESS_FOLDER, "%s/task", first);
	threads = has_ended(first) ? opendir(folder) : NULL;
	snprintf(folder, PROCESS_FOLDER, "%s", first);
	while (threads && (entry = readdir(threads))) {
		snprintf(folder, PROCESS_FOLDER, "%s/task/%.16s", first, entry->d_name);
		/* Of a thread that has just gone nothing is known. */
		if (entry->d_name[0] != '.' && state_of(folder) && !has_ended(folder))
			break;
		snprintf(folder, PROCESS_FOLDER, "%s", first);
	}
	if (threads)
		closedir(threads);
}

bool process_lives(pid_t pid)
{
	char folder[PROCESS_FOLDER];

	if (pid <= 0 || (kill(pid, 0) && errno != EPERM))
		return false;
	process_folder(pid, folder);
	return !has_ended(folder);
}
