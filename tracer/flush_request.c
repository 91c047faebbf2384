/* SPDX-License-Identifier: Apache-2.0 */
/* Files by which a recorder requests that processes write their counts. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/flush_request.h"

/* Returns the directory's file descriptor, or -1, and puts the file's name in it into `name`. */
static int open_folder(const char *directory, pid_t pid, char name[16])
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder;

	snprintf(name, 16, "%ld", (long)pid);
	if (home < 0)
		return -1;
	folder = openat(home, HG_FLUSH_REQUESTS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(home);
	return folder;
}

bool flush_request_begin(const char *directory, pid_t pid)
{
	char name[16];
	int folder = open_folder(directory, pid, name), file;

	if (folder < 0)
		return false;
	file = openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (file >= 0)
		close(file);
	close(folder);
	return file >= 0;
}

bool flush_request_answered(const char *directory, pid_t pid)
{
	char name[16];
	int folder = open_folder(directory, pid, name);
	struct stat status;
	bool answered;

	if (folder < 0)
		return false;
	answered = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0;
	close(folder);
	return answered;
}

void flush_request_end(const char *directory, pid_t pid)
{
	char name[16];
	int folder = open_folder(directory, pid, name);

	if (folder >= 0) {
		unlinkat(folder, name, 0);
		close(folder);
	}
}
