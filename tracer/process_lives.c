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

/*
 * Writes the directory of the process, or of another thread if its first one has ended. Returns
 * false if all of them have. What this returns rests on one look at the first thread, which may end
 * between two.
 */
static bool find_thread(pid_t pid, char folder[PROCESS_FOLDER])
{
	char first[32];
	struct dirent *entry;
	bool lives;
	DIR *threads;

	snprintf(first, sizeof(first), "/proc/%d", (int)pid);
	snprintf(folder, PROCESS_FOLDER, "%s", first);
	if (!has_ended(first))
		return true;
	snprintf(folder, PROCESS_FOLDER, "%s/task", first);
	threads = opendir(folder);
	lives = !threads && errno != ENOENT;
	while (threads && !lives && (entry = readdir(threads))) {
		snprintf(folder, PROCESS_FOLDER, "%s/task/%.16s", first, entry->d_name);
		/* Of a thread that has just gone nothing is known. */
		lives = entry->d_name[0] != '.' && state_of(folder) && !has_ended(folder);
	}
	if (!threads || !lives)
		snprintf(folder, PROCESS_FOLDER, "%s", first);
	if (threads)
		closedir(threads);
	return lives;
}

void process_folder(pid_t pid, char folder[PROCESS_FOLDER])
{
	find_thread(pid, folder);
}

bool process_lives(pid_t pid)
{
	char folder[PROCESS_FOLDER];

	return pid > 0 && (!kill(pid, 0) || errno == EPERM) && find_thread(pid, folder);
}
