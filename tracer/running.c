/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the processes of a recording that live, by /proc. */
#include "tracer/running.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracer/process_lives.h"

#define LOOK_MS 10

/* *any: there are variables at all. */
static bool has_variable(const char *folder, const char *variable, bool *any)
{
	char path[PROCESS_FOLDER + 16], *text = NULL;
	size_t room = 0;
	bool found = false;
	FILE *file;

	*any = false;
	snprintf(path, sizeof(path), "%s/environ", folder);
	file = fopen(path, "re");
	while (file && !found && getdelim(&text, &room, 0, file) > 0) {
		*any = true;
		found = strcmp(text, variable) == 0;
	}
	if (file)
		fclose(file);
	free(text);
	return found;
}

bool running_has_variable(const char *pid, const char *variable)
{
	char folder[PROCESS_FOLDER];
	bool any, found;

	snprintf(folder, sizeof(folder), "/proc/%.16s", pid);
	found = has_variable(folder, variable, &any);
	if (any)
		return found;
	process_folder((pid_t)strtol(pid, NULL, 10), folder);
	return has_variable(folder, variable, &any);
}

void running_read_name(const char *pid, char name[RUNNING_NAME])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "re");
	if (file && fgets(name, RUNNING_NAME, file))
		name[strcspn(name, "\n")] = 0;
	if (file)
		fclose(file);
}

static int by_number(const void *left, const void *right)
{
	const struct running *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static size_t look(const char *variable, struct running **list)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	*list = NULL;
	while (processes && (entry = readdir(processes))) {
		struct running *more;

		if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name) ||
		    !running_has_variable(entry->d_name, variable))
			continue;
		more = realloc(*list, (count + 1) * sizeof(*more));
		if (!more)
			break;
		*list = more;
		more[count] = (struct running){ .pid = (pid_t)strtol(entry->d_name, NULL, 10) };
		running_read_name(entry->d_name, more[count++].name);
	}
	if (processes)
		closedir(processes);
	if (count)
		qsort(*list, count, sizeof(**list), by_number);
	return count;
}

size_t running_wait(const char *directory, int grace_ms, struct running **list)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };
	char *variable = NULL;
	size_t count = 0;

	*list = NULL;
	if (asprintf(&variable, "HIPGRAIN_DIR=%s", directory) < 0)
		return 0;
	while ((count = look(variable, list)) && grace_ms > 0) {
		free(*list);
		nanosleep(&pause, NULL);
		grace_ms -= LOOK_MS;
	}
	free(variable);
	return count;
}
