/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a bundle. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/stage.h"
#include "tracer/tree.h"

#define BLOCK     (8u << 20) /* parallel file systems write so much at once (stripes of 1 to 4 MiB) */
#define DEPTH_MAX 16

static int copy_file(int from_folder, int to_folder, const char *name, mode_t mode, char *block)
{
	int from = openat(from_folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int to = from < 0
		     ? -1
		     : openat(to_folder, name,
			      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode & 0777);
	int result = from < 0 || to < 0 ? -errno : 0;

	while (!result) {
		ssize_t got = read(from, block, BLOCK);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			result = got < 0 ? -errno : 0;
			break;
		}
		result = tree_write(to, block, (size_t)got);
	}
	if (from >= 0)
		close(from);
	/* A file system of the network reports there what it could not write. */
	if (to >= 0 && close(to) && !result)
		result = -errno;
	return result;
}

static int copy_folder(int from, int to, char *block, int depth)
{
	int again = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	DIR *list = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!list) {
		result = -errno;
		if (again >= 0)
			close(again);
		return result;
	}
	while (!result && (entry = readdir(list))) {
		const char *name = entry->d_name;
		struct stat status;

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW)) {
			result = -errno;
		} else if (S_ISREG(status.st_mode)) {
			result = copy_file(from, to, name, status.st_mode, block);
		} else if (S_ISDIR(status.st_mode) && depth == DEPTH_MAX) {
			result = -ELOOP;
		} else if (S_ISDIR(status.st_mode)) {
			int inner =
			    openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			int made = mkdirat(to, name, status.st_mode & 0777);
			int outer =
			    made && errno != EEXIST
				? -1
				: openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			result = inner < 0 || outer < 0
				     ? -errno
				     : copy_folder(inner, outer, block, depth + 1);
			if (inner >= 0)
				close(inner);
			if (outer >= 0)
				close(outer);
		}
	}
	closedir(list);
	return result;
}

int stage_copy(int from, int to)
{
	char *block = malloc(BLOCK);
	int result = block ? copy_folder(from, to, block, 0) : -ENOMEM;

	free(block);
	return result;
}
