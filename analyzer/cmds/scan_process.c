/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a running process has mapped. Opened through /proc/PID/root and, where the path is
 * deleted, /proc/PID/map_files: containers have their own file system, and libraries are replaced
 * by updates.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cmds/scan.h"
#include "analyzer/containers/containers.h"

/* Returns true for an ELF file with device code. */
static bool has_device_code(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	bool found = false;
	void *data;

	if (file < 0)
		return false;
	if (!fstat(file, &stat) && S_ISREG(stat.st_mode) && stat.st_size) {
		data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
		if (data != MAP_FAILED) {
			found = containers_in_host(data, (size_t)stat.st_size);
			munmap(data, (size_t)stat.st_size);
		}
	}
	close(file);
	return found;
}

int scan_process(const char *pid, void (*scan)(const char *path, void *user), void *user)
{
	char *line = NULL, last[4096] = "", name[8300];
	size_t room = 0;
	FILE *maps;
	int count = 0;

	if (!*pid || strspn(pid, "0123456789") != strlen(pid))
		return -EINVAL;
	snprintf(name, sizeof(name), "/proc/%s/maps", pid);
	maps = fopen(name, "re");
	if (!maps)
		return errno == ENOENT ? -ESRCH : -errno;
	while (getline(&line, &room, maps) > 0) {
		char range[64], *path = strchr(line, '/');

		/* The mappings of a file follow one another. */
		if (!path || sscanf(line, "%63s", range) != 1)
			continue;
		path[strcspn(path, "\n")] = 0;
		if (!strcmp(path, last) || strlen(path) >= sizeof(last))
			continue;
		snprintf(last, sizeof(last), "%s", path);
		snprintf(name, sizeof(name), "/proc/%s/root%s", pid, path);
		if (access(name, R_OK))
			snprintf(name, sizeof(name), "/proc/%s/map_files/%s", pid, range);
		if (!has_device_code(name))
			continue;
		scan(name, user);
		count++;
	}
	free(line);
	fclose(maps);
	return count;
}
